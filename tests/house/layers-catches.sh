#!/bin/sh
# layers-catches.sh CHECK: the layer check passes a clean tree and names each kind of violation.
set -eu
check=$1
tree=$(mktemp -d)
trap 'rm -rf "$tree"' EXIT
cd "$tree"
mkdir -p include/palpate src/base src/math src/mesh/readers src/material src/element src/sim src/output cli
for header in base math mesh mesh_io model sim output; do : >include/palpate/$header.h; done
for header in base/array math/vec3 mesh/mesh mesh/cells material/law element/elements sim/sim \
              mesh/readers/lines output/text; do : >src/$header.h; done
: >cli/cli.h
failures=0

# expect FILE INCLUDE [MESSAGE]: with this line in this file the check says MESSAGE, or nothing.
expect()
{
    saved=
    [ ! -f "$1" ] || saved=yes
    printf '#include %s\n' "$2" >"$1"
    if said=$("$check" "$tree" 2>&1); then status=0; else status=$?; fi
    if [ $# -eq 2 ]; then
        if [ "$status:$said" != 0: ]; then
            echo "$1 with $2 should pass, but: $said"
            failures=1
        fi
    else
        case "$status $said" in
        "1 $1:1: $2: "*"$3"*) ;;
        *) echo "$1 with $2 should be refused ($3), but: status $status, $said"; failures=1 ;;
        esac
    fi
    if [ "$saved" ]; then : >"$1"; else rm "$1"; fi
}

expect src/element/x.c '"material/law.h"'
expect src/element/x.c '"element/elements.h"'
expect src/element/x.c '<palpate/model.h>'
expect src/output/x.c '<palpate/sim.h>'
expect src/output/x.c '<zlib.h>'
expect src/mesh/readers/x.c '"mesh/cells.h"  // a comment'
expect cli/x.c '"cli.h"'
expect cli/x.c '<palpate/output.h>'
expect src/math/x.c '<math.h>'

expect src/math/x.c '"mesh/mesh.h"' 'stands above "math"'
expect src/mesh/x.c '"material/law.h"' 'is a neighbour of "mesh"'
expect src/output/x.c '"math/vec3.h"'
expect src/output/x.c '"output/text.h"'
expect src/output/x.c '"sim/sim.h"' 'is private to libpalpate'
expect src/output/x.c '"element/elements.h"' 'is private to libpalpate'
expect src/mesh/readers/x.c '"mesh/mesh.h"' 'is private to libpalpate'
expect src/mesh/x.c '"mesh/readers/lines.h"' 'libpalpate does not use libpalpate-io'
expect src/sim/x.c '<palpate/output.h>' 'libpalpate does not use libpalpate-io'
expect src/mesh/x.c '<zlib.h>' 'C library and POSIX threads only'
expect src/mesh/x.c '"../base/array.h"' 'climbs out of its folder'
expect src/base/x.c '"base/gone.h"' 'no such file'
expect include/palpate/math.h '<palpate/mesh.h>' 'stands in a higher row'
expect include/palpate/math.h '<palpate/gone.h>' 'no such file'
expect cli/x.c '"base/array.h"' 'no such file'

# Two files that include each other, and two folders of one layer.
echo '#include "math/vec3.h"' >src/math/mat3.c
: >src/math/mat3.h
expect src/math/vec3.c '"math/vec3.h"'
expect src/math/vec3.h '"math/mat3.h"' 'closes a cycle: src/math/mat3 src/math/vec3 src/math/mat3'
mkdir -p src/output/a src/output/b
echo '#include "output/b/b.h"' >src/output/a/a.c
: >src/output/a/a.h
: >src/output/b/b.h
expect src/output/b/x.c '"output/a/a.h"' 'closes a cycle: src/output/a/ src/output/b/ src/output/a/'
rm -r src/output/a src/output/b

mkdir src/extra
expect src/extra/x.c '"base/array.h"' 'stands in no row'
exit $failures
