// A mesh of ball-slab.yaml: gmsh -3 -algo hxt -optimize_threshold 0.5 -format msh22 ball.geo
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1.2};
Mesh.CharacteristicLengthMin = 0.26; Mesh.CharacteristicLengthMax = 0.26;
