"""NiftySim models with something wrong: (name, passage, what stands in its place, pattern)."""

MODEL = """\
<Model>
  <Nodes DOF="3" NumNodes="5">
    0 0 0  1 0 0  0 1 0  0 0 1  1 1 1
  </Nodes>
  <Elements NumEls="2" Type="T4">
    0 1 2 3
    1 2 3 4
  </Elements>
  <ElementSet Size="all">
    <Material Type="NH"><ElasticParams NumParams="2">1000 5000</ElasticParams></Material>
  </ElementSet>
  <Constraint Type="Fix" DOF="all" NumNodes="3"><Nodes>0 1 2</Nodes></Constraint>
  <Constraint Type="Force" DOF="2" NumNodes="1" LoadShape="RAMP">
    <Nodes>4</Nodes><Magnitudes Type="UNIFORM">0.1</Magnitudes>
  </Constraint>
  <Output Freq="10"><Variable>U</Variable></Output>
  <SystemParams>
    <TimeStep>0.001</TimeStep><TotalTime>0.05</TotalTime>
    <DampingCoeff>1</DampingCoeff><Density>1000</Density>
  </SystemParams>
</Model>
"""

FIX = '<Constraint Type="Fix" DOF="all" NumNodes="3"><Nodes>0 1 2</Nodes></Constraint>'
FORCE = """<Constraint Type="Force" DOF="2" NumNodes="1" LoadShape="RAMP">
    <Nodes>4</Nodes><Magnitudes Type="UNIFORM">0.1</Magnitudes>
  </Constraint>"""
SET = """<ElementSet Size="all">
    <Material Type="NH"><ElasticParams NumParams="2">1000 5000</ElasticParams></Material>
  </ElementSet>"""
MATERIAL = '<Material Type="NH"><ElasticParams NumParams="2">1000 5000</ElasticParams></Material>'
MESH = MODEL[MODEL.index("  <Nodes"):MODEL.index("  <ElementSet")].strip()
END = "</SystemParams>"


def constraint(kind, more="", inside=""):
    return f'<Constraint Type="{kind}" LoadShape="STEP" {more}>{inside}</Constraint>'


PRESSURE = constraint("Pressure", 'NumFaces="1" FaceType="Tri"', "<Faces>0 1 2</Faces>")
SHELLS = ('<ShellElements Type="T3">0 1 2</ShellElements><ShellElementSet Size="all">'
          '<Material Type="Linear">1000 0.3<Density>1000</Density><Thickness>0.01</Thickness>'
          '</Material></ShellElementSet>')
SHEET = ('<ContactSurface><Nodes NumNodes="3">0 0 9 1 0 9 0 1 9</Nodes>'
         '<Elements NumEls="1" Type="T3">0 2 1</Elements></ContactSurface>')

