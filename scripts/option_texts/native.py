"""The generated text of options in C, in C++ and in the classes that SWIG wraps."""

import re

from .table import pascal, wrap, wrap_parameters


# C: declarations, definitions, names, calls with NULL.

C_PARAMETERS = {
    "integer": "int32_t value", "text": "const char *value", "enum": "tonnx_{0} value", "bool": "int32_t enabled",
    "names": "const char *name", "axes": "const char *name, int64_t axis, const char *symbol",
    "versions": "const char *domain, int64_t version", "switch": "int32_t enabled", "number": "double value",
    "input_axes": "size_t input, int64_t axis, const char *symbol", "sizes": "const char *symbol, int64_t size",
    "size_lists": "const char *symbol, int64_t size", "tolerances": "const char *name, double rtol, double atol", "callback": "tonnx_{0}_fn {0}, void *user_data, tonnx_destroy_fn destroy",
}


def c_parameters(o):
    return C_PARAMETERS[o.type].format(o.name)


def c_header(options, enums):
    for o in options:
        yield ""
        if o.values:
            yield f"typedef int32_t tonnx_{o.name};"
            yield "enum {"
            for i, (name, doc) in enumerate(zip(o.constants, enums[o.name]["values"].values())):
                yield f"  /* {doc} */"
                yield f"  {name} = {i}{',' if i + 1 < len(o.values) else ''}"
            yield "};"
        text = o.help(("0", "1"), lambda value: f"TONNX_{o.name.upper()}_{value.upper()}")
        yield from (line.replace("\0", " ") for line in wrap(" * ", text + "\0*/", "/* "))
        yield from wrap_parameters(f"TONNX_NODISCARD TONNX_API tonnx_status TONNX_CALL {o.setter}(",
                                   f"tonnx_{o.group} *options, {c_parameters(o)}, tonnx_error **error", ");")


def c_source(options, enums):
    for o in options:
        if o.type in ("integer", "axes", "versions", "input_axes", "sizes", "size_lists", "tolerances", "callback"):
            continue  # by hand
        yield ""
        parameters = c_parameters(o).replace(" *", "* ")
        yield from wrap_parameters(f"tonnx_status {o.setter}(", f"tonnx_{o.group}* options, {parameters}, tonnx_error** error", ") {")
        if o.type in ("bool", "switch"):
            yield f"  return set(options, error, [&](auto& o) {{ o.{o.name} = enabled != 0; }});"
        elif o.type == "number":
            yield f"  return set(options, error, [&](auto& o) {{ o.{o.name} = value; }});"
        elif o.type == "enum":
            yield "  return set(options, error,"
            yield f'             [&](auto& o) {{ choose(o.{o.name}, value, {len(o.values)}, "{o.name}"); }});'
        elif o.type == "text":
            yield f'  return set(options, error, [&](auto& o) {{ o.{o.name} = text(value, "value"); }});'
        else:
            yield f'  return set(options, error, [&](auto& o) {{ o.{o.plural}.push_back(text(name, "name")); }});'
        yield "}"


QUOTED = '"x"'


def c_nulls(options, enums):
    rest = {"integer": "17", "text": '"x"', "enum": "0", "bool": "1", "names": '"x"', "axes": '"x", 0, NULL', "versions": '"x", 1',
            "switch": "1", "number": "-1", "input_axes": "0, 0, NULL", "sizes": '"x", 2', "size_lists": '"x", 2',
            "tolerances": '"x", 1, 1', "callback": '"x", NULL, NULL'}
    group = options[0].group
    for o in options:
        yield f"  REFUSES({o.setter}, NULL, {rest[o.type].replace(QUOTED, o.name + '_nothing') if o.type == 'callback' else rest[o.type]});"
    yield f"  PASSES(tonnx_{group}_new, &{group}, NULL);"
    for o in options:
        if rest[o.type].startswith(QUOTED):
            yield f"  REFUSES({o.setter}, {group}, {rest[o.type].replace(QUOTED, 'NULL')});"


