"""Instruments whose surfaces have slivers, lines and points among their triangles, as STL files do, press into
a ball. Whether any two triangles touch is asked again, in whole numbers without rounding: none do.
"""
import os
import pathlib
import random
import subprocess
import unittest
from fractions import Fraction

import meshio
import numpy as np

SCENE = """\
bodies:
  - name: ball
    shape: {sphere: 0.5, cells: 6}
    material: {law: neo-hookean, young: 1000, poisson: 0.4, density: 10}
rigid:
  - name: tool
    surface: tool.stl
    place: {rotate: {axis: [0, 0, 1], degrees: %g}, translate: [%g, 0.01, 0]}
    motion: {translate: [0.1, -0.05, -0.3], ramp: smooth, until: 0.8}
conditions:
  - {body: ball, where: {sphere: {centre: [0, 0, -0.4], radius: 0.25}}, fix: xyz}
contact:
  - {between: all, active: %s}
solver: {time: 1, damping: 5}
output: {every: 0.25, precision: double, report: false}
"""


def halves(corners, flip):
    a, b, c, d = corners[::-1] if flip else corners
    return [(a, b, c), (a, c, d)]


def bar(dice):
    """A bar above the ball, cut across into strips of any width, with triangles of no area."""
    width, low, high = 0.05, 0.53, 0.8
    cuts = sorted([-0.3, 0.3] + [dice.uniform(-0.3, 0.3) for _ in range(24)] +
                  [dice.uniform(-1e-4, 1e-4) for _ in range(8)])
    triangles = []
    for a, b in zip(cuts, cuts[1:]):
        for z in (low, high):
            triangles += halves([(a, -width, z), (b, -width, z), (b, width, z), (a, width, z)], z == low)
        for y in (-width, width):
            triangles += halves([(a, y, low), (b, y, low), (b, y, high), (a, y, high)], y == width)
    for x in (cuts[0], cuts[-1]):
        triangles += halves([(x, -width, low), (x, width, low), (x, width, high), (x, -width, high)],
                            x == cuts[0])
    for _ in range(6):
        k = dice.randrange(1, len(cuts) - 1)
        triangles.append(tuple((x, width, low) for x in cuts[k - 1:k + 2]))  # a line
        point = dice.choice(triangles)[0]
        triangles.append((point, point, dice.choice(triangles)[1]))
    return triangles


def write_stl(path, triangles):
    with open(path, "w") as file:
        file.write("solid tool\n")
        for triangle in triangles:
            corners = "".join("vertex %.9g %.9g %.9g\n" % corner for corner in triangle)
            file.write("facet normal 0 0 0\nouter loop\n" + corners + "endloop\nendfacet\n")
        file.write("endsolid tool\n")


def side(a, b, c, d):
    """On which side of a, b, c the point d is: 1, -1, or 0 in their plane."""
    u, v, w = ([q[i] - a[i] for i in range(3)] for q in (b, c, d))
    volume = (u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) +
              u[2] * (v[0] * w[1] - v[1] * w[0]))
    return (volume > 0) - (volume < 0)


def pierces(p, q, triangle):
    if side(*triangle, p) == side(*triangle, q):
        return False
    a, b, c = triangle
    around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)]
    return min(around) >= 0 or max(around) <= 0


def crossings(frame):
    """Pairs of triangles, one of each body, that have a point in common; and how many came near."""
    mesh = meshio.read(frame)
    cells = {block.type: block.data for block in mesh.cells}
    faces = {}
    for cell in cells["tetra"]:
        for corners in ((1, 2, 3), (0, 3, 2), (0, 1, 3), (0, 2, 1)):
            key = tuple(sorted(cell[list(corners)]))
            faces[key] = None if key in faces else cell[list(corners)]
    soft = np.array([face for face in faces.values() if face is not None])
    lower, upper = mesh.points[soft].min(axis=1), mesh.points[soft].max(axis=1)
    exact = [[Fraction(float(x)) for x in point] for point in mesh.points]
    found = near = 0
    for tool in cells["triangle"]:
        low, high = mesh.points[tool].min(axis=0), mesh.points[tool].max(axis=0)
        for k in np.where(((lower <= high) & (upper >= low)).all(axis=1))[0]:
            one, other = [exact[n] for n in tool], [exact[n] for n in soft[k]]
            near += 1
            found += any(pierces(a[i], a[(i + 1) % 3], b) for i in range(3)
                         for a, b in ((one, other), (other, one)))
    return found, near


class Slivers(unittest.TestCase):
    def press(self, seed, active):
        dice = random.Random(seed)
        write_stl("tool.stl", bar(dice))
        pathlib.Path("scene.yaml").write_text(
            SCENE % (dice.uniform(-30, 30), dice.uniform(-0.1, 0.1), active))
        run = subprocess.run([os.environ["PALPATE"], "run", "scene.yaml", "-o", "out", "--quiet"],
                             capture_output=True, text=True)
        self.assertEqual(run.returncode, 0, run.stderr)
        counts = [crossings(frame) for frame in sorted(pathlib.Path("out/frames").glob("*.vtu"))]
        self.assertEqual(len(counts), 5)
        return [sum(column) for column in zip(*counts)]

    def test_nothing_touches(self):
        for seed in (1, 2):
            found, near = self.press(seed, "true")
            self.assertGreater(near, 200)
            self.assertEqual(found, 0)

    def test_what_passes_through_is_seen(self):
        found, _ = self.press(1, "false")
        self.assertGreater(found, 20)


if __name__ == "__main__":
    unittest.main()
