#include "torch/source_text.h"

#include <cctype>
#include <set>

#include <torch/csrc/jit/frontend/lexer.h>
#include <torch/csrc/jit/frontend/parser.h>

#include "aten/divisions.h"
#include "ir/error.h"
#include "torch/libtorch_texts.h"
#include "torch/source_names.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
namespace jit = ::torch::jit;

namespace {

// True if calls of this name never reach a function of the text.
bool is_own_name(const std::string& name) {
  static const std::set<std::string> names = {"abs",
                                              "all",
                                              "annotate",
                                              "any",
                                              "bin",
                                              "bool",
                                              "chr",
                                              "complex",
                                              "dict",
                                              "divmod",
                                              "enumerate",
                                              "float",
                                              "getattr",
                                              "hasattr",
                                              "hash",
                                              "hex",
                                              "id",
                                              "int",
                                              "isinstance",
                                              "len",
                                              "list",
                                              "max",
                                              "min",
                                              "oct",
                                              "ord",
                                              "pow",
                                              "print",
                                              "range",
                                              "rangelist",
                                              "round",
                                              "set",
                                              "sorted",
                                              "str",
                                              "sum",
                                              "super",
                                              "tuple",
                                              "type",
                                              "unchecked_cast",
                                              "uninitialized",
                                              "zip",
                                              "math",
                                              "torch",
                                              "Tensor",
                                              "List",
                                              "Dict",
                                              "Tuple",
                                              "Optional",
                                              "Union",
                                              "Future",
                                              "Any"};
  return names.contains(name);
}

[[noreturn]] void refuse(const jit::SourceRange& range, const std::string& text) {
  throw Error(Code::Program, message_at(range, text));
}

// The tokens up to the end of the line, separated by spaces only after words.
std::string rest_of_line(jit::Lexer& lexer) {
  std::string text;
  while (lexer.cur().kind != jit::TK_NEWLINE && lexer.cur().kind != jit::TK_EOF) {
    jit::Token token = lexer.next();  // its text() is not const in LibTorch 2.7
    const bool word = token.kind == jit::TK_IDENT || token.kind == jit::TK_IMPORT || token.kind == jit::TK_AS;
    const bool after_word =
        !text.empty() && (std::isalnum(static_cast<unsigned char>(text.back())) || text.back() == '_');
    text += (word && after_word ? " " : "") + token.text();
  }
  lexer.nextIf(jit::TK_NEWLINE);
  return text;
}

bool is_ignored(const std::string& line) {
  return line == "import torch" || line == "import math" || line == "from torch import Tensor" ||
         line.starts_with("from typing import") || line == "@torch.jit.script" || line == "@torch.jit.export";
}

void skip_line(jit::Lexer& lexer) {
  const jit::SourceRange place = lexer.cur().range;
  const std::string line = rest_of_line(lexer);
  if (is_ignored(line) && line.find(" as ") == std::string::npos) return;
  refuse(place, "'" + line +
                    "' is not allowed: source text contains functions ('def') and imports of torch, math and " +
                    "typing; write its content out, or export an archive of torch.jit.save");
}

bool is_division(int kind) { return kind == '%' || kind == jit::TK_FLOOR_DIV; }

bool is_safe_divisor(const jit::TreeRef& tree) {
  if (tree->kind() != jit::TK_CONST) return tree->kind() == jit::TK_TUPLE_LITERAL || tree->kind() == jit::TK_STARRED;
  try {
    if (!jit::Const(tree).isIntegral()) return true;
    const std::int64_t number = jit::Const(tree).asIntegral();
    return number != 0 && number != -1;
  } catch (const std::exception&) {
    return true;  // too large, which the compiler reports
  }
}

jit::TreeRef divisor(const jit::TreeRef& tree) {
  if (is_safe_divisor(tree)) return tree;
  const jit::SourceRange& range = tree->range();
  return jit::Apply::create(range, jit::Var::create(range, jit::Ident::create(range, kDivisor)),
                            jit::List<jit::Expr>::create(range, {jit::Expr(tree)}),
                            jit::List<jit::Attribute>::create(range, {}));
}

// True for a call of an operator that divides integers, by its name alone: math.gcd, torch.remainder, x.remainder.
bool calls_division(const jit::TreeRef& tree) {
  if (tree->kind() != jit::TK_APPLY) return false;
  const jit::Expr callee = jit::Apply(tree).callee();
  std::string name;
  if (callee.kind() == jit::TK_VAR) name = jit::Var(callee).name().name();
  if (callee.kind() == '.') name = jit::Select(callee).selector().name();
  const aten::Divides how = aten::divides("aten::" + name, "int");
  return how == aten::Divides::Numbers || how == aten::Divides::Remainders || how == aten::Divides::Both;
}

// Marks divisors of integers: a division by a constant 0 or -1 would end the process when LibTorch compiles the text.
jit::TreeRef with_divisors(const jit::TreeRef& tree) {
  jit::TreeRef parts = tree->map(with_divisors);
  if (is_division(parts->kind()) && parts->trees().size() == 2)
    return jit::Compound::create(parts->kind(), parts->range(), {parts->tree(0), divisor(parts->tree(1))});
  if (!calls_division(parts)) return parts;
  const auto divisor_of_keyword = [](const jit::TreeRef& keyword) {
    return jit::Compound::create(keyword->kind(), keyword->range(), {keyword->tree(0), divisor(keyword->tree(1))});
  };
  return jit::Compound::create(parts->kind(), parts->range(),
                               {parts->tree(0), parts->tree(1)->map(divisor), parts->tree(2)->map(divisor_of_keyword)});
}

void require_known_defaults(const jit::TreeRef& tree) {
  const bool divides = is_division(tree->kind()) && !is_safe_divisor(tree->tree(1));
  if (tree->kind() == jit::TK_APPLY || divides)
    refuse(tree->range(), "the default of a parameter must be a constant; compute it in the function");
  for (const jit::TreeRef& part : tree->trees()) require_known_defaults(part);
}

jit::Def parse_function(jit::Parser& parser) {
  try {
    return jit::Def(parser.parseFunction(/*is_method=*/false));
  } catch (const std::exception& failure) {
    if (!texts::is_internal_failure(failure.what())) throw;
    refuse(parser.lexer().cur().range, "the code before this is not a TorchScript statement");
  }
}

bool is_method(const jit::Def& function) {
  const auto parameters = function.decl().params();
  return !parameters.empty() && parameters[0].ident().name() == "self";
}

}  // namespace

