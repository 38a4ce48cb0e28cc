"""Writes what follows from capi/options.json: setters, enums, flags and docs/options.md; see CONTRIBUTING.md.

    options.py            writes the files
    options.py --check    writes nothing, and fails where a file is not what it would write

A file holds what is made between a line "Made from options.json by scripts/options.py." and a line "Made until here.";
what stands around it is written by hand.
"""

import difflib
import json
import pathlib
import re
import sys
import textwrap

ROOT = pathlib.Path(__file__).resolve().parent.parent
BEGIN, END = "Made from options.json by scripts/options.py.", "Made until here."
JAVA = "bindings/swig/java/src/main/java/org/tonnx/"


def pascal(name):
    return "".join(part.capitalize() for part in name.split("_"))


def camel(name):
    return name[0] + pascal(name)[1:]


def flag(name):
    return "--" + name.replace("_", "-")


def wrap(prefix, text, first=None):
    return textwrap.wrap(text, 120, initial_indent=first or prefix, subsequent_indent=prefix, break_on_hyphens=False)


def wrap_parameters(start, parameters, end):
    """`start(a, b)end` over several lines, none broken within a parameter."""
    text = ", ".join(parameters.split(", ")).replace(" ", "\0").replace(",\0", ", ") + end.replace(" ", "\0")
    return [line.replace("\0", " ") for line in wrap(" " * len(start), text, start)]


class Option:
    def __init__(self, row, enums):
        self.name, self.type, self.default, self.doc = row["name"], row["type"], row["default"], row["doc"]
        self.plural = row.get("plural", self.name)
        self.flags = row.get("flags", [])  # further spellings of the command line's
        self.values = list(enums[self.name]["values"]) if self.type == "enum" else []
        self.verb = "add" if self.type in ("names", "axes") else "set"
        self.setter = f"tonnx_options_{self.verb}_{self.name}"
        self.constants = [f"TONNX_{self.name.upper()}_{value.upper()}" for value in self.values]

    def told(self, boolean=("false", "true"), enum=str, quote='"'):
        """The documentation and the default, in the words of a language."""
        if self.type == "bool":
            default = boolean[self.default]
        elif self.type == "enum":
            default = enum(self.default)
        elif self.type == "text":
            default = quote + self.default + quote
        else:
            default = self.default
        return f"{self.doc} Default: {default}."


# C: declarations, definitions, names, calls with NULL.

C_PARAMETERS = {
    "integer": "int32_t value", "text": "const char *value", "enum": "int32_t value", "bool": "int32_t enabled",
    "names": "const char *name", "axes": "const char *name, int64_t axis, const char *symbol",
    "versions": "const char *domain, int64_t version",
}


def c_header(options, enums):
    for o in options:
        yield ""
        if o.values:
            yield "enum {"
            for i, (name, doc) in enumerate(zip(o.constants, enums[o.name]["values"].values())):
                yield f"  {name} = {i}{',' if i + 1 < len(o.values) else ''} /* {doc} */"
            yield "};"
        text = o.told(("0", "1"), lambda value: f"TONNX_{o.name.upper()}_{value.upper()}")
        yield from (line.replace("\0", " ") for line in wrap(" * ", text + "\0*/", "/* "))
        yield from wrap_parameters(f"TONNX_API tonnx_status {o.setter}(",
                                   f"tonnx_options *options, {C_PARAMETERS[o.type]}, tonnx_error **error", ");")


def c_source(options, enums):
    for o in options:
        if o.type in ("integer", "axes", "versions"):
            continue  # by hand
        yield ""
        parameters = C_PARAMETERS[o.type].replace(" *", "* ")
        yield from wrap_parameters(f"tonnx_status {o.setter}(", f"tonnx_options* options, {parameters}, tonnx_error** error", ") {")
        if o.type == "bool":
            yield f"  return set(options, error, [&](auto& o) {{ o.{o.name} = enabled != 0; }});"
        elif o.type == "enum":
            yield "  return set(options, error,"
            yield f'             [&](auto& o) {{ choose(o.{o.name}, value, {len(o.values)}, "{o.name}"); }});'
        elif o.type == "text":
            yield f'  return set(options, error, [&](auto& o) {{ o.{o.name} = text(value, "value"); }});'
        else:
            yield f'  return set(options, error, [&](auto& o) {{ o.{o.plural}.push_back(text(name, "name")); }});'
        yield "}"


