"""A run's files, read by others' libraries: meshio, VTK, h5py, csv, json."""

import csv
import json
import math
import os
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree

import h5py
import meshio
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

SCENE = """
name: files
bodies:
  - name: beam
    shape: {box: [4, 1, 1], cells: [8, 2, 2]}
    element: h8
    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}
  - name: block & <co>
    shape: {box: [1, 1, 1], cells: [2, 2, 2]}
    element: t4
    place: {translate: [0, 0, 3]}
    velocity: [0.5, 0, 0]
    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}
rigid:
  - name: tool
    shape: {sphere: 0.5}
    motion: {translate: [0, 0, -1], ramp: linear, until: 0.2}
conditions:
  - {body: beam, where: {plane: x-min}, fix: xyz}
  - {body: beam, where: {plane: x-max}, force: [0, 0, -4], ramp: smooth}
solver: {method: explicit, time: 0.2, step: auto}
probes:
  - {name: tip, body: beam, where: {plane: x-max}, record: displacement}
  - {name: wall, body: beam, where: {plane: x-min}, record: force}
output:
  every: 0.02
  fields: [displacement, velocity, stress, energy, strain, volume]
  precision: double
"""
FRAMES = 11


# A plate presses one block onto another, which stands on the ground.
PRESS = """
name: press
bodies:
  - name: lower
    shape: {box: [1, 1, 1], cells: [3, 3, 3]}
    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}
  - name: upper
    shape: {box: [0.8, 0.8, 0.5], cells: [3, 3, 2]}
    place: {translate: [0, 0, 0.76]}
    material: {law: neo-hookean, young: 1000, poisson: 0.3, density: 1}
rigid:
  - name: plate
    shape: {box: [1.5, 1.5, 0.2]}
    place: {translate: [0, 0, 1.12]}
    motion: {translate: [0, 0, -0.15]}
conditions:
  - {body: lower, where: {plane: z-min}, fix: xyz}
contact:
  - {between: all, friction: 0.2}
  - {between: [lower, plate], active: false}
solver: {method: explicit, time: 0.3, step: auto, damping: 10}
probes:
  - {name: push, between: [upper, lower], record: force}
  - {name: load, rigid: plate, record: force}
  - {name: twist, rigid: plate, record: torque}
  - {name: ground, body: lower, where: {plane: z-min}, record: force}
  - {name: stress, body: lower, record: stress}
  - {name: strain, body: lower, record: strain}
  - {name: pressure, body: lower, record: pressure}
  - {name: volume, body: lower, record: volume}
  - {name: area, body: upper, where: {plane: z-max}, record: area}
output: {every: 0.03, fields: [displacement, contact, stress, strain, volume]}
"""


def run(scene=SCENE, folder="run"):
    shutil.rmtree(folder, ignore_errors=True)
    with open("scene.yaml", "w", encoding="utf-8") as file:
        file.write(scene)
    subprocess.run([os.environ["PALPATE"], "run", "scene.yaml", "-o", folder], check=True)


def read_vtk(path):
    reader = vtk.vtkXMLUnstructuredGridReader()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def vtk_array(data, name):
    return vtk_to_numpy(data.GetArray(name))


def check_frame(path, time):
    """Both readers see the same numbers; returns meshio's."""
    mesh, grid = meshio.read(path), read_vtk(path)
    assert np.array_equal(mesh.points, vtk_to_numpy(grid.GetPoints().GetData()))
    for name in ("displacement", "velocity"):
        assert np.array_equal(mesh.point_data[name], vtk_array(grid.GetPointData(), name)), name
    for name in ("von_mises", "stress", "strain", "volume_ratio", "energy_density", "body",
                 "material"):
        ours = np.concatenate(mesh.cell_data[name])
        assert np.array_equal(ours, vtk_array(grid.GetCellData(), name)), name
    assert float(vtk_array(grid.GetFieldData(), "TimeValue")[0]) == time
    names = ("body.beam", "body.block & <co>", "body.tool")
    assert [int(np.ravel(mesh.field_data[name])[0]) for name in names] == [0, 1, 2]
    assert [block.type for block in mesh.cells] == ["hexahedron", "tetra", "triangle"]
    return mesh


