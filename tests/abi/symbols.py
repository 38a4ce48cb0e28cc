"""Checks what leaves the library: symbols.py LIBRARY SYMBOLS [HEADER...]

SYMBOLS, the functions that the headers declare, if any are given, and the library's dynamic symbols are one and the same list.
"""

import pathlib
import re
import subprocess
import sys

DECLARATION = re.compile(r"^TONNX_API\b[^;(]*?\b(tonnx_\w+)\s*\(", re.MULTILINE)


def declared(headers):
    names = [name for header in headers for name in DECLARATION.findall(pathlib.Path(header).read_text(encoding="utf-8"))]
    assert len(names) == len(set(names)), "a function is declared twice"
    assert len(names) == sum(pathlib.Path(h).read_text(encoding="utf-8").count("\nTONNX_API ") for h in headers)
    return set(names)


def exported(library):
    """The names of functions and data, without their versions; the version itself is an absolute symbol."""
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True, stdout=subprocess.PIPE).stdout
    rows = [line.split() for line in listing.splitlines()]
    return {row[-1].split("@")[0] for row in rows if row[-2] != "A"}


def main(library, symbols, *headers):
    lines = pathlib.Path(symbols).read_text(encoding="utf-8").splitlines()
    listed = [line for line in lines if line and not line.startswith("#")]
    faults = [] if listed == sorted(set(listed)) else ["the list is not sorted, or names something twice"]
    in_headers, in_library = declared(headers) if headers else set(listed), exported(library)
    for text, names in (
        ("declared, not listed", in_headers - set(listed)),
        ("listed, not declared", set(listed) - in_headers),
        ("exported, not listed", in_library - set(listed)),
        ("listed, not exported", set(listed) - in_library),
        ("a name that is not tonnx's", {name for name in in_library if not name.startswith("tonnx_")}),
    ):
        faults += [f"{name}: {text}" for name in sorted(names)]
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
