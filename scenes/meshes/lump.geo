// A mesh of rigid-bar.yaml: gmsh -3 -algo hxt -optimize_threshold 0.5 -format msh22 lump.geo
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Dilate {{0, 0, 0}, {0.455, 0.5, 0.67}} { Volume{1}; }
Mesh.CharacteristicLengthMin = 0.136; Mesh.CharacteristicLengthMax = 0.136;
