// The mesh of cradle.yaml:
// gmsh -3 -algo hxt -optimize_threshold 0.5 -format msh22 ball-uniform.geo
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Mesh.CharacteristicLengthMin = 0.15; Mesh.CharacteristicLengthMax = 0.15;
