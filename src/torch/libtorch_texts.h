#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// All code that parses messages of LibTorch, each tested with the pinned LibTorch. If another version has another
// message, it is passed on unchanged.
namespace tonnx::torch::texts {

// Loading: returns the operator that no library registered; empty for other messages.
std::string unknown_operator(std::string_view text);
// Running: returns the operator that has a schema but no kernel; empty for other messages.
std::string operator_without_kernel(std::string_view text);
// Loading: true for a class of a library that was not loaded.
bool is_unknown_class(std::string_view text);
// Loading: true for a constant without its value, as left by torch.jit.optimize_for_inference.
bool is_constant_without_value(std::string_view text);
// Loading: true if LibTorch's parser failed at a non-ASCII name, which is in the program as it is or in octal escapes.
bool is_name_outside_ascii(std::string_view text);
// Reading a pickle: true for an OrderedDict, which LibTorch can create but not fill.
bool is_ordered_dict(std::string_view text);
// Reading a pickle: returns the class of an object that only Python can create, such as a named tuple; else empty.
std::string unknown_pickled_class(std::string_view text);

// Compiling: the problem, on one line or several, and the marked location: line and column from 1, or 0 if nothing is
// marked.
struct SourceFault {
  std::string text;
  std::size_t line = 0;
  std::size_t column = 0;
};
SourceFault source_fault(std::string_view text);

// Compiling: returns the missing attribute or method of an object; empty for other messages.
std::string missing_attribute(std::string_view text);
// True for a failed internal check of LibTorch, whose text does not help users.
bool is_internal_failure(std::string_view text);

// Removes back traces, and the program's lines before the failure in the interpreter.
std::string without_back_trace(const std::string& text);
std::string without_program_trace(const std::string& text);

}  // namespace tonnx::torch::texts