def symbols(text, options):
    # Setters of observers take handles, not options of the table.
    made = re.compile("tonnx_(trace_|verify_)?options_(add|set)_(?!observer$)")
    kept = [line for line in text.splitlines() if not made.match(line)]
    return "\n".join(sorted(kept + [o.setter for o in options])) + "\n"


# C++ and the classes that SWIG wraps.

def cpp_parameters(o):
    return {
        "integer": "std::int32_t v", "enum": f"tonnx_{o.name} v", "bool": "bool v", "text": "const std::string& v",
        "names": "const std::string& v", "axes": "const std::string& name, std::int64_t axis, const std::string& symbol = {}",
        "versions": "const std::string& domain, std::int64_t version", "switch": "bool v", "number": "double v",
        "input_axes": "std::size_t input, std::int64_t axis, const std::string& symbol = {}",
        "sizes": "const std::string& symbol, std::int64_t size", "size_lists": "const std::string& symbol, std::int64_t size",
        "tolerances": "const std::string& name, double rtol, double atol",
    }[o.type]


def core_fields(options, enums):
    kinds = {"integer": "std::int32_t", "text": "std::string", "bool": "bool", "names": "std::vector<std::string>",
             "axes": "std::vector<DynamicAxis>", "versions": "std::vector<std::pair<std::string, std::int64_t>>",
             "switch": "std::optional<bool>", "number": "double", "input_axes": "std::vector<TraceAxis>",
             "sizes": "std::map<std::string, std::int64_t>", "size_lists": "std::map<std::string, std::vector<std::int64_t>>",
             "tolerances": "OperatorTolerances"}
    for o in options:
        value = {"integer": str(o.default), "text": f'"{o.default}"', "bool": str(o.default).lower(), "number": "-1",
                 "enum": f"{pascal(o.name)}::{pascal(str(o.default))}"}.get(o.type)
        yield from wrap("  // ", o.doc)
        kind = pascal(o.name) + "Function" if o.type == "callback" else kinds.get(o.type, pascal(o.name))
        yield f"  {kind} {o.plural}" + (f" = {value};" if value else ";")


def core_enums(options, enums):
    for name, enum in enums.items():
        yield f"enum class {pascal(name)} : std::int32_t {{ {', '.join(pascal(value) for value in enum['values'])} }};"


def cpp_header(options, enums):
    passed = {"integer": "v", "enum": "v", "bool": "v", "text": "v.c_str()", "names": "v.c_str()",
              "axes": "name.c_str(), axis, given", "versions": "domain.c_str(), version", "switch": "v", "number": "v",
              "input_axes": "input, axis, given", "sizes": "symbol.c_str(), size", "size_lists": "symbol.c_str(), size",
              "tolerances": "name.c_str(), rtol, atol"}
    for o in options:
        if o.type == "callback":
            continue  # by hand
        yield ""
        yield from wrap("  // ", o.help(enum=lambda value: f"TONNX_{o.name.upper()}_{value.upper()}"))
        yield f"  {o.owner}& {o.name}({cpp_parameters(o)}) {{"
        if o.type in ("axes", "input_axes"):
            yield "    const char* given = symbol.empty() ? nullptr : symbol.c_str();"
        yield f"    return run([&](auto* o, auto** e) {{ return {o.setter}(o, {passed[o.type]}, e); }});"
        yield "  }"


def swig_header(options, enums):
    for o in options:
        if o.type == "callback":
            continue  # by hand
        parameters = cpp_parameters(o).replace("std::int", "int").replace(" = {}", "").replace("std::size_t", "int32_t")
        parameters = "int32_t v" if o.type == "enum" else parameters
        names = ", ".join(parameter.split()[-1] for parameter in parameters.split(", "))
        names = re.sub(r"\binput\b", "static_cast<std::size_t>(input)", names)
        line = f"  void {o.name}({parameters}) {{ options_.{o.name}({names}); }}"
        yield from [line] if len(line) <= 120 else (line[:line.index("{ ") + 1], "    " + line[line.index("{ ") + 2:-2], "  }")
