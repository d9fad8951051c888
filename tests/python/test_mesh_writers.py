"""What `palpate convert` writes is the same mesh for our reader and for meshio, in every format.

Runs in a folder of its own; PALPATE is the program and PAL_BUILD the build with tests/mesh_dump.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest

import meshio
import numpy as np
import vtk
from vtk.util.numpy_support import vtk_to_numpy

from test_mesh_readers import HEXAHEDRA, POINTS, TETRAHEDRA, TRIANGLES, Read, grid_points

if not sys.flags.utf8_mode:  # meshio writes names in the locale's encoding
    os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.argv])

PALPATE = os.environ["PALPATE"]

# name of the flavour: extension, options, what meshio calls it
SOLID = {
    "msh41": ("msh", [], "gmsh"),
    "msh41-text": ("msh", ["--ascii"], "gmsh"),
    "msh22": ("msh", ["--format", "msh22"], "gmsh"),
    "msh22-text": ("msh", ["-f", "msh22", "-a"], "gmsh"),
    "vtk": ("vtk", [], "vtk"),
    "vtk-text": ("vtk", ["--ascii"], "vtk"),
    "vtu": ("vtu", [], "vtu"),
    "vtu-text": ("vtu", ["--ascii"], "vtu"),
    "inp": ("inp", [], "abaqus"),
}
SURFACE = dict(SOLID, **{
    "stl-text": ("stl", ["--ascii"], "stl"),
    "obj": ("obj", [], "obj"),
    "ply": ("ply", [], "ply"),
    "ply-text": ("ply", ["--ascii"], "ply"),
})


def convert(source, target, *options):
    run = subprocess.run([PALPATE, "convert", source, target, *options], capture_output=True,
                         text=True)
    warnings = [line for line in run.stderr.splitlines() if line.startswith("warning: ")]
    return run, warnings


def shape_of(read):
    """Groups in a form that can be compared: facets by their corners, in any order."""
    return {name: (tuple(group["nodes"]), tuple(group["cells"]),
                   tuple(sorted(tuple(sorted(face)) for face in group["faces"])))
            for name, group in read.groups.items()}


def write_source(path, cell_type, cells, facets=None, groups=None):
    """A VTU with groups as arrays of 0 and 1: name -> (nodes, cells, facets)."""
    blocks = [(cell_type, cells)]
    counts = [len(cells)]
    if facets is not None:
        blocks.append(facets)
        counts.append(len(facets[1]))
    point_data, cell_data = {}, {}
    for name, (nodes, own, own_facets) in (groups or {}).items():
        if len(nodes):
            marks = np.zeros(len(POINTS), np.uint8)
            marks[list(nodes)] = 1
            point_data[f"group:{name}"] = marks
        if len(own) or len(own_facets):
            marks = [np.zeros(count, np.uint8) for count in counts]
            marks[0][list(own)] = 1
            if len(own_facets):
                marks[1][list(own_facets)] = 1
            cell_data[f"group:{name}"] = marks
    meshio.write(path, meshio.Mesh(POINTS, blocks, point_data, cell_data), file_format="vtu")
    return path


def faces_of(cells, corners):
    return np.array([cell[list(face)] for cell in cells for face in corners])


TETRAHEDRON_FACES = faces_of(TETRAHEDRA[:6], [(0, 2, 1), (0, 1, 3)])
HEXAHEDRON_FACES = faces_of(HEXAHEDRA[:4], [(0, 3, 2, 1), (3, 0, 4, 7)])


def solid_groups(cell_count, facet_count):
    return {
        "all": ((), range(cell_count), ()),
        "left": ((), range(0, cell_count, 2), ()),
        "left half": ((), range(cell_count // 2), ()),
        "skin": ((), (), range(facet_count)),
        "some": ((), (), range(0, facet_count, 3)),
        "pins": ((0, 5, 9), (), ()),
        "mixed": ((26,), (0, 1), (2,)),
        "Über": ((1, 2), (), ()),
    }


class Pairs(unittest.TestCase):
    def same(self, path, want, first):
        read = Read(path, want)
        self.assertTrue(read.ok, f"{path}: {read.error}")
        self.assertEqual(read.kind, first.kind)
        np.testing.assert_array_equal(read.nodes, first.nodes, path)
        np.testing.assert_array_equal(read.cells, first.cells, path)
        self.assertEqual(shape_of(read), shape_of(first), path)

    def convert(self, source, target, options):
        run, warnings = convert(source, target, *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual(warnings, [])

    def check_solid(self, kind, source, first):
        for name, (ending, options, _) in SOLID.items():
            path = f"{kind}-{name}.{ending}"
            self.convert(source, path, options)
            self.same(path, "solid", first)
            for other, (other_ending, other_options, _) in SOLID.items():
                with self.subTest(kind=kind, first=name, then=other):
                    there = f"{kind}-{name}-{other}.{other_ending}"
                    self.convert(path, there, other_options)
                    self.same(there, "solid", first)

    def test_tetrahedra(self):
        groups = solid_groups(len(TETRAHEDRA), len(TETRAHEDRON_FACES))
        source = write_source("tetrahedra.vtu", "tetra", TETRAHEDRA,
                              ("triangle", TETRAHEDRON_FACES), groups)
        first = Read(source, "solid")
        self.assertEqual(set(first.groups), set(groups))
        self.assertEqual(first.groups["mixed"]["cells"], [0, 1])
        self.assertEqual(len(first.groups["mixed"]["faces"]), 1)
        self.assertIn(26, first.groups["mixed"]["nodes"])
        self.check_solid("tetrahedra", source, first)

    def test_hexahedra(self):
        groups = solid_groups(len(HEXAHEDRA), len(HEXAHEDRON_FACES))
        source = write_source("hexahedra.vtu", "hexahedron", HEXAHEDRA, ("quad", HEXAHEDRON_FACES),
                              groups)
        self.check_solid("hexahedra", source, Read(source, "solid"))

    def test_no_groups(self):
        source = write_source("plain.vtu", "tetra", TETRAHEDRA)
        self.check_solid("plain", source, Read(source, "solid"))

    def test_surfaces(self):
        """Nodes get other numbers in STL, so the places of corners are compared."""
        groups = {"first": ((), range(3), ()), "last": ((), range(3, len(TRIANGLES)), ())}
        source = write_source("triangles.vtu", "triangle", TRIANGLES, None, groups)
        places = POINTS[TRIANGLES]
        for name, (ending, options, _) in SURFACE.items():
            path = f"triangles-{name}.{ending}"
            run, warnings = convert(source, path, *options)
            self.assertEqual(run.returncode, 0, run.stderr)
            for other, (other_ending, other_options, _) in SURFACE.items():
                with self.subTest(first=name, then=other):
                    there = f"triangles-{name}-{other}.{other_ending}"
                    run, warnings = convert(path, there, *other_options)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    read = Read(there, "surface")
                    np.testing.assert_array_equal(read.nodes[read.cells], places)
                    if "ply" not in name + other:
                        self.assertEqual({g: read.groups[g]["cells"] for g in read.groups},
                                         {"first": [0, 1, 2],
                                          "last": list(range(3, len(TRIANGLES)))})

    def test_binary_stl_is_float32(self):
        source = write_source("for-stl.vtu", "triangle", TRIANGLES)
        run, warnings = convert(source, "float.stl")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertTrue(any("32-bit" in line for line in warnings), warnings)
        read = Read("float.stl", "surface")
        np.testing.assert_array_equal(read.nodes[read.cells],
                                      POINTS.astype(np.float32)[TRIANGLES])

    def test_numbers_with_all_digits(self):
        points = np.array([[1e-300, -1.5e300, 0.1], [5e-324, 1 / 3, -0.0], [1e22, 123456789.123, 2],
                           [np.nextafter(1, 2), 1e-5, 1e16]])
        meshio.write("digits.vtu", meshio.Mesh(points, [("tetra", np.array([[0, 1, 2, 3]]))]),
                     file_format="vtu")
        for name, (ending, options, _) in SOLID.items():
            with self.subTest(name):
                path = f"digits-{name}.{ending}"
                self.convert("digits.vtu", path, options)
                read = Read(path, "solid")
                np.testing.assert_array_equal(read.nodes, points)
                np.testing.assert_array_equal(np.signbit(read.nodes), np.signbit(points))


class Losses(unittest.TestCase):
    """What a format cannot hold is named, and refused when strict."""

    def check(self, source, target, options, *patterns):
        run, warnings = convert(source, target, *options)
        self.assertEqual(run.returncode, 0, run.stderr)
        for pattern in patterns:
            self.assertTrue(any(re.search(pattern, line) for line in warnings),
                            f"{pattern} in {warnings}")
        self.assertEqual(len(warnings), len(patterns), warnings)
        before = pathlib.Path(target).read_bytes()
        run, warnings = convert(source, target, "--strict", *options)
        self.assertEqual(run.returncode, 2, (target, options))
        self.assertRegex(run.stderr.splitlines()[-1], rf"^{re.escape(target)}: ")
        self.assertEqual(pathlib.Path(target).read_bytes(), before, "the older file is untouched")
        self.assertFalse(os.path.exists(target + ".part"))

    def test_surface_formats(self):
        groups = {"a": ((), range(4), ()), "b": ((), range(2, 8), ()), "pins": ((0,), (), ()),
                  "two words": ((), (1,), ())}
        source = write_source("lossy.vtu", "triangle", TRIANGLES, None, groups)
        self.check(source, "lossy.ply", [], r"PLY keeps no groups; left out: .*a, b")
        self.check(source, "lossy.stl", ["-a"], r"nodes that belong to none", r"STL keeps no groups "
                   r"of nodes; left out: pins", r"one group only; these groups lose triangles: b, two words")
        self.check(source, "lossy.obj", [], r"'two words' is renamed 'two_words'",
                   r"OBJ keeps no groups of nodes; left out: pins")
        self.check(source, "lossy-binary.stl", [], r"nodes that belong to none", r"32-bit",
                   r"binary STL keeps no groups")

    def test_boundary(self):
        """Of a solid, surface formats hold the boundary and the groups on it."""
        cut = [[0, 1, 2, 6], [0, 2, 3, 6], [0, 3, 7, 6], [0, 7, 4, 6], [0, 4, 5, 6], [0, 5, 1, 6]]
        cells = np.array([cell[corners] for cell in HEXAHEDRA for corners in cut])
        bottom = faces_of(cells[[0, 1, 6, 7]], [(0, 2, 1)])
        inner = [n for n in range(27) if n == 13]
        groups = {"core": (inner, (), ()), "half": ((), range(0, 24), ()),
                  "bottom": ((), (), range(len(bottom)))}
        source = write_source("body.vtu", "tetra", cells, ("triangle", bottom), groups)
        self.check(source, "body.obj", [], r"the boundary is written, 48 triangles",
                   r"do not touch the boundary are left out: core")
        read = Read("body.obj", "surface")
        self.assertEqual(len(read.cells), 48)
        self.assertEqual(set(read.groups), {"half", "bottom"})
        self.assertEqual(len(read.groups["bottom"]["cells"]), 4)
        area = lambda t: np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1)
        corners = read.nodes[read.cells]
        volume = np.einsum("ij,ij->i", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])).sum() / 6
        x = POINTS[cells]
        inside = np.einsum("ij,ij->i", x[:, 1] - x[:, 0],
                           np.cross(x[:, 2] - x[:, 0], x[:, 3] - x[:, 0])).sum() / 6
        self.assertAlmostEqual(volume, inside, places=12)
        self.assertTrue(np.all(area(corners) > 0))

    def test_names(self):
        groups = {"a": ((0,), (), ()), "A": ((1,), (), ()), "x,y": ((2,), (), ())}
        source = write_source("names.vtu", "tetra", TETRAHEDRA, None, groups)
        self.check(source, "names.inp", [], r"'A' is renamed 'A_2'", r"'x,y' is renamed 'x_y'")


class Leftovers(unittest.TestCase):
    """What a file holds besides its mesh is named."""

    def test_data_and_loose_cells(self):
        mesh = meshio.Mesh(POINTS, [("tetra", TETRAHEDRA), ("triangle", TETRAHEDRON_FACES)],
                           {"temperature": np.linspace(0, 1, len(POINTS))})
        for fmt, path in (("vtu", "besides.vtu"), ("vtk42", "besides.vtk"), ("gmsh22", "besides.msh")):
            with self.subTest(fmt):
                meshio.write(path, mesh, file_format=fmt)
                run, warnings = convert(path, "plain.inp")
                self.assertEqual(run.returncode, 0, run.stderr)
                what = r"the section NodeData" if fmt == "gmsh22" else r"the array temperature"
                self.assertRegex(warnings[0], rf"^warning: {path}: not read: .*{what}")
                self.assertRegex(warnings[1], r"12 cells of a lower dimension")
                self.assertEqual(len(warnings), 2)
                run, warnings = convert(path, "plain.inp", "--strict")
                self.assertEqual(run.returncode, 2)
                self.assertEqual(len(run.stderr.splitlines()), 1)

    def test_a_model(self):
        source = write_source("for-inp.vtu", "tetra", TETRAHEDRA)
        convert(source, "model.inp")
        with open("model.inp", "a") as file:
            file.write("*MATERIAL, NAME=x\n*ELASTIC\n1, 0.3\n")
        run, warnings = convert("model.inp", "model.msh")
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertRegex(warnings[0], r"not read: the keyword \*MATERIAL, the keyword \*ELASTIC$")


class Meshio(unittest.TestCase):
    """meshio sees the same mesh, and our reader sees the same in what meshio makes of it."""

    def setUp(self):
        self.groups = {"left": ((), range(20), ()), "right": ((), range(20, 48), ()),
                       "skin": ((), (), range(len(TETRAHEDRON_FACES))), "pins": ((0, 5), (), ())}
        self.source = write_source("seen.vtu", "tetra", TETRAHEDRA,
                                   ("triangle", TETRAHEDRON_FACES), self.groups)

    def cells_of_group(self, mesh, name, kind):
        """Indices of the cells of a kind in a group, however the format shows groups."""
        found, offset = [], 0
        for b, block in enumerate(mesh.cells):
            if block.type != kind:
                continue
            if name in mesh.cell_sets:
                own = mesh.cell_sets[name][b]
                found += [] if own is None else [offset + i for i in own]
            elif f"group:{name}" in mesh.cell_data:
                found += list(offset + np.flatnonzero(mesh.cell_data[f"group:{name}"][b]))
            elif "gmsh:physical" in mesh.cell_data and name in mesh.field_data:
                tag = mesh.field_data[name][0]
                found += list(offset + np.flatnonzero(mesh.cell_data["gmsh:physical"][b] == tag))
            offset += len(block.data)
        return [int(i) for i in found]

    def test_meshio_reads_ours(self):
        for name, (ending, options, file_format) in SOLID.items():
            with self.subTest(name):
                path = f"seen-{name}.{ending}"
                run, _ = convert(self.source, path, *options)
                self.assertEqual(run.returncode, 0, run.stderr)
                mesh = meshio.read(path, file_format=file_format)
                np.testing.assert_array_equal(mesh.points, POINTS)
                tetra = np.vstack([b.data for b in mesh.cells if b.type == "tetra"])
                np.testing.assert_array_equal(tetra, TETRAHEDRA)
                self.assertEqual(self.cells_of_group(mesh, "left", "tetra"), list(range(20)))
                self.assertEqual(self.cells_of_group(mesh, "right", "tetra"), list(range(20, 48)))
                if ending == "inp":
                    self.assertEqual(sorted(mesh.point_sets["pins"]), [0, 5])
                else:
                    triangles = np.vstack([b.data for b in mesh.cells if b.type == "triangle"])
                    skin = triangles[self.cells_of_group(mesh, "skin", "triangle")]
                    self.assertEqual({tuple(sorted(t)) for t in skin},
                                     {tuple(sorted(t)) for t in TETRAHEDRON_FACES})

    def test_meshio_reads_our_surfaces(self):
        source = write_source("seen-surface.vtu", "triangle", TRIANGLES)
        flavours = dict(SURFACE, **{"stl": ("stl", [], "stl")})
        for name, (ending, options, file_format) in flavours.items():
            with self.subTest(name):
                path = f"seen-surface-{name}.{ending}"
                run, _ = convert(source, path, *options)
                self.assertEqual(run.returncode, 0, run.stderr)
                mesh = meshio.read(path, file_format=file_format)
                triangles = np.vstack([b.data for b in mesh.cells if b.type == "triangle"])
                expected = POINTS.astype(np.float32) if name == "stl" else POINTS
                if file_format == "stl" and name != "stl":  # meshio keeps text STL as float32 too
                    expected = POINTS.astype(mesh.points.dtype)
                np.testing.assert_array_equal(mesh.points[triangles], expected[TRIANGLES])

    def test_vtk_reads_ours(self):
        for name, reader in (("vtk", vtk.vtkUnstructuredGridReader),
                             ("vtk-text", vtk.vtkUnstructuredGridReader),
                             ("vtu", vtk.vtkXMLUnstructuredGridReader),
                             ("vtu-text", vtk.vtkXMLUnstructuredGridReader)):
            with self.subTest(name):
                ending, options, _ = SOLID[name]
                path = f"by-vtk-{name}.{ending}"
                run, _ = convert(self.source, path, *options)
                self.assertEqual(run.returncode, 0, run.stderr)
                read = reader()
                read.SetFileName(path)
                read.Update()
                grid = read.GetOutput()
                points = vtk_to_numpy(grid.GetPoints().GetData())
                np.testing.assert_array_equal(points, POINTS)
                self.assertEqual(grid.GetNumberOfCells(), len(TETRAHEDRA) + len(TETRAHEDRON_FACES))
                self.assertEqual(grid.GetCellType(0), vtk.VTK_TETRA)
                self.assertEqual(grid.GetCellType(len(TETRAHEDRA)), vtk.VTK_TRIANGLE)
                left = vtk_to_numpy(grid.GetCellData().GetArray("group:left"))
                np.testing.assert_array_equal(np.flatnonzero(left), np.arange(20))
                pins = vtk_to_numpy(grid.GetPointData().GetArray("group:pins"))
                np.testing.assert_array_equal(np.flatnonzero(pins), [0, 5])

    def test_there_and_back_through_meshio(self):
        """Ours, read and written by meshio, read by us."""
        for name in ("vtk", "vtu"):
            ending, options, file_format = SOLID[name]
            path = f"through-{name}.{ending}"
            convert(self.source, path, *options)
            back = f"through-{name}-back.{ending}"
            meshio.write(back, meshio.read(path),
                         file_format="vtk42" if file_format == "vtk" else file_format)
            self.assertEqual(shape_of(Read(back, "solid")), shape_of(Read(path, "solid")))


@unittest.skipUnless(shutil.which("gmsh"), "gmsh is not installed")
class Gmsh(unittest.TestCase):
    def test_gmsh_reads_ours(self):
        # in version 2 Gmsh itself takes an element of two groups for two
        groups = {"left": ((), range(20), ()), "right": ((), range(20, 40), ()),
                  "skin": ((), (), range(len(TETRAHEDRON_FACES))), "pins": ((0, 5), (), ())}
        source = write_source("for-gmsh.vtu", "tetra", TETRAHEDRA, ("triangle", TETRAHEDRON_FACES),
                              groups)
        first = Read(source, "solid")
        for name, (ending, options, _) in SOLID.items():
            if ending != "msh":
                continue
            with self.subTest(name):
                path = f"for-gmsh-{name}.msh"
                convert(source, path, *options)
                run = subprocess.run(["gmsh", "-0", path, "-format", "msh41", "-save_all", "-bin",
                                      "-o", f"from-gmsh-{name}.msh"], capture_output=True, text=True)
                self.assertEqual(run.returncode, 0, run.stdout + run.stderr)
                self.assertNotIn("Error", run.stdout + run.stderr)
                self.assertNotIn("Warning", run.stdout + run.stderr)
                back = Read(f"from-gmsh-{name}.msh", "solid")
                self.assertTrue(back.ok, back.error)
                self.assertEqual(len(back.cells), len(first.cells))
                counts = lambda read: {g: (len(v["nodes"]), len(v["cells"]), len(v["faces"]))
                                       for g, v in read.groups.items()}
                self.assertEqual(counts(back), counts(first))


if __name__ == "__main__":
    unittest.main()
