// A mesh of liver-diaphragm.yaml: gmsh -3 -algo hxt -optimize_threshold 0.5 -format msh22 dome.geo
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Dilate {{0, 0, 0}, {1.32, 1.02, 0.72}} { Volume{1}; }
Sphere(2) = {0, 0, 0, 1};
Dilate {{0, 0, 0}, {1.12, 0.82, 0.52}} { Volume{2}; }
Box(3) = {-2, -2, -2, 4, 4, 2.1};
BooleanDifference{ Volume{1}; Delete; }{ Volume{2:3}; Delete; }
Mesh.CharacteristicLengthMin = 0.14; Mesh.CharacteristicLengthMax = 0.14;