def c_nulls(options, enums):
    rest = {"integer": "17", "text": '"x"', "enum": "0", "bool": "1", "names": '"x"', "axes": '"x", 0, NULL', "versions": '"x", 1'}
    for o in options:
        yield f"  REFUSES({o.setter}, NULL, {rest[o.type]});"
    yield "  tonnx_options_new(&options, NULL);"
    for o in options:
        if rest[o.type].startswith('"'):
            yield f"  REFUSES({o.setter}, options, {rest[o.type].replace(chr(34) + 'x' + chr(34), 'NULL')});"


def symbols(text, options):
    kept = [line for line in text.splitlines() if not re.match("tonnx_options_(add|set)_", line)]
    return "\n".join(sorted(kept + [o.setter for o in options])) + "\n"


# C++ and the classes that SWIG wraps.

def cpp_parameters(o):
    return {
        "integer": "std::int32_t v", "enum": "std::int32_t v", "bool": "bool v", "text": "const std::string& v",
        "names": "const std::string& v", "axes": "const std::string& name, std::int64_t axis, const std::string& symbol = {}",
        "versions": "const std::string& domain, std::int64_t version",
    }[o.type]


def core_fields(options, enums):
    kinds = {"integer": "std::int32_t", "text": "std::string", "bool": "bool", "names": "std::vector<std::string>",
             "axes": "std::vector<DynamicAxis>", "versions": "std::vector<std::pair<std::string, std::int64_t>>"}
    for o in options:
        value = {"integer": str(o.default), "text": f'"{o.default}"', "bool": str(o.default).lower(),
                 "enum": f"{pascal(o.name)}::{pascal(str(o.default))}"}.get(o.type)
        yield from wrap("  // ", o.doc)
        yield f"  {kinds.get(o.type, pascal(o.name))} {o.plural}" + (f" = {value};" if value else ";")


def core_enums(options, enums):
    for name, enum in enums.items():
        yield f"enum class {pascal(name)} : std::int32_t {{ {', '.join(pascal(value) for value in enum['values'])} }};"


def cpp_header(options, enums):
    passed = {"integer": "v", "enum": "v", "bool": "v", "text": "v.c_str()", "names": "v.c_str()",
              "axes": "name.c_str(), axis, given", "versions": "domain.c_str(), version"}
    for o in options:
        yield ""
        yield from wrap("  // ", o.told(enum=lambda value: f"TONNX_{o.name.upper()}_{value.upper()}"))
        yield f"  Options& {o.name}({cpp_parameters(o)}) {{"
        if o.type == "axes":
            yield "    const char* given = symbol.empty() ? nullptr : symbol.c_str();"
        yield f"    return run([&](auto* o, auto** e) {{ return {o.setter}(o, {passed[o.type]}, e); }});"
        yield "  }"


def swig_header(options, enums):
    for o in options:
        parameters = cpp_parameters(o).replace("std::int", "int").replace(" = {}", "")
        names = ", ".join(parameter.split()[-1] for parameter in parameters.split(", "))
        line = f"  void {o.name}({parameters}) {{ options_.{o.name}({names}); }}"
        yield from [line] if len(line) <= 120 else (line[:line.index("{ ") + 1], "    " + line[line.index("{ ") + 2:-2], "  }")


# Java.

def java_setters(options, enums):
    java = {
        "integer": ("int version", "version"), "text": ("String name", "name"), "enum": ("{0} mode", "code"),
        "bool": ("boolean enabled", "enabled"), "names": ("String name", "name"),
        "axes": ("String name, long axis, String symbol", "name, axis, symbol"),
        "versions": ("String domain, long version", "domain, version"),
    }
    for o in options:
        parameters, passed = java[o.type]
        parameters = parameters.format(pascal(o.name))
        yield ""
        yield "  /**"
        yield from wrap("   * ", o.told(enum=lambda value: f"{{@link {pascal(o.name)}#{value.upper()}}}"))
        yield "   *"
        for parameter in parameters.split(", "):
            yield f"   * @param {parameter.split()[-1]} the {parameter.split()[-1]}"
        yield "   * @return this"
        yield "   */"
        yield f"  public Options {camel(o.name)}({parameters}) {{"
        for parameter in parameters.split(", "):
            kind, name = parameter.split()
            if kind == "String":
                yield f'    Objects.requireNonNull({name}, "{name}");'
        if o.type == "enum":
            yield "    int code = mode.code;"
        yield f"    settings.add(peer -> peer.{camel(o.name)}({passed}));"
        yield "    return this;"
        yield "  }"