def check_von_mises(mesh):
    stress = np.concatenate(mesh.cell_data["stress"])
    xx, yy, zz, xy, yz, zx = stress.T
    expected = np.sqrt(((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) / 2
                       + 3 * (xy ** 2 + yz ** 2 + zx ** 2))
    actual = np.concatenate(mesh.cell_data["von_mises"])
    assert np.allclose(actual, expected, rtol=1e-9, atol=1e-9 * expected.max())
    assert expected.max() > 0


def check_strain(first, last):
    """Of the tetrahedra, from where their nodes were and are, in 32 bits."""
    cells = last.cells[0].data
    points = (np.asarray(first.points, float), np.asarray(last.points, float))
    assert last.points.dtype == np.float32
    rest, now = (p[cells[:, 1:]] - p[cells[:, :1]] for p in points)
    gradient = np.transpose(np.linalg.solve(rest, now), (0, 2, 1))
    green = (np.transpose(gradient, (0, 2, 1)) @ gradient - np.eye(3)) / 2
    told = last.cell_data["strain"][0]
    assert np.allclose(told, green[:, [0, 1, 2, 0, 1, 2], [0, 1, 2, 1, 2, 0]], atol=1e-5)
    ratio = np.linalg.det(gradient)
    assert np.allclose(last.cell_data["volume_ratio"][0], ratio, atol=1e-5)
    assert abs(ratio - 1).max() > 0.01 and abs(green).max() > 0.05


def check_frames(rows):
    collection = ElementTree.parse("run/run.pvd").getroot().find("Collection")
    entries = [(float(e.get("timestep")), e.get("file")) for e in collection]
    assert [time for time, _ in entries] == [float(row["time"]) for row in rows]
    assert sorted(os.listdir("run/frames")) == [os.path.basename(file) for _, file in entries]
    meshes = [check_frame(os.path.join("run", file), time) for time, file in entries]
    first, last = meshes[0], meshes[-1]
    check_von_mises(last)
    soft = len(first.points) - len(np.unique(first.cells[2].data))
    assert not first.point_data["displacement"][:soft].any()
    # Points are where the nodes are now.
    moved = first.points[:soft] + last.point_data["displacement"][:soft]
    assert np.array_equal(last.points[:soft], moved)
    assert np.allclose(last.points[soft:] - first.points[soft:], [0, 0, -1], atol=1e-12)
    with h5py.File("run/checkpoint.h5") as file:
        displacement = file["state/displacement"][:].reshape(-1, 3)
        assert np.array_equal(displacement, last.point_data["displacement"][:soft])
        assert file["run"].attrs["frame_count"] == FRAMES
    return last


def check_history(rows, last):
    assert len(rows) == FRAMES
    for row in rows:
        assert float(row["total"]) == float(row["kinetic"]) + float(row["strain"])
    times = [float(row["time"]) for row in rows]
    assert np.allclose(times, np.linspace(0, 0.2, FRAMES), atol=1e-12)
    start = 2 - 2e-9
    tip = [n for n in np.unique(last.cells[0].data)
           if last.points[n][0] - last.point_data["displacement"][n][0] > start]
    assert len(tip) == 9
    for i, axis in enumerate("xyz"):
        mean = last.point_data["displacement"][tip][:, i].mean()
        assert math.isclose(float(rows[-1]["tip." + axis]), mean, rel_tol=1e-12, abs_tol=1e-15)


def check_summary(rows):
    with open("run/summary.json", encoding="utf-8") as file:
        summary = json.load(file)
    for key in ("status reason version steps time step threads wall_seconds stages counters energy "
                "momentum penetration intersections bodies probes added_mass residual "
                "state_hash").split():
        assert key in summary, key
    assert summary["status"] == "ok" and summary["reason"] == ""
    stages = ("elements integrate assemble solve contact_update contact_search contact_response "
              "output")
    assert set(stages.split()) == set(summary["stages"])
    assert sum(summary["stages"].values()) <= summary["wall_seconds"]
    energy = ("initial final kinetic strain external_work contact_work dissipated worst_drift "
              "balanced")
    assert set(energy.split()) == set(summary["energy"])
    assert summary["energy"]["final"] == float(rows[-1]["total"])
    worst = max(abs(float(row["drift"])) for row in rows)
    assert summary["energy"]["worst_drift"] == worst
    assert summary["steps"] == int(rows[-1]["steps"])
    assert set(summary["bodies"]) == {"beam", "block & <co>", "tool"}
    assert summary["bodies"]["beam"]["nodes"] == 9 * 3 * 3
    assert summary["probes"]["tip"] == [float(rows[-1]["tip." + a]) for a in "xyz"]
    # A free block keeps its momentum: one unit of mass at half a unit of speed.
    assert np.allclose(summary["bodies"]["block & <co>"]["velocity"], [0.5, 0, 0], atol=1e-12)
    assert np.allclose(summary["bodies"]["block & <co>"]["centroid"], [0.1, 0, 3], atol=1e-12)


def check_picture():
    reader = vtk.vtkPNGReader()
    reader.SetFileName("run/picture.png")
    reader.Update()
    image = reader.GetOutput()
    assert image.GetDimensions()[:2] == (960, 600)
    pixels = vtk_to_numpy(image.GetPointData().GetScalars())
    assert pixels.std() > 20


def read_contacts(path):
    reader = vtk.vtkXMLPolyDataReader()
    reader.SetFileName(path)
    reader.Update()
    return reader.GetOutput()


def check_cell_probes(row, mesh):
    """Probes of the lower block agree with the cells of the last frame, in 32 bits."""
    def probe(name):
        return np.array([float(row[f"{name}.{axis}"]) for axis in "xyz"])
    block = np.concatenate(mesh.cell_data["body"]) == 0
    ratio = np.concatenate(mesh.cell_data["volume_ratio"])[block].astype(float)
    cells, points = mesh.cells[0].data[block[:len(mesh.cells[0].data)]], np.asarray(mesh.points, float)
    edges = points[cells[:, 1:]] - points[cells[:, :1]]
    now = np.linalg.det(edges) / 6
    rest = now / ratio
    volume = probe("volume")
    assert np.allclose(volume, [now.sum(), rest.sum(), now.sum() / rest.sum()], rtol=1e-4)
    assert np.allclose(volume[1], 1, rtol=1e-9)
    for name in ("stress", "strain"):
        xx, yy, zz, xy, yz, zx = np.concatenate(mesh.cell_data[name])[block].astype(float).T
        mean = np.average([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]], axis=2, weights=now)
        assert np.allclose(probe(name), np.linalg.eigvalsh(mean)[::-1],
                           atol=1e-4 * abs(mean).max()), name
        if name == "stress":
            each = -(xx + yy + zz) / 3
            expected = [np.average(each, weights=now), each.min(), each.max()]
            assert np.allclose(probe("pressure"), expected, atol=1e-4 * abs(each).max())
    area, mean, most = probe("area")
    load = -float(row["load.z"])
    assert 0.3 < area < 1 and most >= mean > 0 and abs(area * mean / abs(load) - 1) < 0.05


