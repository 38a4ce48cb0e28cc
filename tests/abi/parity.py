"""Checks that each language has all of the C API: parity.py ROOT

The headers of C++, Go, both crates of Rust and SWIG's classes use each function of capi/symbols.txt. Java and C# use each member of
SWIG's classes. tests/abi/unbound.txt lists the exceptions with their reasons. Each language has each constant of the headers,
with its value. The crate tonnx exports all of its enums and structs.
"""

import pathlib
import re
import sys

SWIG = "bindings/swig"
JAVA, CSHARP = f"{SWIG}/java/src/main", f"{SWIG}/csharp/Tonnx"
# Constants by the start of their names, and the enum that holds them in Java and C#.
ENUMS = {
    "TONNX_DTYPE_": "Dtype", "TONNX_MODE_": "Mode", "TONNX_TRAINING_": "Training",
    "TONNX_INITIALIZERS_AS_INPUTS_": "InitializersAsInputs", "TONNX_FIXED_DYNAMIC_AXES_": "FixedDynamicAxes",
    "TONNX_OPERATOR_EXPORT_TYPE_": "OperatorExportType", "TONNX_TARGET_": "Target",
    "TONNX_EXTERNAL_DATA_": "ExternalData", "TONNX_TEXT_": "TextFormat", "TONNX_SYMBOLIC_": None, "TONNX_VERSION_": None,
    "TONNX_EVENT_": "EventKind", "TONNX_KIND_": "Kind", "TONNX_LEVEL_": "Level", "TONNX_CATEGORY_": "Category",
    "TONNX_STATUS_": "Status",
}
NO_STATUS = "TONNX_STATUS_OK"  # no language has an exception for success
# Members of C++ through which its others take texts, errors and callbacks.
CPP_OWN = {"take", "Error", "run", "fail", "make"}


def read(root, *places):
    """The text of files, and of all files in folders."""
    files = []
    for place in places:
        path = root / place
        files += [path] if path.is_file() else sorted(p for p in path.rglob("*") if p.suffix in CODE)
    return "\n".join(strip_comments(file.read_text(encoding="utf-8")) for file in files)


CODE = {".h", ".hpp", ".go", ".rs", ".java", ".cs", ".c"}


def strip_comments(text):
    return re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.DOTALL)


def words(text):
    return set(re.findall(r"\w+", text))


def unbound(root):
    """(language, name) that may be missing; each line is a language, a name and a reason."""
    listed = {}
    for line in (root / "tests/abi/unbound.txt").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            language, name, reason = line.split(None, 2)
            assert (language, name) not in listed, f"unbound.txt: {language} {name} is listed twice"
            listed[language, name] = reason
    return listed


def cpp_members(text):
    """For each C function that the headers of C++ use, the members and functions there that use it."""
    users, current = {}, None
    for line in text.splitlines():
        start = re.match(r"(?: {0,2})(?! )(?:[\w:<>&*,\[\]]+ )*[&*]?(?:\w+::)?(~?\w+)\(", line)
        if start and ("{" in line or line[-1:] != ";") and not line.strip().startswith(("return", "if", "for")):
            current = start.group(1)
        for name in re.findall(r"\btonnx_\w+", line):
            if current:
                users.setdefault(name, set()).add(current)
    return users


def swig_uses(name, swig, users):
    if re.search(rf"\b{name}\b", swig):
        return True
    for user in users.get(name, ()):
        # A constructor of a class that SWIG's classes hold, or a member that they call.
        if user[0].isupper() and re.search(rf"\b(tonnx::)?{user}\b", swig):
            return True
        if re.search(rf"(\.|->|tonnx::|\b[A-Z]\w*::){user}\(", swig):
            return True
    return name.endswith("_free") or bool(users.get(name, set()) & CPP_OWN)


def swig_members(text):
    """The members that SWIG wraps: those outside of #ifndef SWIG."""
    text = re.sub(r"#ifndef SWIG\n.*?#endif", "", text, flags=re.DOTALL)
    text = re.sub(r" private:.*?\n};", "\n};", text, flags=re.DOTALL)
    found = re.findall(r"^ {0,2}(?:static |inline |virtual )*[\w:<>*& ]+?[ *&](\w+)\(", text, re.MULTILINE)
    return {name for name in found if not name[0].isupper() and name[-1] != "_" and name not in ("if", "for", "return", "while", "switch")}


