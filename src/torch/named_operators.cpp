#include "torch/named_operators.h"

#include <algorithm>
#include <exception>

#include <torch/csrc/jit/frontend/lexer.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "aten/schemas.h"

namespace tonnx::torch {

namespace jit = ::torch::jit;

namespace {

bool is_unknown(const std::string& domain, const std::string& name) {
  const std::string full = domain + "::" + name;
  return !aten::is_own_domain(domain) && aten::overloads_of(full).empty() &&
         jit::getAllOperatorsFor(c10::Symbol::fromQualString(full)).empty();
}

// The words of DOMAIN.NAME after "ops."; empty if something else follows.
std::vector<std::string> path_after(jit::Lexer& lexer) {
  std::vector<std::string> words;
  while (words.size() < 2 && lexer.nextIf('.') && lexer.cur().kind == jit::TK_IDENT)
    words.push_back(lexer.next().text());
  return words;
}

}  // namespace

std::vector<NamedOperator> unknown_operators(const std::string& source) {
  std::vector<NamedOperator> found;
  try {
    const auto text = std::make_shared<jit::Source>(source);
    jit::Lexer lexer(text);
    while (lexer.cur().kind != jit::TK_EOF) {
      jit::Token token = lexer.next();  // its text() is not const in LibTorch 2.7
      if (token.kind != jit::TK_IDENT || token.text() != "ops") continue;
      const std::vector<std::string> words = path_after(lexer);
      if (words.size() < 2 || !is_unknown(words[0], words[1])) continue;
      const std::string name = words[0] + "::" + words[1];
      if (std::ranges::find(found, name, &NamedOperator::name) == found.end())
        found.push_back({name, text->lineno_for_offset(token.range.start()) + 1});
    }
  } catch (const std::exception&) {
    // Errors in the source are reported when it is compiled.
  }
  return found;
}

}  // namespace tonnx::torch
