#include "torch/libtorch_texts.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <sstream>

namespace tonnx::torch::texts {
namespace {

bool has(std::string_view text, std::string_view part) { return text.find(part) != text.npos; }

// Returns the text after `marker`, up to one of `ends`.
std::string after(std::string_view text, std::string_view marker, std::string_view ends) {
  const std::size_t at = text.find(marker);
  if (at == text.npos) return {};
  const std::string_view rest = text.substr(at + marker.size());
  return std::string(rest.substr(0, rest.find_first_of(ends)));
}

// Length of "RuntimeError: ", "builtins.ValueError: " and similar prefixes of a line, or 0.
std::size_t error_class(const std::string& text, std::size_t line) {
  std::size_t end = line;
  const auto is_of_name = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '.'; };
  while (end < text.size() && is_of_name(static_cast<unsigned char>(text[end]))) ++end;
  const std::string_view name = std::string_view(text).substr(line, end - line);
  const bool is_class = name.ends_with("Error") || name.ends_with("Exception");
  return is_class && text.compare(end, 2, ": ") == 0 ? end + 2 - line : 0;
}

}  // namespace

std::string unknown_operator(std::string_view text) {
  std::string name = after(text, "Unknown builtin op: ", " \n");
  while (!name.empty() && name.back() == '.') name.pop_back();
  return name;
}

std::string operator_without_kernel(std::string_view text) { return after(text, "Could not run '", "'"); }

bool is_unknown_class(std::string_view text) { return has(text, "'__torch__.torch.classes."); }

bool is_constant_without_value(std::string_view text) {
  return has(text, "required keyword attribute 'value' is undefined");
}

bool is_name_outside_ascii(std::string_view text) {
  if (has(text, "ill formed octal specifier")) return true;
  return has(text, "expected a valid token") &&
         std::any_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) > 0x7f; });
}

bool is_ordered_dict(std::string_view text) { return has(text, "isGenericDict() INTERNAL ASSERT"); }

std::string unknown_pickled_class(std::string_view text) {
  const std::string name = after(text, "Unpickler found unknown type ", " \n");
  return name.empty() ? after(text, "Unknown pickler class id", " \n") : name;
}

std::string missing_attribute(std::string_view text) { return after(text, "has no attribute or method '", "'"); }

bool is_internal_failure(std::string_view text) { return has(text, "INTERNAL ASSERT FAILED"); }

SourceFault source_fault(std::string_view text) {
  SourceFault fault;
  std::istringstream lines{std::string(text)};
  for (std::string line; std::getline(lines, line);) {
    const std::size_t marked = line.find_first_not_of(' ');
    if (fault.line == 0 && line.starts_with("  File \"")) {
      const std::size_t number = line.rfind(", line ");
      if (number == line.npos)
        fault.line = 1;
      else
        std::from_chars(line.data() + number + 7, line.data() + line.size(), fault.line);
    } else if (fault.line != 0 && marked != line.npos && line[marked] == '~') {
      fault.column = marked + 1;
      break;
    } else if (fault.line == 0 && marked != line.npos && line != ":" && !line.starts_with("The original call is") &&
               !line.starts_with("Could not find any similar ops")) {
      fault.text += (fault.text.empty() ? "" : "\n") + line;
    }
  }
  for (const std::string_view end : {":", " here", "."})
    if (fault.text.ends_with(end)) fault.text.erase(fault.text.size() - end.size());
  return fault;
}

std::string without_back_trace(const std::string& text) {
  std::size_t end = text.size();
  for (const char* line : {"\nException raised from ", "\nframe #", "\nC++ CapturedTraceback"})
    end = std::min(end, text.find(line));
  return text.substr(0, end);
}

std::string without_program_trace(const std::string& text) {
  if (!has(text, "TorchScript interpreter")) return text;
  for (std::size_t line = text.rfind('\n'); line != std::string::npos && line > 0; line = text.rfind('\n', line - 1))
    if (const std::size_t length = error_class(text, line + 1)) return text.substr(line + 1 + length);
  return text;
}

}  // namespace tonnx::torch::texts
