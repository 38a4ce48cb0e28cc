"""What follows from options on the command line and in docs/options.md."""

import re
import textwrap

from .table import BEGIN, END, wrap


# The command line and the reference page.

def cli_flags(options, enums):
    kinds = {"integer": "integer", "number": "number", "text": "text", "sizes": "sizes", "names": "each", "axes": "each",
             "versions": "each"}
    setters = {"axes": "add_dynamic_axis", "versions": "set_custom_opset"}
    for o in options:
        setter = setters.get(o.type, f"&{o.owner}::{o.name}")
        name = ",".join([o.flag] + o.flags)
        if o.type in ("bool", "switch"):
            name = ",".join([o.flag, "!" + o.no_flag] + o.flags)
            call = f'toggle(command, "{name}", "{o.told(("off", "on"))}", {setter});'
        elif o.type == "enum":
            spellings = list(zip(o.values, o.constants))
            spellings += [(also, dict(spellings)[value]) for also, value in enums[o.name].get("also", {}).items()]
            values = ", ".join(f'{{"{value}", {constant}}}' for value, constant in spellings)
            call = f'choice(command, "{name}", "{o.told()}", {setter}, {{{values}}});'
        else:
            items = {"names": ', "NAME"', "axes": ', "NAME:AXIS[=SYMBOL]"', "versions": ', "DOMAIN=VERSION"'}.get(o.type, "")
            kind = "each_in_place" if o.positional else kinds[o.type]
            call = f'{kind}(command, "{name}", "{o.told(quote="")}", {setter}{items});'
        head, text, rest = re.match(r'(.*?, ".*?", )(".*?")(, .*)', call).groups()
        yield "  " + head.rstrip()
        yield from ("      " + line for line in strings(text, 112))
        yield from wrap("       ", rest[2:], "      ")


def strings(literal, width):
    """One C++ literal on several lines."""
    lines = textwrap.wrap(literal[1:-1], width, drop_whitespace=False, break_on_hyphens=False)
    return [f'"{line}"' + ("," if i == len(lines) - 1 else "") for i, line in enumerate(lines)]


def cell(text):
    return text.replace("|", "\\|")


def reference(groups, enums):
    yield "# Options"
    yield ""
    yield f"<!-- {BEGIN} -->"
    yield ""
    yield "Each option has one name. It stands as it is in C (`tonnx_options_set_NAME`, or `_add_NAME` where it is given once an"
    yield "item; `tonnx_trace_options_` and `tonnx_verify_options_` for traces and verification), C++ and Rust; as `camelCase` in"
    yield "Java; as a property or field in `PascalCase` in C# and Go, in the plural where it holds several; and as a flag of"
    yield "`tonnx export`, those of verification behind `--verify-`. A switch has a flag `--NAME` and a flag `--no-NAME`; flags of"
    yield "several items take them separated by commas, or may be repeated. In Go, a switch that is on by default is a `Toggle`"
    yield "(`tonnx.On`, `tonnx.Off`), so that the zero value stays the default, and a tolerance a pointer."
    titles = {"options": "Of an export", "trace_options": "Of a trace", "verify_options": "Of a verification"}
    for group, title in titles.items():
        yield ""
        yield f"## {title}"
        yield ""
        yield from table_of(groups[group], enums)
    yield ""
    yield f"<!-- {END} -->"


def table_of(options, enums):
    kinds = {"integer": "integer", "text": "text", "bool": "bool", "names": "texts", "axes": "NAME:AXIS or NAME:AXIS=SYMBOL",
             "versions": "DOMAIN=VERSION", "switch": "bool", "number": "number", "sizes": "SYMBOL=SIZE",
             "size_lists": "symbol and size", "input_axes": "input, axis and symbol", "callback": "function"}
    has_flags = options[0].group != "trace_options"
    yield f"| option |{' flags |' if has_flags else ''} takes | default | what it does |"
    yield f"|---|{'---|' if has_flags else ''}---|---|---|"
    for o in options:
        spellings = [*o.values, *enums.get(o.name, {}).get("also", {})]
        takes = ", ".join(f"`{value}`" for value in spellings) if o.values else kinds[o.type]
        default = {True: "on", False: "off"}[o.default] if o.type == "bool" else str(o.default)
        name = o.name + (f" ({o.plural})" if o.plural != o.name else "")
        text = o.doc + "".join(f" `{value}`: {doc}" for value, doc in (enums[o.name]["values"].items() if o.values else ()))
        flags = ", ".join(f"`{spelling.lstrip('!')}`" for spelling in [o.flag] + o.flags)
        yield f"| {name} |{f' {flags} |' if has_flags else ''} {takes} | {cell(default)} | {cell(text)} |"
