"""Meshes written by meshio, Gmsh and VTK in every flavour they know are read as they were meant.

Runs in a folder of its own; PAL_BUILD is the build with tests/mesh_dump.
"""
import os
import shutil
import struct
import subprocess
import sys
import unittest

import meshio
import numpy as np
import vtk
from vtk.util.numpy_support import numpy_to_vtk

DUMP = os.path.join(os.environ["PAL_BUILD"], "tests", "mesh_dump")


class Read:
    """What mesh_dump says about a file."""

    def __init__(self, path, want):
        run = subprocess.run([DUMP, path, want], capture_output=True, text=True)
        self.error = run.stderr.strip()
        self.ok = run.returncode == 0
        self.kind, nodes, cells, self.groups = None, [], [], {}
        for line in run.stdout.splitlines():
            word, _, rest = line.partition(" ")
            if word == "kind":
                self.kind = rest
            elif word == "node":
                nodes.append([float.fromhex(x) for x in rest.split()])
            elif word == "cell":
                cells.append([int(x) for x in rest.split()])
            elif word == "group":
                group = self.groups[rest] = {"nodes": [], "cells": [], "faces": []}
            elif word in ("nodes", "cells"):
                group[word] = [int(x) for x in rest.split()]
            elif word == "face":
                group["faces"].append([int(x) for x in rest.split()])
        self.nodes, self.cells = np.array(nodes), np.array(cells)


def grid_points(n):
    """(n+1)^3 points with coordinates that need all 17 digits."""
    random = np.random.default_rng(7)
    line = np.linspace(0, 1, n + 1)
    points = np.array([[x, y, z] for z in line for y in line for x in line])
    return points + 0.05 / n * random.random(points.shape)


def hexahedra(n):
    at = lambda i, j, k: (k * (n + 1) + j) * (n + 1) + i
    return np.array(
        [
            [at(i, j, k), at(i + 1, j, k), at(i + 1, j + 1, k), at(i, j + 1, k),
             at(i, j, k + 1), at(i + 1, j, k + 1), at(i + 1, j + 1, k + 1), at(i, j + 1, k + 1)]
            for k in range(n) for j in range(n) for i in range(n)
        ]
    )


def tetrahedra(n):
    cut = [[0, 1, 3, 5], [1, 2, 3, 5], [0, 3, 4, 5], [3, 7, 4, 5], [2, 6, 7, 5], [2, 7, 3, 5]]
    return np.array([[cell[c] for c in corners] for cell in hexahedra(n) for corners in cut])


