"""Checks that a program can name every public member of the C and C++ headers: members.py C_COMPILER CXX_COMPILER INCLUDE

Generates a program for each language from the headers, that names each type, constant, function and class member once, and
compiles it without linking. Java's members are checked in tests/bindings/java.py; C# and Rust refuse a public member with a
hidden type themselves (CS0050, unnameable_types)."""

import pathlib
import re
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import baseline  # noqa: E402

# Words before a parenthesis that do not begin a member.
KEYWORDS = {"if", "for", "while", "switch", "return", "sizeof", "catch", "throw", "operator", "decltype", "noexcept"}


def c_program(compiler, include):
    lines = ['#include "tonnx.h"', "void use(const void* member);", "void all(void) {"]
    for line in baseline.declarations(compiler, include):
        kind, name, rest = line.split(" ", 2)
        if kind == "type":
            lines.append(f"  {{ {name}* member = 0; use(member); }}")
        elif kind == "constant":
            lines.append(f"  {{ int member = {name}; use(&member); }}")
        else:
            lines.append(f"  {{ __typeof__(&{name}) member = {name}; use(&member); }}")
    return "\n".join([*lines, "}", ""])


def without_bodies(text):
    """The text of a class or namespace without its inner braces."""
    kept, depth = [], 0
    for character in text:
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0:
                kept.append(";")
        elif depth == 0:
            kept.append(character)
    return "".join(kept)


def block(text, start):
    """The text between the brace at `start` and its end."""
    depth = 0
    for i in range(start, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return text[start + 1:i]
    raise AssertionError("a brace is not closed")


def plain(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*|^#[^\n]*", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r'"(\\.|[^"])*"', '""', text)


def public_names(body, name):
    """The members that a class shows, without constructors, destructors, operators and those with a private overload."""
    shown = re.split(r"\b(public|private|protected):", "private:" + without_bodies(body))
    names = {"public": set(), "private": set(), "protected": set()}
    for access, part in zip(shown[1::2], shown[2::2]):
        names[access].update(re.findall(r"^  class (\w+) *;", part, re.MULTILINE))
        for found in re.finditer(r"(?<![\w:~])(\w+)\(", part):
            before = part[:found.start()].rstrip()
            # Arguments, initializers and friends are not members.
            if before[-1:] in ",(:=<" or re.search(r"friend[^;]*$", before) or before.count("(") != before.count(")"):
                continue
            if found.group(1) not in KEYWORDS | {name}:
                names[access].add(found.group(1))
    return sorted(names["public"] - names["private"])


def cpp_program(include):
    lines = ['#include "tonnx.hpp"', ""]
    free, count = set(), 0
    for header in sorted((include / "tonnx").glob("*.hpp")):
        if header.name == "torch.hpp":  # needs LibTorch's headers
            continue
        text = plain(header.read_text(encoding="utf-8"))
        for found in re.finditer(r"namespace tonnx {", text):
            inside = block(text, found.end() - 1)
            while (private := inside.find("namespace detail {")) >= 0:
                brace = inside.index("{", private)
                inside = inside[:private] + inside[brace + len(block(inside, brace)) + 2:]
            for made in re.finditer(r"^(?:class|struct) (\w+)[^;{]*{", inside, re.MULTILINE):
                name = made.group(1)
                names = public_names(block(inside, made.end() - 1), name) if made.group(0).startswith("class") else []
                uses = "".join(f" using tonnx::{name}::{member};" for member in names)
                lines.append(f"struct Of{name} : tonnx::{name} {{{uses} }};")
                count += 1 + len(names)
            for made in re.finditer(r"^inline [^;{]*?\b(\w+)\(", without_bodies(inside), re.MULTILINE):
                if "::" not in made.group(0):
                    free.add(made.group(1))
    lines += [f"using tonnx::{name};" for name in sorted(free)]
    assert count + len(free) > 200, "the members of the headers are not found"
    return "\n".join([*lines, ""])


def compiles(compiler, include, language, program):
    command = [*compiler.split(), "-x", *language, f"-I{include}", "-fsyntax-only", "-"]
    done = subprocess.run(command, input=program, text=True, capture_output=True)
    if done.returncode:
        print(done.stderr[:6000])
    return done.returncode == 0


def main(c_compiler, cxx_compiler, include):
    include = pathlib.Path(include).resolve()
    c = compiles(c_compiler, include, ["c", "-std=gnu11"], c_program(c_compiler, include))
    cpp = compiles(cxx_compiler, include, ["c++", "-std=c++17"], cpp_program(include))
    sys.exit(0 if c and cpp else 1)


if __name__ == "__main__":
    main(*sys.argv[1:])
