// Materials of FEBio and Abaqus store the energies that their manuals give, computed here from
// principal stretches: in every deformation where the mapping is exact; in those that keep the
// volume where only a lenient reader takes it.
#include "check.h"
#include "random_material.h"
#include "scene/reader.h"

// Stretches, and what energies are made of.
typedef struct State {
    double J, I1, I2;      // I1, I2 of C
    double b1, b2;         // isochoric
    double stretch[3];     // isochoric
    double fibre[2];       // isochoric squares, along two directions
    double trace, square;  // of Green's strain: tr E, E : E
} State;

typedef struct Case {
    const char *name;
    const char *material;  // what stands in the file
    double (*energy)(const State *s);
    bool only_isochoric;
} Case;

static double barrier(double k, double J)
{
    return k / 4 * (J * J - 1 - 2 * log(J));
}

static double powers(const State *s, double m)
{
    return pow(s->stretch[0], m) + pow(s->stretch[1], m) + pow(s->stretch[2], m) - 3;
}

static double chains(const State *s, double mu, double links)
{
    static const double c[] = {1. / 2, 1. / 20, 11. / 1050, 19. / 7000, 519. / 673750};
    double sum = 0;
    for (int i = 0; i < 5; ++i)
        sum += c[i] / pow(links, i) * (pow(s->b1, i + 1) - pow(3, i + 1));
    return mu * sum;
}

// ---- FEBio --------------------------------------------------------------------------------

static double isotropic_elastic(const State *s)
{
    double E = 3000, v = 0.4, lambda = E * v / (1 + v) / (1 - 2 * v), mu = E / 2 / (1 + v);
    return lambda / 2 * s->trace * s->trace + mu * s->square;
}

static double neo_hookean(const State *s)
{
    double E = 3000, v = 0.4, lambda = E * v / (1 + v) / (1 - 2 * v), mu = E / 2 / (1 + v);
    return mu / 2 * (s->I1 - 3) - mu * log(s->J) + lambda / 2 * log(s->J) * log(s->J);
}

static double mooney_nike(const State *s)
{
    return 100 * (s->b1 - 3) + 20 * (s->b2 - 3) + barrier(5000, s->J);
}

static double mooney_quadratic(const State *s)
{
    return 100 * (s->b1 - 3) + 20 * (s->b2 - 3) + 2500 * (s->J - 1) * (s->J - 1);
}

static double mooney_logarithmic(const State *s)
{
    return 100 * (s->b1 - 3) + 20 * (s->b2 - 3) + 2500 * log(s->J) * log(s->J);
}

static double ogden(const State *s)
{
    return 80. / 9 * powers(s, 3) + 20. / 1.5 / 1.5 * powers(s, -1.5) + barrier(2000, s->J);
}

static double ogden_logarithmic(const State *s)
{
    return ogden(s) - barrier(2000, s->J) + 1000 * log(s->J) * log(s->J);
}

static double ogden_quadratic(const State *s)
{
    return ogden(s) - barrier(2000, s->J) + 1000 * (s->J - 1) * (s->J - 1);
}

// c3 (e^(c4 (l - 1)) - 1) / l from 1 to the stretch, by Simpson's rule; a line from lam_max on.
static double fibre_of(double stretch)
{
    const double c3 = 30, c4 = 8, c5 = 400, most = 1.1;
    double upper = fmin(stretch, most), sum = 0;
    enum { PARTS = 2000 };
    if (stretch <= 1)
        return 0;
    double h = (upper - 1) / PARTS;
    for (int k = 0; k <= PARTS; ++k) {
        double l = 1 + k * h, weight = k == 0 || k == PARTS ? 1 : k % 2 ? 4 : 2;
        sum += weight * h / 3 * c3 * (exp(c4 * (l - 1)) - 1) / l;
    }
    double c6 = c3 * (exp(c4 * (most - 1)) - 1) - c5 * most;
    return stretch <= most ? sum : sum + c5 * (stretch - most) + c6 * log(stretch / most);
}

