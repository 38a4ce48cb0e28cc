#include "cli/verify_flags.h"

#include <cmath>

namespace tonnx::cli {

void VerifyFlags::number(CLI::App& command, const char* flags, const char* text, Setter<double> set) {
  const auto take = [&options = options_, set, flags = std::string(flags)](double v) {
    if (std::isnan(v)) misuse(flags.substr(0, flags.find(',')) + " is NaN");
    (options.*set)(v);
  };
  command.add_option_function<double>(flags, take, text);
}

void VerifyFlags::toggle(CLI::App& command, const char* flags, const char* text, Setter<bool> set) {
  command.add_flag_function(
             flags, [&options = options_, set](std::int64_t count) { (options.*set)(count > 0); }, text)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}

void VerifyFlags::text(CLI::App& command, const char* flag, const char* text, Setter<const std::string&> set) {
  command.add_option_function<std::string>(
      flag, [&options = options_, set](const std::string& v) { (options.*set)(v); }, text);
}

void VerifyFlags::each(CLI::App& command, const char* flags, const char* text, Setter<const std::string&> add,
                       const char* item) {
  const auto take = [&options = options_, add](const std::vector<std::string>& items) {
    for (const std::string& given : items) (options.*add)(given);
  };
  command.add_option_function<std::vector<std::string>>(flags, take, text)
      ->take_all()
      ->expected(1)
      ->type_name(item);  // a path may contain commas
}

void VerifyFlags::sizes(CLI::App& command, const char* flags, const char* text,
                        VerifyOptions& (VerifyOptions::*set)(const std::string&, std::int64_t)) {
  const auto add = [&options = options_, set](const std::vector<std::string>& items) {
    for (const std::string& item : items) {
      const std::size_t equals = item.rfind('=');
      std::int64_t size = 0;
      if (equals == std::string::npos || equals == 0 || !read(std::string_view(item).substr(equals + 1), size))
        misuse("--verify-sizes '" + item + "': write SYMBOL=SIZE");
      (options.*set)(item.substr(0, equals), size);
    }
  };
  command.add_option_function<std::vector<std::string>>(flags, add, text)
      ->take_all()
      ->expected(1)
      ->delimiter(',')
      ->type_name("SYMBOL=SIZE,...");
}

void VerifyFlags::tolerances(CLI::App& command, const char* flags, const char* text,
                             VerifyOptions& (VerifyOptions::*set)(const std::string&, double, double)) {
  const auto add = [&options = options_, set](const std::vector<std::string>& items) {
    for (const std::string& item : items) {
      const std::size_t equals = item.rfind('=');
      const std::string both = equals == std::string::npos ? std::string() : item.substr(equals + 1);
      const std::size_t colon = both.find(':');
      double rtol = 0, atol = 0;
      if (colon == std::string::npos || !read(std::string_view(both).substr(0, colon), rtol) ||
          !read(std::string_view(both).substr(colon + 1), atol))
        misuse("--operator-tolerance '" + item + "': write NAME=RTOL:ATOL, such as aten::gelu=1e-2:1e-4");
      (options.*set)(item.substr(0, equals), rtol, atol);
    }
  };
  command.add_option_function<std::vector<std::string>>(flags, add, text)
      ->take_all()
      ->expected(1)
      ->delimiter(',')
      ->type_name("NAME=RTOL:ATOL,...");
}

void VerifyFlags::add_to(CLI::App& command) {
  // Made from options.json by scripts/options.py.
  number(
      command, "--verify-rtol,--rtol",
      "Relative tolerance: |model - program| <= atol + rtol * |program|. Negative: the default. Integers are compared "
      "exactly. Default: by the loosest floating dtype in the model (float16 and bfloat16 1e-2, float32 1e-3, on an "
      "accelerator 1e-2, float64 1e-5).",
      &VerifyOptions::rtol);
  number(
      command, "--verify-atol,--atol",
      "Absolute tolerance, added to rtol * |program|. Negative: the default. Default: by the loosest floating dtype in "
      "the model (float16 and bfloat16 1e-3, float32 1e-5, on an accelerator 1e-3, float64 1e-7).",
      &VerifyOptions::atol);
  tolerances(
      command, "--verify-operator-tolerances,--operator-tolerance",
      "Tolerances of the results of an operator, by its name ('aten::gelu', or 'aten::add.Tensor' for one overload): "
      "outputs of the model that it makes, also through views, but not through a branch or another operator; and, in a "
      "search for the operators that differ, the results of each part that it makes. A negative value means rtol or "
      "atol. Lists of tuples or dicts have none. A verification warns of a tolerance that no output uses. Default: "
      "none: rtol and atol for all results.",
      &VerifyOptions::operator_tolerance);
  number(
      command, "--verify-accepted-share",
      "Share of the elements of an output that may differ by more than the tolerances, from 0 to 1. Default: 0, also if"
      " it is negative: no element may differ.",
      &VerifyOptions::accepted_share);
  toggle(
      command, "--verify-check-dtype,!--no-verify-check-dtype",
      "Compare dtypes. If off, an output may have another dtype of the same kind, and its values are compared. Default:"
      " on.",
      &VerifyOptions::check_dtype);
  toggle(
      command, "--verify-check-shape,!--no-verify-check-shape",
      "Compare shapes. If off, an output may have another shape with the same number of elements, which are compared in"
      " order. Default: on.",
      &VerifyOptions::check_shape);
  text(command, "--verify-provider",
       "Execution provider of ONNX Runtime: 'cpu' or 'cuda', which needs an ONNX Runtime that has it. Empty: the CPU. "
       "Default: none.",
       &VerifyOptions::provider);
  each(
      command, "--verify-runtime-libraries,--ort-library",
      "Shared library with custom operators for ONNX Runtime (RegisterCustomOps), which runs the model. Default: none.",
      &VerifyOptions::runtime_library, "NAME");
  sizes(
      command, "--verify-sizes,--verify-size",
      "Size of a dynamic axis, by its symbol, in the second run. Default: one that tonnx chooses; for a trace, one that"
      " it was run at.",
      &VerifyOptions::size);
  toggle(
      command, "--verify-other-sizes,!--no-verify-other-sizes",
      "Also compare at another size of each dynamic axis, and with each axis that is broadcast with another one at size"
      " 1. Default: on.",
      &VerifyOptions::other_sizes);
  toggle(command, "--verify-every-operator,!--no-verify-every-operator",
         "When searching for the operators that differ, also compare every operator alone, on LibTorch's values. This "
         "finds differences that the outputs hide. Default: off.",
         &VerifyOptions::every_operator);
  // Made until here.
}

}  // namespace tonnx::cli