def java_enum(name, enum):
    yield "package org.tonnx;"
    yield ""
    yield f"// {BEGIN}"
    yield f"/** {enum['doc']} */"
    yield f"public enum {pascal(name)} {{"
    last = len(enum["values"]) - 1
    for i, (value, doc) in enumerate(enum["values"].items()):
        yield f"  /** {doc} */"
        yield f"  {value.upper()}({i})" + (";" if i == last else ",")
    yield ""
    yield "  final int code;"
    yield ""
    yield f"  {pascal(name)}(int code) {{"
    yield "    this.code = code;"
    yield "  }"
    yield "}"
    yield f"// {END}"


# C#.

def cs_enums(options, enums):
    for name, enum in enums.items():
        yield f"/// <summary>{enum['doc']}</summary>"
        yield f"public enum {pascal(name)} {{"
        last = len(enum["values"]) - 1
        for i, (value, doc) in enumerate(enum["values"].items()):
            yield f"  /// <summary>{doc}</summary>"
            yield f"  {pascal(value)} = {i}" + ("" if i == last else ",")
        yield "}"
        yield ""


def cs_properties(options, enums):
    for o in options:
        kind = pascal(o.name)
        text = o.told(enum=lambda value: f'<see cref="{kind}.{pascal(value)}"/>')
        yield from wrap("  /// ", f"<summary>{text}</summary>")
        yield {
            "integer": f"  public int? {kind} {{ get; set; }}",
            "text": f"  public string {kind} {{ get; set; }}",
            "enum": f"  public {kind} {kind} {{ get; set; }} = {kind}.{pascal(str(o.default))};",
            "bool": f"  public bool {kind} {{ get; set; }}" + (" = true;" if o.default else ""),
            "names": f"  public IList<string> {pascal(o.plural)} {{ get; }} = new List<string>();",
            "axes": f"  public {pascal(o.plural)} {pascal(o.plural)} {{ get; }} = new {pascal(o.plural)}();",
            "versions": f"  public IDictionary<string, long> {pascal(o.plural)} {{ get; }} = new Dictionary<string, long>();",
        }[o.type]


def cs_calls(options, enums):
    for o in options:
        kind, many = pascal(o.name), pascal(o.plural)
        yield {
            "integer": f"      if ({kind}.HasValue) native.{o.name}({kind}.Value);",
            "text": f"      if ({kind} != null) native.{o.name}({kind});",
            "enum": f"      native.{o.name}((int){kind});",
            "bool": f"      native.{o.name}({kind});",
            "names": f"      foreach (string name in {many}) native.{o.name}(name);",
            "axes": f'      foreach (DynamicAxis axis in {many}) native.{o.name}(axis.Name, axis.Axis, axis.Symbol ?? "");',
            "versions": f"      foreach (var one in {many}) native.{o.name}(one.Key, one.Value);",
        }[o.type]


# Go. Zero values are defaults: a switch that is on by default is a Toggle.

def go_fields(options, enums):
    for o in options:
        yield ""
        yield from wrap("\t// ", o.told(("off", "on"), lambda value: pascal(o.name) + pascal(value)))
        kind = {"integer": "int", "text": "string", "enum": pascal(o.name), "bool": "Toggle" if o.default is True else "bool",
                "names": "[]string", "axes": "[]DynamicAxis", "versions": "map[string]int64"}[o.type]
        yield f"\t{pascal(o.plural)} {kind}"


def go_enums(options, enums):
    for name, enum in enums.items():
        kind = pascal(name)
        yield ""
        yield f"// {kind}: {enum['doc'][0].lower() + enum['doc'][1:]}"
        yield f"type {kind} int32"
        yield ""
        yield "const ("
        for value, text in enum["values"].items():
            yield f"\t// {text}"
            yield f"\t{kind}{pascal(value)} {kind} = C.TONNX_{name.upper()}_{value.upper()}"
        yield ")"
    yield ""


def go_calls(options, enums):
    for o in options:
        field = "o." + pascal(o.name)
        call = "set(func() C.tonnx_status {{ return C.%s(made, {0}, failure) }})" % o.setter
        if o.type == "integer":
            yield f"\t\tif {field} != 0 {{"
            yield "\t\t\t" + call.format(o.name)
            yield "\t\t}"
        elif o.type == "text":
            yield f'\t\tif {field} != "" {{'
            yield "\t\t\t" + call.format(o.name)
            yield "\t\t}"
        elif o.type == "enum":
            yield from go_lines(call.format(f"C.int32_t({field})"))
        elif o.type == "bool":
            value = f"{field}.value()" if o.default else f"toBool({field})"
            yield from go_lines(call.format(value))