POINTS = grid_points(2)
HEXAHEDRA = hexahedra(2)
TETRAHEDRA = tetrahedra(2)
QUADS = HEXAHEDRA[:4, [0, 3, 2, 1]]
TRIANGLES = np.array([q[c] for q in QUADS for c in ([0, 1, 2], [0, 2, 3])])
LABELS = np.array([3] * (len(TETRAHEDRA) // 3) + [8] * (len(TETRAHEDRA) - len(TETRAHEDRA) // 3))


class Case(unittest.TestCase):
    def check(self, path, want, kind, points, cells):
        read = Read(path, want)
        self.assertTrue(read.ok, f"{path}: {read.error}")
        self.assertEqual(read.kind, kind)
        np.testing.assert_array_equal(read.nodes, points, path)
        np.testing.assert_array_equal(read.cells, cells, path)
        return read

    def check_groups(self, read, prefix):
        for value in (3, 8):
            group = read.groups[f"{prefix}-{value}"]
            expected = np.flatnonzero(LABELS == value)
            np.testing.assert_array_equal(group["cells"], expected)
            np.testing.assert_array_equal(group["nodes"], np.unique(TETRAHEDRA[expected]))

    def check_surface(self, path, points, triangles, rounded=np.float64):
        """The same triangles in the same order, whatever became of the numbers of the nodes."""
        read = Read(path, "surface")
        self.assertTrue(read.ok, f"{path}: {read.error}")
        self.assertEqual(read.kind, "triangle")
        expected = points.astype(rounded).astype(float)[triangles]
        np.testing.assert_array_equal(read.nodes[read.cells], expected, path)
        return read


class Meshio(Case):
    def write(self, name, cells, fmt, points=POINTS, data=None, **options):
        mesh = meshio.Mesh(points, cells, cell_data=data or {})
        meshio.write(name, mesh, file_format=fmt, **options)
        return name

    def test_solids_of_every_format(self):
        flavours = [("gmsh", "msh", dict(binary=b)) for b in (False, True)]
        flavours += [("gmsh22", "msh", dict(binary=b)) for b in (False, True)]
        flavours += [(f, "vtk", dict(binary=b)) for f in ("vtk42",) for b in (False, True)]
        flavours += [("vtu", "vtu", dict(binary=False)), ("vtu", "vtu", dict(compression=None))]
        flavours += [("vtu", "vtu", dict(compression="zlib", header_type=h))
                     for h in ("UInt32", "UInt64")]
        flavours += [("abaqus", "inp", dict(float_fmt=".17e"))]
        for i, (fmt, ending, options) in enumerate(flavours):
            if fmt.startswith("gmsh"):
                options = dict(options, float_fmt=".16e")
            for kind, name, cells in (("tetrahedron", "tetra", TETRAHEDRA),
                                      ("hexahedron", "hexahedron", HEXAHEDRA)):
                with self.subTest(fmt=fmt, options=options, kind=kind):
                    path = self.write(f"{i}-{kind}.{ending}", [(name, cells)], fmt, **options)
                    # of these only meshio's VTU text is written with fewer digits
                    short = fmt == "vtu" and options == dict(binary=False)
                    points = meshio.read(path).points if short else POINTS
                    self.check(path, "solid", kind, points, cells)

    def test_labels_become_groups(self):
        for fmt, ending in (("vtk42", "vtk"), ("vtu", "vtu")):
            for binary in (False, True):
                with self.subTest(fmt=fmt, binary=binary):
                    path = self.write(f"labels-{fmt}-{binary}.{ending}", [("tetra", TETRAHEDRA)],
                                      fmt, data={"organ": [LABELS.astype(np.int32)]}, binary=binary)
                    self.check_groups(Read(path, "solid"), "organ")

    def test_physical_tags_become_groups(self):
        for binary in (False, True):
            path = self.write(f"physical-{binary}.msh", [("tetra", TETRAHEDRA)], "gmsh22",
                              data={"gmsh:physical": [LABELS], "gmsh:geometrical": [LABELS]},
                              binary=binary)
            self.check_groups(Read(path, "solid"), "physical")

    def test_surfaces(self):
        for fmt, ending, options in (("stl", "stl", dict(binary=False)),
                                     ("stl", "stl", dict(binary=True)), ("obj", "obj", {}),
                                     ("ply", "ply", dict(binary=False)),
                                     ("ply", "ply", dict(binary=True)),
                                     ("vtk42", "vtk", dict(binary=True)),
                                     ("vtu", "vtu", dict(binary=True)),
                                     ("gmsh", "msh", dict(binary=True)), ("abaqus", "inp", {})):
            with self.subTest(fmt=fmt, options=options):
                path = self.write(f"surface{options.get('binary', '')}-{fmt}.{ending}",
                                  [("triangle", TRIANGLES)], fmt, **options)
                # meshio writes its STL and OBJ with fewer digits; this is what it reads back
                back = meshio.read(path, file_format={"vtk42": "vtk"}.get(fmt, fmt))
                self.check_surface(path, back.points, back.cells_dict["triangle"])

    def test_quadrilaterals_are_cut(self):
        for fmt, ending in (("gmsh22", "msh"), ("vtu", "vtu"), ("ply", "ply"), ("obj", "obj")):
            path = self.write(f"quads-{fmt}.{ending}", [("quad", QUADS)], fmt)
            back = meshio.read(path, file_format=None if fmt == "gmsh22" else fmt)
            self.check_surface(path, back.points, TRIANGLES)

    def test_second_order(self):
        """meshio has VTK's order of nodes in memory, whatever the format's own is."""
        corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], float)
        ends = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
        points = np.vstack([corners, [(corners[a] + corners[b]) / 2 for a, b in ends]])
        for fmt, ending in (("gmsh", "msh"), ("gmsh22", "msh"), ("vtu", "vtu"), ("vtk42", "vtk"),
                            ("abaqus", "inp")):
            path = self.write(f"order2-{fmt}.{ending}", [("tetra10", np.arange(10)[None, :])], fmt,
                              points=points)
            read = Read(path, "solid")
            self.assertTrue(read.ok, read.error)
            self.assertEqual(read.kind, "quadratic tetrahedron")
            np.testing.assert_array_equal(read.cells, [np.arange(10)])

    def test_other_second_order_is_refused(self):
        points = np.vstack([POINTS, POINTS, POINTS])[:20]
        for fmt, ending in (("gmsh", "msh"), ("vtu", "vtu"), ("abaqus", "inp")):
            path = self.write(f"order2-{fmt}.{ending}", [("hexahedron20", np.arange(20)[None, :])],
                              fmt, points=points)
            read = Read(path, "solid")
            self.assertFalse(read.ok)
            self.assertIn("export with order 1", read.error)

    def test_sets_of_abaqus(self):
        mesh = meshio.Mesh(POINTS, [("tetra", TETRAHEDRA)],
                           point_sets={"bottom": np.arange(9)},
                           cell_sets={"core": [np.arange(5, 20)]})
        meshio.write("sets.inp", mesh, file_format="abaqus")
        read = Read("sets.inp", "solid")
        self.assertTrue(read.ok, read.error)
        self.assertEqual(read.groups["bottom"]["nodes"], list(range(9)))
        self.assertEqual(read.groups["core"]["cells"], list(range(5, 20)))


