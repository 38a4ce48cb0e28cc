"""Generates code from capi/options.json: setters, enums, flags and docs/options.md; see CONTRIBUTING.md.

    options.py            writes the files
    options.py --check    writes nothing, and fails if a file differs from what it would write

Generated parts of a file are between a line "Made from options.json by scripts/options.py." and a line "Made until here.";
the rest is written by hand.
"""

import difflib
import fnmatch
import json
import pathlib
import re
import subprocess
import sys

from option_texts.go_rust import (go_calls, go_enums, go_fields, rust_calls, rust_declarations, rust_enums, rust_fields, rust_keepers,
                                  rust_setters)
from option_texts.managed import java_setters, java_enum, cs_enums, cs_properties, cs_calls
from option_texts.native import c_header, c_source, c_nulls, symbols, core_fields, core_enums, cpp_header, swig_header
from option_texts.pages import cli_flags, reference
from option_texts.table import BEGIN, END, Option, camel, pascal

ROOT = pathlib.Path(__file__).resolve().parent.parent
JAVA = "bindings/swig/java/src/main/java/org/tonnx/"

REGIONS = {
    "capi/tonnx/options.h": [("options", c_header)],
    "capi/tonnx/trace.h": [("trace_options", c_header)],
    "capi/tonnx/verify_options.h": [("verify_options", c_header)],
    "capi/options.cpp": [("options", c_source)],
    "capi/trace_options.cpp": [("trace_options", c_source)],
    "capi/verify_options.cpp": [("verify_options", c_source)],
    "src/export/options.h": [("options", core_enums), ("options", core_fields)],
    "src/export/trace_options.h": [("trace_options", core_fields)],
    "src/export/verify_model.h": [("verify_options", core_fields)],
    "capi/tonnx/options.hpp": [("options", cpp_header)],
    "capi/tonnx/trace_options.hpp": [("trace_options", cpp_header)],
    "capi/tonnx/model.hpp": [("verify_options", cpp_header)],
    "tests/capi/null_test.c": [("trace_options", c_nulls), ("verify_options", c_nulls), ("options", c_nulls)],
    "src/cli/option_flags.cpp": [("options", cli_flags)],
    "src/cli/verify_flags.cpp": [("verify_options", cli_flags)],
    "bindings/swig/values.h": [("options", swig_header)],
    "bindings/swig/trace.h": [("trace_options", swig_header)],
    "bindings/swig/export.h": [("verify_options", swig_header)],
    JAVA + "Options.java": [("options", java_setters)],
    JAVA + "TraceOptions.java": [("trace_options", java_setters)],
    JAVA + "VerifyOptions.java": [("verify_options", java_setters)],
    "bindings/swig/csharp/Tonnx/Options.cs": [("options", cs_enums), ("options", cs_properties), ("options", cs_calls)],
    "bindings/swig/csharp/Tonnx/Trace.cs": [("trace_options", cs_properties), ("trace_options", cs_calls)],
    "bindings/swig/csharp/Tonnx/VerifyOptions.cs": [("verify_options", cs_properties), ("verify_options", cs_calls)],
    "bindings/go/options.go": [("options", go_fields), ("options", go_enums), ("options", go_calls)],
    "bindings/go/trace.go": [("trace_options", go_fields), ("trace_options", go_calls)],
    "bindings/go/verify_options.go": [("verify_options", go_fields), ("verify_options", go_calls)],
    "bindings/rust/tonnx-sys/src/options.rs": [("options", rust_declarations)],
    "bindings/rust/tonnx-sys/src/trace.rs": [("trace_options", rust_declarations)],
    "bindings/rust/tonnx-sys/src/verify_options.rs": [("verify_options", rust_declarations)],
    "bindings/rust/tonnx/src/options.rs": [("options", rust_enums), ("options", rust_setters)],
    "bindings/rust/tonnx/src/trace_options.rs": [("trace_options", maker) for maker in (rust_fields, rust_keepers, rust_calls)],
    "bindings/rust/tonnx/src/verify_options.rs": [("verify_options", maker) for maker in (rust_fields, rust_keepers, rust_calls)],
}

