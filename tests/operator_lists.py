"""Checks that no source outside of src/aten keeps a list of operator names or reads one: operator_lists.py ROOT

The properties of LibTorch's operators are rows of src/aten, and those of ONNX's are rows of src/ir/onnx_traits.cpp; all folders query
them. Of ONNX's names, only lists and tables are reported, also in src/aten and src/ir. Reported are, of names, their constants and
LibTorch's symbols:
  list      three or more in braces, or as labels of one case
  chain     three or more compared within a few lines of one function; in src/aten, six or more
  table     three or more in rows that have data and not a function of their own
  parsed    the beginning, the end or a part of a name compared
  bare      three or more in braces without their domain
  second    three or more in rows whose first word is another name
  twice     one name in two rows of a table, for the same opset
The lowering's tables and the evaluator's rules pair each name with a function of its own and are allowed. EXCEPTIONS lists the
allowed findings with their reasons; one that is not found any more is reported as well.
"""

import pathlib
import re
import sys

FOLDERS = ["src/archive", "src/backend", "src/cli", "src/exported", "src/export", "src/lower", "src/onnx", "src/optimize",
           "src/program", "src/torch", "src/verify", "capi"]
HOME = "src/aten"
# The rows of ONNX's operators, and the only table of its kernels.
ONNX_HOMES = ("src/ir/onnx_traits.cpp", "src/ir/runtime_gaps.cpp")
ONNX_FOLDERS = ["src/aten", "src/ir", "src/verify", *(folder for folder in FOLDERS if folder != "src/verify")]
# Folders that may have no table of names at all.
WITHOUT_TABLES = ("src/program/", "src/export/", "src/optimize/", "src/onnx/", "capi/")
CLOSE = 4  # lines between two comparisons of one chain
LONGEST_AT_HOME = 5  # names of a chain in src/aten; longer ones are rows of a table

# (file, kind) -> why it stays.
EXCEPTIONS = {
    ("src/torch/code_walk.cpp", "chain"): "calls are forms of LibTorch's own graphs, which no program in the IR has",
    ("src/torch/object_forms.cpp", "chain"): "objects are made and changed by forms of LibTorch's own graphs, which no program in the IR has",
    ("src/torch/graph_import_nodes.cpp", "list"): "calls are forms of LibTorch's own graphs, which no program in the IR has",
    ("src/exported/number_reader.cpp", "second"): "Python's functions of numbers, as archives of torch.export name them",
    ("src/lower/scatter.cpp", "bare"): "values of ScatterElements' attribute",
    ("src/torch/sketch.cpp", "bare"): "kernels that are replaced, for what they cost",
    ("src/torch/source_names.cpp", "bare"): "names of Python's module math",
    ("src/torch/source_text.cpp", "bare"): "names of Python's module builtins",
}

DOMAINS = r"(?:aten|prim|prims|quantized|quantized_decomposed|torchvision|profiler|tonnx|c10d)"
NAME = rf'(?:"{DOMAINS}(?:::|\.)[\w.]+"|c10::(?:aten|prim)::\w+|@\w+@)'
CONSTANT = re.compile(rf'\b(k[A-Z]\w*)(?:\[\])?\s*=\s*"{DOMAINS}::[\w.]+"\s*;')
# Of the IR itself: what has blocks or is an edge of one, and values that no operator makes.
FORMS = {f'"prim::{form}"' for form in ("If", "Loop", "Param", "Return", "Constant", "Uninitialized")}
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)

IN_BRACES = re.compile(rf"{NAME}(?:[\s,{{}}]+{NAME}){{2,}}")
CASES = re.compile(rf"case\s+{NAME}:(?:\s*case\s+{NAME}:){{2,}}")
COMPARED = re.compile(rf"(?:\bis\(|==\s*|!=\s*){NAME}|{NAME}\s*(?:==|!=)")
ROW = rf"(?:\w+\s*)?\{{\s*{NAME}\s*,((?:[^{{}};]|\{{[^{{}};]*\}})*)\}}"
ROWS = re.compile(rf"{ROW}(?:\s*,\s*{ROW}){{2,}}")
OF_A_ROW = re.compile(ROW)
# An opset, a function or a call that makes one, and a number or a constant for it.
FUNCTION = re.compile(r"\s*(?:\d+\s*,\s*)?(?:[a-z_]\w*|&\w+::[a-z]\w*)(?:<[^;]*>)?(?:\([^;]*\))?\s*(?:,\s*[\w:.<>]+\s*)*")
SECOND = re.compile(rf'\{{\s*"[\w.]+"\s*,\s*{NAME}[^{{}}]*\}}(?:\s*,\s*\{{[^{{}}]*\}}){{2,}}')
WORDS = re.compile(r'\{\s*"\w+"(?:\s*,\s*"\w+"){2,}\s*,?\s*\}')
KEY_OF_A_ROW = re.compile(rf"\{{\s*({NAME}\s*(?:,\s*\d+)?)")
PARSED = re.compile(r"\b(?:op|kind|full_name|toQualString|toUnqualString)\(\)\s*\.\s*(?:starts_with|ends_with|find|contains|rfind)\("
                    rf'|\b(?:op|kind|name)\.(?:starts|ends)_with\("(?:{DOMAINS}::\w*|_|_like|new_)"\)')


