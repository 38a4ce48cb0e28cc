"""Compiles the C of the pages: snippets.py COMPILER ROOT

A snippet is an indented block of README.md or docs that calls the C API. It is the body of a function that has the usual
handles; the compiler checks it against the headers."""

import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"(?:^    .*\n|^\n(?=    ))+", re.MULTILINE)
CALL = re.compile(r"^\s*(?:tonnx_\w+ \*|tonnx_\w+\(|if \(tonnx_)", re.MULTILINE)
HANDLES = ("program", "args", "model", "options", "registry", "error")


def snippets(page):
    text = page.read_text(encoding="utf-8")
    for block in BLOCK.finditer(text):
        if CALL.search(block[0]):
            yield text.count("\n", 0, block.start()) + 1, block[0]


def compile_all(compiler, root):
    """Yields a message for each snippet that does not compile; the last item is the number of snippets."""
    count = 0
    for page in [root / "README.md", *sorted((root / "docs").glob("*.md"))]:
        for line, code in snippets(page):
            count += 1
            # Declarations of the snippet hide these handles.
            handles = "".join(f"static tonnx_{name} *{name}; " for name in HANDLES)
            program = (f'#include <stdio.h>\n#include "tonnx.h"\n{handles}\nvoid f(void);\nvoid f(void) {{\n'
                       f'#line {line} "{page.relative_to(root)}"\n{code}\n}}\n')
            done = subprocess.run([compiler, "-std=c99", "-fsyntax-only", "-Wall", "-Werror", "-Wno-unused", "-I", root / "capi",
                                   "-x", "c", "-"], input=program, capture_output=True, text=True)
            if done.returncode:
                yield done.stderr
    yield count


if __name__ == "__main__":
    *failures, count = compile_all(sys.argv[1], pathlib.Path(sys.argv[2]))
    print(*failures, f"{count} snippets", sep="\n")
    sys.exit(1 if failures or count < 2 else 0)