# status 2 and one line, from run, check and convert
REFUSED = [
    # a small file that names more than memory holds
    ("all, again and again", MESH, '<Nodes DOF="3" NumNodes="20000">0 0 0 1 0 0 0 1 0 0 0 1 '
     + "9 9 9 " * 19996 + '</Nodes><Elements Type="T4" NumEls="1">0 1 2 3</Elements>'
     + '<Constraint Type="Fix" NumNodes="all"/>' * 2501, r":2: .* name more than 50000000 nodes"),
    # what is no model at all
    ("nothing", MODEL, "", r":1:1: .*expected well-formed XML"),
    ("text", MODEL, "hello\n", r":1:1: .*expected well-formed XML"),
    ("cut off", MODEL[300:], "", r":\d+:\d+: .*expected well-formed XML"),
    ("a tag left open", "</Elements>", "", r":\d+:\d+: .*mismatch.*expected well-formed XML"),
    ("another root", MODEL, "<VTKFile></VTKFile>", r":1: <VTKFile>, expected <Model>"),
    ("a document type", "<Model>", "<!DOCTYPE Model><Model>", r":1: a <!DOCTYPE, expected none"),
    ("an entity bomb", "<Model>", '<!DOCTYPE a [<!ENTITY a "aaa"><!ENTITY b "&a;&a;">]><Model>&b;',
     r":1: a <!DOCTYPE"),
    ("an unknown entity", "1000 5000", "&nobody; 5000", r":10:\d+: .*nobody"),
    ("tags nested without end", "<Output", "<a>" * 200 + "<Output", r":16: tags nested too deeply"),
    ("a wrong encoding", "0 1 2 3", "0 1 2 \udcff", r":6:\d+: .*expected well-formed XML"),

    # nodes and elements
    ("no nodes", '  <Nodes DOF="3" NumNodes="5">\n    0 0 0  1 0 0  0 1 0  0 0 1  1 1 1\n  </Nodes>\n',
     "", r":1: <Model> without <Nodes>, expected one"),
    ("no elements", MESH[MESH.index("<Elements"):], "", r":1: <Model> without <Elements>"),
    ("two freedoms", 'DOF="3"', 'DOF="2"', r':2: DOF of <Nodes> is "2", expected 3'),
    ("freedoms not said", 'DOF="3" ', "", r":2: <Nodes> without the attribute DOF"),
    ("too few nodes", 'NumNodes="5"', 'NumNodes="6"',
     r":2: <Nodes> holds 15 numbers, expected 18"),
    ("nodes beyond counting", 'NumNodes="5"', 'NumNodes="99999999999"',
     r":2: NumNodes of <Nodes> is \"99999999999\", expected a whole number from 0"),
    ("a word among nodes", "0 0 0  1 0 0", "0 0 zero  1 0 0", r":3: 'zero' in <Nodes>, expected a finite"),
    ("a node at infinity", "1 1 1", "1 1 inf", r":3: 'inf' in <Nodes>, expected a finite number"),
    ("commas between numbers", "0 0 0  1 0 0", "0, 0, 0  1 0 0",
     r":3: '0,' in <Nodes>, expected numbers with blanks, not commas"),
    ("an unknown element", 'Type="T4"', 'Type="T10"', r':5: Type of <Elements> is "T10", expected T4, T4ANP or H8'),
    ("the case of a value", 'Type="T4"', 'Type="t4"', r':5: Type of <Elements> is "t4"'),
    ("too few elements", 'NumEls="2"', 'NumEls="3"', r":5: NumEls of <Elements> is 3, but the list holds 2"),
    ("a corner missing", "1 2 3 4", "1 2 3", r":5: <Elements> holds 7 indices, expected a multiple of 4"),
    ("a corner that is no node", "1 2 3 4", "1 2 3 5", r":7: node 5, but there are 5: expected 0 to 4"),
    ("a negative corner", "1 2 3 4", "1 2 3 -4", r":7: node -4, but there are 5"),
    ("half a corner", "1 2 3 4", "1 2 3.5 4", r":7: '3\.5' in <Elements>, expected an index"),
    ("a flat element", "1 1 1\n", "0.2 0.3 0.5\n", r":5: tetrahedron 1, .*has no volume"),
    ("a corner twice", "1 2 3 4", "1 2 3 3", r":5: tetrahedron 1 has node 3 at two corners"),
    ("an element inside out", MESH, """<Nodes DOF="3" NumNodes="8">
    0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1</Nodes>
    <Elements NumEls="1" Type="H8">
    4 5 6 7 0 1 2 3</Elements>""", r":4: element 0 is inside out"),
    ("a mesh file that is not there", MESH, '<MSHMesh Type="T4">none.msh</MSHMesh>',
     r':2: cannot open "none\.msh", expected a mesh file in the working directory or beside'),
    ("a mesh file without a name", MESH, '<MSHMesh Type="T4"></MSHMesh>',
     r":2: <MSHMesh> is empty, expected the path"),
    ("a mesh file that is none", MESH, '<MSHMesh Type="T4">model.xml</MSHMesh>',
     r"^model\.xml: unknown format, expected MSH, .* \(<MSHMesh>, model\.xml:2\)"),

    # sets and materials
    ("no set", SET, "", r":5: element 0 is in no <ElementSet>, expected it in one"),
    ("a set without size", ' Size="all"', "", r":9: <ElementSet> without the attribute Size"),
    ("a set too small", SET, f'<ElementSet Size="1">{MATERIAL}0</ElementSet>',
     r":5: element 1 is in no <ElementSet>"),
    ("a set that does not fit its size", SET, f'<ElementSet Size="3">{MATERIAL}0 1</ElementSet>',
     r":9: Size of <ElementSet> is 3, but the list holds 2"),
    ("a range too long", SET, f'<ElementSet Size="2">{MATERIAL}1</ElementSet>',
     r":9: element 2, but there are 2: expected 0 to 1"),
    ("no material", MATERIAL, "", r":9: <ElementSet> without <Material>"),
    ("an unknown law", 'Type="NH"', 'Type="XX"', r':10: Type of <Material> is "XX", expected LE, NH'),
    ("too few parameters", "1000 5000", "1000", r":10: <ElasticParams> of NH has NumParams 2 and holds 1, expected 2"),
    ("the count of another law", 'NumParams="2"', 'NumParams="3"', r":10: <ElasticParams> of NH has NumParams 3"),
    ("a negative modulus", "1000 5000", "-1000 5000", r":10: shear is -1000, expected more than 0"),
    ("no density", "<Density>1000</Density>", "", r":10: no density above 0 for this <Material>"),
    ("no relaxation", 'Type="NH"', 'Type="NHV"', r":10: a viscoelastic <Material> without <ViscoParams>"),
    ("half a pair", MATERIAL, '<Material Type="NHV"><ElasticParams NumParams="2">1 5</ElasticParams>'
     '<ViscoParams NumIsoTerms="1" NumVolTerms="0">0.5</ViscoParams></Material>',
     r":10: <ViscoParams> holds 1 numbers, expected 2"),
    ("relaxation to nothing", MATERIAL, '<Material Type="NHV"><ElasticParams NumParams="2">1 5'
     '</ElasticParams><ViscoParams NumIsoTerms="2" NumVolTerms="0">0.5 1 0.5 2</ViscoParams>'
     '</Material>', r":10: the weights add up to 1"),
    ("a term of no weight", MATERIAL, '<Material Type="NHV"><ElasticParams NumParams="2">1 5'
     '</ElasticParams><ViscoParams NumIsoTerms="1" NumVolTerms="0">0 1</ViscoParams></Material>',
     r":10: weight is 0, expected a number between 0 and 1"),
    ("an incompressible LE", MATERIAL, '<Material Type="LE"><ElasticParams NumParams="2">1000 0.5'
     '</ElasticParams></Material>', r":10: poisson is 0\.5, expected less than 0\.5"),
    ("a law without pressure", MESH + "\n  " + SET, MESH.replace("T4", "T4ANP") + '<ElementSet '
     'Size="all"><Material Type="LE"><ElasticParams NumParams="2">1000 0.3</ElasticParams></Material>'
     '</ElementSet>', r":8: law st-venant-kirchhoff has no volumetric part of its own"),
    ("fibres without direction", MATERIAL, '<Material Type="TI"><ElasticParams NumParams="6">'
     '1 5 2 0 0 0</ElasticParams></Material>', r":10: .*direction"),

    # constraints
    ("an unknown constraint", 'Type="Fix"', 'Type="Glue"', r':12: Type of <Constraint> is "Glue", expected Fix, Disp'),
    ("a load without shape", ' LoadShape="RAMP"', "", r":13: <Constraint> without the attribute LoadShape"),
    ("an unknown axis", 'DOF="2"', 'DOF="z"', r':13: DOF of <Constraint> is "z", expected 0, 1, 2 or all'),
    ("nodes not said", ' NumNodes="3"', "", r":12: <Constraint> without the attribute NumNodes"),
    ("no list of nodes", "<Nodes>0 1 2</Nodes>", "", r":12: <Constraint> without a list, expected 3 node"),
    ("a list too short", "<Nodes>0 1 2</Nodes>", "<Nodes>0 1</Nodes>",
     r":12: NumNodes of <Constraint> is 3, but the list holds 2"),
    ("a node out of range", "<Nodes>4</Nodes>", "<Nodes>7</Nodes>", r":14: node 7, but there are 5"),
    ("a node twice", FORCE, constraint("Disp", 'DOF="0" NumNodes="2"', '<Nodes>4 4</Nodes>'
     '<Magnitudes Type="UNIFORM">1</Magnitudes>'), r":13: node 4 is twice in the list of this Disp"),
    ("no magnitudes", '<Magnitudes Type="UNIFORM">0.1</Magnitudes>', "", r":13: <Constraint> without <Magnitudes>"),
    ("magnitudes in a file", 'Type="UNIFORM">0.1', 'Type="FILE">force.txt',
     r':14: Type of <Magnitudes> is "FILE", expected UNIFORM or DIFFORM'),
    ("two magnitudes for one", '"UNIFORM">0.1', '"UNIFORM">0.1 0.2', r":14: <Magnitudes> holds 2 numbers, expected 1"),
    ("magnitudes for other nodes", '"UNIFORM">0.1', '"DIFFORM">0.1 0.2',
     r":14: <Magnitudes> holds 2 numbers, expected 1, one per node"),
    ("an unknown choice of nodes", FIX, '<Constraint Type="Fix" SpecType="FACES"/>',
     r':12: SpecType of <Constraint> is "FACES", expected NODES or NORMAL'),
    ("a choice without normal", FIX, '<Constraint Type="Fix" SpecType="NORMAL"/>',
     r":12: <Constraint> without <Normal>"),
    ("a normal without length", FIX, '<Constraint Type="Fix" SpecType="NORMAL"><Normal '
     'ToleranceAngle="5">0 0 0</Normal></Constraint>', r":12: <Normal> is zero, expected a direction"),
    ("an angle beyond half a turn", FIX, '<Constraint Type="Fix" SpecType="NORMAL"><Normal '
     'ToleranceAngle="200">0 0 1</Normal></Constraint>', r':12: ToleranceAngle of <Normal> is "200"'),
    ("an unknown restriction", FIX, '<Constraint Type="Fix" SpecType="NORMAL"><Normal '
     'ToleranceAngle="20">0 0 -1</Normal><RestrictTo Type="Cone">1</RestrictTo></Constraint>',
     r':12: Type of <RestrictTo> is "Cone", expected Box or Sphere'),
    ("gravity without direction", FORCE, constraint("Gravity", 'NumNodes="all"',
     "<AccelerationMagnitude>9.81</AccelerationMagnitude>"), r":13: <Constraint> without <AccelerationDirection>"),
    ("gravity nowhere", FORCE, constraint("Gravity", 'NumNodes="all"', "<AccelerationMagnitude>9.81"
     "</AccelerationMagnitude><AccelerationDirection>0 0 0</AccelerationDirection>"),
     r":13: <AccelerationDirection> is zero"),
    ("faces of another kind", FORCE, PRESSURE.replace("Tri", "Quad"), r':13: FaceType of <Constraint> is "Quad", expected Tri'),
    ("a face inside", FORCE, PRESSURE.replace("0 1 2", "1 2 3"), r":13: face 1 2 3 is not a facet of the surface"),
    ("a face twice", FORCE, PRESSURE.replace('NumFaces="1"', 'NumFaces="2"').replace("0 1 2", "0 2 1 2 1 0"),
     r":13: face 2 1 0 is twice in the list"),
    ("fewer faces than said", FORCE, PRESSURE.replace('NumFaces="1"', 'NumFaces="2"'),
     r":13: NumFaces of <Constraint> is 2, but the list holds 1"),
    ("tractions of nobody", FORCE, constraint("Traction", 'NumFaces="all"',
     '<Magnitudes Type="DIFFORM">1 2 3</Magnitudes>'), r":13: DIFFORM <Magnitudes> without a list of faces"),

    # system, output
    ("no system", MODEL[MODEL.index("  <SystemParams>"):MODEL.index("</Model>")], "",
     r":1: <Model> without <SystemParams>"),
    ("no time step", "<TimeStep>0.001</TimeStep>", "", r":17: <SystemParams> without <TimeStep>"),
    ("a time step of zero", "<TimeStep>0.001", "<TimeStep>0", r":18: <TimeStep> is 0, expected a number above 0"),
    ("two time steps", "<TimeStep>0.001", "<TimeStep>0.001 0.002", r":18: <TimeStep> holds 2 numbers, expected 1"),
    ("steps beyond counting", "<TimeStep>0.001", "<TimeStep>1e-300", r":17: <TotalTime> is .* time steps"),
    ("negative damping", "<DampingCoeff>1", "<DampingCoeff>-1", r":19: <DampingCoeff> is -1, expected 0 or more"),
    ("no hourglass stiffness", MESH, """<Nodes DOF="3" NumNodes="8">
    0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1</Nodes>
    <Elements NumEls="1" Type="H8">0 1 2 3 4 5 6 7</Elements>""",
     r":13: <SystemParams> without <HGKappa>, expected it with H8"),
    ("an unknown variable", "<Variable>U<", "<Variable>P<", r':16: <Variable> is "P", expected U, F, S'),
    ("no saving at all", 'Freq="10"', 'Freq="0"', r":16: Freq of <Output> is 0, expected at least 1"),
    ("a collision of two", END, f"<DoSelfCollision>2</DoSelfCollision>{END}", r":20: <DoSelfCollision> is 2, expected 0 or 1"),

    # membranes, contact, submodels
    ("a membrane without a set", "<Output", '<ShellElements Type="SURFACE"/><Output',
     r":16: <ShellElements> without <ShellElementSet>, expected one"),
    ("a membrane of quads", "<Output", SHELLS.replace("T3", "Q4") + "<Output",
     r':16: Type of <ShellElements> is "Q4", expected T3 or SURFACE'),
    ("a membrane without thickness", "<Output",
     SHELLS.replace("<Thickness>0.01</Thickness>", "") + "<Output", r":16: <Material> without <Thickness>"),
    ("a plate", "<Output", "<ContactPlate/><Output", r":16: <ContactPlate> without <a>"),
    ("a cylinder", "<Output", "<ContactCylinder/><Output", r":16: <ContactCylinder> without <Origin>"),
    ("a probe", "<Output", "<ContactUSProbe/><Output", r":16: <ContactUSProbe> without <Origin>"),
    ("a sheet of quads", "<Output", SHEET.replace("T3", "Q4") + "<Output",
     r':16: Type of <Elements> is "Q4", expected T3'),
    ("a sheet that jumps", "<Output", SHEET.replace("</ContactS", '<Motion Type="Jump">1</Motion></ContactS')
     + "<Output", r':16: Type of <Motion> is "Jump", expected Translation or Rotation'),
    ("a sheet that tumbles", "<Output", SHEET.replace("</ContactS", '<Motion Type="Rotation">'
     '1 1 0 0 0 0</Motion></ContactS') + "<Output", r":16: a <Motion> that turns about several axes"),
    ("submodels of two kinds", MESH, f"""<SubModel>{MESH}{SET}</SubModel>
    <SubModel>{MESH.replace("T4", "T4ANP")}{SET}</SubModel>""",
     r":14: elements of another type than in the first <SubModel>"),
    ("submodels without end", MESH, "<SubModel>" * 20 + MESH + "</SubModel>" * 20,
     r":2: submodels nested deeper than 16 levels"),
]

