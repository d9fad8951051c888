// The mesh of c-shape.yaml: gmsh -3 -algo hxt -optimize_threshold 0.5 -format msh22 c-shape.geo
SetFactory("OpenCASCADE");
Box(1) = {-11.25, -5, 0, 22.5, 10, 21.5};
Box(2) = {-3.25, -6, 10.25, 20, 12, 1};
BooleanDifference{ Volume{1}; Delete; }{ Volume{2}; Delete; }
Mesh.CharacteristicLengthExtendFromBoundary = 0;
Field[1] = Distance;
Field[1].FacesList = {Surface{:}};
Field[1].NNodesByEdge = 20;
Field[2] = Threshold;
Field[2].IField = 1; Field[2].LcMin = 2.5; Field[2].LcMax = 1.9; Field[2].DistMin = 0.3; Field[2].DistMax = 1.8;
Background Field = 2;
