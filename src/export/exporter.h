#pragma once

#include <memory>
#include <string>
#include <vector>

#include "export/options.h"
#include "export/report.h"
#include "export/source.h"
#include "ir/graph.h"
#include "lower/registry.h"
#include "onnx/model_info.h"
#include "verify/compare.h"

namespace tonnx::exporting {

// A finished model: its graph in memory, its weights where they lie. Immutable; may be shared between threads.
struct Model {
  std::unique_ptr<ir::Graph> graph;
  onnx::ModelInfo info;
  Report report;
  std::string method;
  Training training = Training::Eval;
};

// The whole road: import, program passes, lowering, model passes, names, checker. `report`, if not null, is filled also when
// the export fails. Throws ir::Error; no state is shared between calls.
std::unique_ptr<Model> export_program(const Source& source, const ir::Arguments& args, const Options& options,
                                      const lower::Registry& registry, Report* report = nullptr);

// The raw program's text form.
std::string program_text(const Source& source, const ir::Arguments& args, const Options& options);

// Runs `path` in ONNX Runtime on `args` and compares with LibTorch's results. Throws Error(Code::Verification).
void verify_file(const std::string& path, const Source& source, const ir::Arguments& args, const std::string& method,
                 Training training, const verify::Tolerance& tolerance);
// The same for a model in memory, through a temporary file; its weights and values tell tolerance.loosest.
void verify_model(const Model& model, const Source& source, const ir::Arguments& args, verify::Tolerance tolerance);

}  // namespace tonnx::exporting