def go_lines(call):
    if len(call) <= 112:
        return ["\t\t" + call]
    head, body, tail = re.match(r"(.*{) (return .*) (}\))", call).groups()
    return ["\t\t" + head, "\t\t\t" + body, "\t\t" + tail]


# Rust.

def rust_declarations(options, enums):
    for o in options:
        for i, name in enumerate(o.constants):
            yield f"pub const {name}: i32 = {i};"
    yield ""
    yield 'extern "C" {'
    for o in options:
        parameters = re.sub(r"const char \*(\w+)", r"\1: *const c_char", C_PARAMETERS[o.type])
        parameters = re.sub(r"int(32|64)_t (\w+)", r"\2: i\1", parameters)
        yield f"    pub fn {o.setter}("
        yield "        options: *mut tonnx_options,"
        for parameter in parameters.split(", "):
            yield f"        {parameter},"
        yield "        error: *mut *mut tonnx_error,"
        yield "    ) -> tonnx_status;"
    yield "}"


def rust_enums(options, enums):
    for name, enum in enums.items():
        default = next(o.default for o in options if o.name == name)
        yield f"/// {enum['doc']}"
        yield "#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]"
        yield f"pub enum {pascal(name)} {{"
        for value, text in enum["values"].items():
            yield f"    /// {text}"
            if value == default:
                yield "    #[default]"
            yield f"    {pascal(value)},"
        yield "}"
        yield ""


def rust_setters(options, enums):
    parameters = {
        "integer": "{0}: i32", "text": "{0}: &str", "enum": "{0}: {1}", "bool": "enabled: bool", "names": "name: &str",
        "axes": "name: &str, axis: i64, symbol: impl Into<Option<&'s str>>", "versions": "domain: &str, version: i64",
    }
    for o in options:
        yield ""
        yield from wrap("    /// ", o.told(enum=lambda value: f"`{pascal(o.name)}::{pascal(value)}`"))
        life = "<'s>" if o.type == "axes" else ""
        yield f"    pub fn {o.name}{life}(self, {parameters[o.type].format(o.name, pascal(o.name))}) -> Result<Self> {{"
        passed = {"integer": o.name, "text": f"{o.name}.as_ptr()", "enum": "mode", "bool": "enabled.into()",
                  "names": "name.as_ptr()", "axes": "name.as_ptr(), axis, symbol", "versions": "domain.as_ptr(), version"}[o.type]
        for name in {"text": [o.name], "names": ["name"], "axes": ["name"], "versions": ["domain"]}.get(o.type, []):
            yield f"        let {name} = c_text({name})?;"
        if o.type == "axes":
            yield "        let symbol = symbol.into().map(c_text).transpose()?;"
            yield "        let symbol = symbol.as_ref().map_or(std::ptr::null(), |symbol| symbol.as_ptr());"
        if o.type == "enum":
            yield f"        let mode = match {o.name} {{"
            for value, constant in zip(o.values, o.constants):
                yield f"            {pascal(o.name)}::{pascal(value)} => sys::{constant},"
            yield "        };"
        call = f"        self.with(|options, error| unsafe {{ sys::{o.setter}(options, {passed}, error) }})"
        if len(call) <= 120:
            yield call
        else:
            yield "        self.with(|options, error| unsafe {"
            yield f"            sys::{o.setter}(options, {passed}, error)"
            yield "        })"
        yield "    }"


# The command line and the reference page.

def cli_flags(options, enums):
    kinds = {"integer": "integer", "text": "text", "names": "each", "axes": "each", "versions": "each"}
    setters = {"axes": "add_dynamic_axis", "versions": "set_custom_opset"}
    for o in options:
        setter = setters.get(o.type, f"&Options::{o.name}")
        name = ",".join([flag(o.plural)] + o.flags)
        if o.type == "bool":
            name = ",".join([flag(o.name), "!" + flag("no_" + o.name)] + o.flags)
            call = f'toggle(command, "{name}", "{o.told(("off", "on"))}", {setter});'
        elif o.type == "enum":
            spellings = list(zip(o.values, o.constants))
            spellings += [(also, dict(spellings)[value]) for also, value in enums[o.name].get("also", {}).items()]
            values = ", ".join(f'{{"{value}", {constant}}}' for value, constant in spellings)
            call = f'choice(command, "{name}", "{o.told()}", {setter}, {{{values}}});'
        else:
            items = {"names": ', "NAME"', "axes": ', "NAME:AXIS[=SYMBOL]"', "versions": ', "DOMAIN=VERSION"'}.get(o.type, "")
            call = f'{kinds[o.type]}(command, "{name}", "{o.told(quote="")}", {setter}{items});'
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


