#!/usr/bin/env bash
# Runs every command of the pages below: each ```sh block as it stands, in one folder for each page, against an installed
# tree made of what cargo built. Each line of the ```text block after it must be among what the commands printed; numbers may
# differ, but not in blocks after `<!-- run: sh -->`. A block after `<!-- run: file NAME -->` is written to that file first.
# Blocks after `<!-- run: sh if PROGRAM... -->` (or `package:NAME`, or `setting:NAME` for an environment variable with a folder that
# exists), and those that call gdb, are left out, with a word, where there is no such program or where the system lets nobody attach.
#
# What a reader need not see stands in comments that end with a line `-->`:
#   `<!-- run: around NAME`         what stands around the next block, whose place is the line `@@`; then NAME is that file. Lines `...` of
#                                   the block are left out.
#   `<!-- run: hidden [if PROGRAM...]`  commands, as in a block ```sh.
#   `<!-- run: not REASON -->`      the next block is not run.
# A block that nothing is done with is an error, but on the pages of `elsewhere`; blocks ```console are run by codegen/tests/redist_docs.rs.
# Usage: tools/howto.sh [PAGE ...]
set -uo pipefail
export LC_ALL=C

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
release=${CARGO_TARGET_DIR:-$root/target}/release
# The tests may be run by root, and on a machine with fewer cores than a page asks for.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
# No time is asserted; threads of OpenMP that spin in barriers take minutes for a second's work where all cores are busy.
export OMP_WAIT_POLICY=passive
pages=("$@")
# Whose blocks other tests look after: those of the header, and codegen/tests/explained.rs.
elsewhere=' docs/reference.md docs/refusals.md '
[ $# -gt 0 ] || mapfile -t pages < <(cd "$root" && printf '%s\n' README.md docs/*.md docs/book/*.md)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$root" && cargo build --release --locked --quiet --workspace --lib --bins) || exit 1
prefix=$work/prefix
mkdir -p "$prefix"/{bin,lib/pkgconfig,include,share/dvm}
for program in dvm-info dvm-codegen dvmcc dvmfc dvmrun; do ln -s "$release/$program" "$prefix/bin/"; done
for name in libdvm.so libdvm.so.0; do ln -s "$release/libdvm.so" "$prefix/lib/$name"; done
cp "$root"/include/dvm{,_mpi,_dma}.h "$root/include/dvm.hpp" "$prefix/include/"
cp "$root/tools/gdb/dvm.py" "$prefix/share/dvm/"
printf 'prefix=%s\nName: dvm\nDescription: dvm\nVersion: 0\nLibs: -L${prefix}/lib -ldvm\nCflags: -I${prefix}/include\n' \
    "$prefix" >"$prefix/lib/pkgconfig/dvm.pc"
# The blocks of a page: N.sh, N.text where one follows, N.if with the program that it needs; files of the page in `here`.
blocks() {
    awk -v work="$1" '
      function begin() { block++; file = work "/" block ".sh"; if (needs != "") print needs > (work "/" block ".if")
                         if (exact) print > (work "/" block ".exact"); needs = exact = "" }
      function programs(from, to) { needs = ""; for (k = from; k < to; k++) needs = needs " " $k }
      function end() { if (tail != "") printf "%s", tail > file; if (file != "") close(file); file = head = tail = ""; whole = 1 }
      BEGIN { whole = 1 }
      around != "" && /^-->$/    { name = around; around = ""; next }
      around != "" && /^@@$/     { whole = 0; next }
      around != ""               { if (whole) head = head $0 "\n"; else tail = tail $0 "\n"; next }
      hidden && /^-->$/          { hidden = 0; end(); next }
      /^<!-- run: around [^ ]*$/ { around = $4; next }
      /^<!-- run: hidden( if .*)?$/ { hidden = exact = 1; programs(5, NF + 1); begin(); next }
      /^<!-- run: not .* -->$/   { skip = 1; next }
      /^<!-- run: file .* -->$/  { name = $4; next }
      /^<!-- file: .* -->$/      { name = $3; sub(/.*\//, "", name); next }
      /^<!-- run: sh( if .*)? -->$/ { exact = 1; programs(5, NF); next }
      /^```$/ && inside          { inside = 0; end(); next }
      /^```console$/             { inside = 1; next }
      /^```/ && skip             { skip = 0; inside = 1; next }
      /^```sh$/   { inside = 1; begin(); next }
      /^```text$/ { inside = 1; name = ""; file = block > 0 ? work "/" block ".text" : ""; if (file == "") print NR > (work "/undone"); next }
      /^```/      { inside = 1; file = name != "" ? work "/here/" name : ""; name = ""; if (head != "") printf "%s", head > file
                    if (file == "") print NR > (work "/undone"); next }
      !whole && /^ *\.\.\.$/ { next }
      file != ""  { print > file }' "$2"
}

# The same for all numbers, and for all columns that numbers align; an exact text as it is.
plain() {
    if [ -e "$2.exact" ]; then cat "$1"; else sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/ +/ /g; s/^ //' "$1"; fi
}

can_attach() {
    command -v gdb >/dev/null || return 1
    sleep 30 &
    local sleeper=$!
    gdb -nx -batch -p $sleeper 2>&1 | grep 'Inferior 1.*detached' >/dev/null
    local code=$?
    kill $sleeper
    return $code
}

# Programs, `package:NAME` for what pkg-config knows, or `setting:NAME` for a variable that names a folder.
there_is() {
    local each name
    for each in $1; do
        name=${each#*:}
        case $each in
            package:*) pkg-config --exists "$name" 2>/dev/null ;;
            setting:*) [ -n "${!name-}" ] && [ -d "${!name}" ] ;;
            *) command -v "$each" >/dev/null ;;
        esac || return
    done
}

run_page() {
    local page=$1 work=$2 block=0
    mkdir -p "$work/here"
    cp "$root"/examples/16_explain.c "$work/here/"
    blocks "$work" "$root/$page"
    if [ -e "$work/undone" ] && [[ $elsewhere != *" $page "* ]]; then
        count=$((count + 1)) failures=$((failures + 1))
        echo "FAILED $page: nothing is done with the blocks at its lines $(paste -sd' ' "$work/undone")"
    fi
    while [ -e "$work/$((block + 1)).sh" ]; do
        block=$((block + 1))
        if grep -q '^gdb ' "$work/$block.sh" && ! can_attach; then
            echo "block $block of $page was not run: there is no gdb, or it may not attach"
            continue
        fi
        if [ -e "$work/$block.if" ] && ! there_is "$(cat "$work/$block.if")"; then
            echo "block $block of $page was not run: there is no$(cat "$work/$block.if")"
            continue
        fi
        count=$((count + 1))
        # Two workers everywhere, but what is told of machines is told of whole ones.
        local code missing workers=2
        grep -q 'dvm-info' "$work/$block.sh" && workers=
        (cd "$work/here" && env PATH="$prefix/bin:$PATH" LD_LIBRARY_PATH="$prefix/lib" PKG_CONFIG_PATH="$prefix/lib/pkgconfig" \
            DVM_PREFIX="$prefix" EXAMPLES="$root/examples" DVM_WORKERS=$workers DEBUGINFOD_URLS= timeout 120 bash -e "$work/$block.sh") >"$work/output" 2>&1
        code=$?
        plain "$work/output" "$work/$block" >"$work/found"
        missing=
        if [ -e "$work/$block.text" ]; then
            missing=$(plain "$work/$block.text" "$work/$block" | grep -vxFf "$work/found" | grep -v '^$')
        fi
        if [ $code -ne 0 ] || [ -n "$missing" ]; then
            failures=$((failures + 1))
            printf 'FAILED block %d of %s (exit status %d)\n' "$block" "$page" "$code"
            sed 's/^/    | /' "$work/$block.sh"
            [ -n "$missing" ] && printf '    not printed (numbers are N):\n' && sed 's/^/    - /' <<<"$missing"
            tail -30 "$work/output" | sed 's/^/    > /'
        fi
    done
}

count=0 failures=0
for page in "${pages[@]}"; do run_page "$page" "$work/${page//\//_}"; done

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ] && [ $count -gt 5 ]
