// Whatever is wrong with a scene is told in one line: where, what, and what was expected.
#include "check.h"
#include <palpate/scene.h>

#include <unistd.h>

// Lines 1 to 4 and 5 of most scenes below.
#define LAWS                                                                                       \
    "neo-hookean, st-venant-kirchhoff, mooney-rivlin, polynomial, arruda-boyce, ogden, "           \
    "veronda-westmann, transversely-isotropic, fibre-reinforced, compressible-neo-hookean or "     \
    "fibre-mooney-rivlin"
#define SHAPE "bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [1, 1, 1]}\n"
#define STUFF "{law: neo-hookean, shear: 1, bulk: 2, density: 1}"
#define BODY  SHAPE "    material: " STUFF "\n"
#define SCENE BODY "solver: {time: 1}\n"

typedef struct Case {
    const char *text;
    const char *expected;  // after the file's name; the words after a final ": " are libfyaml's own
} Case;

static const Case syntax_cases[] = {
    {"%YAML 1.2\n---\nname: a\n",
     "1:1: a directive, expected a scene without lines that begin with %"},
    {"name: [a\n", "2:1: "},
    {"a: {b: 1\n", "2:1: "},
    {"name: \"open\n", "1:8: "},
    {"a: b: c\n", "1:5: "},
    {"\tname: a\n", "1:1: "},
    {"", "1:1: the file holds no keys, expected a map of keys and values"},
    {"# only a comment\n", "1:1: the file holds no keys, expected a map of keys and values"},
    {"just text\n", "1:1: not a map, expected keys such as bodies: and solver:"},
    {"- 1\n- 2\n", "1:1: not a map, expected keys such as bodies: and solver:"},
    {"name: *nothing\n", "1:7: an alias of an anchor that is not there, expected one given above"},
    {"a: &a [*a]\n", "1:8: an alias inside its own anchor, which has no end"},
    {"name: a\n---\nname: b\n", "2:1: a second document, expected only one"},
    {"name: a\nbodies: 1\nname: b\n",
     "3:1: the key \"name\" is given twice, first on line 1: expected it once"},
    {"? [a, b]\n: c\n", "1:3: a key must be plain text, found a list or a map"},
    {"<<: 5\n", "1:5: << merges maps, expected an alias of a map"},
    {"name: a\x01z\n", "1:8: the byte 0x01 is not text, expected a YAML or JSON file"},
    {"name: \xff\xfe\n", "1:7: the byte 0xff is not text, expected a YAML or JSON file"},
    {"name: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[a]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]\n",
     "1:38: nested too deeply, expected at most 32 levels"},
};