def check_contacts(path, time, row):
    """One file of contacts agrees with the frame of its time and with the history."""
    points = read_contacts(path)
    count, data = points.GetNumberOfPoints(), points.GetPointData()
    assert points.GetNumberOfVerts() == count == int(row["contacts"])
    assert float(vtk_array(points.GetFieldData(), "TimeValue")[0]) == time
    names = ("body.lower", "body.upper", "body.plate")
    assert [int(vtk_array(points.GetFieldData(), name)[0]) for name in names] == [0, 1, 2]
    if count == 0:
        return 0
    force, normal = vtk_array(data, "force"), vtk_array(data, "normal")
    bodies, gap = vtk_array(data, "bodies"), vtk_array(data, "gap")
    assert set(np.unique(vtk_array(data, "kind"))) <= {0, 1}
    assert set(np.unique(vtk_array(data, "slips"))) <= {0, 1}
    assert np.allclose(np.linalg.norm(normal, axis=1), 1)
    assert np.allclose((force * normal).sum(axis=1), vtk_array(data, "normal_force"))
    assert {tuple(sorted(pair)) for pair in bodies} <= {(0, 1), (1, 2)}
    assert (gap > 0).all() and gap.max() < 0.05
    # Forces on the bodies: the sum of the points' is that of the nodes'.
    mesh = meshio.read(path.replace("contacts", "frames").replace(".vtp", ".vtu"))
    nodes = mesh.point_data["contact_force"]
    soft = {0: slice(0, 4 ** 3), 1: slice(4 ** 3, 4 ** 3 + 4 * 4 * 3)}
    scale = np.abs(force).sum()
    for body, part in soft.items():
        total = force[bodies[:, 0] == body].sum(axis=0) - force[bodies[:, 1] == body].sum(axis=0)
        assert np.allclose(nodes[part].sum(axis=0), total, atol=1e-6 * scale)
    assert not nodes[soft[1].stop:].any()
    pressure = mesh.point_data["contact_pressure"]
    assert (pressure >= 0).all() and pressure.any() and not pressure[soft[1].stop:].any()
    assert not pressure[~nodes.any(axis=1)].any()
    push = sum(force[(bodies == pair).all(axis=1)].sum(axis=0) * sign
               for pair, sign in (([1, 0], 1), ([0, 1], -1)))
    assert np.allclose([float(row["push." + axis]) for axis in "xyz"], push, atol=1e-6 * scale)
    load = force[bodies[:, 0] == 2].sum(axis=0) - force[bodies[:, 1] == 2].sum(axis=0)
    assert np.allclose([float(row["load." + axis]) for axis in "xyz"], load, atol=1e-6 * scale)
    return count


