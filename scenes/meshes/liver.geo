// A mesh of liver-diaphragm.yaml: gmsh -3 -algo hxt -optimize_threshold 0.5 -format msh22 liver.geo
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Dilate {{0, 0, 0}, {1.1, 0.8, 0.5}} { Volume{1}; }
Mesh.CharacteristicLengthMin = 0.14; Mesh.CharacteristicLengthMax = 0.14;