// along (cos 30, sin 30, 0)
static double trans_iso(const State *s)
{
    return mooney_logarithmic(s) + fibre_of(sqrt(s->fibre[0]));
}

static double two_elastic(const State *s)
{
    double E = 1000, v = 0.3, lambda = E * v / (1 + v) / (1 - 2 * v), mu = E / 2 / (1 + v);
    return neo_hookean(s) + mu / 2 * (s->I1 - 3) - mu * log(s->J) +
           lambda / 2 * log(s->J) * log(s->J);
}

static double veronda_westmann(const State *s)
{
    return 10 * (exp(2 * (s->b1 - 3)) - 1) - 10 * (s->b2 - 3) + 500 * log(s->J) * log(s->J);
}

static double arruda_boyce(const State *s)
{
    return chains(s, 100, 9) + barrier(2000, s->J);
}

static double holzapfel(const State *s)
{
    double sum = 50 * (s->b1 - 3) + barrier(2000, s->J);
    for (int f = 0; f < 2; ++f) {
        double x = fmax(s->fibre[f] - 1, 0);
        sum += 30. / (2 * 1.5) * (exp(1.5 * x * x) - 1);
    }
    return sum;
}

static const Case febio_cases[] = {
    {"isotropic elastic", "<E>3000</E><v>0.4</v>", isotropic_elastic, false},
    {"neo-Hookean", "<E>3000</E><v>0.4</v>", neo_hookean, false},
    {"Mooney-Rivlin", "<c1>100</c1><c2>20</c2><k>5000</k><pressure_model>NIKE3D</pressure_model>",
     mooney_nike, false},
    {"Mooney-Rivlin", "<c1>100</c1><c2>20</c2><k>5000</k><pressure_model>Abaqus</pressure_model>",
     mooney_quadratic, false},
    {"Mooney-Rivlin", "<c1>100</c1><c2>20</c2><k>5000</k>", mooney_logarithmic, false},
    {"Ogden", "<c1>80</c1><m1>3</m1><c2>20</c2><m2>-1.5</m2><k>2000</k>", ogden_logarithmic, false},
    {"Ogden",
     "<c1>80</c1><m1>3</m1><c2>20</c2><m2>-1.5</m2><k>2000</k>"
     "<pressure_model>Abaqus</pressure_model>",
     ogden_quadratic, false},
    {"trans iso Mooney-Rivlin",
     "<c1>100</c1><c2>20</c2><c3>30</c3><c4>8</c4><c5>400</c5><lam_max>1.1</lam_max><k>5000</k>"
     "<fiber type=\"vector\">1.7320508075688772,1,0</fiber>",
     trans_iso, false},
    {"uncoupled solid mixture",
     "<solid type=\"Mooney-Rivlin\"><c1>60</c1><c2>20</c2><k>2000</k></solid>"
     "<solid type=\"trans iso Mooney-Rivlin\"><c1>40</c1><c3>30</c3><c4>8</c4><c5>400</c5>"
     "<lam_max>1.1</lam_max><k>3000</k><fiber type=\"vector\">1.7320508075688772,1,0</fiber>"
     "</solid>",
     trans_iso, false},
    {"uncoupled solid mixture",
     "<solid type=\"Ogden\"><c1>80</c1><m1>3</m1><k>1500</k></solid>"
     "<solid type=\"Ogden\"><c1>20</c1><m1>-1.5</m1><k>500</k></solid>",
     ogden_logarithmic, false},
    {"solid mixture",
     "<solid type=\"neo-Hookean\"><E>3000</E><v>0.4</v></solid>"
     "<solid type=\"neo-Hookean\"><E>1000</E><v>0.3</v></solid>",
     two_elastic, false},
    {"Ogden",
     "<c1>80</c1><m1>3</m1><c2>20</c2><m2>-1.5</m2><k>2000</k>"
     "<pressure_model>Abaqus (GOH)</pressure_model>",
     ogden, false},
    {"Veronda-Westmann", "<c1>10</c1><c2>2</c2><k>1000</k>", veronda_westmann, true},
    {"Arruda-Boyce", "<mu>100</mu><N>9</N><k>2000</k><pressure_model>NIKE3D</pressure_model>",
     arruda_boyce, false},
    {"Holzapfel-Gasser-Ogden", "<c>100</c><k1>30</k1><k2>1.5</k2><gamma>30</gamma><k>2000</k>",
     holzapfel, false},
};