static const Case key_cases[] = {
    {SCENE "colour: red\n", "6:1: unknown key \"colour\" in a scene, expected name, bodies, rigid, "
                            "conditions, contact, solver, probes, output or "
                            "vademecum"},
    {SCENE "soler: {time: 1}\n", "6:1: unknown key \"soler\" in a scene, did you mean \"solver\"?"},
    {BODY, "1:1: a scene without solver, expected solver: a map"},
    {"solver: {time: 1}\n",
     "1:1: nothing to simulate: no bodies, expected at least one, or a rigid with mass or density"},
    {"bodies: 3\nsolver: {time: 1}\n", "1:9: bodies is 3, expected a list of maps"},
    {"bodies:\nsolver: {time: 1}\n", "1:1: bodies is nothing, expected a list of maps"},
    {"bodies: [1]\nsolver: {time: 1}\n", "1:10: entry 1 of bodies is \"1\", expected a map"},
    {"bodies: {name: a}\nsolver: {time: 1}\n", "1:9: bodies is a map, expected a list of maps"},
    {BODY "solver: explicit\n", "5:9: solver is \"explicit\", expected a map"},
    {BODY "solver: {}\n",
     "5:9: the solver has no time, expected time: the end of the simulation, a number above 0"},
    {BODY "solver: {time: 0}\n", "5:16: time is 0, expected a number above 0"},
    {BODY "solver: {time: -1}\n", "5:16: time is -1, expected a number above 0"},
    {BODY "solver: {time: .inf}\n", "5:16: time is \".inf\", expected a finite number"},
    {BODY "solver: {time: .nan}\n", "5:16: time is \".nan\", expected a finite number"},
    {BODY "solver: {time: soon}\n", "5:16: time is \"soon\", expected a number above 0"},
    {BODY "solver: {time: \"1\"}\n", "5:16: time is the text \"1\", expected a number above 0"},
    {BODY "solver: {time: 1e999}\n", "5:16: time is \"1e999\", expected a finite number"},
    {BODY "solver: {time: [1]}\n", "5:16: time is a list of 1, expected a number above 0"},
    {BODY "solver: {time: 1, step: 0}\n", "5:25: step is 0, expected auto or a number above 0"},
    {BODY "solver: {time: 1, step: 2}\n", "5:25: step is 2, expected at most the time, 1"},
    {BODY "solver: {time: 1, step: automatic}\n",
     "5:25: step is \"automatic\", expected auto or a number above 0"},
    {BODY "solver: {time: 1, safety: 1.5}\n",
     "5:27: safety is 1.5, expected a number above 0 and at most 1"},
    {BODY "solver: {time: 1, damping: -1}\n",
     "5:28: damping is -1, expected a number of 0 or more"},
    {BODY "solver: {time: 1, threads: 1.5}\n",
     "5:28: threads is 1.5, expected a whole number of 0 or more"},
    {BODY "solver: {time: 1, threads: 100000}\n", "5:28: threads is 100000, expected at most 1024"},
    {BODY "solver: {time: 1, method: explict}\n",
     "5:27: method is \"explict\", did you mean \"explicit\"?"},
    {SHAPE "    element: t3\n    material: " STUFF "\nsolver: {time: 1}\n",
     "4:14: element is \"t3\", expected t4, t4-anp, h8, ebst, membrane, t10 "
     "or mixed"},
    {SHAPE "solver: {time: 1}\n",
     "2:5: a body with none of material and materials, expected one of them"},
    {SHAPE "    mesh: a.msh\n    material: " STUFF "\nsolver: {time: 1}\n",
     "4:5: both mesh and shape in a body, expected one of them"},
    {BODY "    materials: []\nsolver: {time: 1}\n",
     "5:5: both material and materials in a body, expected one of them"},
    {"bodies:\n  - name: a\n    material: " STUFF "\nsolver: {time: 1}\n",
     "2:5: a body with none of mesh, shape and skin-of, expected one of them"},
    {"bodies:\n  - shape: {box: [1, 1, 1]}\n    material: " STUFF "\nsolver: {time: 1}\n",
     "2:5: a body without name, expected name: text"},
    {"bodies:\n  - name:\n    shape: {box: [1, 1, 1]}\n    material: " STUFF
     "\nsolver: {time: 1}\n",
     "2:5: name is nothing, expected text"},
    {"bodies:\n  - name: \"\"\n    shape: {box: [1, 1, 1]}\n    material: " STUFF
     "\nsolver: {time: 1}\n",
     "2:11: name is empty, expected some text"},
    {"bodies:\n  - name: a/b\n    shape: {box: [1, 1, 1]}\n    material: " STUFF
     "\nsolver: {time: 1}\n",
     "2:11: the name \"a/b\" holds a comma, quote, slash or control character, expected letters, "
     "digits, spaces, - _ ."},
    {"bodies:\n  - name: \"a\\x9bb\\x7f\"\n    shape: {box: [1, 1, 1]}\n    material: " STUFF
     "\nsolver: {time: 1}\n",
     "2:11: the name \"a??b?\" holds a comma, quote, slash or control character, expected letters, "
     "digits, spaces, - _ ."},
    {BODY "    velocity: [0, 0]\nsolver: {time: 1}\n",
     "5:15: velocity is a list of 2, expected a list of 3 numbers"},
    {BODY "    velocity: [0, 0, x]\nsolver: {time: 1}\n",
     "5:22: entry 3 of velocity is \"x\", expected a number"},
    {BODY "    velocity: [0, 0, null]\nsolver: {time: 1}\n",
     "5:22: entry 3 of velocity is nothing, expected a number"},
    {BODY "    velocity: 3\nsolver: {time: 1}\n",
     "5:15: velocity is 3, expected a list of 3 numbers"},
    {BODY "    velocity: [0, 0, 1e400]\nsolver: {time: 1}\n",
     "5:22: entry 3 of velocity is \"1e400\", expected a finite number"},
    {BODY "    place: {scale: 0}\nsolver: {time: 1}\n",
     "5:20: scale is 0, expected a number above 0"},
    {BODY "    place: {rotate: {axis: [0, 0, 0], degrees: 9}}\nsolver: {time: 1}\n",
     "5:28: axis is zero, expected a direction"},
    {BODY "    place: {rotate: {axis: [0, 0, 1]}}\nsolver: {time: 1}\n",
     "5:21: a rotation without degrees, expected degrees: a number"},
    {SCENE "output: {fields: [stress, sress]}\n",
     "6:27: fields is \"sress\", did you mean \"stress\"?"},
    {SCENE "output: {fields: [stress, stress]}\n",
     "6:27: fields has stress twice, expected it once"},
    {SCENE "output: {fields: stress}\n", "6:18: fields is \"stress\", expected a list of words"},
    {SCENE "output: {report: yes}\n", "6:18: report is \"yes\", expected true or false"},
    {SCENE "output: {every: 2}\n", "6:17: every is 2, expected at most the solver's time, 1"},
    {SCENE "output: {every: 1.0e-9}\n",
     "6:17: every is 1e-09, which makes 1e+09 frames, expected at most a million"},
    {SCENE "output:\n", "6:1: output is nothing, expected a map"},
};

