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
#include "program/containers/outputs.h"

namespace tonnx::exporting {

// A finished model: its graph is in memory, its weights stay where they are. Immutable; threads may share it.
struct Model {
  std::unique_ptr<ir::Graph> graph;
  onnx::ModelInfo info;
  Report report;
  std::string method;
  Training training = Training::Eval;
  bool written_outputs = false;
  std::vector<ir::StateWrite> state_outputs;        // writes to state, one for each of the last outputs
  std::map<std::string, std::int64_t> fixed_sizes;  // symbols of the program that the options fix
  std::vector<std::string> fixed_numbers;  // number arguments of a script that the options fix; they are not inputs
  bool weights_stored = true;
  bool sequence_inputs = false;
  std::vector<InputAxis> axes;  // dynamic axes of the inputs; axes that must have the same size have the same symbol
  std::map<std::string, std::string> same_size;  // other names of such a symbol
  std::map<std::string, std::string>
      broadcast;                                // symbols that have the size of another one, unless one of the two is 1
  std::map<std::string, ir::SizeRange> ranges;  // allowed sizes of symbols that the program limits
  std::shared_ptr<const ir::CallForm> form;     // how the program is called; null if unknown
  std::vector<program::ListPart> list_parts;    // outputs that are parts of items of a list; empty if there are none
  std::vector<std::vector<std::string>> output_operators;  // names of the program's operators that make the outputs
};

// Exports a program: import, program passes, lowering, model passes, names, checker. `report`, if not null, is also
// filled if the export fails. `prepared` receives the program that was lowered. Throws ir::Error. Calls share no state.
std::unique_ptr<Model> export_program(const LoadedProgram& source, const ir::Arguments& args, const Options& options,
                                      const lower::Registry& registry, Report* report = nullptr,
                                      ir::RawProgram* prepared = nullptr);

// The program as imported, with the options' fixed sizes. Throws if calls in it are refused.
ir::RawProgram raw_program(const LoadedProgram& source, const ir::Arguments& args, const Options& options);
// The same as text.
std::string program_text(const LoadedProgram& source, const ir::Arguments& args, const Options& options);
// The same as a picture (diagram/diagram.h): an SVG image or an HTML page.
std::string program_picture(const LoadedProgram& source, const ir::Arguments& args, const Options& options, bool page);

}  // namespace tonnx::exporting