# an error unless --lenient
LOST = [
    ("a reduced model", END, f"<ROM>1</ROM>{END}", r":20: <ROM>, a reduced model, has no counterpart"),
    ("a basis", "<Output", "<ReducedBasis/><Output", r":16: <ReducedBasis> has no counterpart"),
    ("kinematic contact", "<Output", "<KinematicContact/><Output", r":16: <KinematicContact> has no"),
]

# a warning, and with --strict an error
WARNED = [
    ("an unknown tag", "<Output", "<Wobble/><Output", r":16: the unknown tag <Wobble> in <Model> is not read"),
    ("an unknown attribute", 'Freq="10"', 'Freq="10" Colour="red"', r':16: attribute "Colour" of <Output>'),
    ("a second output", "<Output", '<Output Freq="5"/><Output', r":16: a second tag <Output> is not read"),
    ("a comment in a list", "0 1 2 3\n", "0 1 <!-- here --> 2 3\n", r":6: a comment inside the list of <Elements>"),
    ("text behind a tag", "<Nodes>4</Nodes>", "<Nodes>4<a/>5</Nodes>", r":14: further text of <Nodes>"),
    ("an unknown load shape", '"RAMP"', '"SLOPE"', r':13: unknown LoadShape "SLOPE", taken for POLY345'),
    ("fibres", MATERIAL, '<Material Type="TI"><ElasticParams NumParams="6">1000 5000 200 0 0 1'
     '</ElasticParams></Material>', r":10: the fibres' energy is eta/4"),
    ("a traction", FORCE, constraint("Traction", 'NumFaces="all"', '<Magnitudes Type="UNIFORM">0 0 1'
     '</Magnitudes>'), r":13: NiftySim applies minus the traction"),
    ("a face turned inward", FORCE, PRESSURE.replace("</C", "<Magnitude>1</Magnitude></C"),
     r":13: 1 face of this Pressure turns inward"),
    ("no pressure", FORCE, PRESSURE.replace("0 1 2", "0 2 1"), r":13: Pressure without <Magnitude> is 0"),
    ("a restriction of faces", FORCE, constraint("Pressure", 'SpecType="NORMAL"', '<Normal '
     'ToleranceAngle="60">0 0 -1</Normal><Magnitude>1</Magnitude><RestrictTo Type="Box">0 1 0 1 0 1'
     '</RestrictTo>'), r":13: <RestrictTo> has no effect on faces"),
    ("a choice of nothing", FORCE, '<Constraint Type="Fix" SpecType="NORMAL"><Normal '
     'ToleranceAngle="0">0 0 1</Normal></Constraint>', r":13: this Fix selects nothing"),
    ("a displacement of what is fixed", 'Type="Force" DOF="2" NumNodes="1" LoadShape="RAMP">\n    <Nodes>4',
     'Type="Disp" DOF="2" NumNodes="1" LoadShape="RAMP">\n    <Nodes>2', r":13: Disp counts, not Fix, on 1 node"),
    ("two displacements", FORCE, (constraint("Disp", 'DOF="0" NumNodes="2"', '<Nodes>3</Nodes>'
     '<Magnitudes Type="DIFFORM">0.01 0.02</Magnitudes>') + "\n") * 2,
     r":14: several Disp add up on 2 nodes, the first is 3"),
    ("two gravities", FORCE, (constraint("Gravity", 'NumNodes="all"', "<AccelerationMagnitude>1"
     "</AccelerationMagnitude><AccelerationDirection>0 0 1</AccelerationDirection>") + "\n") * 2,
     r":14: several Gravity add up on 5 nodes"),
    ("an element in two sets", SET, f'{SET}<ElementSet Size="1">{MATERIAL}1</ElementSet>',
     r":11: 1 element of this <ElementSet> \(the first is 1\) is in a set before"),
    ("a node in no element", MESH[:66], MESH[:66].replace('"5"', '"6"') + " 2 2 2",
     r":5: 1 node \(the first is 5\) in no element is left out"),
    ("volumes", END, f"<BVType>OBB</BVType>{END}", r":20: <BVType> has no counterpart"),
    ("forces", "<Variable>U<", "<Variable>F<", r":16: forces of all nodes are not written"),
    ("strains", "<Variable>U<", "<Variable>E<", r":16: strains are not written"),
    ("several passes", END, f'<DoDeformableCollision Type="MultiPass">1</DoDeformableCollision>{END}',
     r":20: several passes of contact"),
    ("several passes of one", END, '<DoDeformableCollision Type="MultiPass">1</DoDeformableCollision>'
     f"<DoSelfCollision>1</DoSelfCollision>{END}", r":20: several passes of contact"),
    ("a rate", END, f"<DoSelfCollision>1</DoSelfCollision><RateConstraintDistance>0.01"
     f"</RateConstraintDistance>{END}", r":17: <RateConstraintDistance> is not carried over"),
    ("slaves", "<Output", SHEET.replace("</ContactS", '<SlaveNodes NumNodes="1">1</SlaveNodes></ContactS')
     + "<Output", r":16: <SlaveNodes> have no effect"),
    ("a sheet that turns", "<Output", SHEET.replace("</ContactS", '<Motion Type="Rotation">'
     '0 90 0 0 0 9</Motion></ContactS') + "<Output", r":16: a rotation by 90 radians is more than a turn"),
    ("a mesh beside submodels", MESH, f"{MESH}<SubModel>{MESH}{SET}</SubModel>",
     r":2: the tag <Nodes> in <Model> is not read"),
    ("a set around submodels", MESH, f"<SubModel>{MESH}{SET}</SubModel>",
     r":2: 2 elements of this <SubModel> stay in the set of the model around it"),
]