static const Case meaning_cases[] = {
    {"bodies:\n  - name: a\n    mesh: \"b\\nc\"\n    material: " STUFF "\nsolver: {time: 1}\n",
     "3:11: \"b?c\" holds a control character, expected a file"},
    {SHAPE "    material: {law: neo-hokean, shear: 1, bulk: 2, density: 1}\nsolver: {time: 1}\n",
     "4:21: law is \"neo-hokean\", did you mean \"neo-hookean\"?"},
    {SHAPE "    material: {law: steel, density: 1}\nsolver: {time: 1}\n",
     "4:21: law is \"steel\", expected " LAWS},
    {SHAPE "    material: {shear: 1, bulk: 2, density: 1}\nsolver: {time: 1}\n",
     "4:15: a material without law, expected law: " LAWS},
    {SHAPE "    material: {law: [1], density: 1}\nsolver: {time: 1}\n",
     "4:21: law is a list of 1, expected " LAWS},
    {SHAPE "    material: {law: neo-hookean, shear: 1, density: 1}\nsolver: {time: 1}\n",
     "4:15: law neo-hookean without bulk, expected bulk: bulk modulus, pressure"},
    {SHAPE "    material: {law: neo-hookean, shear: 1, bulk: 2}\nsolver: {time: 1}\n",
     "4:15: a material without density, expected density: a number above 0"},
    {SHAPE "    material: {law: neo-hookean, shear: 1, bulk: 2, density: -1}\nsolver: {time: 1}\n",
     "4:62: density is -1, expected a number above 0"},
    {SHAPE "    material: {law: neo-hookean, shear: 0, bulk: 2, density: 1}\nsolver: {time: 1}\n",
     "4:41: shear is 0, expected more than 0 (shear modulus, pressure)"},
    {SHAPE "    material: {law: neo-hookean, shear: 1, bulk: 2, bulks: 3, density: 1}\nsolver: "
           "{time: 1}\n",
     "4:53: unknown key \"bulks\" in a material, did you mean \"bulk\"?"},
    {SHAPE "    material: {law: neo-hookean, young: 1, density: 1}\nsolver: {time: 1}\n",
     "4:34: young without poisson, expected young and poisson together"},
    {SHAPE "    material: {law: neo-hookean, poisson: 0.3, density: 1}\nsolver: {time: 1}\n",
     "4:34: poisson without young, expected young and poisson together"},
    {SHAPE
     "    material: {law: neo-hookean, young: 1, poisson: 0.5, density: 1}\nsolver: {time: 1}\n",
     "4:53: poisson is 0.5, expected less than 0.5; for near-incompressible tissue give shear and "
     "a large bulk, with element mixed"},
    {SHAPE
     "    material: {law: neo-hookean, young: 1, poisson: -1, density: 1}\nsolver: {time: 1}\n",
     "4:53: poisson is -1, expected more than -1"},
    {SHAPE "    material: {law: neo-hookean, young: 1, poisson: 0.3, shear: 1, density: "
           "1}\nsolver: {time: 1}\n",
     "4:58: both young and shear in a material, expected either young and poisson or shear and "
     "bulk"},
    {SHAPE "    material: {law: ogden, young: 1, poisson: 0.3, density: 1}\nsolver: {time: 1}\n",
     "4:28: law ogden takes no young, expected its own parameters"},
    {SHAPE "    material: {law: transversely-isotropic, shear: 1, bulk: 2, fibre-modulus: 1, "
           "density: 1}\nsolver: {time: 1}\n",
     "4:15: law transversely-isotropic without direction, expected a direction: of the fibres, any "
     "length"},
    {SHAPE "    material: {law: transversely-isotropic, shear: 1, bulk: 2, fibre-modulus: 1, "
           "direction: [1, 0], density: 1}\nsolver: {time: 1}\n",
     "4:93: direction is a list of 2, expected a list of 3 numbers"},
    {SHAPE "    material: {law: transversely-isotropic, shear: 1, bulk: 2, fibre-modulus: 1, "
           "direction: [0, 0, 0], density: 1}\nsolver: {time: 1}\n",
     "4:15: material: direction is [0, 0, 0], which is not a direction"},
    {SHAPE "    material: {law: transversely-isotropic, shear: 1, bulk: 2, fibre-modulus: 1, "
           "direction-x: 1, density: 1}\nsolver: {time: 1}\n",
     "4:82: unknown key \"direction-x\" in a material, did you mean \"direction\"?"},
    {SHAPE "    material: {law: neo-hookean, shear: 1, bulk: 2, density: 1, relaxation: "
           "{isochoric: [{weight: 0.5, time: 1}, {weight: 0.6, time: 2}]}}\nsolver: {time: 1}\n",
     "4:89: the weights add up to 1.1, expected less than 1: some stiffness must remain"},
    {SHAPE "    material: {law: neo-hookean, shear: 1, bulk: 2, density: 1, relaxation: "
           "{isochoric: [{weight: 1.5, time: 1}]}}\nsolver: {time: 1}\n",
     "4:99: weight is 1.5, expected a number between 0 and 1"},
    {SHAPE "    material: {law: neo-hookean, shear: 1, bulk: 2, density: 1, relaxation: "
           "{isochoric: [{weight: 0.5}]}}\nsolver: {time: 1}\n",
     "4:90: a relaxation term without time, expected time: a number above 0"},
    {SHAPE "    material: {law: neo-hookean, shear: 1, bulk: 2, density: 1, relaxation: {shear: "
           "[]}}\nsolver: {time: 1}\n",
     "4:78: unknown key \"shear\" in relaxation, expected isochoric or volumetric"},
    {SHAPE "    element: t4-anp\n    material: {law: st-venant-kirchhoff, shear: 1, bulk: 2, "
           "density: 1}\nsolver: {time: 1}\n",
     "5:21: law st-venant-kirchhoff has no volumetric part of its own, which element t4-anp needs; "
     "expected another law, or element t4"},
    {SHAPE "    materials: [{group: skin, law: neo-hookean, shear: 1, bulk: 2, density: "
           "1}]\nsolver: {time: 1}\n",
     "4:25: the mesh has no group \"skin\", expected x-min, x-max, y-min, y-max, z-min or z-max"},
    {SHAPE "    materials: [" STUFF ", " STUFF "]\nsolver: {time: 1}\n",
     "4:17: material 1 has no group, expected one: only the last material may leave it out"},
    {SHAPE "    materials: []\nsolver: {time: 1}\n",
     "4:16: materials is empty, expected at least one"},
    {BODY "    hourglass: 0.1\nsolver: {time: 1}\n",
     "5:16: hourglass has no effect with element t4, expected h8"},
    {BODY "  - {name: a, shape: {box: [1, 1, 1]}, material: " STUFF "}\nsolver: {time: 1}\n",
     "5:12: a second body is called \"a\", expected a unique name"},
    {"bodies:\n  - name: a\n    shape: {box: [1, 1, 0]}\n    material: " STUFF
     "\nsolver: {time: 1}\n",
     "3:25: entry 3 of box is 0, expected a number above 0"},
    {"bodies:\n  - name: a\n    shape: {box: 1}\n    material: " STUFF "\nsolver: {time: 1}\n",
     "3:18: box is 1, expected a list of 3 numbers above 0"},
    {"bodies:\n  - name: a\n    shape: {box: [1, 1, 1], sphere: 1}\n    material: " STUFF
     "\nsolver: {time: 1}\n",
     "3:29: both box and sphere in a shape, expected one of them"},
    {"bodies:\n  - name: a\n    shape: {cells: 3}\n    material: " STUFF "\nsolver: {time: 1}\n",
     "3:12: a shape with none of box, sphere, ellipsoid, cylinder, sheet, tube and shell-sphere, "
     "expected one of them"},
    {"bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [4]}\n    material: " STUFF
     "\nsolver: {time: 1}\n",
     "3:36: cells is a list of 1, expected three, along x, y and z, or a number for all"},
    {"bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [1, 1, 1.5]}\n    material: " STUFF
     "\nsolver: {time: 1}\n",
     "3:43: entry 3 of cells is 1.5, expected a whole number above 0"},
    {"bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [1, 1, 1], size: 1}\n    "
     "material: " STUFF "\nsolver: {time: 1}\n",
     "3:47: both cells and size in a shape, expected one of them"},
    {"bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [20000, 1, 1]}\n    material: " STUFF
     "\nsolver: {time: 1}\n",
     "3:37: cells is 20000, expected at most 10000"},
    {"bodies:\n  - name: a\n    shape: {box: [1, 1, 1], cells: [1000, 1000, 1000]}\n    "
     "material: " STUFF "\nsolver: {time: 1}\n",
     "3:12: the shape would have about 6e+09 cells, expected at most 1e+08: use larger or fewer "
     "cells"},
    {"bodies:\n  - name: a\n    shape: {box: [1, 1, 1], size: 1.0e-5}\n    material: " STUFF
     "\nsolver: {time: 1}\n",
     "3:12: the shape would have about 6e+15 cells, expected at most 1e+08: use larger or fewer "
     "cells"},
    {"bodies:\n  - name: a\n    shape: {sphere: 1, cells: [3, 3]}\n    material: " STUFF
     "\nsolver: {time: 1}\n",
     "3:31: cells is a list of 2, expected one: across the diameter"},
    {"bodies:\n  - name: a\n    mesh: no-such.msh\n    material: " STUFF "\nsolver: {time: 1}\n",
     "3:11: cannot open no-such.msh (mesh of body \"a\"): No such file or directory, expected a "
     "mesh file"},
    {SCENE "rigid: [{name: a, shape: {sphere: 1}}]\n",
     "6:16: a second body is called \"a\", expected a unique name"},
    {SCENE "rigid: [{name: r, shape: {box: [1, 1, 1]}}, {name: r, shape: {box: [1, 1, 1]}}]\n",
     "6:52: a second rigid instrument is called \"r\", expected a unique name"},
    {SCENE "rigid: [{name: r}]\n",
     "6:9: a rigid instrument with none of surface and shape, expected one of them"},
    {SCENE "rigid: [{name: r, surface: no-such.stl}]\n",
     "6:28: cannot open no-such.stl (surface of rigid \"r\"): No such file or directory, expected "
     "a mesh file"},
    {SCENE "rigid: [{name: r, shape: {box: [1, 1, 1]}, motion: {rotate: {axis: [0, 0, 0], degrees: "
           "5}}}]\n",
     "6:68: axis is zero, expected a direction"},
    {SCENE
     "rigid: [{name: r, shape: {box: [1, 1, 1]}}]\nconditions: [{body: r, where: all, fix: x}]\n",
     "7:21: \"r\" is a rigid instrument, expected a body"},
    {SCENE "conditions:\n  - {body: b, where: all, fix: xyz}\n",
     "7:12: no body is called \"b\", expected a"},
    {SCENE "conditions:\n  - {body: all, gravity: [0, 0, -9.81]}\n",
     "7:12: no body is called \"all\", expected no body here: gravity then acts on every one"},
    {SCENE "conditions:\n  - {body: a, where: all, fix: x, force: [0, 0, 1]}\n",
     "7:35: both fix and force in a condition, expected one of them"},
    {SCENE "conditions:\n  - {body: a, fix: xyz}\n",
     "7:5: fix without where, expected where it applies"},
    {SCENE "conditions:\n  - {where: all, fix: xyz}\n",
     "7:5: fix without body, expected the name of a body"},
    {SCENE "conditions:\n  - {body: a, where: all, fix: xyw}\n",
     "7:32: fix is \"xyw\", expected some of the letters x, y, z, each once"},
    {SCENE "conditions:\n  - {body: a, where: all, fix: xx}\n",
     "7:32: fix is \"xx\", expected some of the letters x, y, z, each once"},
    {SCENE "conditions:\n  - {body: a, where: all, fix: xyz, ramp: linear}\n",
     "7:37: ramp has no effect with fix, expected a condition without it"},
    {SCENE "conditions:\n  - {body: a, where: all, pressure: 1, each: true}\n",
     "7:40: each has no effect with pressure, expected a condition without it"},
    {SCENE "conditions:\n  - {where: all, gravity: [0, 0, 1]}\n",
     "7:6: where is given without body, expected the name of a body"},
    {SCENE "conditions:\n  - {body: a, where: some, fix: x}\n",
     "7:22: where is \"some\", expected all or a map"},
    {SCENE "conditions:\n  - {body: a, where: {}, fix: x}\n",
     "7:22: a selection with none of plane, box, sphere, point, group, surface, facing, near, "
     "all-of, any-of and not, expected one of them"},
    {SCENE "conditions:\n  - {body: a, where: {plane: top}, fix: x}\n",
     "7:30: plane is \"top\", expected x-min, x-max, y-min, y-max, z-min or z-max or a map"},
    {SCENE "conditions:\n  - {body: a, where: {plane: x-mim}, fix: x}\n",
     "7:30: plane is \"x-mim\", did you mean \"x-min\"?"},
    {SCENE
     "conditions:\n  - {body: a, where: {plane: {point: [0, 0, 0], normal: [0, 0, 0]}}, fix: x}\n",
     "7:57: normal is zero, expected a direction"},
    {SCENE
     "conditions:\n  - {body: a, where: {plane: {point: [0, 0, 9], normal: [0, 0, 1]}}, fix: x}\n",
     "7:22: conditions.0 (fix) selects no node of body \"a\": the plane through (0, 0, 9) with "
     "normal (0, 0, 1); expected some, the body spans (-0.5, -0.5, -0.5) to (0.5, 0.5, 0.5)"},
    {SCENE "conditions:\n  - {body: a, where: {box: [[0, 0, 0]]}, fix: x}\n",
     "7:28: box is a list of 1, expected at least two"},
    {SCENE "conditions:\n  - {body: a, where: {box: [[0, 0, 0], [1, 1, 1], [2, 2, 2]]}, fix: x}\n",
     "7:28: box is a list of 3, expected two corners: lowest and highest"},
    {SCENE "conditions:\n  - {body: a, where: {box: {min: [0, 0, 0], max: [1, -1, 1]}}, fix: x}\n",
     "7:50: the box's y goes from 0 to -1, expected the lower corner first"},
    {SCENE "conditions:\n  - {body: a, where: {box: {min: [7, 7, 7], max: [8, 8, 8]}}, fix: x}\n",
     "7:22: conditions.0 (fix) selects no node of body \"a\": the box (7, 7, 7) to (8, 8, 8); "
     "expected some, the body spans (-0.5, -0.5, -0.5) to (0.5, 0.5, 0.5)"},
    {SCENE "conditions:\n  - {body: a, where: {sphere: {center: [0, 0, 0], radius: 1}}, fix: x}\n",
     "7:32: unknown key \"center\" in a sphere, did you mean \"centre\"?"},
    {SCENE
     "conditions:\n  - {body: a, where: {sphere: {centre: [0, 0, 0], radius: 0.1}}, fix: x}\n",
     "7:22: conditions.0 (fix) selects no node of body \"a\": the sphere of radius 0.1 about (0, "
     "0, "
     "0); expected some, the body spans (-0.5, -0.5, -0.5) to (0.5, 0.5, 0.5)"},
    {SCENE "conditions:\n  - {body: a, where: {group: top}, fix: x}\n",
     "7:30: body \"a\" has no group \"top\", expected x-min, x-max, y-min, y-max, z-min or z-max"},
    {SCENE "conditions:\n  - {body: a, where: {point: [0, 0, 1]}, pressure: 1}\n",
     "7:22: conditions.0 (pressure) selects no facet of the surface of body \"a\": point (0, 0, "
     "1); "
     "expected some, the body spans (-0.5, -0.5, -0.5) to (0.5, 0.5, 0.5)"},
    {SCENE "conditions:\n  - {body: a, where: {point: [0, 0, 1], tolerance: 1}, fix: x}\n",
     "7:52: tolerance has no effect without plane, expected a plane"},
    {SCENE "conditions:\n  - {body: a, where: {point: [0, 0, 1], plane: x-min}, fix: x}\n",
     "7:41: both plane and point in a selection, expected one of them"},
    {SCENE "conditions:\n  - {body: a, where: all, displace: [null, null, null]}\n",
     "7:37: displace leaves every axis free, expected a number for at least one"},
    {SCENE "conditions:\n  - {body: a, where: all, displace: [0, 0]}\n",
     "7:37: displace is a list of 2, expected a list of 3 numbers or nulls"},
    {SCENE "conditions:\n  - {body: a, where: all, force: [0, 0, null]}\n",
     "7:41: entry 3 of force is nothing, expected a number"},
    {SCENE "conditions:\n  - {body: a, where: all, force: [0, 0, 1], ramp: fast}\n",
     "7:51: ramp is \"fast\", expected step, linear, smooth or hilly or a list of lists of 2 "
     "numbers"},
    {SCENE "conditions:\n  - {body: a, where: all, force: [0, 0, 1], ramp: [[0, 0]]}\n",
     "7:51: ramp is a list of 1, expected at least two"},
    {SCENE
     "conditions:\n  - {body: a, where: all, force: [0, 0, 1], ramp: [[0, 0], [1, 1], [1, 0]]}\n",
     "7:68: time 1 comes after 1 in the ramp, expected ascending times"},
    {SCENE "conditions:\n  - {body: a, where: all, force: [0, 0, 1], ramp: [[0, 0], [1]]}\n",
     "7:60: ramp is a list of 1, expected a list of 2 numbers"},
    {SCENE "conditions:\n  - {body: a, where: all, force: [0, 0, 1], ramp: step, until: 1}\n",
     "7:64: until has no effect with ramp: step, expected ramp: linear, smooth or hilly"},
    {SCENE
     "conditions:\n  - {body: a, where: all, force: [0, 0, 1], ramp: [[0, 0], [1, 1]], until: 1}\n",
     "7:76: until has no effect with a table of times, expected ramp: linear, smooth or hilly"},
    {SCENE "conditions:\n  - {body: a, where: all, force: [0, 0, 1], until: 0}\n",
     "7:52: until is 0, expected a number above 0"},
    {SCENE "probes: [{name: p, body: c}]\n", "6:26: no body is called \"c\", expected a"},
    {SCENE "probes: [{name: p, body: a}, {name: p, body: a}]\n",
     "6:37: a second probe is called \"p\", expected a unique name"},
    {SCENE "probes: [{name: momentum, body: a}]\n",
     "6:17: a probe is called \"momentum\", expected a name that no column of history.csv has"},
    {SCENE "name: \"a\\x85b\"\n", "6:7: name holds a control character, expected one line"},
    {SCENE "probes: [{name: p, body: a, record: heat}]\n",
     "6:37: record is \"heat\", expected displacement, velocity, position, force, torque, "
     "rotation, spin, stress, strain, pressure, volume or area"},
    {SCENE "probes: [{name: p, body: a, record: torque}]\n",
     "6:37: record is torque with body, expected displacement, velocity, position, force, stress, "
     "strain, pressure, volume or area"},
    {SCENE "probes: [{name: p}]\n",
     "6:10: a probe with none of body, rigid and between, expected one of them"},
    {SCENE "probes: [{name: p, between: [a, a]}]\n",
     "6:33: between \"a\" and itself, expected two different names"},
    {SCENE "probes: [{name: \"p,q\", body: a}]\n",
     "6:17: the name \"p,q\" holds a comma, quote, slash or control character, expected letters, "
     "digits, spaces, - _ ."},
    {SCENE "probes: [{name: p, body: a, where: {box: [[7, 7, 7], [8, 8, 8]]}}]\n",
     "6:36: probe \"p\" selects no node of body \"a\": the box (7, 7, 7) to (8, 8, 8); expected "
     "some, the body spans (-0.5, -0.5, -0.5) to (0.5, 0.5, 0.5)"},
};

