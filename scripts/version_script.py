"""Writes the linker's version script: version_script.py OUTPUT SYMBOLS

SYMBOLS lists the exported names, one a line; `#` starts a comment. A name of a later release than the first has its release
beside it ("tonnx_name 0.2"). Each release has a node, TONNX_0.2, so that a program that needs a newer library than it finds
fails when it is loaded, with the name of the node.
"""

import sys

FIRST_RELEASE = "0.1"


def releases(path):
    """Release -> names, the oldest release first."""
    found = {FIRST_RELEASE: []}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            name, *release = line.split("#")[0].split() or [""]
            if name:
                found.setdefault(release[0] if release else FIRST_RELEASE, []).append(name)
    return dict(sorted(found.items(), key=lambda item: [int(part) for part in item[0].split(".")]))


def main(output, symbols):
    text, older = "", ""
    for release, names in releases(symbols).items():
        body = "".join(f"    {name};\n" for name in names)
        rest = "" if older else "  local:\n    *;\n"
        text += f"TONNX_{release} {{\n  global:\n{body}{rest}}}{older};\n"
        older = f" TONNX_{release}"
    with open(output, "w", encoding="utf-8") as script:
        script.write(text)


if __name__ == "__main__":
    main(*sys.argv[1:])