def reference(options, enums):
    kinds = {"integer": "integer", "text": "text", "bool": "bool", "names": "texts",
             "axes": "NAME:AXIS or NAME:AXIS=SYMBOL", "versions": "DOMAIN=VERSION"}
    yield "# Export options"
    yield ""
    yield f"<!-- {BEGIN} -->"
    yield ""
    yield "Each option has one name. It stands as it is in C (`tonnx_options_set_NAME`, or `_add_NAME` where it is given once an"
    yield "item), C++ and Rust; as `camelCase` in Java; as a property or field in `PascalCase` in C# and Go, in the plural where it"
    yield "holds several; and as a flag of `tonnx export`. A switch has a flag `--NAME` and a flag `--no-NAME`; flags of several"
    yield "items take them separated by commas, or may be repeated. In Go, a switch that is on by default is a `Toggle`"
    yield "(`tonnx.On`, `tonnx.Off`), so that the zero value stays the default."
    yield ""
    yield "| option | flags | takes | default | what it does |"
    yield "|---|---|---|---|---|"
    for o in options:
        spellings = [*o.values, *enums.get(o.name, {}).get("also", {})]
        takes = ", ".join(f"`{value}`" for value in spellings) if o.values else kinds[o.type]
        default = {True: "on", False: "off"}[o.default] if o.type == "bool" else str(o.default)
        name = o.name + (f" ({o.plural})" if o.plural != o.name else "")
        text = o.doc + "".join(f" `{value}`: {doc}" for value, doc in (enums[o.name]["values"].items() if o.values else ()))
        flags = ", ".join(f"`{spelling.lstrip('!')}`" for spelling in [flag(o.plural)] + o.flags)
        yield f"| {name} | {flags} | {takes} | {cell(default)} | {cell(text)} |"
    yield ""
    yield f"<!-- {END} -->"


REGIONS = {
    "capi/tonnx/options.h": [c_header],
    "capi/options.cpp": [c_source],
    "src/export/options.h": [core_enums, core_fields],
    "capi/tonnx/options.hpp": [cpp_header],
    "tests/capi/null_test.c": [c_nulls],
    "src/cli/option_flags.cpp": [cli_flags],
    "bindings/swig/values.h": [swig_header],
    JAVA + "Options.java": [java_setters],
    "bindings/swig/csharp/Tonnx/Options.cs": [cs_enums, cs_properties, cs_calls],
    "bindings/go/options.go": [go_fields, go_enums, go_calls],
    "bindings/rust/tonnx-sys/src/options.rs": [rust_declarations],
    "bindings/rust/tonnx/src/options.rs": [rust_enums, rust_setters],
}


def with_regions(path, text, makers, options, enums):
    lines, out, makers = iter(text.splitlines()), [], iter(makers)
    for line in lines:
        out.append(line)
        if BEGIN not in line:
            continue
        out += next(makers)(options, enums)
        out.append(next(line for line in lines if END in line))
    assert next(makers, None) is None, f"{path}: it has not as many parts from options.json as it should"
    return "\n".join(out) + "\n"


def files():
    table = json.loads((ROOT / "capi/options.json").read_text(encoding="utf-8"))
    enums = table["enums"]
    options = [Option(row, enums) for row in table["options"]]
    for path, makers in REGIONS.items():
        yield path, with_regions(path, (ROOT / path).read_text(encoding="utf-8"), makers, options, enums)
    for name, enum in enums.items():
        yield f"{JAVA}{pascal(name)}.java", "\n".join(java_enum(name, enum)) + "\n"
    yield "capi/symbols.txt", symbols((ROOT / "capi/symbols.txt").read_text(encoding="utf-8"), options)
    yield "docs/options.md", "\n".join(reference(options, enums)) + "\n"


def main(arguments):
    stale = []
    for path, text in files():
        file = ROOT / path
        now = file.read_text(encoding="utf-8") if file.exists() else ""
        if now == text:
            continue
        if "--check" in arguments:
            stale += difflib.unified_diff(now.splitlines(), text.splitlines(), path, "what options.json says", lineterm="", n=1)
        else:
            file.write_text(text, encoding="utf-8")
    print("\n".join(stale))
    sys.exit(1 if stale else 0)


if __name__ == "__main__":
    main(sys.argv[1:])