typedef struct ChangeCase {
    const char *path, *value;
    const char *expected;  // all of the message
} ChangeCase;

static const ChangeCase change_cases[] = {
    {"", "1", "--set : an empty name in the path, expected names and indices with dots between"},
    {"solver..step", "1",
     "--set solver..step: an empty name in the path, expected names and indices with dots between"},
    {"solver.stp", "1",
     "--set solver.stp: unknown key \"stp\" in the solver, did you mean \"step\"?"},
    {"solver.step", "[1", "--set solver.step: "},
    {"solver.step", "fast",
     "--set solver.step: step is \"fast\", expected auto or a number above 0"},
    {"solver.step.length", "1",
     "--set solver.step.length: the path names nothing in the scene, expected a path into it"},
    {"bodies.1.name", "x", "--set bodies.1.name: no entry \"1\", expected 0 to 0"},
    {"bodies.b.name", "x", "--set bodies.b.name: no entry \"b\", expected a"},
    {"bodies.a.materal.shear", "1",
     "--set bodies.a.materal.shear: unknown key \"materal\" in a body, did you mean \"material\"?"},
    {"bodies.a.material.young", "5",
     "--set bodies.a.material.young: young without poisson, expected young and poisson together"},
    {"bodies.a.material.shear", "-5",
     "--set bodies.a.material.shear: shear is -5, expected more than 0 (shear modulus, pressure)"},
    {"bodies.a.mesh", "x.msh",
     "--set bodies.a.mesh: both mesh and shape in a body, expected one of them"},
    {"bodies.a.velocity.0", "1",
     "--set bodies.a.velocity.0: the path names nothing in the scene, expected a path into it"},
    {"bodies.a.shape.box.3", "1", "--set bodies.a.shape.box.3: no entry \"3\", expected 0 to 2"},
    {"bodies.a.shape.box.0", "-1",
     "--set bodies.a.shape.box.0: entry 1 of box is -1, expected a number above 0"},
    {"probes.0.name", "x",
     "--set probes.0.name: the path names nothing in the scene, expected a path into it"},
    {"contact", "[{between: all}]",
     "--set contact: between: all in a scene of one body, expected a second body or an instrument, "
     "or self: all"},
    {"solver", "null", "1:1: a scene without solver, expected solver: a map"},
    {"output.every", "5", "--set output.every: every is 5, expected at most the solver's time, 1"},
    {"bodies.a.material.law", "ogden",
     "4:34: unknown key \"shear\" in a material, expected law, young, poisson, density, "
     "incompressible, bending, relaxation, bulk, shear-1, alpha-1, shear-2, alpha-2, shear-3, "
     "alpha-3, bulk-log or bulk-quadratic"},
};

