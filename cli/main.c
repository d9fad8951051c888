// palpate: the table of verbs, and the way to them.
#include "cli.h"

#ifdef PAL_HAS_DIRECT
#include <palpate/direct.h>
#endif

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

const PalCliVerb pal_cli_verbs[] = {
    {
        .name = "run",
        .operands = "SCENE",
        .summary = "simulate a scene and write a run directory",
        .detail = "Reads SCENE (YAML, JSON or a model of NiftySim (.xml), FEBio (.feb) or Abaqus "
                  "(.inp)), simulates it and writes frames, history, summary and report to a run "
                  "directory: runs/ and the name of the scene's file, unless -o says otherwise. An "
                  "older run there is replaced, but one that was interrupted after more than a "
                  "minute only with --force. A "
                  "directory that holds anything else is refused.\nCtrl-C finishes the step, "
                  "writes a checkpoint and says how to resume. "
                  "A second Ctrl-C quits at once.",
        .options = PAL_CLI_OUTPUT | PAL_CLI_THREADS | PAL_CLI_RESUME | PAL_CLI_SET |
                   PAL_CLI_STRICT | PAL_CLI_LENIENT | PAL_CLI_FORCE | PAL_CLI_QUIET,
        .operand_min = 1,
        .operand_max = 1,
        .run = pal_cli_run,
    },
    {
        .name = "check",
        .operands = "SCENE",
        .summary = "check a scene without running it",
        .detail = "Reads SCENE and every mesh it names and reports mistakes, mesh quality, the "
                  "stable time step and the cost of a run. Writes nothing.",
        .options = PAL_CLI_SET | PAL_CLI_STRICT | PAL_CLI_LENIENT,
        .operand_min = 1,
        .operand_max = 1,
        .run = pal_cli_check,
    },
    {
        .name = "impact",
        .operands = "SCENE",
        .summary = "tell when and where objects first touch",
        .detail =
            "Moves what is in SCENE as if nothing could touch, and tells when and where two "
            "objects that may touch first do: the time, the place, the two objects, whether a "
            "node meets a facet or an edge an edge, the normal (from the second object to the "
            "first) and the velocity of the first against the second. Steps are shortened until "
            "the time is exact. Also tells in how many steps detection had to work, and which "
            "times it has predicted, each a lower bound of the true one.\nWith --stop, runs the "
            "scene to that time, at which its last "
            "step is made to end, into the run directory; `palpate run SCENE --resume` goes on "
            "from there.",
        .options = PAL_CLI_JSON | PAL_CLI_ALL | PAL_CLI_STOP | PAL_CLI_OUTPUT | PAL_CLI_THREADS |
                   PAL_CLI_SET | PAL_CLI_FORCE | PAL_CLI_QUIET,
        .operand_min = 1,
        .operand_max = 1,
        .run = pal_cli_impact,
    },
    {
        .name = "demo",
        .operands = "[NAME]",
        .summary = "run a scene that ships with palpate",
        .detail = "Runs the scene NAME, or palpation if there is no NAME. --list lists the scenes.",
        .options = PAL_CLI_OUTPUT | PAL_CLI_THREADS | PAL_CLI_RESUME | PAL_CLI_SET | PAL_CLI_FORCE |
                   PAL_CLI_QUIET | PAL_CLI_LIST,
        .operand_max = 1,
        .run = pal_cli_demo,
    },
    {
        .name = "laws",
        .operands = "[LAW]",
        .summary = "list the material laws and their parameters",
        .detail = "Lists all material laws, or LAW alone, with the parameters they take.",
        .operand_max = 1,
        .run = pal_cli_laws,
    },
    {
        .name = "convert",
        .operands = "IN OUT",
        .summary = "write a model as a scene, or a mesh in another format",
        .detail = "If OUT is a scene (.yaml), writes the model IN of NiftySim (.xml), FEBio (.feb) "
                  "or Abaqus (.inp) as that scene, with its meshes beside it. Running the scene "
                  "gives the same results as running the model. Warnings say what differs from the "
                  "model; what would change the answer is refused, or left out with --lenient. OUT "
                  "is replaced if it exists; mesh files that exist are replaced with "
                  "--force only.\nOtherwise reads the mesh IN (MSH, VTK, VTU, INP, STL, OBJ, PLY) "
                  "and writes it as OUT, with its groups. The format is that of OUT's extension or "
                  "of --format, and binary unless --ascii is given. For a solid, STL, OBJ and PLY "
                  "files hold the boundary only. Warnings say what the format cannot hold. With "
                  "--quadratic tetrahedra get nodes on their edges, for the element t10.",
        .options = PAL_CLI_FORMAT | PAL_CLI_ASCII | PAL_CLI_QUADRATIC | PAL_CLI_STRICT |
                   PAL_CLI_LENIENT | PAL_CLI_FORCE | PAL_CLI_QUIET,
        .operand_min = 2,
        .operand_max = 2,
        .run = pal_cli_convert,
    },
    {
        .name = "mesh",
        .operands = "SURFACE OUT",
        .summary = "fill a closed surface with tetrahedra",
        .detail =
            "Reads the triangles of SURFACE and checks that they form a closed surface that does "
            "not cross itself. The program gmsh then fills the surface with tetrahedra, which are "
            "written as OUT. A closed surface inside another is a hole. Groups of triangles become "
            "groups of facets. Prints the number of tetrahedra and their quality.",
        .options = PAL_CLI_SIZE | PAL_CLI_QUALITY | PAL_CLI_FORMAT | PAL_CLI_ASCII |
                   PAL_CLI_STRICT | PAL_CLI_THREADS | PAL_CLI_QUIET,
        .operand_min = 2,
        .operand_max = 2,
        .run = pal_cli_mesh,
    },
    {
        .name = "vademecum",
        .operands = "build|info|probe|bench|serve FILE...",
        .summary = "compute what a body does under loads on its surface, and ask for it",
        .detail =
            "build SCENE -o FILE computes the answers of one body to loads on its surface, as the "
            "key vademecum of SCENE says, and writes them to FILE, with report.html beside it, or "
            "NAME-report.html where another one is there already. "
            "What has been solved for is kept in FILE.part until it is done: after Ctrl-C the "
            "same command goes on from there. --web writes the compact form for web "
            "pages.\ninfo FILE tells sizes and the errors at loads that were held out.\nprobe "
            "FILE --at x,y,z --force fx,fy,fz tells the displacement under a load and the nearest "
            "load that is stored, to be compared with a run of the same load (force with "
            "patch).\nbench FILE --path POSES.csv moves a tool along a path, one pose a step, and "
            "tells how long the steps of the haptic loop took, contacts, forces and missed "
            "deadlines. The tool is the vademecum of --against, or else a rigid ball. POSES.csv "
            "has a pose a line: time, x, y, z, qw, qx, qy, qz. -o writes a page with plots. With "
            "--let-go a tool of that mass then rests at the end of the path, free along its force, "
            "under a weight that balances it, for 100,000 steps, and is let go without the weight "
            "for as many; bench tells the energy that it received.\nserve "
            "FILE... writes a web page "
            "in which these bodies are touched, with the mouse or a finger, to the folder touch, "
            "or where -o says, and serves it on this machine until Ctrl-C. Any other web server "
            "can serve the folder, too; with --web it is only written.",
        .options = PAL_CLI_FILE | PAL_CLI_WEB | PAL_CLI_AT | PAL_CLI_PUSH | PAL_CLI_JSON |
                   PAL_CLI_THREADS | PAL_CLI_SET | PAL_CLI_QUIET | PAL_CLI_AGAINST | PAL_CLI_PATH |
                   PAL_CLI_STEPS | PAL_CLI_ANSWER | PAL_CLI_PORT | PAL_CLI_LET_GO,
        .operand_min = 1,
        .operand_max = PAL_CLI_OPERAND_MAX,
        .run = pal_cli_vademecum,
    },
    {
        .name = "reproduce",
        .operands = "[NAME]",
        .summary = "run the papers' experiments and compare with what is published",
        .detail =
            "Runs the experiment NAME, or all of them. Writes report.html and results.json to "
            "the directory reproduce, or where -o says: tables and plots like the papers', with "
            "the published figures beside ours, a verdict and a reason for each. Results are "
            "kept there: a second call does only what is missing, and a new build starts again. "
            "--list lists the experiments.",
        .options = PAL_CLI_OUTPUT | PAL_CLI_THREADS | PAL_CLI_QUICK | PAL_CLI_JSON | PAL_CLI_QUIET |
                   PAL_CLI_LIST,
        .operand_max = 1,
        .run = pal_cli_reproduce,
    },
    {
        .name = "bench",
        .operands = "[ARGUMENT]...",
        .summary = "measure speed on this machine",
        .detail =
            "Starts palpate-bench, which is installed beside palpate, and passes the arguments "
            "on:\n--quick: the two smaller cubes, three repetitions\n--contact [WORD]...: contact "
            "alone; with words, only the rows whose names contain one of them\n--output: files "
            "alone\n--implicit: implicit statics alone, which nothing else measures\n--repetitions "
            "N: how often each cube is measured, 9 unless told\n--json FILE: write the numbers to "
            "a file as well",
        .operand_max = PAL_CLI_OPERAND_MAX,
        .run_raw = pal_cli_bench,
    },
    {
        .name = "help",
        .operands = "[WORD]",
        .summary = "explain palpate, a verb, or a part of a scene",
        .detail = "Explains the verb WORD and its options, lists the keys of a part of a scene, "
                  "such as scene, body or contact, or explains a key or a choice of a scene. "
                  "Without a word, lists the verbs.",
        .options = PAL_CLI_SCHEMA | PAL_CLI_REFERENCE,
        .operand_max = 1,
        .run = pal_cli_help,
    },
};
const int32_t pal_cli_verb_count = sizeof pal_cli_verbs / sizeof pal_cli_verbs[0];

