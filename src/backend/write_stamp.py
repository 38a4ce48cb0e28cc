"""Writes the source of build_stamp(): write_stamp.py OUTPUT DEPFILE VERSION FOLDER...

The digest is of the folders' headers: what two libraries must agree on for objects to cross between them.
"""

import hashlib
import pathlib
import sys

SOURCE = """\
#include "backend/entry.h"

const char* tonnx::backend::build_stamp() noexcept {{ return "{stamp}"; }}
"""


def main(output, depfile, version, *folders):
    headers = sorted(header for folder in folders for header in pathlib.Path(folder).glob("*.h"))
    digest = hashlib.sha256()
    for header in headers:
        digest.update(header.parent.name.encode() + b"/" + header.name.encode() + b"\0" + header.read_bytes() + b"\0")
    pathlib.Path(output).write_text(SOURCE.format(stamp=f"{version}-{digest.hexdigest()[:12]}"), encoding="utf-8")
    escaped = (str(header).replace(" ", "\\ ") for header in headers)
    pathlib.Path(depfile).write_text(f"{output}: {' '.join(escaped)}\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
