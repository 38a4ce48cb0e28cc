"""Makes packages of a build: make.py --build DIR --out DIR [FORMAT...]. Prints each file with its size.

The same source and build produce the same bytes. The time of all packed files is that of the commit, or SOURCE_DATE_EPOCH."""

import argparse
import importlib
import pathlib
import tempfile

from installation import install

FORMATS = ("tarball", "debian", "wheel", "maven", "nuget", "gomodule", "crates")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("formats", nargs="*", metavar="FORMAT", help=f"of {', '.join(FORMATS)}; default: all")
    given = parser.parse_args()
    if unknown := set(given.formats) - set(FORMATS):
        parser.error(f"unknown format {', '.join(sorted(unknown))}")
    given.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as temporary:
        installation = install(given.build.resolve(), pathlib.Path(temporary))
        for name in given.formats or FORMATS:
            for file in importlib.import_module(name).make(installation, given.out.resolve()):
                print(f"{file.stat().st_size / 1e6:8.2f} MB  {file.name}")


if __name__ == "__main__":
    main()
