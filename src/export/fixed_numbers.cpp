#include "export/fixed_numbers.h"

#include <algorithm>
#include <utility>

#include "ir/error.h"
#include "ir/quantised_parts.h"
#include "ir/tensor.h"

namespace tonnx::exporting {
namespace {

using ir::Constant;
using ir::Value;

Constant number_of(const Value& input, const ir::Tensor& example) {
  if (input.type().is(ir::Type::Kind::Float)) return {ir::load_double(example.dtype, example.data())};
  const std::int64_t number = ir::load_int64(example.dtype, example.data());
  return input.type().is(ir::Type::Kind::Bool) ? Constant{number != 0} : Constant{number};
}

class Fixed final : public LoadedProgram {
 public:
  Fixed(const LoadedProgram& script, std::vector<std::string> names) : script_(script), names_(std::move(names)) {}

  std::vector<std::string> methods() const override { return script_.methods(); }
  ir::RawProgram import(const std::string& method, const ir::Arguments& args, Training training) const override {
    return without_numbers(script_.import(method, args, training));
  }
  ir::RawProgram described(const std::string& method, const ir::Arguments& args, Training training) const override {
    return without_numbers(script_.described(method, args, training));
  }
  std::vector<ir::Tensor> run(const std::string& method, const ir::Arguments& args, Training training,
                              std::span<const ir::StateWrite> state) const override {
    return script_.run(method, args, training, state);
  }
  std::shared_ptr<const LoadedProgram> trace(const std::string& method, const ir::Arguments& args, Training training,
                                             const TraceOptions& options) const override {
    return script_.trace(method, args, training, options);
  }

 private:
  ir::RawProgram without_numbers(ir::RawProgram program) const {
    check_names(*program.graph);
    for (std::size_t i = program.inputs.size(); i-- > 0;) {
      Value* input = program.graph->inputs()[i];
      if (!input->type().is_scalar() || !(is_named("*") || is_named(input->name()))) continue;
      ir::Node* constant = program.graph->create_constant(number_of(*input, program.inputs[i]));
      program.graph->block().prepend(constant);
      input->replace_uses(constant->output());
      ir::remove_input(*program.graph, i);
      program.inputs.erase(program.inputs.begin() + static_cast<std::ptrdiff_t>(i));
      for (ir::TensorList& list : program.lists) list.first -= list.first > i ? 1 : 0;
    }
    return program;
  }

  bool is_named(const std::string& name) const { return std::ranges::find(names_, name) != names_.end(); }

  void check_names(const ir::Graph& graph) const {
    std::vector<std::string> known;
    for (const Value* input : graph.inputs())
      if (input->type().is_scalar()) known.push_back(input->name());
    for (const std::string& name : names_) {
      if (name == "*" || std::ranges::find(known, name) != known.end()) continue;
      std::string text = "fixed axis '" + name + "': there is no number argument of this name";
      for (std::size_t i = 0; i < known.size(); ++i) text += (i ? ", " : ", only ") + known[i];
      if (name.find(':') != std::string::npos || name.find('=') != std::string::npos)
        text +=
            "; axes of this program are fixed unless a dynamic axis names them, and a number has the example's value";
      throw ir::Error(ir::Code::Argument, text);
    }
  }

  const LoadedProgram& script_;
  const std::vector<std::string> names_;
};

}  // namespace

std::unique_ptr<const LoadedProgram> with_fixed_numbers(const LoadedProgram& script, std::vector<std::string> names) {
  return std::make_unique<Fixed>(script, std::move(names));
}

}  // namespace tonnx::exporting
