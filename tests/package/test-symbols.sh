#!/bin/sh
# Shared libraries show the functions that public headers declare, each in one of them, and nothing else.
set -eu
fail() { echo "$*"; exit 1; }
[ -e "$PAL_BUILD/libpalpate.so" ] || { echo "the libraries are static: nothing to see"; exit 0; }

# Without comments, every name before a parenthesis is a function; macros have no small letters.
cat "$PAL_ROOT"/include/palpate/*.h | sed 's,//.*,,' | grep -o '\<pal_[a-z0-9_]*(' | tr -d '(' | sort -u >declared
for library in palpate palpate-io palpate-direct; do
    nm -D --defined-only "$PAL_BUILD/lib$library.so" | awk '{print $3}' | sed 's/@.*//' | sort >"shown-$library"
    sort -u "shown-$library" | comm -23 - declared >hidden
    [ ! -s hidden ] || fail "lib$library shows what no public header declares: $(tr '\n' ' ' <hidden)"
done
sort shown-palpate shown-palpate-io shown-palpate-direct | uniq -d >both
[ ! -s both ] || fail "two libraries show $(tr '\n' ' ' <both)"
sort -u shown-palpate shown-palpate-io shown-palpate-direct | comm -13 - declared >missing
[ ! -s missing ] || fail "no library shows $(tr '\n' ' ' <missing)"
[ "$(wc -l <declared)" -gt 100 ] || fail "only $(wc -l <declared) functions are declared"
echo "$(wc -l <declared) functions declared and shown"
