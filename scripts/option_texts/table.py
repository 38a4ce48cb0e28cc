"""The rows of capi/options.json, and how to write names and lines."""

import textwrap


BEGIN, END = "Made from options.json by scripts/options.py.", "Made until here."


def pascal(name):
    return "".join(part.capitalize() for part in name.split("_"))


def camel(name):
    return name[0] + pascal(name)[1:]


def flag(name):
    return "--" + name.replace("_", "-")


def wrap(prefix, text, first=None):
    return textwrap.wrap(text, 120, initial_indent=first or prefix, subsequent_indent=prefix, break_on_hyphens=False,
                         break_long_words=False)


def wrap_parameters(start, parameters, end):
    """`start(a, b)end` over several lines, none broken within a parameter."""
    text = ", ".join(parameters.split(", ")).replace(" ", "\0").replace(",\0", ", ") + end.replace(" ", "\0")
    return [line.replace("\0", " ") for line in wrap(" " * len(start), text, start)]


class Option:
    def __init__(self, group, row, enums):
        self.group, self.owner = group, pascal(group)
        self.name, self.type, self.default, self.doc = row["name"], row["type"], row["default"], row["doc"]
        self.plural = row.get("plural", self.name)
        prefix = "verify_" if group == "verify_options" else ""
        self.flag, self.no_flag = flag(prefix + self.plural), flag(f"no_{prefix}{self.plural}")
        self.flags = row.get("flags", [])  # more spellings on the command line
        self.values = list(enums[self.name]["values"]) if self.type == "enum" else []
        self.positional = row.get("positional", False)  # items are matched by index, so "" skips one
        self.unsafe = row.get("unsafe")  # the safety contract of a Rust unsafe fn
        self.verb = "add" if self.type in ("names", "axes", "input_axes", "sizes", "size_lists", "tolerances") else "set"
        self.setter = f"tonnx_{group}_{self.verb}_{self.name}"
        self.constants = [f"TONNX_{self.name.upper()}_{value.upper()}" for value in self.values]

    def help(self, boolean=("false", "true"), enum=str, quote='"'):
        """The documentation and the default, in the syntax of a language."""
        if self.type == "bool":
            default = boolean[self.default]
        elif self.type == "enum":
            default = enum(self.default)
        elif self.type == "text":
            default = quote + self.default + quote or "none"
        else:
            default = self.default
        return f"{self.doc} Default: {default}."
