"""Generates the flags of the command line and docs/options.md."""

import re
import textwrap

from .table import BEGIN, END, wrap


# The command line and the reference page.

def cli_flags(options, enums):
    kinds = {"integer": "integer", "number": "number", "text": "text", "sizes": "sizes", "names": "each", "axes": "each",
             "versions": "each", "tolerances": "tolerances"}
    setters = {"axes": "add_dynamic_axis", "versions": "set_custom_opset"}
    for o in options:
        setter = setters.get(o.type, f"&{o.owner}::{o.name}")
        name = ",".join([o.flag] + o.flags)
        if o.type in ("bool", "switch"):
            name = ",".join([o.flag, "!" + o.no_flag] + o.flags)
            call = f'toggle(command, "{name}", "{o.help(("off", "on"))}", {setter});'
        elif o.type == "enum":
            spellings = list(zip(o.values, o.constants))
            spellings += [(also, dict(spellings)[value]) for also, value in enums[o.name].get("also", {}).items()]
            values = ", ".join(f'{{"{value}", {constant}}}' for value, constant in spellings)
            call = f'choice(command, "{name}", "{o.help()}", {setter}, {{{values}}});'
        else:
            items = {"names": ', "NAME"', "axes": ', "NAME:AXIS[=SYMBOL]"', "versions": ', "DOMAIN=VERSION"'}.get(o.type, "")
            kind = "each_in_place" if o.positional else kinds[o.type]
            call = f'{kind}(command, "{name}", "{o.help(quote="")}", {setter}{items});'
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
    yield "Each option has one name. C (`tonnx_options_set_NAME`, or `_add_NAME` if the call adds one item to a list;"
    yield "`tonnx_trace_options_` and `tonnx_verify_options_` for traces and verification), C++ and Rust use it as it is. Java"
    yield "uses `camelCase`. C# and Go have a property or field in `PascalCase`, with a plural name if it is a list. The command"
    yield "line has flags of `tonnx export`; those of verification start with `--verify-`. A bool has two flags, `--NAME` and"
    yield "`--no-NAME`; a flag of a list takes items separated by commas (`--verify-runtime-libraries`: one path) and may be"
    yield "repeated. In Go, a bool that is on by default is"
    yield "a `Toggle` (`tonnx.On`, `tonnx.Off`), so that the zero value means the default, and a tolerance is a pointer."
    titles = {"options": "Export", "trace_options": "Trace", "verify_options": "Verification"}
    for group, title in titles.items():
        yield ""
        yield f"## {title}"
        yield ""
        yield from table_of(groups[group], enums)
    yield ""
    yield f"<!-- {END} -->"


def table_of(options, enums):
    kinds = {"integer": "integer", "text": "string", "bool": "bool", "names": "strings", "axes": "NAME:AXIS or NAME:AXIS=SYMBOL",
             "versions": "DOMAIN=VERSION", "switch": "bool", "number": "number", "sizes": "SYMBOL=SIZE",
             "size_lists": "symbol and size", "input_axes": "input, axis and symbol", "callback": "function",
             "tolerances": "NAME=RTOL:ATOL"}
    has_flags = options[0].group != "trace_options"
    yield f"| option |{' flags |' if has_flags else ''} takes | default | what it does |"
    yield f"|---|{'---|' if has_flags else ''}---|---|---|"
    for o in options:
        spellings = [*o.values, *enums.get(o.name, {}).get("also", {})]
        takes = ", ".join(f"`{value}`" for value in spellings) if o.values else kinds[o.type]
        default = {True: "on", False: "off"}[o.default] if o.type == "bool" else str(o.default) or "none"
        name = o.name + (f" ({o.plural})" if o.plural != o.name else "")
        text = o.doc + "".join(f" `{value}`: {doc}" for value, doc in (enums[o.name]["values"].items() if o.values else ()))
        flags = ", ".join(f"`{spelling.lstrip('!')}`" for spelling in [o.flag] + o.flags)
        yield f"| {name} |{f' {flags} |' if has_flags else ''} {takes} | {cell(default)} | {cell(text)} |"
