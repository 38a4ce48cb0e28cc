"""Checks that the headers still have every declaration of a release: baseline.py COMPILER INCLUDE BASELINE [--update]

BASELINE has one declaration a line: functions with the types of their parameters, types, and constants with their values.
Each becomes an assertion that the compiler checks against the headers in the folder INCLUDE. A declaration that is missing or
differs is a fault; further ones are not. --update writes the file from the headers. See docs/abi.md.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

NO_MACROS = ["-DTONNX_API=", "-DTONNX_CALL=", "-DTONNX_NODISCARD="]
COMMENT = "# Every declaration of tonnx's C headers. Written by tests/abi/baseline.py --update; see docs/abi.md.\n"


def run(compiler, include, *words, source):
    command = [*compiler.split(), "-x", "c", "-std=gnu11", f"-I{include}", *words, "-"]
    return subprocess.run(command, input=source, text=True, capture_output=True)


def preprocessed(compiler, include):
    """The text of tonnx's own headers after the preprocessor, in one line."""
    done = run(compiler, include, "-E", *NO_MACROS, source='#include "tonnx.h"\n')
    assert done.returncode == 0, done.stderr
    lines, is_own = [], False
    for line in done.stdout.splitlines():
        marker = re.match(r'# \d+ "(.*?)"', line)
        if marker:
            is_own = pathlib.Path(marker.group(1)).is_relative_to(include)
        elif is_own:
            lines.append(line)
    return re.sub(r"\s+", " ", " ".join(lines))


def spaced(text):
    """A type in one spelling: "const char *const *"."""
    text = re.sub(r"\s*\*\s*", "*", text.strip())
    return re.sub(r"(?<=[^* ])\*", " *", text).replace("*const", "*const ").replace("const  *", "const *").strip()


def types(parameters):
    """The types of "const char *name, size_t count"."""
    return ", ".join(spaced(re.sub(r"\b\w+$", "", p.strip()) if re.search(r"[\s*]\w+$", p.strip()) else p)
                     for p in parameters.split(","))


def split(text):
    """Declarations: what is between semicolons outside of braces."""
    for part in re.findall(r"((?:[^;{]|\{[^}]*\})+);", text):
        yield part.strip()


def declarations(compiler, include):
    """The lines of a baseline."""
    found = []
    for text in split(preprocessed(compiler, include)):
        enum = re.fullmatch(r"enum \{(.*)\}", text)
        callback = re.fullmatch(r"typedef (.*?)\(\s*\*(\w+)\)\((.*)\)", text)
        function = re.fullmatch(r"(.*?)(\w+)\((.*)\)", text)
        if re.fullmatch(r"struct \w+", text):
            continue  # named in the types of parameters
        if enum:
            for constant in filter(None, (c.strip() for c in enum.group(1).split(","))):
                name, value = constant.split("=")
                found.append(f"constant {name.strip()} {int(value)}")
        elif text.startswith("typedef struct"):
            found.append(f"type {text.split()[-1]} struct {text.split()[-1]}")
        elif callback:
            result, name, parameters = callback.groups()
            found.append(f"type {name} {spaced(result)} (*)({types(parameters)})")
        elif text.startswith("typedef"):
            target, name = text[len("typedef"):].strip().rsplit(" ", 1)
            found.append(f"type {name} {target}")
        elif function:
            result, name, parameters = function.groups()
            found.append(f"function {name} {spaced(result)} ({types(parameters)})")
        else:
            raise AssertionError(f"not understood: {text}")
    return sorted(found)


def assertion(line):
    kind, name, rest = line.split(" ", 2)
    if kind == "constant":
        condition = f"({name}) == ({rest})"
    elif kind == "function":
        condition = f"__builtin_types_compatible_p(__typeof__({name}), {rest})"
    else:
        condition = f"__builtin_types_compatible_p({name}, {rest})"
    return f'_Static_assert({condition}, "{line}");'


def missing(compiler, include, lines):
    """The lines that the headers do not have."""
    source = '#include "tonnx.h"\n' + "".join(assertion(line) + "\n" for line in lines)
    done = run(compiler, include, "-fsyntax-only", "-fmax-errors=0", source=source)
    numbers = {int(number) for number in re.findall(r"^<stdin>:(\d+):\d+: error:", done.stderr, re.MULTILINE)}
    assert (done.returncode != 0) == bool(numbers), done.stderr
    return [lines[number - 2] for number in sorted(numbers)]


def check_planted(compiler, include, lines):
    """F254: Changes of each kind are found, and an addition is not a fault."""
    changes = {
        "function tonnx_args_count": ("tonnx/args.h", "tonnx_args_count(", "tonnx_args_size("),
        "function tonnx_tensor_read": ("tonnx/tensor.h", "void *into, size_t size", "void *into, int64_t size"),
        "function tonnx_error_message": ("tonnx/error.h", "const char *TONNX_CALL tonnx_error_message",
                                         "char *TONNX_CALL tonnx_error_message"),
        "constant TONNX_DTYPE_BOOL": ("tonnx/base.h", "TONNX_DTYPE_BOOL = 11", "TONNX_DTYPE_BOOL = 12"),
        "type tonnx_write_fn": ("tonnx/base.h", "(tonnx_writer *writer, const void *data, size_t size, void *user_data)",
                                "(tonnx_writer *writer, const void *data, size_t size)"),
        "": ("tonnx/version.h", "TONNX_API uint32_t", "TONNX_API void TONNX_CALL tonnx_added(void);\nTONNX_API uint32_t"),
    }
    for fault, (header, old, new) in changes.items():
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(include, folder, dirs_exist_ok=True)
            file = pathlib.Path(folder, header)
            text = file.read_text(encoding="utf-8")
            assert old in text, f"{header} has no {old}"
            file.write_text(text.replace(old, new, 1), encoding="utf-8")
            found = missing(compiler, folder, lines)
        assert any(line.startswith(fault + " ") for line in found) if fault else not found, f"{old} -> {new}: {found}"


def main(compiler, include, baseline, *flags):
    include, baseline = pathlib.Path(include).resolve(), pathlib.Path(baseline)
    current = declarations(compiler, include)
    assert not missing(compiler, include, current), "the headers are not understood"
    if "--update" in flags:
        baseline.write_text(COMMENT + "".join(line + "\n" for line in current), encoding="utf-8")
        return
    lines = [line for line in baseline.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#")]
    faults = [f"the headers lack, or have in another form: {line}" for line in missing(compiler, include, lines)]
    if lines != sorted(lines):
        faults.append(f"{baseline} is not sorted")
    if not faults:
        check_planted(compiler, include, lines)
        print(f"{len(lines)} declarations; new: {', '.join(sorted(set(current) - set(lines))) or 'none'}")
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
