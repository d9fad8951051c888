"""Manual page, help and completion name every verb, option and key the program has, and no others."""
import re
import shutil
import subprocess

from program import PALPATE, ROOT, Checks, fresh, palpate

OPTION = re.compile(r"^  -(\w), --([\w-]+)(?: ([A-Z=]+))?", re.M)


def verbs_of_program():
    listed = palpate("help").stdout.split("Verbs:\n")[1].split("\n\n")[0]
    return re.findall(r"^  (\w+) ", listed, re.M)


def bash_words(line):
    """What completion offers for a command line, by bash itself."""
    script = ROOT / "docs/completions/palpate.bash"
    words = line.split(" ")
    quoted = " ".join(f"'{word}'" for word in words)
    program = (f"source '{script}'; COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; "
               "compopt() { :; }; _palpate; printf '%s\\n' \"${COMPREPLY[@]}\"")
    done = subprocess.run(["bash", "--norc", "-c", program], capture_output=True, text=True,
                          check=True)
    return set(done.stdout.split())


def main():
    checks = Checks()
    manual = (ROOT / "docs/man/palpate.1").read_text()
    verbs = verbs_of_program()
    checks.true(len(verbs) >= 6, "the program lists", verbs)

    options = {}
    for verb in verbs:
        text = palpate("help", verb).stdout
        taken = {name: (letter, value) for letter, name, value in OPTION.findall(text)}
        checks.true("help" in taken, verb, "has no --help in", repr(text))
        options.update(taken)
        checks.equal(palpate(verb, "--help").stdout, text, verb, "--help")
        checks.true(re.search(rf"^\.It Cm {verb}\b", manual, re.M), "manual: verb", verb)
        synopsis = re.search(rf"^\.Cm {verb}\n((?:\.Op .*\n)*)", manual, re.M)
        letters = re.findall(r"^\.Op Fl (\w+)", synopsis[1] if synopsis else "", re.M)
        checks.equal(sorted("".join(letters)),
                     sorted(letter for letter, _ in taken.values() if letter != "h"),
                     "manual: synopsis of", verb)
        checks.equal(bash_words(f"{PALPATE} {verb} --"), {f"--{name}" for name in taken},
                     "bash: options of", verb)
    checks.equal(bash_words(f"{PALPATE} "), set(verbs) | {"--help", "--version"}, "bash: verbs")

    laws = re.findall(r"^([a-z-]+)\n  ", palpate("laws").stdout, re.M)
    checks.equal(bash_words(f"{PALPATE} laws "), set(laws), "bash: laws")
    choices = {"explicit", "newmark", "relaxation", "implicit", "implicit-static"}
    checks.equal(bash_words(f"{PALPATE} run --set solver.method = "), choices, "bash: choices")
    checks.equal(bash_words(f"{PALPATE} run --set solver.method = new"), {"newmark"}, "bash: a choice")
    checks.equal(bash_words(f"{PALPATE} run --set solver.me"), {"solver.method="}, "bash: a key")
    checks.equal(bash_words(f"{PALPATE} check -s bodies.ball.material.la"),
                 {"bodies.ball.material.law="}, "bash: a key of an entry")
    checks.true({"msh41", "stl"} <= bash_words(f"{PALPATE} convert --format "), "bash: formats")
    (folder := fresh("files")).joinpath("a.yaml").touch()
    (folder / "a.txt").touch()
    checks.equal(bash_words(f"{PALPATE} run {folder}/a"), {f"{folder}/a.yaml"}, "bash: scenes")

    # Every part of a scene, and every key of it, can be asked for.
    reference = (ROOT / "docs/scene-reference.md").read_text()
    for section in re.split(r"^## ", reference, flags=re.M)[1:]:
        name = section.split("\n", 1)[0]
        text = palpate("help", name).stdout
        checks.equal(re.findall(r"^  ([\w-]+):", text, re.M),
                     re.findall(r"^\| `([\w-]+)` \|", section, re.M), "keys in help", name)
        checks.true("`" not in text and "](" not in text, "Markdown in help", name)
    for word in bash_words(f"{PALPATE} help "):
        checks.true(palpate("help", word).stdout, "help", word, "says nothing")
    checks.equal(palpate("help", "bodies").stdout, palpate("help", "body").stdout, "help bodies")
    for word, pattern in (("friction", "a key of contact.*Coulomb"), ("ramp", "motion.*condition"),
                          ("t4-anp", "key element of body.*averaged nodal pressure"),
                          ("exhaustive", "key update of.*key self-test of")):
        checks.true(re.search(pattern, palpate("help", word).stdout, re.S), "help", word)

    for name, (letter, value) in options.items():
        checks.true(re.search(rf"^\.It Fl {letter}\b.*, Fl -{name}\b", manual, re.M),
                    "manual: option", name)
    named = set(re.findall(r"^\.It Fl .*, Fl -([\w-]+)", manual, re.M))
    checks.equal(named, set(options) | {"version"}, "options in the manual")
    if shutil.which("zsh"):
        subprocess.run(["zsh", "-n", ROOT / "docs/completions/_palpate"], check=True)
    checks.finish()


main()