def constants(text):
    found = dict(re.findall(r"\b(TONNX_[A-Z0-9_]+)\s*=\s*(\d+)", text))
    return {name: int(value) for name, value in found.items()}


def enum_of(name):
    return next((prefix, enum) for prefix, enum in ENUMS.items() if name.startswith(prefix))


def plain(name):
    return name.replace("_", "").upper()


def enum_values(text, pattern):
    """Enum name -> value name without underscores -> value."""
    found = {}
    for name, body in re.findall(r"\benum (\w+) {(.*?)}", text, re.DOTALL):
        found[name] = {plain(value): int(number) for value, number in re.findall(pattern, body)}
    return found


def missing_functions(root):
    lines = (root / "capi/symbols.txt").read_text(encoding="utf-8").splitlines()
    symbols = [line.split()[0] for line in lines if line.strip() and not line.startswith("#")]
    cpp = read(root, *(f"capi/tonnx/{header.name}" for header in sorted((root / "capi/tonnx").glob("*.hpp"))))
    swig = read(root, *(f"{SWIG}/{h}.h" for h in ("values", "reader", "call", "export", "error", "trace")))
    texts = {"cpp": words(cpp), "go": words(read(root, "bindings/go")),
             "rust-sys": words(read(root, "bindings/rust/tonnx-sys/src")), "rust": words(read(root, "bindings/rust/tonnx/src"))}
    users = cpp_members(cpp)
    for name in symbols:
        for language, used in texts.items():
            if name not in used:
                yield language, name
        if not swig_uses(name, swig, users):
            yield "swig", name
    java, csharp = words(read(root, JAVA)), words(read(root, CSHARP))
    for member in sorted(swig_members(swig)):
        if member not in csharp:
            yield "csharp", member
        if member[0] + "".join(part.capitalize() for part in member.split("_"))[1:] not in java:
            yield "java", member


def missing_constants(root):
    known = constants(read(root, "capi/tonnx"))
    assert len(known) > 40, "the headers' constants are not found"
    sys_values = {name: int(value) for name, value in re.findall(r"pub const (TONNX_\w+): \w+ = (\d+);",
                                                                read(root, "bindings/rust/tonnx-sys/src"))}
    go = words(read(root, "bindings/go"))
    managed = {
        "java": enum_values(read(root, JAVA), r"(\w+)\((\d+)\)"),
        "csharp": enum_values(read(root, CSHARP), r"(\w+) = (\d+)"),
    }
    for name, value in known.items():
        if sys_values.get(name) != value:
            yield "rust-sys", name
        if name not in go:
            yield "go", name
        prefix, enum = enum_of(name)
        if enum is None or name == NO_STATUS:
            continue
        for language, enums in managed.items():
            if enums.get(enum, {}).get(plain(name[len(prefix):])) != value:
                yield language, name
    for language, enums in managed.items():
        for prefix, enum in ENUMS.items():
            names = {plain(name[len(prefix):]) for name in known if enum_of(name)[1] == enum}
            for extra in sorted(set(enums.get(enum, {})) - names) if enum else ():
                yield language, f"{enum}.{extra}"


def hidden_types(root):
    """Types of the crate tonnx that its users cannot name."""
    exports = re.findall(r"\bpub use ([^;]+);", read(root, "bindings/rust/tonnx/src/lib.rs"))
    known = words(" ".join(exports))
    for name in re.findall(r"^ *pub (?:enum|struct) (\w+)", read(root, "bindings/rust/tonnx/src"), re.MULTILINE):
        if name not in known:
            yield "rust", name


def main(root):
    root = pathlib.Path(root)
    allowed = unbound(root)
    missing = {*missing_functions(root), *missing_constants(root), *hidden_types(root)}
    faults = [f"{language} lacks {name}, or has it with another value; use it, or add the reason to tests/abi/unbound.txt"
              for language, name in sorted(missing - set(allowed))]
    faults += [f"tests/abi/unbound.txt: {language} has {name}" for language, name in sorted(set(allowed) - missing)]
    print("\n".join(faults))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
