#!/usr/bin/env bash
# Runs many lives, each from a seed and with a deadline; ends with "N passed, M failed".
#
#   c-tests/lives/run.sh PROGRAM [FIRST [COUNT [KEY=VALUE ...]]]     (defaults: 1, 200)
#
# A life fails if its exit status is not 0, or it takes longer than DVM_LIFE_SECONDS (default 60): this prints its seed and the end
# of its output, and `PROGRAM SEED KEY=VALUE ...` replays it. DVM_LIFE_JOBS lives run at a time (default 2). Keys: life.c.
set -u
program=${1:-} first=${2:-1} count=${3:-200}
[ -x "$program" ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
case $first$count in *[!0-9]*) echo "FIRST and COUNT are whole numbers" >&2; exit 2 ;; esac
shift $(($# > 3 ? 3 : $#))
export DVM_LIFE_PROGRAM=$program DVM_LIFE_KEYS="$*" DVM_LIFE_SECONDS=${DVM_LIFE_SECONDS:-60}

live() {
    local words status
    # shellcheck disable=SC2086
    words=$(timeout -s KILL "$DVM_LIFE_SECONDS" "$DVM_LIFE_PROGRAM" "$1" $DVM_LIFE_KEYS 2>&1 </dev/null)
    status=$?
    [ "$status" -eq 0 ] && return
    [ "$status" -eq 137 ] && words="$words
not ended after $DVM_LIFE_SECONDS s"
    printf 'FAILED life %s %s: status %d: %s\n' "$1" "$DVM_LIFE_KEYS" "$status" "$(grep -E -m 1 -A 40 'ERROR: |WARNING: ThreadSanitizer' <<<"$words" || tail -n 12 <<<"$words")"
}
export -f live

failures=$(seq "$first" $((first + count - 1)) | xargs -P "${DVM_LIFE_JOBS:-2}" -I{} bash -c 'live {}')
failed=$(grep -c '^FAILED life ' <<<"$failures")
[ "$failed" -gt 0 ] && head -n 60 <<<"$failures"
printf 'lives %d to %d\n%d passed, %d failed\n' "$first" $((first + count - 1)) $((count - failed)) "$failed"
[ "$failed" -eq 0 ]