// Returns the error's text for a scene's text, without the file's name when it begins with it.
static const char *error_of(const char *text, size_t size, const PalSceneOptions *options,
                            PalError *error)
{
    char path[] = "bad-input-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, size), size);
    close(file);
    *error = (PalError){0};
    PalScene *scene = NULL;
    PalStatus status = pal_scene_read(path, options, &scene, error);
    unlink(path);
    pal_scene_destroy(scene);
    if (status == PAL_OK)
        fail_msg("this was taken for a good scene:\n%s", text);
    assert_int_equal(status, PAL_BAD_INPUT);
    assert_int_equal(error->status, PAL_BAD_INPUT);
    assert_null(scene);
    assert_null(strchr(error->text, '\n'));
    size_t length = strlen(path);
    return strncmp(error->text, path, length) == 0 ? error->text + length + 1 : error->text;
}

static bool says(const char *text, const char *expected)
{
    size_t length = strlen(expected);
    bool open = length > 2 && strcmp(expected + length - 2, ": ") == 0;
    return open ? strncmp(text, expected, length) == 0 : strcmp(text, expected) == 0;
}

static void run_cases(const Case *cases, size_t count)
{
    PalError error;
    for (size_t i = 0; i < count; ++i) {
        const char *text = error_of(cases[i].text, strlen(cases[i].text), NULL, &error);
        if (!says(text, cases[i].expected))
            fail_msg("%s\nsaid     %s\nexpected %s", cases[i].text, text, cases[i].expected);
    }
}

