#!/bin/sh
# links-catches.sh CHECK: the link check follows good links and names a lost one.
set -eu
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
mkdir docs
echo '[a](docs/a.md#part), [web](https://example.org/x), [here](#part)' >README.md
echo 'Back [up](../README.md).' >docs/a.md
"$check" "$tree" || { echo "good links should pass"; exit 1; }
echo 'Not [there](b.md).' >>docs/a.md
if said=$("$check" "$tree"); then echo "a lost link should fail"; exit 1; fi
[ "$said" = "docs/a.md:2: b.md does not exist" ] || { echo "it said: $said"; exit 1; }