def is_bare_list(words, operators):
    known = [word for word in re.findall(r'"(\w+)"', words) if word in operators]
    return len(known) > 2 and 2 * len(known) > words.count('"') / 2


def without_comments(text):
    return COMMENT.sub(lambda comment: re.sub(r"[^\n]", " ", comment[0]), text)


def with_constants(text):
    """Constants that are names of operators become @constant@ where they are read."""
    for constant in set(CONSTANT.findall(text)):
        text = re.sub(rf"\b{constant}\b(?!(?:\[\])?\s*=[^=])", f"@{constant}@", text)
    return text


def is_data(row):
    return not FUNCTION.fullmatch(row[1])


def chains(text):
    """The comparisons of each chain: a function ends at a line that begins with a brace."""
    run = []
    for match in COMPARED.finditer(text):
        between = text[run[-1].end():match.start()] if run else ""
        if run and (between.count("\n") > CLOSE or "\n}" in between):
            yield run
            run = []
        run.append(match)
    yield run


def findings(text, may_have_tables=True, operators=frozenset(("a", "b", "c"))):
    """Yields the kind, the offset and the text of each finding."""
    text = with_constants(without_comments(text))
    for kind, pattern in (("list", IN_BRACES), ("list", CASES), ("parsed", PARSED)):
        for match in pattern.finditer(text):
            yield kind, match.start(), match[0]
    for chain in chains(text):
        names = [re.search(NAME, match[0])[0] for match in chain]
        if len(set(names) - FORMS) > 2:
            yield "chain", chain[0].start(), ", ".join(names)
    for match in ROWS.finditer(text):
        if not may_have_tables or any(is_data(row) for row in OF_A_ROW.finditer(match[0])):
            yield "table", match.start(), match[0][:120]
        keys = ["".join(key.split()) for key in KEY_OF_A_ROW.findall(match[0])]
        for key in sorted({key for key in keys if keys.count(key) > 1}):
            yield "twice", match.start(), key
    for match in SECOND.finditer(text):
        yield "second", match.start(), match[0][:120]
    for match in WORDS.finditer(text):
        if is_bare_list(match[0], operators):
            yield "bare", match.start(), match[0][:120]


def onnx_findings(text, operators):
    """Lists and tables of ONNX operators: three or more names in braces, with their domain or without."""
    text = without_comments(text)
    for match in re.finditer(r'"onnx::\w+"(?:[\s,{}]+"onnx::\w+"){2,}', text):
        yield "list", match.start(), match[0][:120]
    for match in re.finditer(r'\{\s*"onnx::\w+"\s*,[^{}]*\}(?:\s*,\s*\{\s*"onnx::\w+"\s*,[^{}]*\}){2,}', text):
        yield "table", match.start(), match[0][:120]
    for match in WORDS.finditer(text):
        if is_bare_list(match[0], operators):
            yield "bare", match.start(), match[0][:120]