static void syntax(void **state)
{
    (void)state;
    run_cases(syntax_cases, sizeof syntax_cases / sizeof *syntax_cases);
}

static void keys_and_types(void **state)
{
    (void)state;
    run_cases(key_cases, sizeof key_cases / sizeof *key_cases);
}

static void meaning(void **state)
{
    (void)state;
    run_cases(meaning_cases, sizeof meaning_cases / sizeof *meaning_cases);
}

// Bodies a, b on lines 2 and 5; instruments p, q on lines 9 and 10; contact from line 12 on.
#define TOUCH                                                                                      \
    BODY "  - name: b\n    shape: {box: [1, 1, 1]}\n    material: " STUFF "\nrigid:\n"             \
         "  - {name: p, shape: {box: [1, 1, 1]}}\n  - {name: q, shape: {box: [1, 1, 1]}}\n"        \
         "solver: {time: 1}\n"

static const Case contact_cases[] = {
    {TOUCH "contact: 3\n", "12:10: contact is 3, expected a list of maps"},
    {TOUCH "contact: [{}]\n",
     "12:11: an empty entry of contact, expected between, self or a choice such as response"},
    {TOUCH "contact: [{between: [a, c]}]\n",
     "12:25: no body or rigid instrument is called \"c\", expected a, b, p or q"},
    {TOUCH "contact: [{between: [a]}]\n",
     "12:21: between is a list of 1, expected all or a list of 2 names"},
    {TOUCH "contact: [{between: [a, [b]]}]\n",
     "12:25: entry 2 of between is a list of 1, expected text"},
    {TOUCH "contact: [{between: ball}]\n",  // a name, though much like all
     "12:21: between is \"ball\", expected all or a list of 2 names"},
    {TOUCH "contact: [{between: [a, a]}]\n",
     "12:25: between \"a\" and itself, expected two different names, or self: a"},
    {TOUCH "contact: [{between: [p, q]}]\n",
     "12:25: \"p\" and \"q\" are both rigid instruments, whose motion is prescribed; expected at "
     "least one body, or a mass for one of them"},
    {TOUCH "contact: [{self: p}]\n",
     "12:18: \"p\" is a rigid instrument and cannot touch itself, expected a body"},
    {TOUCH "contact: [{self: c}]\n",
     "12:18: no body or rigid instrument is called \"c\", expected a, b, p or q"},
    {TOUCH "contact: [{self: a, between: all}]\n",
     "12:12: both between and self in a contact, expected one of them"},
    {TOUCH "contact: [{between: all, friction: -1}]\n",
     "12:36: friction is -1, expected a number of 0 or more"},
    {TOUCH "contact: [{between: all, active: maybe}]\n",
     "12:34: active is \"maybe\", expected true or false"},
    {TOUCH "contact: [{between: all, active: false, friction: 1}]\n",
     "12:41: friction has no effect with active: false, expected one of them"},
    {TOUCH "contact: [{friction: 1}]\n",
     "12:12: friction is given without between or self, expected one of them"},
    {TOUCH "contact: [{response: glue}]\n",
     "12:22: response is \"glue\", expected lagrange, johnsen2015, johnsen2012, barrier, "
     "material-depth or "
     "collocation"},
    {TOUCH "contact: [{schedule: sometimes}]\n",
     "12:22: schedule is \"sometimes\", expected every-step or trajectory"},
    {TOUCH "contact: [{hierarchy: sphere, update: larsson}]\n",
     "12:39: update larsson does not go with hierarchy: sphere, all of which is refitted in each "
     "step"},
    {TOUCH "contact: [{separation: 0}]\n",
     "12:24: separation is 0, expected auto or a number above 0"},
    {TOUCH "probes: [{name: n, rigid: p}]\n",
     "12:27: nothing touches \"p\", expected an entry of contact with it"},
    {TOUCH "probes: [{name: n, rigid: a}]\n",
     "12:27: \"a\" is a body, expected a rigid instrument"},
    {TOUCH "probes: [{name: n, rigid: p, where: all}]\n",
     "12:30: where has no effect with rigid, expected a probe without it"},
    {TOUCH "probes: [{name: n, between: [a, b], where: all}]\n",
     "12:37: where has no effect with between, expected a probe without it"},
    {TOUCH "probes: [{name: n, between: [a, b]}]\n",
     "12:29: \"a\" and \"b\" do not touch, expected an entry of contact between them"},
    {TOUCH "contact: [{between: all}]\nprobes: [{name: n, between: [p, b], record: velocity}]\n",
     "13:45: record is velocity with between, expected force or torque"},
    {TOUCH "contact: [{between: all}]\nprobes: [{name: n, rigid: p, record: stress}]\n",
     "13:38: record is stress with rigid, expected displacement, velocity, position, force, "
     "torque, "
     "rotation or spin"},
};

