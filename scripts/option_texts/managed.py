"""The generated text of options in Java and C#."""

import html

from .table import BEGIN, END, pascal, camel, wrap


# Java.

# What the parameters of a setter are, by the type of the option.
PARAMETERS = {
    "integer": ["the value"], "text": ["the value"], "enum": ["the choice"],
    "bool": ["true to switch it on"], "switch": ["true to switch it on"], "names": ["one entry; each call adds one"],
    "axes": ["the name of the input or output", "the axis", "the symbol of its size"],
    "versions": ["the domain", "its version"], "number": ["the value"],
    "input_axes": ["the index of the input", "the axis", "the symbol of its size"],
    "sizes": ["the symbol", "its size"], "size_lists": ["the symbol", "one of its sizes"],
    "tolerances": ["the name of the operator", "the relative tolerance", "the absolute tolerance"],
}


def java_setters(options, enums):
    java = {
        "integer": ("int value", "value"), "text": ("String name", "name"), "enum": ("{0} mode", "code"),
        "bool": ("boolean enabled", "enabled"), "names": ("String name", "name"),
        "axes": ("String name, long axis, String symbol", "name, axis, symbol"),
        "versions": ("String domain, long version", "domain, version"), "switch": ("boolean enabled", "enabled"),
        "number": ("double value", "value"), "input_axes": ("int input, long axis, String symbol", "input, axis, symbol"),
        "sizes": ("String symbol, long size", "symbol, size"), "size_lists": ("String symbol, long size", "symbol, size"),
        "tolerances": ("String name, double rtol, double atol", "name, rtol, atol"),
    }
    for o in options:
        if o.type == "callback":
            continue  # by hand
        parameters, passed = java[o.type]
        parameters = parameters.format(pascal(o.name))
        yield ""
        yield "  /**"
        text = o.help(enum=lambda value: f"{{@link {pascal(o.name)}#{value.upper()}}}")
        yield from wrap("   * ", html.escape(text, quote=False))
        yield "   *"
        for parameter, meaning in zip(parameters.split(", "), PARAMETERS[o.type], strict=True):
            yield f"   * @param {parameter.split()[-1]} {meaning}"
        yield "   * @return this"
        yield "   */"
        yield f"  public {o.owner} {camel(o.name)}({parameters}) {{"
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
        if o.type == "callback":
            continue  # by hand
        kind = pascal(o.name)
        text = o.help(enum=lambda value: f'<see cref="{kind}.{pascal(value)}"/>') if o.values else html.escape(o.help(), quote=False)
        yield from wrap("  /// ", f"<summary>{text}</summary>")
        yield {
            "integer": f"  public int? {kind} {{ get; set; }}",
            "text": f"  public string {kind} {{ get; set; }}",
            "enum": f"  public {kind} {kind} {{ get; set; }} = {kind}.{pascal(str(o.default))};",
            "bool": f"  public bool {kind} {{ get; set; }}" + (" = true;" if o.default else ""),
            "names": f"  public IList<string> {pascal(o.plural)} {{ get; }} = new List<string>();",
            "axes": f"  public {pascal(o.plural)} {pascal(o.plural)} {{ get; }} = new {pascal(o.plural)}();",
            "versions": f"  public IDictionary<string, long> {pascal(o.plural)} {{ get; }} = new Dictionary<string, long>();",
            "switch": f"  public bool? {kind} {{ get; set; }}",
            "number": f"  public double? {kind} {{ get; set; }}",
            "input_axes": f"  public TraceAxes {pascal(o.plural)} {{ get; }} = new TraceAxes();",
            "sizes": f"  public IDictionary<string, long> {pascal(o.plural)} {{ get; }} = new Dictionary<string, long>();",
            "size_lists": f"  public IDictionary<string, long[]> {pascal(o.plural)} {{ get; }} = new Dictionary<string, long[]>();",
            "tolerances": f"  public IDictionary<string, (double Rtol, double Atol)> {pascal(o.plural)} {{ get; }} =\n"
                          "      new Dictionary<string, (double Rtol, double Atol)>();",
        }[o.type]


def cs_calls(options, enums):
    for o in options:
        if o.type == "callback":
            continue  # by hand
        kind, many = pascal(o.name), pascal(o.plural)
        yield {
            "integer": f"      if ({kind}.HasValue) native.{o.name}({kind}.Value);",
            "text": f"      if ({kind} != null) native.{o.name}({kind});",
            "enum": f"      native.{o.name}((int){kind});",
            "bool": f"      native.{o.name}({kind});",
            "names": f"      foreach (string name in {many}) native.{o.name}(name);",
            "axes": f'      foreach (DynamicAxis axis in {many}) native.{o.name}(axis.Name, axis.Axis, axis.Symbol ?? "");',
            "versions": f"      foreach (var one in {many}) native.{o.name}(one.Key, one.Value);",
            "switch": f"      if ({kind}.HasValue) native.{o.name}({kind}.Value);",
            "number": f"      if ({kind}.HasValue) native.{o.name}({kind}.Value);",
            "input_axes": f'      foreach (TraceAxis axis in {many}) native.{o.name}(axis.Input, axis.Axis, axis.Symbol ?? "");',
            "sizes": f"      foreach (var one in {many}) native.{o.name}(one.Key, one.Value);",
            "size_lists": f"      foreach (var one in {many})\n        foreach (long size in one.Value) native.{o.name}(one.Key, size);",
            "tolerances": f"      foreach (var one in {many}) native.{o.name}(one.Key, one.Value.Rtol, one.Value.Atol);",
        }[o.type]