def check_itself():
    for planted in ('{"onnx::A", "onnx::B", "onnx::C"}', '{{"onnx::A", 1}, {"onnx::B", 2}, {"onnx::C", 3}}', '({"Abs", "Add", "And"})'):
        assert len(list(onnx_findings(planted, {"Abs", "Add", "And"}))) == 1, planted
    assert not list(onnx_findings('b.op("Abs"); node.is("onnx::A") || node.is("onnx::B") || node.is("onnx::C")', {"Abs"}))
    kept = {
        'const Names k = {"aten::a", "aten::b.c",\n    "prim::D"};': "list",
        '{{"aten::a", "aten::b"}, {"aten::c", "aten::d"}}': "list",
        'constexpr const char* kA = "aten::a";\nconstexpr std::string_view kB[] = "aten::b";\nf({kA, kB, "aten::c"});': "list",
        "static const std::set<c10::Symbol> k = {c10::aten::a, c10::aten::b, c10::prim::c};": "list",
        "switch (kind) {\n  case c10::prim::A:\n  case c10::prim::B:\n  case c10::aten::c:\n    return true;": "list",
        'if (kind == "aten::a" || kind == "aten::b" ||\n    kind == "aten::c") return;': "chain",
        'if (node.is("aten::a") || x || node.is("aten::b")) return;\n  if (node->is("aten::c")) return;': "chain",
        'if (kind == c10::aten::a || kind != c10::aten::b || c10::aten::c == kind)': "chain",
        'return node.is("aten::a") ? 1 : node.is("aten::b") ? 2 : node.is("aten::c") ? 3 : 4;': "chain",
        '{"aten::a", Kind::A}, {"aten::b", Kind::B}, {"aten::c", Kind::C}': "table",
        '{"aten::a", 1}, {"aten::b", 2}, {"aten::c", 3}': "table",
        '{"aten::a", {.x = true}}, {"aten::b", {}}, {"aten::c", {.y = 2}}': "table",
        '{"aten::a", &Import::convert_a}, {"prim::B", &Import::convert_b}, {"prim::C", &Import::convert_c}': None,
        'if (node.is("prim::If") || node.is("prim::Loop") || node.is("prim::Param") || node.is("aten::a")) return;': None,
        'if (node.op().ends_with("fp16")) return;': "parsed",
        'if (name.starts_with("aten::new_")) return;': "parsed",
        'return kind.ends_with("_");': "parsed",
        '{"aten::a", 7, f}, {"aten::b", 7, g<Kind::A, 2>}, {"aten::c", 9, h}': None,
        'NamedRule{"aten::a", a}, NamedRule{"aten::b", b}, NamedRule{"aten::c", c}': None,
        'if (node.is("prim::If") || node.is("prim::Loop")) return;': None,
        'if (a.is("aten::a"))\n  return;\n}\n\nf(b.is("aten::b") || b.is("aten::c"));': None,
        'constexpr std::string_view kA = "aten::a";\nconstexpr std::string_view kB = "aten::b";': None,
        '// {"aten::a", "aten::b", "aten::c"}': None,
        'for (const char* name : {"a", "b", "c"}) f(name);': "bare",
        'for (const char* name : {"a", "self", "other", "b", "c", "dim"}) f(name);': None,
        '{"_operator.a", "aten::a"}, {"_operator.b", "aten::b"}, {"c", "aten::c"}': "second",
        '{"aten::a", f}, {"aten::b", f}, {"aten::a", f}': "twice",
        '{"aten::a", 7, f}, {"aten::b", 7, f}, {"aten::a", 9, g}': None,
    }
    for text, kind in kept.items():
        found = {found for found, _, _ in findings(text)}
        assert found == ({kind} if kind else set()), (text, found)
    assert [kind for kind, _, _ in findings('{"aten::a", f}, {"aten::b", f}, {"aten::c", f}', False)] == ["table"]


def main(root):
    check_itself()
    root = pathlib.Path(root)
    reported, used = [], set()
    operators = set(re.findall(rf"{DOMAINS}::(\w+)", (root / "src/aten/schemas.inc").read_text(encoding="utf-8")))
    for folder in [*FOLDERS, HOME]:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix not in {".h", ".cpp"}:
                continue
            name = str(file.relative_to(root))
            text = file.read_text(encoding="utf-8")
            for kind, place, what in findings(text, not name.startswith(WITHOUT_TABLES), operators):
                if folder == HOME and kind != "twice" and not (kind == "chain" and what.count(",") >= LONGEST_AT_HOME):
                    continue
                used.add((name, kind))
                if (name, kind) not in EXCEPTIONS:
                    reported.append(f"{name}:{text.count(chr(10), 0, place) + 1}: {kind} of operators, {' '.join(what.split())}; "
                                + ("one of them is never read" if kind == "twice" else "make it a row of a table in src/aten"))
    onnx_operators = set(re.findall(r'^    \{"(\w+)",', (root / ONNX_HOMES[0]).read_text(encoding="utf-8"), re.MULTILINE))
    assert len(onnx_operators) > 100, onnx_operators
    for file in sorted(file for folder in ONNX_FOLDERS for file in (root / folder).rglob("*")):
        name = str(file.relative_to(root))
        if file.suffix not in {".h", ".cpp"} or name in ONNX_HOMES:
            continue
        text = file.read_text(encoding="utf-8")
        for kind, place, what in onnx_findings(text, onnx_operators):
            used.add((name, kind))
            if (name, kind) not in EXCEPTIONS:
                reported.append(f"{name}:{text.count(chr(10), 0, place) + 1}: {kind} of ONNX operators, {' '.join(what.split())}; "
                            "make it a trait in src/ir/onnx_traits.cpp")
    reported += [f"{name}: no {kind} is left; take it out of EXCEPTIONS" for name, kind in EXCEPTIONS if (name, kind) not in used]
    print("\n".join(reported))
    sys.exit(1 if reported else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