def vtk_grid(points, cells, kind, labels=None):
    grid = vtk.vtkUnstructuredGrid()
    data = vtk.vtkPoints()
    data.SetDataTypeToDouble()
    for point in points:
        data.InsertNextPoint(point)
    grid.SetPoints(data)
    for cell in cells:
        grid.InsertNextCell(kind, len(cell), [int(c) for c in cell])
    if labels is not None:
        array = numpy_to_vtk(labels, deep=True)
        array.SetName("organ")
        grid.GetCellData().AddArray(array)
        # arrays that are no labels
        vectors = numpy_to_vtk(np.ones((len(cells), 3)), deep=True)
        vectors.SetName("field of vectors")
        grid.GetCellData().SetVectors(vectors)
        numbers = numpy_to_vtk(np.linspace(0, 1, len(points)), deep=True)
        numbers.SetName("some numbers")
        grid.GetPointData().SetScalars(numbers)
        text = vtk.vtkStringArray()
        text.SetName("a text")
        text.InsertNextValue("one two")
        grid.GetFieldData().AddArray(text)
    return grid


def vtk_surface(points, triangles):
    surface = vtk.vtkPolyData()
    data = vtk.vtkPoints()
    data.SetDataTypeToDouble()
    for point in points:
        data.InsertNextPoint(point)
    surface.SetPoints(data)
    cells = vtk.vtkCellArray()
    for triangle in triangles:
        cells.InsertNextCell(3, [int(c) for c in triangle])
    surface.SetPolys(cells)
    return surface