def check_press():
    run(PRESS, "press")
    with open("press/history.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    frames = sorted(os.listdir("press/frames"))
    check_strain(*(meshio.read(f"press/frames/{frames[i]}") for i in (0, -1)))
    check_cell_probes(rows[-1], meshio.read(f"press/frames/{frames[-1]}"))
    collection = ElementTree.parse("press/contacts.pvd").getroot().find("Collection")
    entries = [(float(e.get("timestep")), e.get("file")) for e in collection]
    assert [time for time, _ in entries] == [float(row["time"]) for row in rows]
    assert sorted(os.listdir("press/contacts")) == [os.path.basename(file) for _, file in entries]
    counts = [check_contacts(os.path.join("press", file), time, row)
              for (time, file), row in zip(entries, rows)]
    assert counts[0] == 0 and counts[-1] > 0
    with open("press/summary.json", encoding="utf-8") as file:
        summary = json.load(file)
    assert summary["intersections"] == 0 and summary["penetration"]["worst"] == 0
    contact = summary["contact"]
    assert contact["on"] and contact["count"] == counts[-1] and contact["rescues"] == 0
    assert 0 < contact["separation"] < 0.01
    assert summary["stages"]["contact_response"] > 0 and summary["counters"]["node_facet"] > 0
    # Nearly at rest: what the plate feels goes through both blocks into the ground.
    push, load, ground = (np.array(summary["probes"][name]) for name in ("push", "load", "ground"))
    assert load[2] > 1 and np.allclose(push, load, atol=0.1 * load[2])
    assert np.allclose(ground, load, atol=0.1 * load[2])


def main():
    run()
    with open("run/history.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert not os.path.exists("run/contacts") and not os.path.exists("run/contacts.pvd")
    last = check_frames(rows)
    check_history(rows, last)
    check_summary(rows)
    check_picture()
    check_press()
    return 0


if __name__ == "__main__":
    sys.exit(main())
