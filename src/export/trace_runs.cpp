#include "export/trace_runs.h"

#include <unordered_map>

#include "ir/error.h"
#include "ir/graph.h"

namespace tonnx::exporting {

using ir::Code;
using ir::Error;
using ir::Storage;

namespace {

class TraceSource final : public Source {
 public:
  explicit TraceSource(torch::Traced traced) : traced_(std::move(traced)) {}

  std::vector<std::string> methods() const override { return {"forward"}; }

  torch::Program import(const std::string& method, const ir::Arguments&, Training) const override {
    if (method != "forward") throw Error(Code::Argument, "a trace has no method '" + method + "'");
    const torch::Program& recorded = traced_.program;
    return {recorded.graph->clone(), recorded.inputs, recorded.output_names, recorded.warnings};
  }

  std::vector<ir::Tensor> run(const std::string&, const ir::Arguments&, Training) const override {
    return traced_.outputs;
  }

 private:
  torch::Traced traced_;
};

// Weights that share memory share it afterwards.
void copy_weights(ir::Graph& graph) {
  std::unordered_map<const Storage*, std::shared_ptr<const Storage>> copies;
  for (ir::Value* value : graph.weights()) {
    ir::Tensor weight = *value->weight();
    if (!weight.storage) continue;
    auto& copy = copies[weight.storage.get()];
    if (!copy) copy = Storage::copy(weight.storage->data(), weight.storage->size());
    weight.storage = copy;
    value->set_weight(std::move(weight));
  }
}

}  // namespace

TraceRuns::TraceRuns(const ir::Arguments& arguments, const TraceOptions& options)
    : options_(options), run_(std::make_unique<torch::Recording>(arguments)) {}

torch::Recording& TraceRuns::run() {
  require_thread();
  if (!run_) throw Error(Code::Argument, "the trace has ended");
  return *run_;
}

bool TraceRuns::next() {
  torch::Recording& ending = run();
  const std::unique_ptr<torch::Recording> owner = std::move(run_);
  auto traced = std::make_unique<torch::Traced>(ending.end());
  if (!options_.share_weights) copy_weights(*traced->program.graph);
  traced_ = std::move(traced);
  return false;
}

std::shared_ptr<const Source> TraceRuns::end() {
  require_thread();
  if (!traced_) next();
  return std::make_shared<TraceSource>(std::move(*std::exchange(traced_, nullptr)));
}

void TraceRuns::require_thread() const {
  if (std::this_thread::get_id() != thread_)
    throw Error(Code::Argument, "a trace belongs to the thread that began it");
}

}  // namespace tonnx::exporting
