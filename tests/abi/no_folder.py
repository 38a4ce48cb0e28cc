"""Checks that a library contains no path of the machine that built it: no_folder.py FOLDER... -- LIBRARY...

Debug information, which packages strip, may; so may the path on which the loader looks for LibTorch.
"""
import pathlib
import re
import subprocess
import sys
import tempfile


def run_path(library):
    dynamic = subprocess.run(["readelf", "--dynamic", "--wide", library], check=True, capture_output=True, text=True).stdout
    return [path.encode() for path in re.findall(r"\((?:RPATH|RUNPATH)\).*\[(.*)\]", dynamic)]


def main(arguments):
    cut = arguments.index("--")
    folders, libraries = arguments[:cut], arguments[cut + 1:]
    found = []
    with tempfile.TemporaryDirectory(prefix="tonnx-folders-") as folder:
        for library in libraries:
            stripped = pathlib.Path(folder) / pathlib.Path(library).name
            subprocess.run(["objcopy", "--strip-debug", library, stripped], check=True)
            content = stripped.read_bytes()
            assert b"tonnx" in content, library
            for path in run_path(library):
                content = content.replace(path, b"")
            found += [f"{library}: it holds {path}" for path in folders if path.encode() in content]
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
