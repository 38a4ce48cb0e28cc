#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "export/exporter.h"
#include "export/verify_model.h"
#include "ir/error.h"

namespace tonnx::exporting {

// A stretch of a program whose model was compared with LibTorch, or the whole.
struct MismatchPart {
  enum class State {
    Agrees,
    Differs,
    Unknown,  // it could not be compared, for the reason
    Unasked,  // only the operators in it were
  };

  std::string id;                  // a digit a half, "0" the first; the root's is empty
  std::size_t begin = 0, end = 0;  // of the program's essential nodes
  State state = State::Unasked;
  std::string text;                            // how it differs, or why it could not be compared
  std::string whole;                           // why it could not be cut; empty where it was, or is one operator
  std::unique_ptr<MismatchPart> upper, lower;  // both or neither
};

// Which operators of a program give other values in ONNX Runtime than in LibTorch.
class Mismatch {
 public:
  virtual ~Mismatch() = default;

  // Whether the model, or an operator on its own, differs.
  virtual bool found() const = 0;
  // The ids of the parts that differ and have no part that does.
  virtual const std::vector<std::string>& leaves() const = 0;
  // For people: the tree of the parts, those that differ and have no part that does, and these by kinds of operators.
  virtual const std::string& text() const = 0;
  // The same as a JSON object.
  virtual const std::string& json() const = 0;
  // Writes a part as a folder of ONNX's own tests (onnx/test_case.h), LibTorch's results being the outputs. Any thread.
  // Throws Error(Code::Argument) if there is no part of this id, and what the export of a part throws.
  virtual void save_part(const std::string& id, const std::string& folder) const = 0;
};

// Exports the program, compares its model with LibTorch as verify_model() does and, where they differ, cuts the program
// as it was lowered (program/cut.h) into halves over and over, of which the later one runs on LibTorch's results of the
// earlier one. A program of torch.export and a trace may come without arguments. The symbolics of the registry are
// called once more for each part. Throws what export_program() and verify_model() throw, but for a difference;
// Error(Code::Unsupported) where LibTorch cannot run the program operator by operator, or a list is one input of the
// model.
std::unique_ptr<const Mismatch> find_mismatch(std::shared_ptr<const LoadedProgram> source, const ir::Arguments& args,
                                              const Options& options, const lower::Registry& registry,
                                              const VerifyOptions& verification);

}  // namespace tonnx::exporting