std::string message_at(const jit::SourceRange& range, const std::string& text) {
  const auto place = range.file_line_col();
  if (!place) return text;
  const auto& [file, line, column] = *place;
  return file + ":" + std::to_string(line) + ":" + std::to_string(column + 1) + ": " + text;
}

SourceFunctions parse_functions(const std::shared_ptr<jit::Source>& source) {
  jit::Parser parser(source);
  jit::Lexer& lexer = parser.lexer();
  SourceFunctions found;
  std::set<std::string> names;
  while (lexer.cur().kind != jit::TK_EOF) {
    if (lexer.nextIf(jit::TK_NEWLINE)) continue;
    if (lexer.cur().kind != jit::TK_DEF) {
      skip_line(lexer);
      continue;
    }
    const jit::Def function = parse_function(parser);
    const std::string name = function.name().name();
    if (!names.insert(name).second) refuse(function.name().range(), "function '" + name + "' is defined twice");
    if (is_own_name(name))
      refuse(function.name().range(),
             "'" + name + "' is a name of the language itself, which calls would use instead; rename the function");
    for (const jit::Param& parameter : function.decl().params())
      if (parameter.defaultValue().present()) require_known_defaults(parameter.defaultValue().get());
    found.last = name;
    (is_method(function) ? found.methods : found.functions).emplace_back(with_divisors(function.tree()));
  }
  if (names.empty())
    throw Error(Code::Program,
                source->filename().value_or("") + ": the text defines no function ('def forward(x): ...')");
  return found;
}

}  // namespace tonnx::torch
