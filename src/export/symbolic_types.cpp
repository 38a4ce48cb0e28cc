#include "export/symbolic_types.h"

#include <algorithm>

namespace tonnx::exporting {
namespace {

using ir::DatumPtr;
using ir::DType;
using ir::Facts;
using ir::Graph;
using ir::Node;
using ir::Value;

// Size used for a dimension that the symbolic leaves unknown.
constexpr std::int64_t kProbe = 2;

class SymbolicTypes final : public ir::Evaluator {
 public:
  SymbolicTypes(std::unique_ptr<ir::Evaluator> inner, const lower::Registry& registry, const ir::Opset& opset,
                const lower::LowerOptions& options)
      : inner_(std::move(inner)), registry_(registry), opset_(opset), options_(options) {
    options_.flattens_lists = true;
  }

  void share_results(bool may_share) override { inner_->share_results(may_share); }
  DatumPtr meta(DType dtype, std::span<const std::int64_t> dims) override { return inner_->meta(dtype, dims); }
  DatumPtr meta(const ir::Tensor& tensor) override { return inner_->meta(tensor); }
  DatumPtr constant(const ir::Constant& constant) override { return inner_->constant(constant); }
  Facts describe(const ir::Datum& datum, std::int64_t max_elements) override {
    return inner_->describe(datum, max_elements);
  }
  bool share_memory(const ir::Datum& a, const ir::Datum& b) override { return inner_->share_memory(a, b); }
  std::optional<std::int64_t> contiguous_offset(const ir::Datum& datum) override {
    return inner_->contiguous_offset(datum);
  }
  std::vector<std::int64_t> merged_strides(const ir::Datum& datum, std::span<const std::size_t> single) override {
    return inner_->merged_strides(datum, single);
  }
  std::vector<DatumPtr> items(const ir::Datum& datum) override { return inner_->items(datum); }
  std::size_t count(const ir::Datum& datum) override { return inner_->count(datum); }
  DatumPtr entry(const ir::Datum& dict, const ir::Datum& key) override { return inner_->entry(dict, key); }
  std::vector<DatumPtr> keys(const ir::Datum& dict) override { return inner_->keys(dict); }
  DatumPtr list(std::span<const DatumPtr> items) override { return inner_->list(items); }
  DatumPtr never() override { return inner_->never(); }
  bool is_never(const ir::Datum& datum) override { return inner_->is_never(datum); }
  void forget_content(const ir::Datum& datum) override { inner_->forget_content(datum); }

  Outcome evaluate(const Node& node, std::span<const DatumPtr> inputs, std::vector<DatumPtr>& outputs,
                   Wanted wanted) override {
    const Outcome outcome = inner_->evaluate(node, inputs, outputs, wanted);
    return outcome == Outcome::NoRule && is_read(node) && has_symbolic(node) ? ask(node, inputs, outputs) : outcome;
  }

 private:
  // True if another node uses the results; the type of a model output may stay unknown.
  static bool is_read(const Node& node) {
    return std::any_of(node.outputs().begin(), node.outputs().end(), [&](const Value* out) {
      return std::any_of(out->uses().begin(), out->uses().end(),
                         [&](const ir::Use& use) { return use.node != node.graph().block().return_node(); });
    });
  }

  bool has_symbolic(const Node& node) const {
    const auto entries = registry_.find(node, opset_.version());
    return std::any_of(entries.begin(), entries.end(), [](const auto* entry) { return entry->is_custom(); });
  }

