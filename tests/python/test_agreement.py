"""What a run tells in one file it tells in the others: report, history, summary, frames and contacts of one run
are read and compared with each other, number by number.
"""
import base64
import csv
import json
import os
import pathlib
import re
import subprocess
import unittest

import meshio
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

SCENE = """\
name: a ball & a plate
bodies:
  - name: ball
    shape: {sphere: 0.5, cells: 6}
    place: {translate: [0.3, 0, 0.52]}
    velocity: [0, 0, -0.5]
    material: {law: neo-hookean, young: 2000, poisson: 0.4, density: 100}
  - name: bar
    shape: {box: [0.6, 0.2, 0.2], cells: [3, 1, 1]}
    element: h8
    place: {translate: [2, 0, 1]}
    material: {law: neo-hookean, young: 2000, poisson: 0.3, density: 200}
rigid:
  - {name: plate, shape: {box: [2, 2, 0.2], cells: [4, 4, 1]}, place: {translate: [0, 0, -0.1]},
     motion: {translate: [0, 0, 0.05], ramp: linear, until: 1}}
  - {name: stone, shape: {box: [0.2, 0.3, 0.4]}, density: 50, place: {translate: [-3, 0, 2]}, velocity: [1, 0, 0],
     spin: [0, 0, 2]}
conditions:
  - {gravity: [0, 0, -5]}
  - {body: bar, where: {plane: x-min}, fix: xyz}
contact:
  - {between: [ball, plate], friction: 0.4}
solver: {time: 0.5, damping: 0.5}
probes:
  - {name: top, body: ball, where: {point: [0.3, 0, 1.02]}, record: position}
  - {name: push, between: [plate, ball], record: force}
  - {name: hold, body: bar, where: {plane: x-min}, record: force}
  - {name: area, body: ball, record: area}
  - {name: stone, rigid: stone, record: velocity}
output: {every: 0.05, history: 0.025, precision: double,
         fields: [displacement, velocity, contact, stress, volume, energy]}
"""
BODIES = ["ball", "bar", "plate", "stone"]


def read_vtk(path, reader):
    reader.SetFileName(str(path))
    reader.Update()
    return reader.GetOutput()


def numbers(text, kind):
    return np.frombuffer(base64.b64decode(text), dtype=kind)