class Vtk(Case):
    def write(self, writer, path, data):
        writer.SetFileName(path)
        writer.SetInputData(data)
        self.assertEqual(writer.Write(), 1)
        return path

    def xml_writers(self, make):
        for mode in ("Ascii", "Binary", "Appended"):
            for encode in (True, False) if mode == "Appended" else (True,):
                for compressor in ("None", "ZLib"):
                    for header in ("UInt32", "UInt64"):
                        for order in ("LittleEndian", "BigEndian"):
                            writer = make()
                            getattr(writer, f"SetDataModeTo{mode}")()
                            writer.SetEncodeAppendedData(encode)
                            getattr(writer, f"SetCompressorTypeTo{compressor}")()
                            getattr(writer, f"SetHeaderTypeTo{header}")()
                            getattr(writer, f"SetByteOrderTo{order}")()
                            writer.SetBlockSize(1024)
                            yield f"{mode}{encode}-{compressor}-{header}-{order}", writer

    def test_xml_grids(self):
        grid = vtk_grid(POINTS, TETRAHEDRA, vtk.VTK_TETRA, LABELS.astype(np.int16))
        for name, writer in self.xml_writers(vtk.vtkXMLUnstructuredGridWriter):
            with self.subTest(name):
                path = self.write(writer, f"{name}.vtu", grid)
                read = self.check(path, "solid", "tetrahedron", POINTS, TETRAHEDRA)
                self.check_groups(read, "organ")

    def test_xml_surfaces(self):
        surface = vtk_surface(POINTS, TRIANGLES)
        for name, writer in self.xml_writers(vtk.vtkXMLPolyDataWriter):
            with self.subTest(name):
                path = self.write(writer, f"{name}.vtp", surface)
                self.check(path, "surface", "triangle", POINTS, TRIANGLES)

    def test_other_compressors_are_refused(self):
        writer = vtk.vtkXMLUnstructuredGridWriter()
        writer.SetCompressorTypeToLZ4()
        path = self.write(writer, "lz4.vtu", vtk_grid(POINTS, HEXAHEDRA, vtk.VTK_HEXAHEDRON))
        self.assertIn("vtkLZ4DataCompressor", Read(path, "solid").error)

    def test_legacy_grids(self):
        grid = vtk_grid(POINTS, TETRAHEDRA, vtk.VTK_TETRA, LABELS.astype(np.int64))
        for version in (42, 51):
            for binary in (True, False):
                with self.subTest(version=version, binary=binary):
                    writer = vtk.vtkUnstructuredGridWriter()
                    writer.SetFileVersion(version)
                    writer.SetFileType(vtk.VTK_BINARY if binary else vtk.VTK_ASCII)
                    path = self.write(writer, f"legacy-{version}-{binary}.vtk", grid)
                    back = vtk.vtkUnstructuredGridReader()
                    back.SetFileName(path)
                    back.Update()
                    # VTK itself writes text with fewer digits than a double has
                    points = np.array([back.GetOutput().GetPoint(i) for i in range(len(POINTS))])
                    read = self.check(path, "solid", "tetrahedron", points, TETRAHEDRA)
                    self.check_groups(read, "organ")

    def test_legacy_surfaces(self):
        surface = vtk_surface(POINTS, TRIANGLES)
        for version in (42, 51):
            writer = vtk.vtkPolyDataWriter()
            writer.SetFileVersion(version)
            writer.SetFileType(vtk.VTK_BINARY)
            path = self.write(writer, f"legacy-{version}-surface.vtk", surface)
            self.check(path, "surface", "triangle", POINTS, TRIANGLES)

    def test_strips(self):
        stripper = vtk.vtkStripper()
        stripper.SetInputData(vtk_surface(POINTS, TRIANGLES))
        stripper.Update()
        path = self.write(vtk.vtkPolyDataWriter(), "strips.vtk", stripper.GetOutput())
        read = Read(path, "surface")
        self.assertTrue(read.ok, read.error)
        turn = lambda t: tuple(np.roll(t, -int(np.argmin(t))))
        self.assertEqual({turn(t) for t in read.cells}, {turn(t) for t in TRIANGLES})

    def test_other_surface_formats(self):
        surface = vtk_surface(POINTS, TRIANGLES)
        for path, make, binary in (("v-text.stl", vtk.vtkSTLWriter, False),
                                   ("v-binary.stl", vtk.vtkSTLWriter, True),
                                   ("v-text.ply", vtk.vtkPLYWriter, False),
                                   ("v-binary.ply", vtk.vtkPLYWriter, True)):
            with self.subTest(path):
                writer = make()
                (writer.SetFileTypeToBinary if binary else writer.SetFileTypeToASCII)()
                self.write(writer, path, surface)
                read = Read(path, "surface")
                self.assertTrue(read.ok, read.error)
                places = read.nodes[read.cells]
                np.testing.assert_allclose(places, POINTS[TRIANGLES], rtol=0, atol=1e-5)
                if binary:
                    np.testing.assert_array_equal(places, POINTS.astype(np.float32)[TRIANGLES])

    def test_big_endian_ply(self):
        writer = vtk.vtkPLYWriter()
        writer.SetFileTypeToBinary()
        writer.SetDataByteOrderToBigEndian()
        path = self.write(writer, "v-big.ply", vtk_surface(POINTS, TRIANGLES))
        self.check_surface(path, POINTS, TRIANGLES, np.float32)