// Known words that this version has no verb for.
static const char *const absent_verbs[] = {"view"};

const PalCliVerb *pal_cli_verb_find(const char *name)
{
    for (int32_t i = 0; i < pal_cli_verb_count; i++)
        if (strcmp(pal_cli_verbs[i].name, name) == 0)
            return &pal_cli_verbs[i];
    return NULL;
}

static bool looks_like_scene(const char *word)
{
    const char *ending;
    size_t length = strlen(word);
    for (int32_t i = 0; (ending = pal_scene_extension(i)) != NULL; i++)
        if (length > strlen(ending) && strcmp(word + length - strlen(ending), ending) == 0)
            return true;
    return false;
}

int pal_cli_unknown_verb(const char *name)
{
    for (size_t i = 0; i < sizeof absent_verbs / sizeof absent_verbs[0]; i++)
        if (strcmp(absent_verbs[i], name) == 0)
            return pal_cli_refuse("'%s' is not part of this version (%s)", name, pal_version());
    if (looks_like_scene(name))
        return pal_cli_refuse("'%s' is not a verb; did you mean 'palpate run %s'?", name, name);

    const char *names[16];
    for (int32_t i = 0; i < pal_cli_verb_count; i++)
        names[i] = pal_cli_verbs[i].name;
    const char *nearest = pal_cli_nearest(name, names, pal_cli_verb_count);
    if (nearest != NULL)
        return pal_cli_refuse("unknown verb '%s'; did you mean '%s'?", name, nearest);
    return pal_cli_refuse("unknown verb '%s'; 'palpate help' lists the verbs", name);
}

