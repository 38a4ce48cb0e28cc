"""Checks that no source outside of src/aten keeps a list of operator names: operator_lists.py ROOT

What an operator means is a row of src/aten, which everybody asks. A list is three names of operators or more, one after
the other in braces, or compared one after the other. The lowering's tables and the evaluator's rules, where each name has
its own function beside it, are none.
"""

import pathlib
import re
import sys

FOLDERS = ["src/archive", "src/backend", "src/exported", "src/export", "src/lower", "src/onnx", "src/optimize", "src/program",
           "src/torch", "src/verify", "capi"]
NAME = r'"(?:aten|prim|prims|quantized|torchvision|profiler)::[\w.]+"'
IN_BRACES = re.compile(rf"{NAME}(?:[\s,{{}}]+{NAME}){{2,}}")
COMPARED = re.compile(rf"{NAME}(?:\)?\s*(?:\|\||&&)\s*!?[\w.>()-]+?\s*(?:==|!=|\()\s*{NAME}){{2,}}")


def lists(text):
    """Yields the line and the text of each list."""
    for pattern in (IN_BRACES, COMPARED):
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, " ".join(match[0].split())


def check_itself():
    kept = {
        'const Names k = {"aten::a", "aten::b.c",\n    "prim::D"};': True,
        '{{"aten::a", "aten::b"}, {"aten::c", "aten::d"}}': True,
        'if (kind == "aten::a" || kind == "aten::b" ||\n    kind == "aten::c") return;': True,
        'if (node.is("aten::a") || node.is("aten::b") || node->is("aten::c")) return;': True,
        'if (!node.is("aten::a") && !node.is("aten::b") && !node.is("aten::c")) return;': True,
        '{"aten::a", 7, f}, {"aten::b", 7, g}, {"aten::c", 9, h}': False,
        'NamedRule{"aten::a", a}, NamedRule{"aten::b", b}, NamedRule{"aten::c", c}': False,
        'if (node.is("prim::If") || node.is("prim::Loop")) return;': False,
        'constexpr std::string_view kA = "aten::a";\nconstexpr std::string_view kB = "aten::b";': False,
    }
    for text, is_list in kept.items():
        assert bool(list(lists(text))) == is_list, text


def main(root):
    check_itself()
    root = pathlib.Path(root)
    found = []
    for folder in FOLDERS:
        for file in sorted((root / folder).rglob("*")):
            if file.suffix in {".h", ".cpp"}:
                for line, text in lists(file.read_text(encoding="utf-8")):
                    found.append(f"{file.relative_to(root)}:{line}: a list of operators, {text}; make it a trait in src/aten")
    print("\n".join(found))
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main(*sys.argv[1:])