GEOMETRY = """
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 1, 1};
Box(2) = {1, 0, 0, 1, 1, 1};
Coherence;
Mesh.MeshSizeMin = 0.5;
Mesh.MeshSizeMax = 0.5;
Physical Volume("left", 1) = {1};
Physical Volume("all of it", 2) = {1, 2};
Physical Surface("fixed", 3) = {1};
Physical Surface("twice", 4) = {1, 2};
Physical Surface(77) = {3};
Physical Curve("edge", 5) = {1};
Physical Point("tip", 6) = {1};
"""


@unittest.skipUnless(shutil.which("gmsh"), "gmsh is not installed")
class Gmsh(Case):
    def mesh(self, path, *options):
        with open("boxes.geo", "w") as file:
            file.write(GEOMETRY)
        subprocess.run(["gmsh", "-3", "-nt", "1", *options, "boxes.geo", "-o", path], check=True,
                       capture_output=True)
        return path

    def test_all_flavours_agree(self):
        """meshio reads the text of version 4.1; all others must be the same mesh."""
        path = self.mesh("41.msh", "-format", "msh41")
        source = meshio.read(path)
        tetrahedra = np.vstack([b.data for b in source.cells if b.type == "tetra"])
        triangles = np.vstack([b.data for b in source.cells if b.type == "triangle"])
        first = self.check(path, "solid", "tetrahedron", source.points, tetrahedra)
        self.assertEqual(set(first.groups),
                         {"left", "all of it", "fixed", "twice", "physical-77", "edge", "tip"})
        self.assertEqual(first.groups["all of it"]["cells"], list(range(len(tetrahedra))))
        self.assertLess(len(first.groups["left"]["cells"]), len(tetrahedra))
        self.assertTrue(np.all(source.points[first.groups["fixed"]["nodes"]][:, 0] == 0))
        self.assertEqual(first.groups["fixed"]["cells"], [])
        self.assertGreater(len(first.groups["fixed"]["faces"]), 0)
        self.assertEqual(first.groups["edge"]["faces"], [])
        self.assertEqual(len(first.groups["tip"]["nodes"]), 1)
        surface = Read(path, "surface")
        np.testing.assert_array_equal(surface.cells, triangles)
        for name, options in (("41b", ["-format", "msh41", "-bin"]), ("22", ["-format", "msh22"]),
                              ("22b", ["-format", "msh22", "-bin"])):
            with self.subTest(name):
                path = self.mesh(f"{name}.msh", *options)
                # the text of Gmsh has one digit less than a double needs
                points = meshio.read(path).points
                read = self.check(path, "solid", "tetrahedron", points, tetrahedra)
                self.assertEqual(read.groups, first.groups)
                self.assertEqual(len(Read(path, "surface").cells), len(triangles))

    def test_partitions_and_parameters(self):
        plain = Read(self.mesh("41.msh", "-format", "msh41"), "solid")
        for options in (["-part", "3"], ["-parametric"], ["-bin", "-part", "3"],
                        ["-bin", "-parametric"]):
            with self.subTest(options):
                path = self.mesh("option.msh", "-format", "msh41", *options)
                read = Read(path, "solid")
                self.assertTrue(read.ok, read.error)
                self.assertEqual(len(read.cells), len(plain.cells))
                # partitions may come with unnamed groups of their own
                self.assertLessEqual(set(plain.groups), set(read.groups))
                for name, group in plain.groups.items():
                    self.assertEqual(len(read.groups[name]["nodes"]), len(group["nodes"]))

    def test_other_formats(self):
        plain = Read(self.mesh("41.msh", "-format", "msh41"), "solid")
        for fmt in ("vtk", "inp"):
            with self.subTest(fmt):
                path = self.mesh(f"boxes.{fmt}", "-format", fmt)
                read = Read(path, "solid")
                self.assertTrue(read.ok, read.error)
                self.assertEqual(len(read.cells), len(plain.cells))
        for name in ("fixed", "twice", "left"):
            self.assertEqual(len(read.groups[name]["nodes"]), len(plain.groups[name]["nodes"]))
        surface = Read(self.mesh("boxes.stl", "-format", "stl"), "surface")
        self.assertTrue(surface.ok, surface.error)

    def test_second_order(self):
        for options in (["-format", "msh41"], ["-format", "msh22"], ["-format", "msh22", "-bin"],
                        ["-format", "msh41", "-bin"], ["-format", "vtk"], ["-format", "inp"]):
            ending = options[1] if options[1] in ("vtk", "inp") else "msh"
            path = self.mesh(f"second.{ending}", "-order", "2", *options)
            read = Read(path, "solid")
            self.assertTrue(read.ok, read.error)
            self.assertEqual(read.kind, "quadratic tetrahedron")
            ends = ((0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3))
            for k, (a, b) in enumerate(ends):
                middle = (read.nodes[read.cells[:, a]] + read.nodes[read.cells[:, b]]) / 2
                np.testing.assert_allclose(read.nodes[read.cells[:, 4 + k]], middle, atol=1e-12)
            if ending == "msh":  # a face of a group is four triangles of the boundary
                faces = np.array(read.groups["fixed"]["faces"])
                self.assertGreater(len(faces), 0)
                self.assertEqual(len(faces) % 4, 0)


