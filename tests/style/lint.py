"""Runs clang-tidy over src and capi by .clang-tidy: lint.py ROOT BUILD [--only REGEX] [--slice [N]] [--jobs N]

BUILD is a configured build folder, whose commands say how each source is compiled. clang-tidy is that of `scripts/deps
lint`. It reads the commands without the precompiled headers, which are GCC's. --slice checks three or four sources,
others for each N. Exits with 1 if there is a finding, with 77, which Meson reports as skipped, if clang-tidy is missing.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

# Options of GCC that clang does not know, the precompiled header, and -Werror: the compiler's warnings are GCC's.
GCC_ONLY = re.compile(r" -fpch-preprocess| -include \S+\.h\b| -Winvalid-pch| -fno-semantic-interposition| -Wno-subobject-linkage| -Werror(?=\s)")
SLICES = 150
MISSING = 77


def commands(root, build):
    """The compilation database of what is linted: a source of src or capi, once."""
    printed = subprocess.run(["ninja", "-C", build, "-t", "compdb"], check=True, capture_output=True, text=True)
    found = {}
    for entry in json.loads(printed.stdout):
        if not entry["file"].endswith(".cpp") or " -c " not in entry["command"]:
            continue
        command = GCC_ONLY.sub("", re.sub(r"^(\S*ccache )", "", entry["command"]))
        for file in sources(os.path.normpath(os.path.join(entry["directory"], entry["file"]))):
            folder = os.path.relpath(file, build if file.startswith(f"{build}/") else root).split("/")[0]
            if folder not in ("src", "capi"):
                continue
            own = command.replace(f" -c {entry['file']}", f" -c {file}")
            found.setdefault(file, {"directory": entry["directory"], "file": file, "command": own})
    return found


def sources(file):
    """The sources that a unit includes; the file itself if it is no unit, or one of src/torch, which are linted as a whole."""
    if "/src/torch/" in file or not re.search(r"-unity\d+\.cpp$", file):
        return [file]
    with open(file, encoding="utf-8") as unit:
        return [os.path.normpath(name) for name in re.findall(r"#include *[<\"](.+?)[>\"]", unit.read())]


def lint(tool, folder, file):
    """The findings in one source, each with its lines."""
    result = subprocess.run([tool, "--quiet", "-p", folder, file], capture_output=True, text=True)
    return file, result.returncode, result.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="sources whose path this expression finds")
    parser.add_argument("--slice", type=int, nargs="?", const=int(os.environ.get("TONNX_SLICE") or 0),
                        help="only some of the sources, chosen by this number; default: $TONNX_SLICE")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    args = parser.parse_args()
    tool = args.root.resolve() / ".deps/lint/bin/clang-tidy"
    if not tool.exists():
        print("clang-tidy is missing; scripts/deps lint installs it")
        sys.exit(MISSING)
    found = {file: entry for file, entry in commands(args.root.resolve(), args.build.resolve()).items() if re.search(args.only, file)}
    if not found:
        sys.exit(f"no source's path matches {args.only}")
    if args.slice is not None:
        found = {file: found[file] for file in sorted(found)[args.slice % SLICES::SLICES]}
    failed, shown = 0, set()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        (pathlib.Path(folder) / "compile_commands.json").write_text(json.dumps(list(found.values())))
        for done in concurrent.futures.as_completed([pool.submit(lint, tool, folder, file) for file in sorted(found)]):
            file, status, output = done.result()
            failed += status != 0
            # A finding in a header comes with every source that includes it.
            for finding in re.split(r"^(?=\S+:\d+:\d+: (?:warning|error): )", output, flags=re.MULTILINE):
                if finding.strip() and finding not in shown:
                    shown.add(finding)
                    print(finding, end="", flush=True)
    print(f"{len(found)} sources, {failed} with findings")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
