"""The generated text of options in Go and Rust."""

import re

from .table import camel, pascal, wrap, Option
from .native import c_parameters


# Go. Zero values are defaults: a switch that is on by default is a Toggle.

def go_fields(options, enums):
    for o in options:
        if o.type == "callback":
            continue  # by hand
        yield ""
        yield from wrap("\t// ", o.help(("off", "on"), lambda value: pascal(o.name) + pascal(value)))
        kind = {"integer": "int", "text": "string", "enum": pascal(o.name), "bool": "Toggle" if o.default is True else "bool",
                "names": "[]string", "axes": "[]DynamicAxis", "versions": "map[string]int64", "switch": "Toggle",
                "number": "*float64", "input_axes": "[]TraceAxis", "sizes": "map[string]int64",
                "size_lists": "map[string][]int64", "tolerances": "map[string]Tolerance"}[o.type]
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
            yield "\t\t\t" + call.format(camel(o.name))
            yield "\t\t}"
        elif o.type == "text":
            yield f'\t\tif {field} != "" {{'
            yield from ("\t" + line for line in go_lines(call.format(camel(o.name))))
            yield "\t\t}"
        elif o.type == "enum":
            yield from go_lines(call.format(f"C.int32_t({field})"))
        elif o.type == "bool":
            value = f"{field}.value()" if o.default else f"toBool({field})"
            yield from go_lines(call.format(value))
        elif o.type in ("switch", "number"):
            absent, value = ("0", f"{field}.value()") if o.type == "switch" else ("nil", f"C.double(*{field})")
            yield f"\t\tif {field} != {absent} {{"
            yield from ("\t" + line for line in go_lines(call.format(value)))
            yield "\t\t}"


def go_lines(call):
    if len(call) <= 112:
        return ["\t\t" + call]
    head, body, tail = re.match(r"(.*{) (return .*) (}\))", call).groups()
    return ["\t\t" + head, "\t\t\t" + body, "\t\t" + tail]


# Rust.

def rust_declarations(options, enums):
    for o in options:
        if o.constants:
            yield f"pub type tonnx_{o.name} = i32;"
        for i, name in enumerate(o.constants):
            yield f"pub const {name}: tonnx_{o.name} = {i};"
    if any(o.constants for o in options):
        yield ""
    yield 'functions! {'
    kinds = {"const char *": "*const c_char", "void *": "*mut c_void", "int32_t ": "i32", "int64_t ": "i64", "size_t ": "usize",
             "double ": "f64"}
    for o in options:
        parameters = c_parameters(o)
        for kind, rust in kinds.items():
            parameters = re.sub(rf"(?<!\w){re.escape(kind)}(\w+)", rf"\1: {rust}", parameters)
        parameters = re.sub(r"(tonnx_\w+) (\w+)", r"\2: \1", parameters)
        yield f"    pub fn {o.setter}("
        yield f"        options: *mut tonnx_{o.group},"
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
        "integer": "{0}: i32", "text": "{0}: &str", "enum": "{0}: {1}", "bool": "enabled: bool", "switch": "enabled: bool",
        "names": "name: &str", "axes": "name: &str, axis: i64, symbol: impl Into<Option<&'s str>>", "versions": "domain: &str, version: i64",
    }
    for o in options:
        yield ""
        yield from wrap("    /// ", o.help(enum=lambda value: f"`{pascal(o.name)}::{pascal(value)}`"))
        life = "<'s>" if o.type == "axes" else ""
        yield f"    pub fn {o.name}{life}(self, {parameters[o.type].format(o.name, pascal(o.name))}) -> Result<Self> {{"
        passed = {"integer": o.name, "text": f"{o.name}.as_ptr()", "enum": "mode", "bool": "enabled.into()", "switch": "enabled.into()",
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


def rust_fields(options, enums):
    for o in options:
        if o.type in RUST_KEPT:
            yield f"    {o.name}: Option<{RUST_KEPT[o.type]}>,"


def rust_keepers(options, enums):
    for o in options:
        if o.type not in RUST_KEPT:
            continue  # by hand
        yield ""
        yield from wrap("    /// ", o.help())
        if o.unsafe:
            yield "    ///"
            yield "    /// # Safety"
            yield from wrap("    /// ", o.unsafe)
        name = "enabled" if RUST_KEPT[o.type] == "bool" else "value"
        yield f"    pub {'unsafe ' if o.unsafe else ''}fn {o.name}(mut self, {name}: {RUST_KEPT[o.type]}) -> Self {{"
        yield f"        self.{o.name} = Some({name});"
        yield "        self"
        yield "    }"


def rust_calls(options, enums):
    for o in options:
        if o.type not in RUST_KEPT:
            continue  # by hand
        value = "value.into()" if RUST_KEPT[o.type] == "bool" else "value"
        call = f"sys::{o.setter}(native.as_ptr(), {value}, error)"
        yield f"        if let Some(value) = self.{o.name} {{"
        yield "            // SAFETY: the handle lives."
        line = f"            call(|error| unsafe {{ {call} }})?;"
        yield from [line] if len(line) <= 120 else ("            call(|error| unsafe {", f"                {call}", "            })?;")
        yield "        }"


RUST_KEPT = {"bool": "bool", "switch": "bool", "number": "f64", "integer": "i32"}