  // Lowers a program that consists of this node alone.
  Outcome ask(const Node& node, std::span<const DatumPtr> inputs, std::vector<DatumPtr>& outputs) {
    Graph program;
    std::vector<Value*> arguments;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      Value* argument = inputs[i] ? add_argument(program, *node.input(i), *inputs[i]) : nullptr;
      if (!argument) return Outcome::NoRule;
      arguments.push_back(argument);
    }
    Node* copy = program.create(node.kind(), arguments, node.output_count());
    copy->set_schema(node.schema_ptr());
    copy->set_location(node.location());
    for (const auto& attribute : node.attributes()) copy->set_attribute(attribute.name, attribute.value);
    program.block().append(copy);
    for (std::size_t i = 0; i < node.output_count(); ++i) {
      copy->output(i)->set_type(node.output(i)->type());
      program.block().add_output(copy->output(i));
    }
    std::unique_ptr<Graph> model;
    try {
      model = lower::lower_program(program, registry_, opset_, options_);
    } catch (const ir::Error& error) {
      if (error.code() == ir::Code::Callback || error.code() == ir::Code::Argument)
        throw;  // the symbolic itself failed
      return Outcome::NoRule;
    }
    const bool has_list =
        std::ranges::any_of(node.outputs(), [](const Value* out) { return out->type().is_tensor_list(); });
    if (has_list && node.output_count() > 1) return Outcome::NoRule;
    const Outcome outcome = read(*model, node, outputs);
    if (has_list && outcome != Outcome::NoRule) outputs = {inner_->list(outputs)};
    return outcome;
  }

  Value* add_argument(Graph& program, const Value& source, const ir::Datum& datum) {
    const Facts facts = inner_->describe(datum);
    if (facts.constant) {
      Node* constant = program.create_constant(*facts.constant);
      program.block().append(constant);
      return constant->output();
    }
    if (source.type().is(ir::Type::Kind::Tensor)) return add_tensor(program, facts);
    const std::vector<DatumPtr> items = inner_->items(datum);
    if (items.empty()) return nullptr;
    std::vector<Value*> elements;
    for (const DatumPtr& item : items) {
      const Facts of_item = inner_->describe(*item);
      if (of_item.dtype == DType::Undefined || !of_item.dims) return nullptr;
      elements.push_back(add_tensor(program, of_item));
    }
    Node* list = program.create("prim::ListConstruct", elements);
    list->output()->set_type(source.type());
    program.block().append(list);
    return list->output();
  }

  static Value* add_tensor(Graph& program, const Facts& facts) {
    Value* input = program.block().add_input();
    input->set_type(ir::Type::of(ir::Type::Kind::Tensor));
    input->set_facts(facts);
    return input;
  }

  // A placeholder for a number that is known only at run time.
  DatumPtr probe_number(ir::Type::Kind kind) {
    if (kind == ir::Type::Kind::Bool) return inner_->constant({true});
    if (kind == ir::Type::Kind::Int) return inner_->constant({kProbe});
    return inner_->constant({static_cast<double>(kProbe)});
  }

  Outcome read(const Graph& model, const Node& node, std::vector<DatumPtr>& outputs) {
    Outcome outcome = Outcome::Done;
    outputs.assign(model.outputs().size(), nullptr);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (i < node.output_count() && node.output(i)->type().is_scalar()) {
        outputs[i] = probe_number(node.output(i)->type().kind);
        outcome = Outcome::DataDependent;
        continue;
      }
      const Facts& facts = model.outputs()[i]->facts();
      if (model.outputs()[i]->type().is(ir::Type::Kind::List)) return Outcome::NoRule;
      if (facts.dtype == DType::Undefined || !facts.dims) return Outcome::NoRule;
      std::vector<std::int64_t> dims;
      for (const ir::Dim& dim : *facts.dims) {
        if (!dim.is_fixed()) outcome = Outcome::DataDependent;
        dims.push_back(dim.is_fixed() ? dim.size() : kProbe);
      }
      outputs[i] = inner_->meta(facts.dtype, dims);
    }
    return outcome;
  }

  std::unique_ptr<ir::Evaluator> inner_;
  const lower::Registry& registry_;
  const ir::Opset& opset_;
  lower::LowerOptions options_;
};

}  // namespace

std::unique_ptr<ir::Evaluator> with_symbolic_types(std::unique_ptr<ir::Evaluator> inner,
                                                   const lower::Registry& registry, const ir::Opset& opset,
                                                   const lower::LowerOptions& options) {
  return std::make_unique<SymbolicTypes>(std::move(inner), registry, opset, options);
}

}  // namespace tonnx::exporting
