"""Compiles the code of a language's page and of README.md, each block as the body of a function.

A block is indented by four spaces, or is fenced and has the name of the language. Blocks of commands are left out. What a block
uses without a declaration is declared once, in DECLARATIONS: the objects of earlier blocks, and placeholders for a host's classes.
"""

import re

INDENTED = re.compile(r"(?:^    .*\n|^\n(?=    ))+", re.MULTILINE)
COMMANDS = re.compile(r"^\s*(?:make|mvn|mcs|mono|export|cd|go mod|bindings/\S+/build) ", re.MULTILINE)

JAVA = """
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.tonnx.*;

class PtNDArray implements AutoCloseable {
  PtNDArray(Object manager, long handle) {}
  long getHandle() { return 0; }
  public void close() {}
}
class Network {
  PtNDArray forward(PtNDArray x) { return x; }
}
class Page {
  static Program program;
  static Args args;
  static Model model;
  static Registry registry;
  static Tensor shift;
  static float[] pixels;
  static TracedCode<RuntimeException> code;
  static Map<String, PtNDArray> parameters;
  static Object manager;
  static Network network;
  static Tensor batchOf(long size) { return shift; }
"""
CSHARP = """
using System;
using System.Collections.Generic;
using System.Threading;
using Tonnx;

class Tensor : IDisposable {
  public IntPtr Handle;
  public static Tensor UnsafeCreateTensor(IntPtr handle) { return null; }
  public void Dispose() {}
}
class Network {
  public IEnumerable<(string name, Tensor parameter)> named_parameters() { yield break; }
  public Tensor forward(Tensor x) { return x; }
}
class Program {
  static TorchProgram program;
  static Args args, inputs;
  static TensorData shift;
  static Network network;
  static TensorData BatchOf(long size) { return shift; }
  static void Main() {}
"""
GO = """package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"
	"unsafe"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

type host struct{}

func (host) Weights() map[string]unsafe.Pointer       { return nil }
func (host) Forward(x unsafe.Pointer) unsafe.Pointer  { return x }
func batchOf(size int64) *tonnx.Tensor                { return nil }
func main()                                           { _, _, _ = context.TODO, slog.Default, time.Now; fmt.Print(errors.New("")) }

var (
	program    *tonnx.Program
	args       *tonnx.Args
	attributes *tonnx.Args
	model      *tonnx.Model
	registry   *tonnx.Registry
	network    host
	err        error
)
"""


def blocks(page, language):
    """Yields the line and the code of each block."""
    text = page.read_text(encoding="utf-8")
    fenced = re.compile(rf"^```{language}\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    for block in fenced.finditer(text):
        yield text.count("\n", 0, block.start()) + 2, block[1]
    text = re.sub(r"^```.*?^```$", lambda block: "\n" * block[0].count("\n"), text, flags=re.MULTILINE | re.DOTALL)
    for block in INDENTED.finditer(text):
        if page.stem == language and not COMMANDS.search(block[0]):
            yield text.count("\n", 0, block.start()) + 1, re.sub(r"^    ", "", block[0], flags=re.MULTILINE)


def bodies(root, language, declarations, function):
    """The source of a program with a function for each block; function(name, page, line, code) returns its text."""
    parts, count = [declarations], 0
    for page in root / "docs" / f"{language}.md", root / "README.md":
        for line, code in blocks(page, language):
            count += 1
            parts.append(function(f"block{count}", page, line, code))
    if count < 8:
        raise ValueError(f"{count} blocks of {language}")
    return "".join(parts)


def java(root):
    return bodies(root, "java", JAVA, lambda name, page, line, code:
                  f"  // {page.name}:{line}\n  static void {name}() throws Exception {{\n{code}\n  }}\n") + "}\n"


def csharp(root):
    def function(name, page, line, code):
        code = re.sub(r"\.\.\.$", ";", code, flags=re.MULTILINE)
        if code.startswith("\ncatch"):
            code = "try { program.Export(args); }" + code
        if code.startswith("\nnew "):
            code = f"var made ={code};"
        return f"  static void {name}() {{\n#line {line} \"{page.name}\"\n{code}\n  }}\n"

    return bodies(root, "csharp", CSHARP, function) + "}\n"


def go(root):
    def function(name, page, line, code):
        names = {each.strip() for found in re.findall(r"^(\w+(?:, \w+)*) :=", code, re.MULTILINE) for each in found.split(",")}
        used = "".join(f"\t_ = {each}\n" for each in sorted(names - {"_"}))
        return f"\nfunc {name}() error {{\n//line {page.name}:{line}\n{code}\n{used}\treturn nil\n}}\n"

    return bodies(root, "go", GO, function)
