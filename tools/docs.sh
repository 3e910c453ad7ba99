#!/usr/bin/env bash
# Makes HTML of the documentation: the book (target/book) where mdbook is, and the headers (target/reference) where doxygen is.
#
#   tools/docs.sh build   what there is a program for
#   tools/docs.sh check   the same into a scratch folder: doxygen has nothing to warn of, and no link within the pages leads nowhere.
#                         Ends with `N passed, M failed`.
set -uo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." || exit 2

# The book of a copy of docs that leads nowhere else: what its pages link lies in it, pages without a chapter as text, and the page of changes
# is the list itself.
book() {
    local copy=$PWD/$1/book-sources
    stage "$copy" && mdbook build "$copy/book" --dest-dir "$PWD/$1/book" && rm -rf "$copy"
}
stage() {
    local outside='ARCHITECTURE CONTRIBUTING README bench/README packaging/README' page
    rm -rf "$1" && mkdir -p "$1"/{examples,include,bench,packaging} && cp -r docs/. "$1" && cp CHANGELOG.md "$1/changelog.md" &&
        cp examples/*.{c,cpp,f90} "$1/examples" && cp include/* "$1/include" || return
    # Without a chapter of its own in the folder, mdbook makes the first page of one in `book`, whose links are others.
    cat >"$1/about.md" <<'END' && sed -i '0,/^$/s/^$/\n[About](about.md)\n/' "$1/SUMMARY.md" && rm "$1/Doxyfile" "$1/reference.dox" || return
# libdvm

libdvm runs a program on every core of the machine as a data flow. Begin with [data-flow from zero](book/data-flow.md), with
[a pragma](book/pragma.md) if you have loops, or with [C++](book/cpp.md). [Functions](reference.md) has all of the interface,
[examples](examples/01_hello.c) are complete programs, and a program that puzzles you [explains itself](explain.md).
END
    for page in $outside; do cp "$page.md" "$1/$page.txt" || return; done
    sed -i -E 's#\]\(docs/#](#g; s#\]\(SUMMARY\.md#](about.md#g; s#\]\((include|examples|bench|packaging)/#](../\1/#g' "$1/changelog.md" &&
        sed -i -E "s#\]\((\.\./)?\.\./CHANGELOG\.md#](\1changelog.md#g; s#\]\((\.\./)?\.\./(${outside// /|})\.md#](\1\2.txt#g
            s#\]\((\.\./)?\.\./(examples|include)/#](\1\2/#g" "$1"/*.md "$1"/book/*.md
}
# What the pages of a folder link and is not there.
astray() {
    local page link
    for page in "$1"/*.md "$1"/book/*.md; do
        sed '/^```/,/^```$/d; s/`[^`]*`//g' "$page" | grep -o '](\([^)#]*\)' | cut -c 3- | grep -v '^http' | while read -r link; do
            link=$(realpath -m -- "$(dirname "$page")/$link")
            [[ $link/ == $(realpath "$1")/* && -e $link ]] || echo "$page leads to $link"
        done
    done
}
# What stood there before may have pages of functions that are gone.
reference() { mkdir -p "$1" && rm -rf "$1/reference" && { cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $1/reference"; } | doxygen -; }
missing() { echo "there is no $1: $2"; }
no_mdbook() { missing mdbook "the book was not built (cargo install mdbook); read docs/SUMMARY.md and the pages that it lists"; }
no_doxygen() { missing doxygen "the pages of the headers were not made (apt-get install doxygen); read docs/reference.md"; }

count=0 failures=0
step() {
    local what=$1
    shift
    count=$((count + 1))
    "$@" >"$work/log" 2>&1 && return 0
    failures=$((failures + 1))
    printf 'FAILED %s\n' "$what"
    tail -25 "$work/log" | sed 's/^/    | /'
    return 1
}

case ${1:-} in
build)
    code=0
    if command -v mdbook >/dev/null; then book target || code=1; else no_mdbook; fi
    if command -v doxygen >/dev/null; then reference target || code=1; else no_doxygen; fi
    exit $code
    ;;
check)
    mkdir -p target
    work=$(mktemp -d target/docs-check.XXXXXX)
    trap 'rm -rf "$work"' EXIT
    step "the links of a page that has none broken" python3 tools/links.py tools/links/right
    step "a broken link is found" test "$(python3 tools/links.py tools/links/wrong | grep -c '^FAILED .* leads to ')" -eq 2
    staged() { stage "$work/stage" && astray "$work/stage" >"$work/astray" && cat "$work/astray" && [ ! -s "$work/astray" ]; }
    step "the copy that the book is made of leads nowhere else" staged
    step "the changes are a chapter" grep -qF '](abi.md)' "$work/stage/changelog.md"
    if command -v mdbook >/dev/null; then
        step "mdbook builds the book" book "$work" && step "its links" python3 tools/links.py "$work/book"
    else
        no_mdbook
    fi
    if command -v doxygen >/dev/null; then
        step "doxygen reads the headers" reference "$work" && step "the links of its pages" python3 tools/links.py "$work/reference" &&
            step "it knows the functions" grep -rqF dvm_sched_near "$work/reference/html/dvm_8h.html"
    else
        no_doxygen
    fi
    echo "$((count - failures)) passed, $failures failed"
    [ $failures -eq 0 ]
    ;;
*)
    sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
