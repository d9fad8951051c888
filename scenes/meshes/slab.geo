// A mesh of ball-slab.yaml: gmsh -3 -algo hxt -optimize_threshold 0.5 -format msh22 slab.geo
SetFactory("OpenCASCADE");
Box(1) = {-1.575, -1.575, -1.2, 3.15, 3.15, 1.2};
Mesh.CharacteristicLengthMin = 0.35; Mesh.CharacteristicLengthMax = 0.35;
