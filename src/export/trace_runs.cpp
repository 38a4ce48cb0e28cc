#include "export/trace_runs.h"

#include <algorithm>
#include <unordered_map>

#include "backend/libtorch.h"
#include "ir/error.h"
#include "ir/graph.h"

namespace tonnx::exporting {

using ir::Code;
using ir::Error;
using ir::Storage;

namespace {

class RecordedProgram final : public LoadedProgram {
 public:
  explicit RecordedProgram(TracedProgram traced) : traced_(std::move(traced)) {}

  std::vector<std::string> methods() const override { return {"forward"}; }

  ir::RawProgram import(const std::string& method, const ir::Arguments&, Training) const override {
    if (method != "forward") throw Error(Code::Argument, "a trace has no method '" + method + "'");
    const ir::RawProgram& recorded = traced_.program;
    return {recorded.graph->clone(), recorded.inputs,   recorded.lists,    recorded.output_names,
            recorded.ranges,         recorded.warnings, recorded.form};
  }

  std::vector<ir::Tensor> run(const std::string&, const ir::Arguments&, Training) const override {
    return traced_.runs.front().outputs;
  }

  const TracedProgram* traced() const override { return &traced_; }

 private:
  TracedProgram traced_;
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
    : share_weights_(options.share_weights),
      replay_(options.replay),
      sizes_(arguments, options,
             [](const ir::Graph& program, const std::vector<ir::Tensor>& inputs) {
               return backend::libtorch().run_graph(program, inputs);
             }),
      run_(backend::libtorch().record(sizes_.arguments())) {}

backend::Recording& TraceRuns::run() {
  require_thread();
  if (!run_) throw Error(Code::Argument, "the trace has ended");
  return *run_;
}

bool TraceRuns::next() {
  backend::Recording& ending = run();
  const std::unique_ptr<backend::Recording> owner = std::move(run_);
  // Further runs are compared with the first one.
  backend::Traced traced = ending.end({.replay = replay_ && is_example()});
  // Those of further runs are compared with the first one's, which the program keeps.
  if (!share_weights_ && is_example()) copy_weights(*traced.program.graph);
  sizes_.add(std::move(traced));
  return begin_next();
}

bool TraceRuns::fail(const std::string& reason) {
  run();
  run_.reset();
  sizes_.fail(backend::libtorch().without_back_trace(reason));
  return begin_next();
}

bool TraceRuns::begin_next() {
  if (sizes_.done()) return false;
  run_ = backend::libtorch().record(sizes_.arguments());
  if (const auto rising = sizes_.sketch()) run_->sketch(*rising);
  if (const TraceValues* values = sizes_.values()) run_->replace_reads(values->reads(), values->read_count());
  return true;
}

std::shared_ptr<const LoadedProgram> TraceRuns::end() {
  require_thread();
  if (taken_) throw Error(Code::Argument, "the trace has ended");
  if (run_ && next())
    throw Error(Code::Argument, "the code must run again, at other sizes of its dynamic axes: ask for the next run as "
                                "long as there is one");
  if (!sizes_.done()) throw Error(Code::Argument, "the trace has ended");
  taken_ = true;
  return std::make_shared<RecordedProgram>(sizes_.take());
}

void TraceRuns::require_thread() const {
  if (std::this_thread::get_id() != thread_)
    throw Error(Code::Argument, "a trace belongs to the thread that began it");
}

}  // namespace tonnx::exporting
