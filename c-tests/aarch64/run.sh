#!/usr/bin/env bash
# Runs the parts specific to AArch64 under qemu. From libdvm: the assembly of the variadic dvm_sched_onto and of the frame around
# callbacks, extracted from the sources. From generated code: small programs, tiled with the tests' stand-in library, print the
# same as untiled; one sets the rounding mode, which tiles on other threads must have.
#
#   c-tests/aarch64/run.sh      target/release/dvm-codegen is built
set -euo pipefail
export LC_ALL=C

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
here=$root/c-tests/aarch64
build=$root/target/c-tests/aarch64
mkdir -p "$build"

# assembler FILE NAME OPERAND SYMBOL: the function NAME with the text of FILE's block for AArch64.
assembler() {
    local body
    body=$(awk '/target_arch = "aarch64"\)\]/ { wanted = 1; next }
        wanted && /naked_asm!\(/ { inside = 1; wanted = 0; next }
        { wanted = 0 }
        inside && /^ *\);/ { exit }
        inside && match($0, /".*"/) { print substr($0, RSTART + 1, RLENGTH - 2) }' "$root/$1")
    [[ $body == *ret* && $body == *"{$3}"* ]] || { echo "no assembler for AArch64 in $1" >&2; exit 1; }
    printf '.text\n.global %s\n.type %s, %%function\n%s:\n%s\n.size %s, .-%s\n.section .note.GNU-stack,"",%%progbits\n' \
        "$2" "$2" "$2" "${body//"{$3}"/$4}" "$2" "$2"
}

assembler src/ffi/scheduling.rs dvm_sched_onto entry dvm_test_behind >"$build/entry.s"
assembler src/processing/unwind_boundary.rs dvm_test_enter personality dvm_test_personality >"$build/boundary.s"
passed=0 failed=0
for name in entry boundary; do
    aarch64-linux-gnu-g++ -std=c++17 -O2 -Wall -Wextra -Werror -static -pthread "$here/$name.cpp" "$build/$name.s" -o "$build/$name"
    said=$(timeout 120 qemu-aarch64 "$build/$name") || true
    read -r p _ f _ < <(tail -n 1 <<<"$said") || true
    [[ ${p:-} =~ ^[0-9]+$ && ${f:-} =~ ^[0-9]+$ ]] || { echo "FAILED aarch64: $name ends early: $said"; p=0 f=1; }
    sed '$d' <<<"$said"
    passed=$((passed + p)) failed=$((failed + f))
done

# tiles NAME: a program of codegen's tests prints the same tiled and untiled; prints how many tiles ran.
tiles() {
    local source=$root/codegen/tests/planted/$1.c standin=$root/codegen/tests/standin at=$build/$1
    # Reads the source as on this machine, where char is signed.
    local compile=(aarch64-linux-gnu-gcc -std=gnu11 -O1 -ffp-contract=off -fsigned-char -w -static -pthread)
    "$root/target/release/dvm-codegen" tile "$source" -o "$at.dvm.c" 2>"$at.messages" &&
        "${compile[@]}" "$source" -lm -o "$at.plain" &&
        "${compile[@]}" -I "$standin" "$at.dvm.c" "$standin/standin.c" "$standin/environment.c" -lm -o "$at.tiled" &&
        timeout 120 qemu-aarch64 "$at.plain" >"$at.expected" &&
        STANDIN_TELL=1 STANDIN_SIZE=7 STANDIN_SEED=9 STANDIN_WORKERS=4 timeout 120 qemu-aarch64 "$at.tiled" >"$at.found" 2>"$at.told" &&
        cmp -s "$at.expected" "$at.found" && sed -n 's/^graphs .* tiles //p' "$at.told"
}

# Some of these programs only have refused regions, and so no tiles.
for source in "$root"/codegen/tests/planted/*.c; do
    name=$(basename "$source" .c)
    if ran=$(tiles "$name") && { [ "$name" != a10-environment ] || [ "$ran" -gt 1 ]; }; then
        passed=$((passed + 1))
    else
        echo "FAILED aarch64: $name differs" && failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