// ---- Abaqus -------------------------------------------------------------------------------

static double abaqus_neo_hooke(const State *s)
{
    return 50 * (s->b1 - 3) + (s->J - 1) * (s->J - 1) / 4e-4;
}

static double abaqus_polynomial(const State *s)
{
    double x = s->b1 - 3, y = s->b2 - 3;
    return 100 * x + 20 * y + 30 * x * x + 4 * x * y + 5 * y * y + (s->J - 1) * (s->J - 1) / 4e-4;
}

static double abaqus_reduced(const State *s)
{
    double x = s->b1 - 3;
    return 100 * x + 30 * x * x + (s->J - 1) * (s->J - 1) / 4e-4;
}

static double abaqus_ogden(const State *s)
{
    return 2 * 40. / 9 * powers(s, 3) + 2 * 10. / 2.25 * powers(s, -1.5) +
           (s->J - 1) * (s->J - 1) / 4e-4;
}

static double abaqus_arruda_boyce(const State *s)
{
    return chains(s, 100, 9) + ((s->J * s->J - 1) / 2 - log(s->J)) / 1e-3;
}

static const Case abaqus_cases[] = {
    {"neo Hooke", "*HYPERELASTIC, NEO HOOKE\n50, 4e-4\n", abaqus_neo_hooke, false},
    {"Mooney-Rivlin", "*HYPERELASTIC, MOONEY-RIVLIN\n100, 20, 4e-4\n", mooney_quadratic, false},
    {"polynomial", "*HYPERELASTIC, POLYNOMIAL, N=2\n100, 20, 30, 4, 5, 4e-4\n", abaqus_polynomial,
     false},
    {"reduced polynomial", "*HYPERELASTIC, REDUCED POLYNOMIAL, N=2\n100, 30, 4e-4\n",
     abaqus_reduced, false},
    {"Ogden", "*HYPERELASTIC, OGDEN, N=2\n40, 3, 10, -1.5, 4e-4\n", abaqus_ogden, false},
    {"Arruda-Boyce", "*HYPERELASTIC, ARRUDA-BOYCE\n100, 3, 1e-3\n", abaqus_arruda_boyce, false},
};

// ---- both ---------------------------------------------------------------------------------

// F = R diag(stretches) with R about z, so that everything is known beforehand.
static State make_state(const double stretches[3], PalMat3 *F, double angle)
{
    State s = {.J = stretches[0] * stretches[1] * stretches[2]};
    double shrink = cbrt(1 / s.J), c = cos(angle), n = sin(angle);
    double q[3];
    *F = (PalMat3){{{c * stretches[0], -n * stretches[1], 0},
                    {n * stretches[0], c * stretches[1], 0},
                    {0, 0, stretches[2]}}};
    for (int i = 0; i < 3; ++i) {
        q[i] = stretches[i] * stretches[i];
        s.stretch[i] = shrink * stretches[i];
        s.I1 += q[i];
        s.trace += (q[i] - 1) / 2;
        s.square += (q[i] - 1) * (q[i] - 1) / 4;
    }
    s.I2 = q[0] * q[1] + q[1] * q[2] + q[2] * q[0];
    s.b1 = shrink * shrink * s.I1;
    s.b2 = pow(shrink, 4) * s.I2;
    // along +-30 degrees about x
    s.fibre[0] = s.fibre[1] = shrink * shrink * (0.75 * q[0] + 0.25 * q[1]);
    return s;
}

