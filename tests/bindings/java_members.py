"""Generates a Java class of another package that uses every public member of the classes of org.tonnx: their types must be
public, too, which the compiler does not ask of the class that declares them."""

import pathlib
import re
import subprocess

MEMBER = re.compile(r"  public (?:(?:static|final|abstract|default|synchronized) )*(?:<.*?> )?(?:(\S.*?) )?([\w.$]+)(?:\((.*)\)(?: throws (.*))?)?;")


def source(classes):
    files = sorted(pathlib.Path(classes, "org/tonnx").glob("*.class"))
    done = subprocess.run(["javap", "-public", "-cp", str(classes), *(f"org.tonnx.{file.stem}" for file in files)],
                          capture_output=True, text=True, check=True)
    bodies, current, count = [], None, 0
    for line in done.stdout.splitlines():
        head = re.match(r"(public )?(?:static |final |abstract )*(?:class|interface|enum) (org\.tonnx\.[\w$.]+)", line)
        if head:
            current = head[2] if head[1] else None
            if current:
                bodies.append(f"    {named(current)} object{count} = null;")
            continue
        member = MEMBER.fullmatch(line)
        if not member or not current:
            continue
        count += 1
        result, name, parameters, _ = member.groups()
        if parameters is None:  # a field or a constant of an enum
            bodies.append(f"    {{ {named(result)} value = (({named(current)}) null).{name}; }}")
            continue
        given = ", ".join(nothing(parameter) for parameter in split(parameters))
        if name == current:  # a constructor
            bodies.append(f"    new {named(current)}({given});")
        else:
            call = f"(({named(current)}) null).{name}({given});"
            bodies.append(f"    {call}" if result == "void" else f"    {{ {named(result)} value = {call} }}")
    assert count > 200, "the classes are not found"
    return "final class Members {\n  static void all() throws Exception {\n" + "\n".join(bodies) + "\n  }\n}\n"


def split(parameters):
    """The types of a list; commas inside of <> separate no types."""
    found, depth = [""], 0
    for character in parameters:
        depth += (character == "<") - (character == ">")
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [parameter.strip() for parameter in found if parameter.strip()]


def named(kind):
    # The class without its parameters, if they are those of the method.
    return re.sub(r"<[A-Z]>", "", kind).replace("$", ".").replace("...", "[]")


def nothing(kind):
    simple = {"boolean": "false", "int": "0", "long": "0L", "double": "0.0", "float": "0f", "short": "(short) 0", "byte": "(byte) 0"}
    return simple.get(kind, f"({named(kind)}) null")
