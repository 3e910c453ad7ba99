#!/usr/bin/env bash
# Runs every command of docs/explain.md: each ```sh block as it stands, in one folder, against an installed tree made of
# what cargo built. Each line of the ```text block after it must be among what the commands printed; numbers may differ.
# Blocks that call gdb are left out, with a word, where there is none or where the system lets nobody attach.
set -uo pipefail
export LC_ALL=C

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
release=${CARGO_TARGET_DIR:-$root/target}/release
page=$root/docs/explain.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

(cd "$root" && cargo build --release --locked --quiet --workspace --lib --bins) || exit 1
prefix=$work/prefix
mkdir -p "$prefix"/{bin,lib/pkgconfig,include,share/dvm} "$work/here"
ln -s "$release/dvm-info" "$prefix/bin/"
for name in libdvm.so libdvm.so.0; do ln -s "$release/libdvm.so" "$prefix/lib/$name"; done
cp "$root/include/dvm.h" "$prefix/include/"
cp "$root/tools/gdb/dvm.py" "$prefix/share/dvm/"
printf 'prefix=%s\nName: dvm\nDescription: dvm\nVersion: 0\nLibs: -L${prefix}/lib -ldvm\nCflags: -I${prefix}/include\n' \
    "$prefix" >"$prefix/lib/pkgconfig/dvm.pc"
cp "$root"/examples/16_explain.c "$work/here/"
# The blocks: N.sh, and N.text where one follows.
awk -v work="$work" '
  /^```sh$/   { block++; file = work "/" block ".sh"; next }
  /^```text$/ { file = work "/" block ".text"; next }
  /^```$/     { file = ""; next }
  file != ""  { print > file }' "$page"

# The same for all numbers, and for all columns that numbers align.
plain() { sed -E 's/[0-9]+(\.[0-9]+)?/N/g; s/ +/ /g; s/^ //' "$1"; }

can_attach() {
    command -v gdb >/dev/null || return 1
    sleep 30 &
    local sleeper=$!
    gdb -nx -batch -p $sleeper 2>&1 | grep -q 'Inferior 1.*detached'
    local code=$?
    kill $sleeper
    return $code
}

count=0 failures=0 block=0
while [ -e "$work/$((block + 1)).sh" ]; do
    block=$((block + 1))
    if grep -q '^gdb ' "$work/$block.sh" && ! can_attach; then
        echo "block $block of docs/explain.md was not run: there is no gdb, or it may not attach"
        continue
    fi
    count=$((count + 1))
    # Two workers everywhere, but what is told of machines is told of whole ones.
    workers=2
    grep -q 'dvm-info' "$work/$block.sh" && workers=
    (cd "$work/here" && env PATH="$prefix/bin:$PATH" LD_LIBRARY_PATH="$prefix/lib" PKG_CONFIG_PATH="$prefix/lib/pkgconfig" \
        DVM_WORKERS=$workers DEBUGINFOD_URLS= timeout 120 bash -e "$work/$block.sh") >"$work/output" 2>&1
    code=$?
    plain "$work/output" >"$work/found"
    missing=
    if [ -e "$work/$block.text" ]; then
        missing=$(plain "$work/$block.text" | grep -vxFf "$work/found" | grep -v '^$')
    fi
    if [ $code -ne 0 ] || [ -n "$missing" ]; then
        failures=$((failures + 1))
        printf 'FAILED block %d of docs/explain.md (exit status %d)\n' "$block" "$code"
        sed 's/^/    | /' "$work/$block.sh"
        [ -n "$missing" ] && printf '    not printed (numbers are N):\n' && sed 's/^/    - /' <<<"$missing"
        tail -30 "$work/output" | sed 's/^/    > /'
    fi
done

echo "$((count - failures)) passed, $failures failed"
[ $failures -eq 0 ] && [ $count -gt 5 ]
