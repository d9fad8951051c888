// Another mesh for cradle.yaml, fine where balls meet:
// gmsh -3 -algo hxt -optimize_threshold 0.5 -format msh22 ball-poles.geo
SetFactory("OpenCASCADE");
Sphere(1) = {0, 0, 0, 1};
Rotate {{0, 1, 0}, {0, 0, 0}, Pi/2} { Volume{1}; }
Point(100) = {1, 0, 0}; Point(101) = {-1, 0, 0};
Field[1] = Distance; Field[1].NodesList = {100, 101};
Field[2] = Threshold; Field[2].IField = 1; Field[2].LcMin = 0.035; Field[2].LcMax = 0.25; Field[2].DistMin = 0.15; Field[2].DistMax = 0.8;
Background Field = 2;
Mesh.CharacteristicLengthExtendFromBoundary = 0;