# Regular expressions for the code of an option in the files of each language, even if its type is written by hand.
MENTIONS = {
    "capi/tonnx/*.h": lambda o: [rf"{o.setter}\("],
    "capi/*.cpp": lambda o: [rf"{o.setter}\("],
    "capi/tonnx/*.hpp": lambda o: [rf"& {o.name}\(", rf"{o.setter}\("],
    "src/export/*.h": lambda o: [rf"\b{o.plural}\b.*;"],
    "tests/capi/*.c": lambda o: [rf"REFUSES\({o.setter},"],
    "bindings/swig/*.h": lambda o: [rf"void {o.name}\(", rf"options_\.{o.name}\("],
    "*.java": lambda o: [rf"public {o.owner} {camel(o.name)}\(", rf"peer\.{camel(o.name)}\("],
    "*.cs": lambda o: [rf"\b{pascal(o.plural)} {{ get;", rf"native\.{o.name}\("],
    "bindings/go/*.go": lambda o: [rf"^\t{pascal(o.plural)} ", rf"{o.group}_{o.verb}_{o.name}\("],
    "bindings/rust/tonnx-sys/*.rs": lambda o: [rf"fn {o.setter}\("],
    "bindings/rust/tonnx/*.rs": lambda o: [rf"fn {o.name}\b", rf"{o.setter}\("],
}


def missing(groups):
    """Yields the options of a group that a file lacks."""
    for path, makers in REGIONS.items():
        text = (ROOT / path).read_text(encoding="utf-8")
        for pattern in (mentions for glob, mentions in MENTIONS.items() if fnmatch.fnmatch(path, glob)):
            for o in (o for group in {group for group, _ in makers} for o in groups[group]):
                if not all(re.search(one, text, re.MULTILINE) for one in pattern(o)):
                    yield f"{path}: the option {o.name} of {o.group} is missing; its type {o.type} is written by hand here"


def with_regions(path, text, makers, groups, enums):
    lines, out, makers = iter(text.splitlines()), [], iter(makers)
    for line in lines:
        out.append(line)
        if BEGIN not in line:
            continue
        group, maker = next(makers)
        out += maker(groups[group], enums)
        out.append(next(line for line in lines if END in line))
    assert next(makers, None) is None, f"{path}: it has not as many parts from options.json as it should"
    return "\n".join(out) + "\n"


def read_table():
    table = json.loads((ROOT / "capi/options.json").read_text(encoding="utf-8"))
    enums = table.pop("enums")
    return {group: [Option(group, row, enums) for row in rows] for group, rows in table.items()}, enums


FORMATTED = (".h", ".hpp", ".c", ".cpp", ".java", ".cs")


def formatted(path, text):
    """The text as clang-format formats it."""
    if not path.endswith(FORMATTED):
        return text
    program = ROOT / ".deps/tools/bin/clang-format"
    if not program.exists():
        sys.exit(f"{program} is missing: run scripts/deps core")
    command = [program, f"--assume-filename={ROOT / path}"]
    for _ in range(3):  # a wrapped comment may be formatted differently in the next pass
        last, text = text, subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout
        if last == text:
            break
    return text


def files(groups, enums):
    for path, makers in REGIONS.items():
        yield path, with_regions(path, (ROOT / path).read_text(encoding="utf-8"), makers, groups, enums)
    for name, enum in enums.items():
        yield f"{JAVA}{pascal(name)}.java", "\n".join(java_enum(name, enum)) + "\n"
    everything = [o for options in groups.values() for o in options]
    yield "capi/symbols.txt", symbols((ROOT / "capi/symbols.txt").read_text(encoding="utf-8"), everything)
    yield "docs/options.md", "\n".join(reference(groups, enums)) + "\n"


def main(arguments):
    groups, enums = read_table()
    stale = []
    for path, text in files(groups, enums):
        text = formatted(path, text)
        file = ROOT / path
        now = file.read_text(encoding="utf-8") if file.exists() else ""
        if now == text:
            continue
        if "--check" in arguments:
            stale += difflib.unified_diff(now.splitlines(), text.splitlines(), path, "what options.json says", lineterm="", n=1)
        else:
            file.write_text(text, encoding="utf-8")
    stale += missing(groups)
    print("\n".join(stale))
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