static int run_verb(const PalCliVerb *verb, int count, char **values)
{
    bool asks_help =
        count > 0 && (strcmp(values[0], "--help") == 0 || strcmp(values[0], "-h") == 0);
    if (verb->run_raw != NULL && !asks_help)
        return verb->run_raw(count, values);

    PalCliArguments arguments;
    int status = PAL_EXIT_USAGE;
    if (pal_cli_parse(verb, count, values, &arguments)) {
        status = PAL_EXIT_DONE;
        if (arguments.help)
            pal_cli_help_verb(verb);
        else
            status = verb->run(&arguments);
    }
    pal_cli_arguments_clear(&arguments);
    return status;
}

static int dispatch(int count, char **values)
{
    if (count < 2) {
        pal_cli_help_program();
        return PAL_EXIT_DONE;
    }
    const char *word = values[1];
    if (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0) {
        printf("palpate %s\n", pal_version());
        return PAL_EXIT_DONE;
    }
    if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        pal_cli_help_program();
        return PAL_EXIT_DONE;
    }
    if (word[0] == '-') {
        static const char *const options[] = {"--help", "--version"};
        const char *nearest = pal_cli_nearest(word, options, 2);
        if (nearest != NULL)
            return pal_cli_refuse("unknown option '%s'; did you mean '%s'?", word, nearest);
        return pal_cli_refuse("a verb must come before '%s'; 'palpate help' lists the verbs", word);
    }
    if (count > 2 && strcmp(word, "help") == 0 && strcmp(values[2], "--complete") == 0)
        return pal_cli_complete(count - 3, values + 3);
    const PalCliVerb *verb = pal_cli_verb_find(word);
    return verb != NULL ? run_verb(verb, count - 2, values + 2) : pal_cli_unknown_verb(word);
}

int main(int count, char **values)
{
#ifdef PAL_HAS_DIRECT
    pal_linear_use(pal_direct_solver());
#endif
    int status = dispatch(count, values);
    errno = 0;
    if ((fflush(stdout) != 0 || ferror(stdout)) && status == PAL_EXIT_DONE) {
        fprintf(stderr, "palpate: cannot write to standard output: %s\n",
                errno != 0 ? strerror(errno) : "write failed");
        status = PAL_EXIT_FAILED;
    }
    if (status == PAL_EXIT_INTERRUPTED) {  // a factorisation that cannot be stopped may be at work
        fflush(stderr);
        _exit(status);
    }
    return status;
}
