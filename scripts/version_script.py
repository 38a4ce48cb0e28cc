"""Writes the linker's version script: version_script.py OUTPUT SOVERSION SYMBOLS

SYMBOLS lists the exported names, one a line; `#` starts a comment.
"""

import sys


def main(output, soversion, symbols):
    with open(symbols, encoding="utf-8") as lines:
        names = [name for line in lines if (name := line.split("#")[0].strip())]
    body = "".join(f"    {name};\n" for name in names)
    with open(output, "w", encoding="utf-8") as script:
        script.write(f"TONNX_{soversion} {{\n  global:\n{body}  local:\n    *;\n}};\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
