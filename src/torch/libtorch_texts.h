#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// What LibTorch says in words alone: the one place that reads its texts, each tested against the pinned LibTorch. Where
// another version words it otherwise, its own text is passed on instead of ours.
namespace tonnx::torch::texts {

// Loading: the operator that no library registered; empty for other texts.
std::string unknown_operator(std::string_view text);
// Running: the operator that has a schema and no kernel; empty for other texts.
std::string operator_without_kernel(std::string_view text);
// Loading: a class of a library that was not loaded.
bool is_unknown_class(std::string_view text);
// Loading: a constant without its value, as torch.jit.optimize_for_inference leaves them.
bool is_constant_without_value(std::string_view text);
// Loading: LibTorch's parser failed at a name outside ASCII, which stands in the program as it is or in octal escapes.
bool is_name_outside_ascii(std::string_view text);
// Reading a pickle: an OrderedDict, which LibTorch can begin and not fill.
bool is_ordered_dict(std::string_view text);
// Reading a pickle: the class of an object that only Python can make, as of a named tuple; empty for other texts.
std::string unknown_pickled_class(std::string_view text);

// Compiling: what is wrong, on one line or several, and where the text is marked: lines and columns from 1, 0 where
// none is marked.
struct SourceFault {
  std::string text;
  std::size_t line = 0;
  std::size_t column = 0;
};
SourceFault source_fault(std::string_view text);

// Compiling: the attribute or method that an object has not; empty for other texts.
std::string missing_attribute(std::string_view text);
// A check of LibTorch's own that failed, whose text tells people nothing.
bool is_internal_failure(std::string_view text);

// Back traces, and the program's own lines that stand before what failed in the interpreter.
std::string without_back_trace(const std::string& text);
std::string without_program_trace(const std::string& text);

}  // namespace tonnx::torch::texts
