// The mesh of layers.yaml: gmsh -3 -format msh22 layers.geo -o layers.msh
SetFactory("OpenCASCADE");
Box(1) = {-0.04, -0.04, 0, 0.08, 0.08, 0.022};
Box(2) = {-0.04, -0.04, 0.022, 0.08, 0.08, 0.008};
BooleanFragments{ Volume{1}; Delete; }{ Volume{2}; Delete; }
Physical Volume("fat") = {1};
Physical Volume("skin") = {2};
base() = Surface In BoundingBox{-0.05, -0.05, -0.001, 0.05, 0.05, 0.001};
top() = Surface In BoundingBox{-0.05, -0.05, 0.029, 0.05, 0.05, 0.031};
Physical Surface("base") = {base()};
Physical Surface("top") = {top()};
Mesh.MeshSizeMin = 0.0085;
Mesh.MeshSizeMax = 0.0085;
Mesh.Algorithm3D = 10;
Mesh.OptimizeNetgen = 1;