// Errors that name a second place, whose file is not known before: two ends of the line.
static const struct {
    const char *text, *start, *end;
} place_cases[] = {
    {TOUCH "contact: [{between: all}, {between: all}]\n",
     "12:37: a second between: all, expected one; the first is at ", ":12:11"},
    {TOUCH "contact:\n  - {self: all}\n  - {self: a}\n  - {self: all}\n",
     "15:12: a second self: all, expected one; the first is at ", ":13:5"},
    {TOUCH "contact:\n  - {between: [a, p]}\n  - {between: [p, a], friction: 1}\n",
     "14:5: a second contact between \"a\" and \"p\", expected one; the first is at ", ":13:5"},
    {TOUCH "contact:\n  - {self: b}\n  - {self: a}\n  - {self: b}\n",
     "15:5: a second self: b, expected one; the first is at ", ":13:5"},
    {TOUCH "contact:\n  - {self: b, cone: provot}\n  - {cone: provot}\n  - {cone: narrowest}\n",
     "15:12: cone is narrowest, expected provot as at ", ":13:21: it applies to the whole scene"},
    {TOUCH "contact:\n  - {self: b, separation: 0.1}\n  - {separation: auto}\n",
     "14:18: separation is auto, expected 0.1 as at ", ":13:27: it applies to the whole scene"},
};

