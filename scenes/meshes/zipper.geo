// The mesh of zipper.yaml: gmsh -3 -algo hxt -optimize_threshold 0.5 -format msh22 zipper.geo
SetFactory("OpenCASCADE");
Box(1) = {-17.5, -3.5, 0, 35, 7, 3.5};
Box(2) = {-17.5, -3.5, 9, 35, 7, 3.5};
Box(3) = {-17.5, -3.5, 0, 5, 7, 12.5};
Box(4) = {-12.2, -3.5, 3, 5.7, 7, 5.8};
Box(5) = {-6.2, -3.5, 3.7, 5.7, 7, 5.8};
Box(6) = {-0.2, -3.5, 3, 5.7, 7, 5.8};
Box(7) = {5.8, -3.5, 3.7, 5.7, 7, 5.8};
Box(8) = {11.8, -3.5, 3, 5.7, 7, 5.8};
BooleanUnion{ Volume{1}; Delete; }{ Volume{2:8}; Delete; }
Mesh.CharacteristicLengthExtendFromBoundary = 0;
Field[1] = Distance;
Field[1].FacesList = {Surface{:}};
Field[1].NNodesByEdge = 20;
Field[2] = Threshold;
Field[2].IField = 1; Field[2].LcMin = 3.5; Field[2].LcMax = 1.15; Field[2].DistMin = 0.3; Field[2].DistMax = 1.8;
Background Field = 2;