static void check_energy(const Case *c, const PalMaterialDef *def)
{
    uint64_t seed = 3;
    for (int k = 0; k < 50; ++k) {
        double stretches[3];
        for (int i = 0; i < 3; ++i)
            stretches[i] = random_between(0.7, 1.4, &seed);
        if (c->only_isochoric)
            stretches[2] = 1 / (stretches[0] * stretches[1]);
        PalMat3 F;
        State s = make_state(stretches, &F, random_between(0, 6, &seed));
        double W, expected = c->energy(&s);
        pal_material_evaluate(def, &F, &W, NULL, NULL);
        if (!(fabs(W - expected) <= 1e-11 * (1000 + fabs(expected))))
            fail_msg("%s: energy %.15g at stretches %g %g %g, expected %.15g", c->name, W,
                     stretches[0], stretches[1], stretches[2], expected);
    }
}

static void check_case(const Case *c, const char *text, const char *path)
{
    PalScene *scene = NULL;
    PalError error = {0};
    PalSceneReader reader = {.error = &error, .lenient = c->only_isochoric};
    if (c->only_isochoric) {
        assert_int_equal(pal_scene_read_memory(text, strlen(text), path, NULL, &scene, &error),
                         PAL_BAD_INPUT);
        error = (PalError){0};
    }
    check_ok(pal_scene_make(&reader, text, strlen(text), path, NULL, &scene), &error);
    const PalMaterialDef *def = pal_scene_sim(scene)->model.bodies[0].materials;
    check_near(def->density, 1000, 0);
    // what is not exact is among the losses
    assert_int_equal(scene->import_warning_count > 0, c->only_isochoric);
    assert_int_equal(pal_scene_loss(scene, 0) != NULL, c->only_isochoric);
    check_energy(c, def);
    pal_scene_destroy(scene);
}

static void febio_laws(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof febio_cases / sizeof *febio_cases; ++i) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "<febio_spec version=\"4.0\"><Module type=\"solid\"/><Control><analysis>DYNAMIC"
            "</analysis><time_steps>1</time_steps><step_size>1</step_size></Control>"
            "<Material><material id=\"1\" name=\"m\" type=\"%s\">%s<density>1000</density>"
            "</material></Material><Mesh><Nodes><node id=\"1\">0,0,0</node><node id=\"2\">1,0,0"
            "</node><node id=\"3\">0,1,0</node><node id=\"4\">0,0,1</node></Nodes>"
            "<Elements type=\"tet4\" name=\"p\"><elem id=\"1\">1,2,3,4</elem></Elements></Mesh>"
            "<MeshDomains><SolidDomain name=\"p\" mat=\"m\"/></MeshDomains></febio_spec>",
            febio_cases[i].name, febio_cases[i].material);
        check_case(&febio_cases[i], text, "m.feb");
    }
}

static void abaqus_laws(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof abaqus_cases / sizeof *abaqus_cases; ++i) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "*NODE\n1, 0, 0, 0\n2, 1, 0, 0\n3, 0, 1, 0\n4, 0, 0, 1\n"
            "*ELEMENT, TYPE=C3D4, ELSET=p\n1, 1, 2, 3, 4\n*SOLID SECTION, ELSET=P, MATERIAL=M\n"
            "*MATERIAL, NAME=m\n%s*DENSITY\n1000\n*STEP, NLGEOM\n*DYNAMIC, EXPLICIT\n, 1\n"
            "*END STEP\n",
            abaqus_cases[i].material);
        check_case(&abaqus_cases[i], text, "m.inp");
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(febio_laws),
    cmocka_unit_test(abaqus_laws),
};
CHECK_GROUP(tests, NULL, NULL)
