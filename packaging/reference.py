"""The reference of the C API as one HTML page, made of the comments and declarations of its headers."""

import html
import re

INCLUDED = re.compile(r'^#include "tonnx/(\w+)\.h"', re.MULTILINE)
GUARD = re.compile(r"#(?:ifndef|define|endif|include|if|else|ifdef)\b(?! TONNX_VERSION_M| TONNX_VERSION_P).*|TONNX_(?:BEGIN|END)_DECLS")
PART = re.compile(r"/\*(.*?)\*/", re.DOTALL)
NAME = re.compile(r"\b(?:tonnx_\w+|TONNX_[A-Z]\w+)\b")
# The kind of a declaration: a function, a type, a constant or a macro.
DECLARED = (
    re.compile(r"TONNX_API [^(;]*?\b(tonnx_\w+)\("),
    re.compile(r"\((?:TONNX_CALL )?\*(tonnx_\w+)\)\("),
    re.compile(r"typedef (?!.*\((?:TONNX_CALL )?\*)[^;]*\b(tonnx_\w+);"),
    re.compile(r"^\s*(TONNX_\w+) =", re.MULTILINE),
    re.compile(r"#define (TONNX_\w+)"),
)
STYLE = """body { max-width: 60em; margin: 2em auto; padding: 0 1em; font: 16px/1.5 sans-serif; color: #1a1a1a; }
pre { background: #f2f4f8; padding: .6em .8em; overflow-x: auto; border-radius: 5px; }
nav { columns: 3; font-family: monospace; font-size: 14px; } a { color: #0b57d0; text-decoration: none; }"""


def groups(text):
    """The header's parts that blank lines separate: [[(is_comment, text), ...], ...]"""
    lines = [line for line in text.replace("\\\n", " ").splitlines() if not GUARD.fullmatch(line.strip())]
    found, depth, current = [], 0, []
    for line in lines:
        # A blank line inside braces or a comment separates nothing.
        if not line.strip() and depth == 0:
            found.append("\n".join(current))
            current = []
        else:
            current.append(line)
        depth += line.count("{") + line.count("/*") - line.count("}") - line.count("*/")
    found.append("\n".join(current))
    return [parts(group) for group in found if group.strip()]


def parts(group):
    """Comments before declarations, and code with the comments inside it."""
    result, code, end = [], "", 0
    for comment in PART.finditer(group):
        before = group[end:comment.start()]
        if before.strip() and not before.endswith("\n") or "{" in (code + before) and "}" not in (code + before):
            code += before + comment[0]
        else:
            code += before
            if code.strip():
                result.append((False, code))
            code = ""
            result.append((True, re.sub(r"\n \* ?", "\n", comment[1])))
        end = comment.end()
    code += group[end:]
    return result + [(False, code)] if code.strip() else result


def declared(code):
    return [name for pattern in DECLARED for name in pattern.findall(PART.sub("", code))]


def reference(folder, version):
    """The page for the headers in this folder, which has tonnx.h."""
    all_of_them = (folder / "tonnx.h").read_text(encoding="utf-8")
    headers = {name: groups((folder / "tonnx" / f"{name}.h").read_text(encoding="utf-8")) for name in INCLUDED.findall(all_of_them)}
    rules = [text for group in groups(all_of_them) for is_comment, text in group if is_comment]
    all_names = {name for header in headers.values() for group in header for is_comment, text in group if not is_comment
                 for name in declared(text)}

    def linked(text):
        return NAME.sub(lambda found: f'<a href="#{found[0]}">{found[0]}</a>' if found[0] in all_names else found[0],
                        html.escape(text))

    def paragraphs(text):
        return "\n".join(f"<p>{linked(part)}</p>" for part in re.split(r"\n\s*\n", text.strip()))

    body, index = [paragraphs(rule) for rule in rules], []
    for name, header in headers.items():
        body.append(f'<h2 id="{name}.h">tonnx/{name}.h</h2>')
        index.append(f'<a href="#{name}.h"><b>{name}.h</b></a>')
        for group in header:
            for is_comment, text in group:
                if is_comment:
                    body.append(paragraphs(text))
                else:
                    own = declared(text)
                    anchors = "".join(f'<a id="{item}"></a>' for item in own)
                    body.append(f"{anchors}<pre>{linked(text.strip(chr(10)))}</pre>")
                    index += [f'<a href="#{item}">{item}</a>' for item in own if item.startswith("tonnx_")]
    return (f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>tonnx {version}: C reference</title>\n'
            f"<style>{STYLE}</style></head>\n<body>\n<h1>tonnx {version}: C reference</h1>\n"
            + "\n".join(body[:len(rules)]) + f"\n<nav>{'<br>'.join(index)}</nav>\n" + "\n".join(body[len(rules):])
            + "\n</body>\n</html>\n")
