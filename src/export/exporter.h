#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "export/loaded_program.h"
#include "export/options.h"
#include "export/report.h"
#include "export/resize.h"
#include "ir/call_form.h"
#include "ir/graph.h"
#include "lower/registry.h"
#include "onnx/model_info.h"
#include "program/outputs.h"

namespace tonnx::exporting {

// A finished model: its graph in memory, its weights where they lie. Immutable; may be shared between threads.
struct Model {
  std::unique_ptr<ir::Graph> graph;
  onnx::ModelInfo info;
  Report report;
  std::string method;
  Training training = Training::Eval;
  bool written_outputs = false;
  std::vector<ir::StateWrite> state_outputs;        // of its last outputs: what the program writes to state
  std::map<std::string, std::int64_t> fixed_sizes;  // of the program's symbols, by the options
  std::vector<std::string> fixed_numbers;           // of a script's arguments, which are no inputs; by the options
  bool weights_stored = true;
  bool sequence_inputs = false;
  std::vector<InputAxis> axes;  // of its inputs, the dynamic ones; those that must have one size have one symbol
  std::map<std::string, std::string> same_size;  // other names of such a symbol
  std::map<std::string, std::string>
      broadcast;  // symbols that have the size of another one, but where one of the two is 1
  std::map<std::string, ir::SizeRange> ranges;  // of symbols whose sizes the program limits
  std::shared_ptr<const ir::CallForm> form;     // how the program is called; null where it does not tell
  std::vector<program::ListPart> list_parts;  // which of its outputs are parts of a list's items; empty where none are
};

// The whole road: import, program passes, lowering, model passes, names, checker. `report`, if not null, is filled also
// when the export fails; `prepared` gets the program as it was lowered. Throws ir::Error; no state is shared between
// calls.
std::unique_ptr<Model> export_program(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                                      const lower::Registry& registry, Report* report = nullptr,
                                      ir::RawProgram* prepared = nullptr);

// The raw program's text form.
std::string program_text(const LoadedProgram& source, const ir::Arguments& args, const Options& options);

}  // namespace tonnx::exporting