class Agreement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        pathlib.Path("scene.yaml").write_text(SCENE)
        run = subprocess.run([os.environ["PALPATE"], "run", "scene.yaml", "-o", "out", "--quiet"],
                             capture_output=True, text=True)
        if run.returncode != 0:
            raise RuntimeError(run.stderr)
        out = cls.out = pathlib.Path("out")
        cls.summary = json.loads((out / "summary.json").read_text())
        with open(out / "history.csv", newline="") as file:
            cls.rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
        cls.frames = [meshio.read(path) for path in sorted((out / "frames").glob("*.vtu"))]
        page = (out / "report.html").read_text()
        cls.report = json.loads(re.search(r'<script[^>]*application/json[^>]*>(.*?)</script>', page, re.S)[1])
        last = cls.frames[-1]
        cls.owner = np.concatenate([block.ravel() for block in last.cell_data["body"]])

    def near(self, one, other, tolerance=1e-12):
        np.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance)

    def vector(self, row, name):
        return [row[f"{name}.{axis}"] for axis in "xyz"]

    def points_of(self, frame, name):
        nodes = [block.data[frame.cell_data["body"][k].ravel() == BODIES.index(name)].ravel()
                 for k, block in enumerate(frame.cells)]
        return np.unique(np.concatenate(nodes))

    def test_rows_and_frames(self):
        framed = [row for row in self.rows if row["frame"] >= 0]
        self.assertEqual([row["frame"] for row in framed], list(range(11)))
        self.assertEqual(len(self.rows), 21)
        self.assertEqual(len(self.frames), 11)
        self.near([row["time"] for row in framed], np.arange(11) * 0.05, 1e-9)
        self.assertTrue(all(np.diff([row["time"] for row in self.rows]) > 0))
        listed = re.findall(r'timestep="([^"]*)".*?file="([^"]*)"', (self.out / "run.pvd").read_text())
        self.near([float(time) for time, _ in listed], [row["time"] for row in framed])
        self.assertEqual([name for _, name in listed], [f"frames/{i:06}.vtu" for i in range(11)])
        for i, row in enumerate(framed):
            grid = read_vtk(self.out / f"frames/{i:06}.vtu", vtk.vtkXMLUnstructuredGridReader())
            field = grid.GetFieldData()
            self.near(vtk_to_numpy(field.GetArray("TimeValue")), [row["time"]])
            self.assertEqual(vtk_to_numpy(field.GetArray("step")).tolist(), [row["steps"]])
            self.assertEqual([vtk_to_numpy(field.GetArray(f"body.{name}"))[0] for name in BODIES],
                             list(range(4)))

    def test_energies(self):
        for row in self.rows:
            self.near(row["total"], row["kinetic"] + row["strain"])
        first, last, told = self.rows[0], self.rows[-1], self.summary["energy"]
        self.near(told["initial"], first["total"])
        self.near(told["final"], last["total"])
        for key in ("kinetic", "strain", "external_work", "contact_work", "dissipated"):
            self.near(told[key], last[key])
        book = (last["total"] - first["total"] - last["external_work"] - last["contact_work"] +
                last["dissipated"])
        scale = max(last["total"], first["total"], abs(last["external_work"]), abs(last["dissipated"]))
        self.near(last["drift"], book / scale, 1e-9)
        strain = 0
        frame = self.frames[-1]
        for k, block in enumerate(frame.cells):
            if block.type == "tetra":
                x = self.frames[0].points[block.data] - self.frames[0].point_data["displacement"][block.data]
                volumes = np.einsum("ei,ei->e", np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), x[:, 3] - x[:, 0]) / 6
                strain += (volumes * frame.cell_data["energy_density"][k].ravel()).sum()
            elif block.type == "hexahedron":
                strain += 0.6 * 0.2 * 0.2 / 3 * frame.cell_data["energy_density"][k].sum()
        self.near(strain, last["strain"], 2e-2)  # bending of hexahedra is not in the fields of cells

    def test_momenta(self):
        for key, when in (("initial", 0), ("final", -1)):
            for name in ("momentum", "angular_momentum"):
                self.near(self.summary[name][key], self.vector(self.rows[when], name))
        bodies, sum_of = self.summary["bodies"], np.zeros(3)
        for name in ("ball", "bar", "stone"):
            sum_of += bodies[name]["mass"] * np.array(bodies[name]["velocity"])
        self.near(sum_of, self.summary["momentum"]["final"], 1e-9)
        self.near(bodies["stone"]["mass"], 50 * 0.2 * 0.3 * 0.4)
        self.near(bodies["bar"]["mass"], 200 * 0.6 * 0.2 * 0.2)
        self.assertNotIn("mass", bodies["plate"])
        self.near(bodies["stone"]["spin"], [0, 0, 2 * np.exp(-0.5 * 0.5)], 1e-4)

    def test_bodies(self):
        frame = self.frames[-1]
        for name, rigid in zip(BODIES, (False, False, True, True)):
            told = self.summary["bodies"][name]
            self.assertEqual(told["rigid"], rigid)
            self.assertEqual(told["nodes"], len(self.points_of(frame, name)))
            self.assertEqual(told["elements"], (self.owner == BODIES.index(name)).sum())
        plate = self.points_of(frame, "plate")
        self.near(self.summary["bodies"]["plate"]["centroid"], frame.points[plate].mean(axis=0), 1e-9)
        self.near(self.summary["bodies"]["plate"]["velocity"], frame.point_data["velocity"][plate].mean(axis=0))
        stone = frame.points[self.points_of(frame, "stone")].mean(axis=0)
        self.near(self.summary["bodies"]["stone"]["centroid"], stone, 1e-9)

    def test_probes(self):
        frame, last = self.frames[-1], self.rows[-1]
        for name, value in self.summary["probes"].items():
            self.near(value, self.vector(last, name))
        ball = self.points_of(frame, "ball")
        start = frame.points - frame.point_data["displacement"]
        top = ball[np.argmax(start[ball, 2])]
        self.near(self.vector(last, "top"), frame.points[top], 1e-9)
        self.near(self.vector(last, "push"), -frame.point_data["contact_force"][ball].sum(axis=0), 1e-9)
        pressure = frame.point_data["contact_pressure"][ball]
        self.near(last["area.z"], pressure.max(), 1e-9)
        self.near(self.vector(last, "stone"), self.summary["bodies"]["stone"]["velocity"])
        self.assertGreater(last["hold.z"], 0)

    def test_contacts(self):
        pair, = self.summary["contact"]["pairs"]
        self.assertEqual(pair["bodies"], ["ball", "plate"])
        self.assertEqual(pair["friction"], 0.4)
        self.assertEqual(pair["count"], self.summary["contact"]["count"])
        self.assertEqual(self.rows[-1]["contacts"], pair["count"])
        self.assertGreaterEqual(self.summary["contact"]["most"], max(row["contacts"] for row in self.rows))
        points = read_vtk(self.out / "contacts/000010.vtp", vtk.vtkXMLPolyDataReader())
        data = points.GetPointData()
        force = vtk_to_numpy(data.GetArray("force"))
        normal = vtk_to_numpy(data.GetArray("normal"))
        self.assertEqual(len(force), pair["count"])
        self.near(np.einsum("ij,ij->i", force, normal), vtk_to_numpy(data.GetArray("normal_force")), 1e-6)
        self.near(vtk_to_numpy(data.GetArray("normal_force")).sum(), pair["normal_force"], 1e-9)
        pressing = vtk_to_numpy(data.GetArray("normal_force"))
        rubbing = np.linalg.norm(force - pressing[:, None] * normal, axis=1)
        slips = rubbing > 0.4 * pressing * (1 - 1e-6)
        self.assertTrue(slips.any() and not slips.all())
        self.assertEqual(vtk_to_numpy(data.GetArray("slips")).tolist(), slips.astype(int).tolist())
        self.assertEqual(np.unique(vtk_to_numpy(data.GetArray("bodies")), axis=0).tolist(), [[0, 2]])
        self.near(force.sum(axis=0), -np.array(self.vector(self.rows[-1], "push")), 1e-9)

    def test_report_repeats_the_files(self):
        report = self.report
        self.assertEqual(report["title"], "a ball & a plate")
        self.assertFalse(report["interrupted"])
        self.assertEqual(report["summary"], self.summary)
        self.assertEqual(report["probes"], [{"name": name, "record": record} for name, record in (
            ("top", "position"), ("push", "force"), ("hold", "force"), ("area", "area"), ("stone", "velocity"),
            ("stone.position", "position"), ("stone.velocity", "velocity"), ("stone.rotation", "rotation"))])
        self.assertEqual(base64.b64decode(report["picture"]), (self.out / "picture.png").read_bytes())
        self.assertEqual(report["scene"], (self.out / "scene.yaml").read_text())
        self.assertFalse(report["scene_cut"])
        self.assertTrue((self.out / "log.txt").read_text().startswith(report["log"]))
        history = report["history"]
        names = list(self.rows[0])
        self.assertEqual(history["columns"], names[:len(history["columns"])])
        self.assertEqual((history["width"], history["rows"]), (len(names), len(self.rows)))
        values = numbers(history["values"], "<f8").reshape(len(self.rows), -1)
        self.assertEqual(values.tolist(), [list(row.values()) for row in self.rows])

    def test_report_shows_the_surface(self):
        surface, frame = self.report["surface"], self.frames[-1]
        triangles = numbers(surface["triangles"], "<u4").reshape(-1, 3)
        moved = numbers(surface["displacement"], "<f4").reshape(-1, 3)
        start = numbers(surface["start"], "<f4").reshape(-1, 3)
        self.assertEqual(len(moved), surface["points"])
        self.assertEqual(len(start), surface["points"])
        self.assertEqual([body["name"] for body in surface["bodies"]], BODIES)
        self.assertEqual([body["rigid"] for body in surface["bodies"]], [False, False, True, True])
        at, used = 0, []
        for body in surface["bodies"]:
            self.assertEqual(body["first"], at)
            at += body["count"]
            used.append(np.unique(triangles[body["first"]:at]))
        self.assertEqual(at, len(triangles))
        self.assertEqual(len(numbers(surface["edges"], "u1")), at)
        rest = frame.points - frame.point_data["displacement"]
        middle = (rest.min(axis=0) + rest.max(axis=0)) / 2
        fields = {field["name"]: numbers(field["values"], "<f4") for field in surface["fields"]}
        self.assertEqual(list(fields), ["von Mises stress", "displacement", "contact pressure"])
        for k, name in enumerate(BODIES):  # points are looked up by where they were
            nodes = self.points_of(frame, name)
            for point in used[k]:
                away = np.abs(rest[nodes] - middle - start[point]).max(axis=1)
                node = nodes[np.argmin(away)]
                self.assertLess(away.min(), 1e-6)
                self.near(moved[point], frame.point_data["displacement"][node], 1e-6)
                if k < 2:
                    length = np.linalg.norm(frame.point_data["displacement"][node])
                    self.near(fields["displacement"][point], length, 1e-6)
                    self.near(fields["contact pressure"][point], frame.point_data["contact_pressure"][node], 1e-5)
                    self.near(fields["von Mises stress"][point], self.stress_at(node), 1e-5)
        for field in surface["fields"]:
            highest = numbers(field["values"], "<f4").max()
            self.near(field["highest"], highest, 1e-6)
            self.assertGreaterEqual(field["steps"], 3)

    def stress_at(self, node):
        frame, found = self.frames[-1], []
        for k, block in enumerate(frame.cells):
            if block.type != "triangle":
                rows = (block.data == node).any(axis=1)
                found += frame.cell_data["von_mises"][k].ravel()[rows].tolist()
        return np.mean(found)


if __name__ == "__main__":
    unittest.main()
