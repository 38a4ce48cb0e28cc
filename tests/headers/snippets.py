"""Compiles the C and C++ of the pages: snippets.py C_COMPILER C++_COMPILER ROOT

A snippet is an indented block of README.md or docs that calls the C API, or one that is marked as c or cpp. It is the body of a
function that has the usual handles; the compiler checks it against the headers. C++ that traces needs LibTorch's headers, and is
left out."""

import os
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"(?:^    .*\n|^\n(?=    ))+", re.MULTILINE)
FENCED = re.compile(r"^```(c|cpp)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CALL = re.compile(r"^\s*(?:tonnx_\w+ \*|tonnx_\w+\(|if \(tonnx_)", re.MULTILINE)
HANDLES = ("program", "args", "model", "options", "registry", "error")


def snippets(page):
    """Yields the language, the line and the code of each snippet."""
    text = page.read_text(encoding="utf-8")
    for block in FENCED.finditer(text):
        if "tonnx::trace(" not in block[2]:
            yield block[1], text.count("\n", 0, block.start()) + 2, block[2]
    text = FENCED.sub(lambda block: "\n" * block[0].count("\n"), text)
    for block in BLOCK.finditer(text):
        if CALL.search(block[0]):
            yield "c", text.count("\n", 0, block.start()) + 1, block[0]


def compiled(compilers, page, language, line, code):
    """The errors of the compiler. Declarations of the snippet hide the handles."""
    if language == "c":
        options, header = "-std=c99", '#include <stdio.h>\n#include "tonnx.h"\n'
        handles = "".join(f"static tonnx_{name} *{name}; " for name in HANDLES)
    else:
        options, header = "-std=c++17", '#include <atomic>\n#include <iostream>\n#include "tonnx.hpp"\n'
        handles = "".join(f"extern tonnx::{name.capitalize()} {name}; " for name in HANDLES) + "extern std::atomic<bool> stopped; "
    program = f'{header}{handles}\nvoid f(void);\nvoid f(void) {{\n#line {line} "{page}"\n{code}\n}}\n'
    done = subprocess.run([compilers[language], options, "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused", "-I", "capi", "-x",
                           {"c": "c", "cpp": "c++"}[language], "-"], input=program, capture_output=True, text=True)
    return done.stderr if done.returncode else ""


def main(c, cpp, root):
    os.chdir(root)
    counts = dict.fromkeys(("c", "cpp"), 0)
    failures = []
    for page in [pathlib.Path("README.md"), *sorted(pathlib.Path("docs").glob("*.md"))]:
        for language, line, code in snippets(page):
            counts[language] += 1
            failures.append(compiled({"c": c, "cpp": cpp}, page, language, line, code))
    print(*filter(None, failures), f"{counts['c']} snippets of C, {counts['cpp']} of C++", sep="\n")
    return 1 if any(failures) or min(counts.values()) < 2 else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
