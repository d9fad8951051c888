#!/usr/bin/env python3
"""ball-even.py OUT.obj: the surface of billiard.yaml's balls, an icosahedron whose sides are
divided by eight and put on the sphere: facets are nearly alike in every direction. The mesh is made from it by
palpate mesh OUT.obj ball-even.msh -f msh22 --ascii
"""
import math
import sys

DIVISIONS = 8


def unit(a):
    length = math.sqrt(sum(x * x for x in a))
    return tuple(x / length for x in a)


def between(a, b, share):
    """The point on the way from a to b along the sphere."""
    angle = math.acos(max(-1, min(1, sum(x * y for x, y in zip(a, b)))))
    first, second = math.sin((1 - share) * angle), math.sin(share * angle)
    return tuple((first * x + second * y) / math.sin(angle) for x, y in zip(a, b))


def seen_from(a, b, c, j, k):
    """The point j and k divisions from a towards b and c."""
    if j + k == 0:
        return a
    share = (j + k) / DIVISIONS
    return between(between(a, b, share), between(a, c, share), k / (j + k))


def make():
    golden = (1 + math.sqrt(5)) / 2
    corners = [unit(c) for c in (
        (-1, golden, 0), (1, golden, 0), (-1, -golden, 0), (1, -golden, 0), (0, -1, golden), (0, 1, golden),
        (0, -1, -golden), (0, 1, -golden), (golden, 0, -1), (golden, 0, 1), (-golden, 0, -1), (-golden, 0, 1))]
    sides = ((0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2), (10, 7, 6),
             (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5), (2, 4, 11), (6, 2, 10),
             (8, 6, 7), (9, 8, 1))
    known, points, facets = {}, [], []
    for a, b, c in sides:
        a, b, c = corners[a], corners[b], corners[c]
        grid = {}
        for i in range(DIVISIONS + 1):
            for j in range(DIVISIONS + 1 - i):
                k = DIVISIONS - i - j  # divisions towards b, c and a: the mean of what each corner sees
                seen = (seen_from(a, b, c, i, j), seen_from(b, c, a, j, k), seen_from(c, a, b, k, i))
                point = unit([sum(x) for x in zip(*seen)])
                key = tuple(round(x, 9) for x in point)
                if key not in known:
                    known[key] = len(points) + 1
                    points.append(point)
                grid[i, j] = known[key]
        for i in range(DIVISIONS):
            for j in range(DIVISIONS - i):
                facets.append((grid[i, j], grid[i + 1, j], grid[i, j + 1]))
                if i + j < DIVISIONS - 1:
                    facets.append((grid[i + 1, j], grid[i + 1, j + 1], grid[i, j + 1]))
    return points, facets


def main():
    points, facets = make()
    with open(sys.argv[1], "w", encoding="ascii") as out:
        out.writelines("v %.15g %.15g %.15g\n" % point for point in points)
        out.writelines("f %d %d %d\n" % facet for facet in facets)


if __name__ == "__main__":
    main()