class Numbers(unittest.TestCase):
    def test_text_doubles_come_back_bit_by_bit(self):
        random = np.random.default_rng(11)
        bits = random.integers(0, 2**64, 30000, dtype=np.uint64)
        values = bits.view(np.float64)
        values = values[np.isfinite(values)][:29999 // 3 * 3].copy()
        values[:9] = [0.1, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -0.0,
                      9007199254740993.0, 1e22, 1e23, 123456789012345678.0]
        values = values[: len(values) // 3 * 3].reshape(-1, 3)
        for fmt in ("%.17g", "%.16e", "%r"):
            with open("numbers.obj", "w") as file:
                for row in values:
                    text = [repr(float(x)) if fmt == "%r" else fmt % x for x in row]
                    file.write("v " + " ".join(text) + "\n")
                file.write("f 1 2 3\n")
            read = Read("numbers.obj", "surface")
            self.assertTrue(read.ok, read.error)
            np.testing.assert_array_equal(read.nodes.view(np.uint64), values.view(np.uint64))


def big_endian_msh(version):
    """The same little mesh as Gmsh on a big-endian machine writes it."""
    nodes, head = POINTS[:4], b"$MeshFormat\n%s 1 8\n" % version + struct.pack(">i", 1)
    head += b"\n$EndMeshFormat\n"
    if version == b"2.2":
        body = b"$Nodes\n4\n"
        body += b"".join(struct.pack(">i3d", 10 * i + 5, *x) for i, x in enumerate(nodes))
        body += b"\n$EndNodes\n$Elements\n1\n"
        body += struct.pack(">3i", 4, 1, 2) + struct.pack(">7i", 9, 6, 1, 5, 15, 25, 35)
        return head + body + b"\n$EndElements\n"
    body = b"$Entities\n" + struct.pack(">4Q", 0, 0, 0, 1)
    body += struct.pack(">i6dQiQ", 1, 0, 0, 0, 1, 1, 1, 1, 6, 0) + b"\n$EndEntities\n"
    body += b"$Nodes\n" + struct.pack(">4Q", 1, 4, 5, 35) + struct.pack(">3iQ", 3, 1, 0, 4)
    body += struct.pack(">4Q", 5, 15, 25, 35) + nodes.astype(">f8").tobytes() + b"\n$EndNodes\n"
    body += b"$Elements\n" + struct.pack(">4Q", 1, 1, 9, 9) + struct.pack(">3iQ", 3, 1, 4, 1)
    return head + body + struct.pack(">5Q", 9, 5, 15, 25, 35) + b"\n$EndElements\n"


class ByteOrder(Case):
    def test_big_endian_msh(self):
        for version in (b"2.2", b"4.1"):
            with open("big.msh", "wb") as file:
                file.write(big_endian_msh(version))
            read = self.check("big.msh", "solid", "tetrahedron", POINTS[:4], [[0, 1, 2, 3]])
            self.assertEqual(read.groups["physical-6"]["cells"], [0])


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]])
