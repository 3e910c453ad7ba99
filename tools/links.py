"""Checks the links inside folders of HTML pages: each leads to a file that is there, and to a place in it that has that name.
Links that leave the folder are not followed. Usage: tools/links.py FOLDER. Ends with `N passed, M failed`, of pages."""

import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    """The links of a page, and the names of its places."""

    def __init__(self, text):
        super().__init__()
        self.links, self.names = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("href", "src") and value and not (tag == "link" and value.startswith("http")):
                self.links.append(value)
            elif key == "id" or (tag == "a" and key == "name"):
                self.names.add(value)


def broken(page, pages, root):
    """The links of a page that lead nowhere."""
    for link in pages[page].links:
        url = urllib.parse.urlsplit(link)
        if url.scheme or url.netloc:
            continue
        place = page
        if url.path:
            place = (page.parent / urllib.parse.unquote(url.path)).resolve()
            if root not in place.parents:
                continue
        if not place.exists():
            yield link
        elif url.fragment and place in pages and urllib.parse.unquote(url.fragment) not in pages[place].names:
            yield link


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    pages = {path: Page(path.read_text(errors="replace")) for path in root.rglob("*.html")}
    failed = 0
    for page in sorted(pages):
        found = sorted(set(broken(page, pages, root)))
        failed += bool(found)
        for link in found:
            print(f"FAILED {page.relative_to(root)}: a link leads to {link}, which is not there")
    if not pages:
        print(f"FAILED there is no page in {root}")
    print(f"{len(pages) - failed} passed, {failed + (not pages)} failed")
    return failed > 0 or not pages


raise SystemExit(main())
