#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "export/contents.h"
#include "export/exporter.h"
#include "export/verify_model.h"
#include "ir/error.h"

namespace tonnx::exporting {

// A range of operators whose model was compared with LibTorch, or the whole program.
struct MismatchPart {
  enum class State {
    Agrees,
    Differs,
    Unknown,  // could not be compared; `text` is the reason
    Unasked,  // only its operators were compared
  };

  std::string id;                  // one digit per half, "0" for the first; the root's is empty
  std::size_t begin = 0, end = 0;  // range of the program's essential nodes
  State state = State::Unasked;
  std::string text;                            // how it differs, or why it could not be compared
  std::string whole;                           // why it was not split; empty if it was, or is a single operator
  std::unique_ptr<MismatchPart> upper, lower;  // both or neither
};

// The operators of a program whose results in ONNX Runtime differ from LibTorch's.
class Mismatch {
 public:
  virtual ~Mismatch() = default;

  // True if the model, or an operator on its own, differs.
  virtual bool found() const = 0;
  // Ids of the parts that differ and that have no part that differs.
  virtual const std::vector<std::string>& leaves() const = 0;
  // For people: the tree of the parts, the leaves that differ, and these by kind of operator.
  virtual const std::string& text() const = 0;
  // The same as a JSON object.
  virtual const std::string& json() const = 0;
  // Writes a part as a folder of ONNX's own tests (onnx/test_case.h), with LibTorch's results as outputs. May be called
  // on any thread. Throws Error(Code::Argument) if there is no part with this id, and the errors of exporting the part.
  virtual void save_part(const std::string& id, const std::string& folder) const = 0;
  // The operators of a part, as lowered, and its model, which is exported again. Throw like save_part().
  virtual Contents program_contents(const std::string& id) const = 0;
  virtual std::shared_ptr<const Model> part_model(const std::string& id) const = 0;
};

// Exports the program and compares its model with LibTorch, as verify_model() does. If they differ, splits the lowered
// program (program/cut.h) into halves, repeatedly; the later half runs on LibTorch's results of the earlier one. A
// program of torch.export and a trace need no arguments. The symbolics of the registry are called again for each part.
// Throws the errors of export_program() and verify_model(), except for a difference; Error(Code::Unsupported) if
// LibTorch cannot run the program operator by operator, or the model has a sequence input.
std::unique_ptr<const Mismatch> find_mismatch(std::shared_ptr<const LoadedProgram> source, const ir::Arguments& args,
                                              const Options& options, const lower::Registry& registry,
                                              const VerifyOptions& verification);

}  // namespace tonnx::exporting
