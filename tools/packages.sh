#!/usr/bin/env bash
# Sees to it that the packages named in packages.txt are there.
#
#   tools/packages.sh           install what is missing (as root or by sudo), or print the command that does
#   tools/packages.sh --check   install nothing: exit 0 when all is there, else say what is missing and exit 1
#
# Without dpkg (another distribution) it prints the list and looks for the tools themselves instead.
# DVM_PACKAGES names another list.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
list=${DVM_PACKAGES:-$here/../packages.txt}
mode=${1:-install}

say() { printf 'packages: %s\n' "$*" >&2; }

case $mode in
    install | --check) ;;
    -h | --help) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    *) say "unknown argument '$mode' (try --help)"; exit 2 ;;
esac
[ -r "$list" ] || { say "cannot read the list '$list'; run this from a complete source tree"; exit 2; }

names=() reasons=() probes=()
while IFS= read -r line; do
    [[ $line =~ ^[[:space:]]*(#|$) ]] && continue
    if [[ ! $line =~ ^([a-z0-9.+-]+)[[:space:]]+#[[:space:]]*([^\[]*[^\[[:space:]])[[:space:]]*(\[([^]]*)\])?$ ]]; then
        say "$list: cannot read the line '$line' (expected: name  # why  [command|header|library name])"
        exit 2
    fi
    names+=("${BASH_REMATCH[1]}") reasons+=("${BASH_REMATCH[2]}") probes+=("${BASH_REMATCH[4]:-}")
done <"$list"

# Is package number $1 installed? What dpkg says decides.
by_dpkg() {
    local state
    state=$(dpkg-query -W -f '${db:Status-Status}\n' "${names[$1]}" 2>/dev/null) || return 1
    grep -qx installed <<<"$state"
}

# Is what package number $1 is needed for there? Used where dpkg cannot tell.
by_probe() {
    local kind name
    read -r kind name <<<"${probes[$1]}"
    case $kind in
        command) command -v "$name" >/dev/null ;;
        header) printf '#include <%s>\n' "$name" | ${CC:-cc} -E -x c - >/dev/null 2>&1 ;;
        library)
            [ -n "${LIBCLANG_PATH:-}" ] && [ "$name" = clang ] && return 0
            compgen -G "/usr/lib*/lib$name*.so*" >/dev/null || compgen -G "/usr/lib*/*/lib$name*.so*" >/dev/null ||
                compgen -G "/usr/lib*/*/lib/lib$name*.so*" >/dev/null
            ;;
        *) return 1 ;;
    esac
}

test_one=by_dpkg
command -v dpkg-query >/dev/null || test_one=by_probe

missing=()
for i in "${!names[@]}"; do
    $test_one "$i" || missing+=("$i")
done
[ ${#missing[@]} -eq 0 ] && exit 0

say "missing:"
wanted=()
for i in "${missing[@]}"; do
    printf '    %-16s %s\n' "${names[$i]}" "${reasons[$i]}" >&2
    wanted+=("${names[$i]}")
done

if [ "$test_one" = by_probe ]; then
    say "there is no dpkg here; install what your distribution calls these, then run this again"
    exit 1
fi
install=(apt-get install -y --no-install-recommends "${wanted[@]}")
[ "$mode" = --check ] && exit 1

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        as_root=(sudo -n)
    else
        say "neither root nor sudo without a password; run this, then try again:"
        printf '    sudo apt-get update && sudo %s\n' "${install[*]}" >&2
        exit 1
    fi
fi

failed() {
    say "'$1' failed; when it works, run:  apt-get update && ${install[*]}"
    exit 1
}
say "installing: ${wanted[*]}"
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get update >&2 || failed "apt-get update"
"${as_root[@]}" "${install[@]}" >&2 || failed "${install[*]}"
