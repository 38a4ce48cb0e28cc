#include "torch/recording.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <thread>

#include <ATen/DeviceAccelerator.h>

#include "ir/error.h"
#include "ir/flat_inputs.h"
#include "torch/bool_numbers.h"
#include "torch/convert.h"
#include "torch/flat_outputs.h"
#include "torch/guard.h"
#include "torch/index_guard.h"
#include "torch/sketch.h"
#include "torch/trace_import.h"
#include "torch/trace_replay.h"
#include "torch/trace_session.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
using ir::FlatInput;

struct Recording::Run {
  std::thread::id thread = std::this_thread::get_id();
  std::vector<FlatInput> arguments;
  std::vector<at::Tensor> inputs;
  std::vector<void*> handles;
  std::vector<at::Tensor> outputs;
  std::vector<std::string> output_names;
  ir::StateWrites attributes;
  std::deque<at::Tensor> sizes;
  std::shared_ptr<TraceSession> session;
  std::optional<IndexGuard> index_guard;
  std::optional<Sketch> sketch;
  bool ended = false;
};

namespace {

const at::Tensor& tensor_of(const void* at_tensor, const std::string& what) {
  const auto* tensor = static_cast<const at::Tensor*>(at_tensor);
  if (!tensor || !tensor->defined()) throw Error(Code::Argument, what + " is null or an undefined tensor");
  return *tensor;
}

std::vector<at::Tensor> tensors_of(std::span<const void* const> handles, const std::string& what) {
  std::vector<at::Tensor> tensors;
  for (const void* handle : handles) tensors.push_back(tensor_of(handle, what));
  return tensors;
}

// The final values of inputs and weights that operators wrote to.
std::vector<backend::StateValue> written_state(TraceSession& session, std::span<const FlatInput> names,
                                               std::span<const at::Tensor> inputs, const ImportedTrace& imported) {
  std::vector<backend::StateValue> state;
  const auto add = [&](ir::StateWrite::Kind kind, const std::string& name, const at::Tensor& tensor) {
    std::vector<ir::Tensor> values = flat_outputs(tensor.detach());
    if (values.size() == 1) state.push_back({kind, name, std::move(values[0])});
  };
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (session.memory().is_written(inputs[i])) add(ir::StateWrite::Kind::Input, names[i].name, inputs[i]);
  for (const TraceMemory::Weight& weight : session.memory().weights())
    if (weight.now.defined()) add(ir::StateWrite::Kind::Weight, weight.name, weight.now);
  for (const TraceMemory::OtherName& other : session.memory().other_names())
    add(ir::StateWrite::Kind::Weight, other.name, other.tensor);
  for (const auto& [name, tensor] : imported.captured) add(ir::StateWrite::Kind::Weight, name, tensor);
  return state;
}

// The names of captured tensors that only the recording references: the code created them during the call.
std::vector<std::string> released(TraceSession& session, std::vector<std::pair<std::string, at::Tensor>> captured) {
  std::vector<std::pair<std::string, c10::weak_intrusive_ptr<c10::StorageImpl>>> storages;
  for (const auto& [name, tensor] : captured) storages.emplace_back(name, tensor.storage().getWeakStorageImpl());
  captured.clear();
  session.memory().release();
  std::vector<std::string> names;
  for (const auto& [name, storage] : storages)
    if (storage.expired()) names.push_back(name);
  return names;
}

std::string late_text(const std::vector<std::string>& weights) {
  constexpr std::size_t kMostNames = 10;
  std::string names;
  for (std::size_t i = 0; i < std::min(weights.size(), kMostNames); ++i) names += (i ? ", '" : "'") + weights[i] + "'";
  if (weights.size() > kMostNames) names += " and " + std::to_string(weights.size() - kMostNames) + " more";
  return (weights.size() == 1 ? "weight " : "weights ") + names + " appeared while the code ran, which had used " +
         (weights.size() == 1 ? "it" : "them") +
         " before: the model has what the code made them of, computed in every run, or constants without these names; "
         "run the code once before it is traced";
}

void require_going(bool ended) {
  if (ended) throw Error(Code::Argument, "the recording has ended");
}

}  // namespace

Recording::Recording(const ir::Arguments& arguments) : run_(std::make_unique<Run>()) {
  TraceSession::require_none();
  run_->arguments = ir::flat_inputs(arguments);
  guarded(Code::Argument, "the arguments cannot be used", [&] {
    for (const FlatInput& input : run_->arguments) run_->inputs.push_back(to_torch_copy_on_device(input.example));
  });
  for (at::Tensor& tensor : run_->inputs) run_->handles.push_back(&tensor);
  if (at::getAccelerator()) run_->index_guard.emplace();
  run_->session = TraceSession::begin();
  for (std::size_t i = 0; i < run_->inputs.size(); ++i)
    run_->session->memory().add_input(run_->inputs[i], run_->arguments[i].name);
}

