#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace tonnx::ir {

// The kind of a failure, by what the caller can do about it. The values are those of tonnx_status.
enum class Code : std::int32_t {
  Ok = 0,
  Unsupported = 1,   // the program cannot be exported: an operator, an argument or a construct has no ONNX form
  Argument = 2,      // wrong use: an option, name, count, dtype or shape of the caller
  Verification = 3,  // the model disagrees with LibTorch
  File = 4,          // input or output file: missing, damaged, foreign, not writable, disk full
  Callback = 5,      // the caller's own callback failed; the message is the callback's
  Checker = 6,       // the ONNX checker refused the model
  Program = 7,       // the program itself fails when it is run on the example inputs
  Memory = 8,
  Internal = 9,    // a bug in tonnx: an internal invariant does not hold
  Warning = 10,    // the export warns, and the caller turned warnings into errors
  Cancelled = 11,  // the caller's observer cancelled the call (ir::Cancelled)
};

// Says if the reason is a missing lowering: at every opset, or up to the opset of the export.
enum class Missing { No, Everywhere, Opset };

// One reason why a program cannot be exported.
struct Reason {
  std::string op;      // "aten::foo.Tensor"; empty if the reason is not about one operator
  std::string text;    // one line, impersonal
  std::string module;  // path of the first module it was seen in, "layer1.0.conv1"
  std::string source;  // first source line, "model.py:12"
  std::int64_t count = 1;
  Missing missing = Missing::No;
};

// The exception class of the core. what() is the whole message, at most 15 lines.
class Error : public std::runtime_error {
 public:
  Error(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Error(Code code, const std::string& message, std::vector<Reason> reasons)
      : std::runtime_error(message), code_(code), reasons_(std::move(reasons)) {}

  Code code() const { return code_; }
  const std::vector<Reason>& reasons() const { return reasons_; }

 private:
  Code code_;
  std::vector<Reason> reasons_;
};

}  // namespace tonnx::ir