static void contact(void **state)
{
    (void)state;
    run_cases(contact_cases, sizeof contact_cases / sizeof *contact_cases);
    PalError error;
    for (size_t i = 0; i < sizeof place_cases / sizeof *place_cases; ++i) {
        const char *text = error_of(place_cases[i].text, strlen(place_cases[i].text), NULL, &error);
        const char *start = place_cases[i].start, *end = place_cases[i].end;
        if (strncmp(text, start, strlen(start)) != 0 || strlen(text) < strlen(end) ||
            strcmp(text + strlen(text) - strlen(end), end) != 0)
            fail_msg("%s\nsaid     %s\nexpected %s...%s", place_cases[i].text, text, start, end);
    }
}

static void changes(void **state)
{
    (void)state;
    PalError error;
    for (size_t i = 0; i < sizeof change_cases / sizeof *change_cases; ++i) {
        PalSceneChange change = {change_cases[i].path, change_cases[i].value};
        PalSceneOptions options = {.change_count = 1, .changes = &change};
        const char *text = error_of(SCENE, strlen(SCENE), &options, &error);
        if (!says(text, change_cases[i].expected))
            fail_msg("said     %s\nexpected %s", text, change_cases[i].expected);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(syntax),  cmocka_unit_test(keys_and_types), cmocka_unit_test(meaning),
    cmocka_unit_test(contact), cmocka_unit_test(changes),
};
CHECK_GROUP(tests, NULL, NULL)