Recording::~Recording() {
  if (run_->session) run_->session->stop();
}

std::span<void* const> Recording::inputs() const { return run_->handles; }

void Recording::add_output(const void* at_tensor, const std::string& name) {
  require_going(run_->ended);
  run_->session->memory().note_pointers(true);
  run_->outputs.push_back(tensor_of(at_tensor, "a result of the traced function"));
  run_->output_names.push_back(name);
}

void Recording::set_attribute(const std::string& name, const void* at_tensor, bool as_output) {
  require_going(run_->ended);
  ir::StateWrite write{ir::StateWrite::Kind::Attribute, name, {}, {}, {}};
  if (!at_tensor || !as_output) return run_->attributes.left_out.push_back(std::move(write));
  add_output(at_tensor, ir::written_name(write));
  run_->attributes.outputs.push_back(std::move(write));
}

void Recording::add_weight(const void* at_tensor, const std::string& name) {
  require_going(run_->ended);
  run_->session->memory().note_pointers(true);
  run_->session->memory().add_weight(tensor_of(at_tensor, "weight '" + name + "'"), name);
}

void* Recording::size(const void* at_tensor, std::int64_t axis) {
  require_going(run_->ended);
  const at::Tensor& tensor = tensor_of(at_tensor, "the tensor whose size is requested");
  return &run_->sizes.emplace_back(run_->session->size_of(tensor, axis));
}

void Recording::begin_function(const std::string& name, std::span<const void* const> inputs,
                               const std::vector<ir::NamedAttribute>& arguments) {
  require_going(run_->ended);
  run_->session->functions().begin(name, tensors_of(inputs, "an input of function '" + name + "'"), arguments);
  run_->session->memory().pause_pointers();
}

void Recording::end_function(std::span<const void* const> outputs) {
  require_going(run_->ended);
  TraceFunctions& functions = run_->session->functions();
  functions.end(tensors_of(outputs, "an output of function '" + functions.open() + "'"));
  run_->session->memory().continue_pointers();
}

void Recording::abandon_function() {
  require_going(run_->ended);
  run_->session->functions().abandon();
  run_->session->memory().continue_pointers();
}

void Recording::replace_reads(backend::Reads reads, std::size_t count) { run_->session->reads().replace(reads, count); }

void Recording::sketch(bool rising) { run_->sketch.emplace(rising); }

Traced Recording::end(const TraceOptions& options) {
  if (std::this_thread::get_id() != run_->thread)
    throw Error(Code::Argument, "a recording must end on the thread that began it");
  require_going(run_->ended);
  if (const std::string& open = run_->session->functions().open(); !open.empty())
    throw Error(Code::Argument, "function '" + open + "' was not ended");
  run_->ended = true;
  run_->sketch.reset();
  run_->index_guard.reset();
  TraceSession& session = *run_->session;
  try {
    guarded(Code::Internal, "the trace cannot be read", [&] {
      for (const at::Tensor& output : run_->outputs) session.add_output(output);
    });
  } catch (...) {
    session.stop();
    throw;
  }
  session.stop();
  if (run_->outputs.empty()) throw Error(Code::Argument, "the traced function returned no tensor");
  session.memory().check_weights();
  session.memory().throw_refusal();
  replace_bool_numbers(*session.graph());
  Traced result;
  result.reads = session.reads().descriptions();
  result.fixed_reads.assign(session.reads().fixed().begin(), session.reads().fixed().end());
  result.read_count = session.reads().count();
  result.pointers = session.memory().pointers();
  result.data_sizes = session.data_sizes();
  guarded(Code::Program, "the outputs of the traced function cannot be read", [&] {
    for (const at::Tensor& output : run_->outputs)
      for (ir::Tensor& tensor : flat_outputs(output.detach())) result.outputs.push_back(std::move(tensor));
  });
  if (options.replay)
    guarded(Code::Program, "the recording cannot be run again",
            [&] { replay_trace(session, run_->arguments, run_->outputs); });
  guarded(Code::Internal, "the trace cannot be read", [&] {
    ImportedTrace imported = import_trace(session, run_->arguments, run_->output_names);
    result.program = std::move(imported.program);
    ir::StateWrites& state = result.program.state;
    state.outputs = run_->attributes.outputs;
    state.left_out = run_->attributes.left_out;
    result.late_weights = session.memory().late_weights();
    if (!result.late_weights.empty()) result.program.warnings.push_back(late_text(result.late_weights));
    result.state = written_state(session, run_->arguments, run_->inputs, imported);
    run_->outputs.clear();
    for (const std::string& name : released(session, std::move(imported.captured)))
      result.program.state.temporary.insert(name);
  });
  return result;
}

}  // namespace tonnx::torch
