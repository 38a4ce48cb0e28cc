"""Checks what leaves the library: symbols.py LIBRARY SYMBOLS [HEADER...]

SYMBOLS, the functions that the headers declare, if any are given, and the library's dynamic symbols are one and the same list.
Each symbol has the version node of the release that added it (scripts/version_script.py).
"""

import pathlib
import re
import subprocess
import sys
import tempfile

VERSION_SCRIPT = pathlib.Path(__file__).parents[2] / "scripts/version_script.py"
DECLARATION = re.compile(r"^(?:TONNX_NODISCARD )?TONNX_API\b[^;(]*?\b(tonnx_\w+)\s*\(", re.MULTILINE)


def declared(headers):
    names = [name for header in headers for name in DECLARATION.findall(pathlib.Path(header).read_text(encoding="utf-8"))]
    assert len(names) == len(set(names)), "a function is declared twice"
    assert len(names) == sum(len(re.findall(r"TONNX_CALL\s+tonnx_", pathlib.Path(h).read_text(encoding="utf-8"))) for h in headers)
    return set(names)


def exported(library):
    """The names of functions and data, without their versions; the version itself is an absolute symbol."""
    listing = subprocess.run(["nm", "-D", "--defined-only", library], check=True, text=True, stdout=subprocess.PIPE).stdout
    rows = [line.split() for line in listing.splitlines()]
    return {row[-1].split("@")[0] for row in rows if row[-2] != "A"}


def nodes(library):
    """The version nodes that the library defines, without that of its own name."""
    listing = subprocess.run(["readelf", "--version-info", "--wide", library], check=True, text=True, stdout=subprocess.PIPE).stdout
    definitions = listing.split("Version definition section")[1].split("Version needs section")[0]
    return set(re.findall(r"Name: (TONNX_\S+)", definitions))


def expected_nodes(symbols):
    """The nodes that a version script for the list defines."""
    with tempfile.NamedTemporaryFile("r", suffix=".map") as script:
        subprocess.run([sys.executable, VERSION_SCRIPT, script.name, symbols], check=True)
        return set(re.findall(r"^(TONNX_\S+) {", script.read(), re.MULTILINE))


def check_two_releases():
    """F197: A later release gets a node of its own, which depends on the one before."""
    with tempfile.TemporaryDirectory() as folder:
        symbols, script = pathlib.Path(folder, "symbols.txt"), pathlib.Path(folder, "tonnx.map")
        symbols.write_text("tonnx_a\ntonnx_b 0.10\ntonnx_c 0.2\n", encoding="utf-8")
        subprocess.run([sys.executable, VERSION_SCRIPT, script, symbols], check=True)
        text = re.sub(r"\s+", " ", script.read_text(encoding="utf-8"))
    assert text == ("TONNX_0.1 { global: tonnx_a; local: *; }; TONNX_0.2 { global: tonnx_c; } TONNX_0.1; "
                    "TONNX_0.10 { global: tonnx_b; } TONNX_0.2; "), text


def main(library, symbols, *headers):
    check_two_releases()
    lines = pathlib.Path(symbols).read_text(encoding="utf-8").splitlines()
    listed = [line.split()[0] for line in lines if line and not line.startswith("#")]
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
    if nodes(library) != expected_nodes(symbols):
        faults.append(f"version nodes {nodes(library)}, expected {expected_nodes(symbols)}")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
