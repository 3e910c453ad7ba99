#!/usr/bin/env bash
# Tests check.sh against stand-ins for cargo: what the toolchain lacks is left out by name, and what fails has failed.
set -uo pipefail
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cases=0 failures=0
mkdir "$work/bin"

# expect NAME CARGO EXIT WORDS...: runs the steps format and lint with a cargo that is these commands of sh.
expect() {
    local name=$1 code
    printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/cargo" && chmod +x "$work/bin/cargo"
    cases=$((cases + 1))
    PATH=$work/bin:$PATH DVM_CHECK_LOGS=$work/logs "$here/check.sh" format lint >"$work/out" 2>&1
    code=$?
    if [ $code -eq "$3" ]; then
        shift 3
        for words in "$@"; do grep -qF -- "$words" "$work/out" || code="without the words: $words"; done
        [[ $code == without* ]] || return 0
    fi
    failures=$((failures + 1))
    printf 'FAILED %s: %s\n' "$name" "$code"
    sed 's/^/    | /' "$work/out"
}

expect "both are there" 'exit 0' 0 '2 passed, 0 failed'
expect "neither is there" 'exit 101' 0 'left out: cargo fmt (rustup component add rustfmt)' \
    'left out: cargo clippy (rustup component add clippy)' '0 passed, 0 failed'
expect "what is there and fails has failed" '[ "$2" = --version ]' 1 '0 passed, 2 failed' 'failed: format lint'

echo "$((cases - failures)) passed, $failures failed"
[ $failures -eq 0 ]
