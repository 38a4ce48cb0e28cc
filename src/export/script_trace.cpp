#include "export/script_trace.h"

#include <algorithm>
#include <map>
#include <utility>

#include "export/trace_runs.h"
#include "ir/error.h"
#include "ir/graph.h"
#include "ir/quantised_parts.h"
#include "ir/quantised_tensor.h"

namespace tonnx::exporting {

namespace {

// A recording that uses the names of the script that ran.
class TracedScript final : public LoadedProgram {
 public:
  TracedScript(std::shared_ptr<const LoadedProgram> recorded, ir::RawProgram script, std::string method)
      : recorded_(std::move(recorded)), script_(std::move(script)), method_(std::move(method)) {}

  std::vector<std::string> methods() const override { return {method_}; }

  ir::RawProgram import(const std::string&, const ir::Arguments& args, Training training) const override {
    ir::RawProgram program = recorded_->import("forward", args, training);
    if (program.graph->outputs().size() == script_.output_names.size() + program.state.outputs.size())
      std::ranges::copy(script_.output_names, program.output_names.begin());
    for (const ir::StateWrite& write : script_.state.left_out) add_location(write, program.state);
    program.warnings.insert(program.warnings.begin(), script_.warnings.begin(), script_.warnings.end());
    use_script_weights(*program.graph);
    return program;
  }

  std::vector<ir::Tensor> run(const std::string&, const ir::Arguments& args, Training training,
                              std::span<const ir::StateWrite> state) const override {
    return recorded_->run("forward", args, training, state);
  }

  const TracedProgram* traced() const override { return recorded_->traced(); }

 private:
  // Only the script has the source locations of attribute writes, and knows which containers change.
  static void add_location(const ir::StateWrite& write, ir::StateWrites& state) {
    for (std::vector<ir::StateWrite>* recorded : {&state.outputs, &state.left_out}) {
      const auto is_same = [&](const ir::StateWrite& known) {
        return known.kind == write.kind && known.name == write.name;
      };
      const auto known = std::ranges::find_if(*recorded, is_same);
      if (known == recorded->end()) continue;
      *known = write;
      return;
    }
    state.left_out.push_back(write);
  }

  // Replaces the recording's copies of weights by the script's weights, which may stay in their file.
  void use_script_weights(ir::Graph& graph) const {
    std::map<std::string, const ir::Tensor*> own;
    for (const ir::Value* weight : script_.graph->weights()) own[weight->name()] = weight->weight();
    for (ir::Value* weight : graph.weights()) {
      const auto found = own.find(weight->name());
      if (found == own.end()) continue;
      const ir::Tensor& known = *found->second;
      const ir::Tensor& copy = *weight->weight();
      if (known.dtype == copy.dtype && known.dims == copy.dims) weight->set_weight(known);
    }
  }

  std::shared_ptr<const LoadedProgram> recorded_;
  ir::RawProgram script_;
  std::string method_;
};

}  // namespace

std::shared_ptr<const LoadedProgram> trace_script(backend::Archive& archive, ir::RawProgram script,
                                                  const std::string& method, const ir::Arguments& args,
                                                  Training training, const TraceOptions& wanted, bool written_outputs) {
  const ir::Training form = training_form(training);
  ir::Arguments flat;
  const std::vector<ir::Part> parts = ir::input_parts(*script.graph);
  for (std::size_t i = 0; i < script.inputs.size(); ++i) {
    if (parts[i] != ir::Part::Whole) continue;
    const ir::Value& input = *script.graph->inputs()[i];
    flat.keywords.emplace_back(input.name(), ir::Constant{ir::whole_of(script.inputs[i])});
    if (input.type().is_scalar())
      throw ir::Error(ir::Code::Unsupported,
                      "argument '" + input.name() +
                          "' is a number, which a recording turns into a constant, so the model would not read this "
                          "input: omit it to use its default, pass a tensor, or use mode 'script'");
  }
  TraceOptions options;
  options.dynamic_axes = wanted.dynamic_axes;
  for (TraceAxis& axis : options.dynamic_axes)  // the recording has one input for the parts of a quantised one
    axis.input -= static_cast<std::size_t>(std::count_if(
        parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(std::min(axis.input + 1, parts.size())),
        [](ir::Part part) { return part != ir::Part::Whole; }));
  options.allow_fixed_axes = wanted.allow_fixed_axes;
  options.other_values = true;
  TraceRuns runs(flat, options);
  for (bool again = true; again;) {
    std::shared_ptr<void> held;
    try {
      held = archive.record(runs.run(), args, method, form, written_outputs);
    } catch (const ir::Error& error) {
      if (runs.is_example() || error.code() != ir::Code::Program) throw;
      again = runs.fail(error.what());
      continue;
    }
    again = runs.next();
  }
  return std::make_shared<TracedScript>(runs.end(), std::move(script), method);
}

}  // namespace tonnx::exporting
