#!/bin/sh
# hygiene-catches.sh CHECK: the hygiene check passes a clean tree and finds each kind of dirt.
set -eu
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
printf 'int main(void)\n{\n    return 0;\n}\n' >clean.c
"$check" "$tree" || { echo "a clean tree should pass"; exit 1; }
failures=0

# expect MESSAGE: the check, given what stands in dirt.c, says MESSAGE.
expect()
{
    if said=$("$check" "$tree"); then said="nothing"; fi
    case $said in
    dirt.c:*"$1"*) ;;
    *) echo "expected '$1', but it said: $said"; failures=1 ;;
    esac
}

printf '// see /%s/someone/notes\n' home >dirt.c
expect 'path of a machine'
printf '// "%s": "https://example.org/a.tgz"\n' resolved >dirt.c
expect 'host of a registry'
printf '// %s%s: later\n' TO DO >dirt.c
expect 'unfinished place'
printf '    i%s (0)\n        check();\n' f >dirt.c
expect 'always the same'
yes '// a line' | head -n 600 >dirt.c
expect '600 lines'
{ printf 'static int long_one(void)\n{\n'; yes '    x();' | head -n 57; echo '}'; } >dirt.c
expect 'long_one has 60 lines'
{ printf 'static int short_one(void)\n{\n'; yes '    x();' | head -n 56; echo '}'; } >dirt.c
"$check" "$tree" || { echo "59 lines should pass"; failures=1; }
rm dirt.c
for left in crash-$(printf '%040d' 7) corpus/slow-unit-$(printf '%040x' 77) core.12 callgrind.out.99 a.c.orig; do
    mkdir -p "$(dirname "$left")"
    echo x >"$left"
    if said=$("$check" "$tree"); then said="nothing"; fi
    [ "$said" = "$left: left by a program" ] || { echo "expected that $left is found, but it said: $said"; failures=1; }
    rm "$left"
done
mkdir -p src/core
echo 'int crash;' >src/core/crash-test.c
"$check" "$tree" || { echo "a folder called core should pass"; failures=1; }
exit $failures
