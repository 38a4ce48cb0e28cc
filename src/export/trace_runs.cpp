#include "export/trace_runs.h"

#include <algorithm>
#include <unordered_map>

#include "backend/libtorch.h"
#include "ir/error.h"
#include "ir/graph.h"
#include "ir/observer.h"

namespace tonnx::exporting {

using ir::Code;
using ir::Error;
using ir::Storage;

namespace {

using Shape = std::vector<std::int64_t>;

// Adds the shapes of all tensors and numbers in the arguments, also nested ones.
void add_shapes(const ir::Constant& value, std::vector<Shape>& shapes) {
  if (const auto* tensor = value.get<ir::Tensor>()) shapes.push_back(tensor->dims);
  if (value.is_number()) shapes.emplace_back();
  if (const auto* list = value.get<ir::Constant::List>())
    for (const ir::Constant& item : list->items) add_shapes(item, shapes);
  if (const auto* tuple = value.get<ir::Constant::Tuple>())
    for (const ir::Constant& item : tuple->items) add_shapes(item, shapes);
  if (const auto* dict = value.get<ir::Constant::Dict>())
    for (const auto& [key, item] : dict->items) add_shapes(item, shapes);
}

class RecordedProgram final : public LoadedProgram {
 public:
  explicit RecordedProgram(TracedProgram traced) : traced_(std::move(traced)) {}

  std::vector<std::string> methods() const override { return {"forward"}; }

  ir::RawProgram import(const std::string& method, const ir::Arguments& args, Training) const override {
    if (method != "forward") throw Error(Code::Argument, "a trace has no method '" + method + "'");
    const ir::RawProgram& recorded = traced_.program;
    ir::RawProgram program{recorded.graph->clone(), recorded.inputs, recorded.lists,    recorded.output_names,
                           recorded.output_lists,   recorded.ranges, recorded.warnings, recorded.form,
                           recorded.numbers,        recorded.state};
    if (has_other_shapes(args))
      program.warnings.push_back(
          "the sizes of the arguments differ from those of the trace, which are exported; record the code with these "
          "arguments, or declare the dynamic axes to the trace");
    return program;
  }

  std::vector<ir::Tensor> run(const std::string&, const ir::Arguments&, Training,
                              std::span<const ir::StateWrite> state) const override {
    return traced_.runs.front().results(state);
  }

  const TracedProgram* traced() const override { return &traced_; }

 private:
  // Ignores sizes along the trace's dynamic axes.
  bool has_other_shapes(const ir::Arguments& args) const {
    std::vector<Shape> shapes;
    for (const ir::Constant& value : args.positional) add_shapes(value, shapes);
    for (const auto& [name, value] : args.keywords) add_shapes(value, shapes);
    const std::vector<ir::Tensor>& own = traced_.program.inputs;
    // In a single run any axis may be dynamic. Arguments in another form are not compared.
    if (traced_.single_run || shapes.size() != own.size()) return false;
    for (const InputAxis& axis : traced_.axes)
      if (axis.axis < shapes[axis.input].size() && axis.axis < own[axis.input].dims.size())
        shapes[axis.input][axis.axis] = own[axis.input].dims[axis.axis];
    return !std::ranges::equal(shapes, own,
                               [](const Shape& shape, const ir::Tensor& tensor) { return shape == tensor.dims; });
  }

  TracedProgram traced_;
};

// Copies weights; weights that share storage share the copy.
void copy_weights(ir::Graph& graph) {
  std::unordered_map<const Storage*, std::shared_ptr<const Storage>> copies;
  for (ir::Value* value : graph.weights()) {
    ir::Tensor weight = *value->weight();
    if (!weight.storage) continue;
    if (weight.storage->is_on_device()) {
      weight.storage->data();  // copies the bytes to the host, and keeps them there
      continue;
    }
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
  // Only the first run is replayed; further runs are compared with it.
  backend::Traced traced = ending.end({.replay = replay_ && is_example()});
  ir::report_warnings(traced.program.warnings, ir::Category::Trace);
  // Weights of further runs are compared with those of the first run, which the program keeps.
  if (!share_weights_ && is_example()) copy_weights(*traced.program.graph);
  sizes_.add(std::move(traced));
  return begin_next();
}

bool TraceRuns::fail(const std::string& reason, std::shared_ptr<void> cause) {
  run();
  run_.reset();
  sizes_.fail(backend::libtorch().without_back_trace(reason), std::move(cause));
  return begin_next();
}

bool TraceRuns::begin_next() {
  ir::advance(1);
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
    throw Error(Code::Argument,
                "the code must run again, at other sizes of its dynamic axes: call next() until it returns false");
  if (!sizes_.done()) throw Error(Code::Argument, "the trace has ended");
  taken_ = true;
  return std::make_shared<RecordedProgram>(sizes_.take());
}

void TraceRuns::stop() {
  run_.reset();
  taken_ = true;
}

void TraceRuns::require_thread() const {
  if (std::this_thread::get_id() != thread_) throw Error(Code::Argument, "a trace belongs to the thread that began it");
}

}  // namespace tonnx::exporting
