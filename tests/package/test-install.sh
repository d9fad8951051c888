#!/bin/sh
# What is installed can be moved, built upon with pkg-config and with CMake, and run.
# Which libraries they are, static or shared, is the build's choice; presets differ in it.
set -eu
work=$(pwd)/work
rm -rf "$work"
mkdir -p "$work"
cmake --install "$PAL_BUILD" --prefix "$work/first" >/dev/null
mv "$work/first" "$work/moved"
prefix=$work/moved
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name palpate.pc)")
export PKG_CONFIG_PATH

fail() { echo "$*"; exit 1; }
! grep -rIlF -e "$PAL_ROOT" -e "$work/first" "$prefix" || fail "these installed files name folders of the build"

"$PAL_ROOT/tools/check-links" "$prefix/share" ||
    fail "links of installed documents lead nowhere"

# The libraries, each from C as users would build it. The second program needs libpalpate-io.
sources=$work/sources
mkdir -p "$sources"
cp "$PAL_ROOT/examples/mesh_quality.c" "$sources/core.c"
cat >"$sources/io.c" <<'END'
#include <palpate/palpate.h>
#include <stdio.h>
int main(void)
{
    PalMesh *mesh = NULL;
    PalError error = {0};
    if (pal_mesh_read("nowhere.msh", PAL_WANT_SOLID, &mesh, &error) == PAL_OK)
        return 1;
    printf("%s: %s\n", pal_version(), error.text);
    return 0;
}
END
cat >"$sources/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(user C)
find_package(palpate 0.1 REQUIRED)
add_executable(core core.c)
target_link_libraries(core PRIVATE palpate::palpate)
add_executable(io io.c)
target_link_libraries(io PRIVATE palpate::palpate-io)
END

lib=$(dirname "$PKG_CONFIG_PATH")
# shellcheck disable=SC2046  # flags are words
{
    cc -o "$work/core" "$sources/core.c" $(pkg-config --cflags --libs palpate)
    cc -o "$work/io" "$sources/io.c" $(pkg-config --cflags --libs palpate-io)
}
if ! { cmake -S "$sources" -B "$work/user" -G Ninja -DCMAKE_PREFIX_PATH="$prefix" &&
       cmake --build "$work/user"; } >"$work/user.log" 2>&1; then
    cat "$work/user.log"
    exit 1
fi

version=$(pkg-config --modversion palpate)
for program in "$work/core" "$work/user/core"; do
    LD_LIBRARY_PATH=$lib "$program" | grep -q '^ *16 ' || fail "$program did not print its table"
done
for program in "$work/io" "$work/user/io"; do
    LD_LIBRARY_PATH=$lib "$program" | grep -q "^$version: nowhere.msh" || fail "$program failed"
done

# Public headers stand alone, and C++ accepts them.
for header in "$prefix"/include/palpate/*.h; do
    printf '#include <palpate/%s>\n' "$(basename "$header")" >"$work/alone.c"
    cc -std=c17 -Wall -Wextra -Wpedantic -Werror -fsyntax-only -I"$prefix/include" "$work/alone.c"
    clang -x c++ -Wall -Wextra -Werror -fsyntax-only -I"$prefix/include" "$work/alone.c"
done

# The program, without help from its surroundings.
program=$prefix/bin/palpate
"$program" --version | grep -qF "$version" || fail "the program is not of version $version"
(cd / && "$program" demo --list) | grep -q . || fail "the installed program finds no demos"
