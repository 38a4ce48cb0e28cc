// Expressions of sympy and guards of torch.export.
#include <map>
#include <string>

#include "exported/expression.h"
#include "exported/guards.h"
#include "ir/error.h"
#include "target.h"

namespace {

using tonnx::ir::Polynomial;

Polynomial size_of(const std::string& input, std::optional<std::size_t> axis) {
  if (input == "k") return axis ? Polynomial::invalid() : Polynomial::symbol("k");
  return axis && *axis < 3 ? Polynomial::symbol(*axis == 0 ? "n" : "m") : Polynomial::invalid();
}

std::string quoted(std::string_view text) {
  std::string out = "[\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') out += c;
  }
  return out + "\"]";
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tonnx::exported;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const Polynomial read = parse_expression(text, {{"s0", "batch"}});
    if (read.is_valid()) read.text();
    const JsonDocument guards(std::string_view(quoted(text)));
    const GuardInputs inputs{size_of, {"x", "y"}};
    const tonnx::ir::SizeRange range{2, INT64_MAX};
    open_guards(guards.root(), inputs, {{"n", range}, {"m", range}, {"k", range}});
    broken_guard(guards.root(), inputs);
  } catch (const JsonError&) {
  } catch (const tonnx::ir::Error&) {
  }
  return 0;
}
