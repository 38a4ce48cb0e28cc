#include "lower/part_call.h"

#include <algorithm>

#include "ir/complex.h"

namespace tonnx::lower {
namespace {

using ir::Constant;

// A node with the same operator in a separate graph.
class Call {
 public:
  Call(Op& op, std::span<const Choice> choices)
      : op_(op), choices_(choices), node_(graph_.create(op.node().kind(), {}, 0)) {
    node_->set_schema(op.node().schema_ptr());
    node_->set_location(op.node().location());
    for (const ir::NamedAttribute& a : op.node().attributes()) node_->set_attribute(a.name, a.value);
    for (std::size_t i = 0; i < op.node().input_count(); ++i) node_->add_input(argument(i));
    for (const ir::Value* out : op.node().outputs()) {
      ir::Value* own = node_->add_output();
      own->set_type(out->type());
      own->set_facts(ir::of_part(out->facts()));
      if (out->type().is(ir::Type::Kind::List)) copy_readers(*out, own);
    }
  }

  Outputs run() { return op_.lower_real(*node_, values_); }

 private:
  ir::Value* fresh(const ir::Value* source) {
    ir::Value* own = graph_.block().add_input();
    own->set_name(source->name());
    own->set_type(source->type());
    own->set_facts(source->facts());
    return own;
  }

  ir::Value* constant(const ir::Value* source, Constant value) {
    ir::Value* own = fresh(source);
    if (value.is_none()) own->set_type(ir::Type::of(ir::Type::Kind::None));
    if (value.get<double>()) own->set_type(ir::Type::of(ir::Type::Kind::Float));
    own->facts() = {value.get<double>() ? DType::Float64 : source->facts().dtype, source->facts().dims,
                    std::make_shared<const Constant>(std::move(value))};
    return own;
  }

  ir::Value* bound(const ir::Value* source, Lowered value) {
    ir::Value* own = fresh(source);
    own->set_facts(ir::of_part(source->facts()));
    values_[own] = std::move(value);
    return own;
  }

  ir::Value* argument(std::size_t i) {
    const ir::Schema* schema = op_.node().schema();
    const std::string_view name =
        schema && i < schema->arguments.size() ? std::string_view(schema->arguments[i].name) : "";
    const ir::Value* source = op_.node().input(i);
    const auto choice =
        std::find_if(choices_.begin(), choices_.end(), [&](const Choice& c) { return c.argument == name; });
    const Constant* known = source->constant();
    if (choice == choices_.end()) return unchanged(source, name);
    if (choice->part == Part::Nothing) return constant(source, {Constant::None{}});
    if ((known && known->is_none()) || source->type().is(ir::Type::Kind::None)) return unchanged(source, name);
    if (choice->part == Part::Given) return given(source, choice->given);
    const bool imaginary = choice->part == Part::Imaginary;
    if (source->type().is_scalar() || source->type().is(ir::Type::Kind::Complex)) {
      if (known) return constant(source, ir::part_of(*known, imaginary));
      return imaginary ? constant(source, {0.0}) : unchanged(source, name);
    }
    if (source->type().is(ir::Type::Kind::List)) return items(source, *choice);
    if (!imaginary && !op_.is_complex(source)) return unchanged(source, name);
    return bound(source, {Lowered::Kind::One, part(op_.parts_of(source), choice->part), {}});
  }

  ir::Value* unchanged(const ir::Value* source, std::string_view name) {
    const Constant* known = source->constant();
    if (name == "dtype" && known && known->get<std::int64_t>())
      return constant(source, {static_cast<std::int64_t>(ir::part_dtype(static_cast<DType>(known->as_int64())))});
    if (op_.is_complex(source)) op_.refuse_argument(name, "is complex, which is not supported");
    ir::Value* own = fresh(source);
    if (const Lowered* lowered = op_.lowered(source)) {
      values_[own] = *lowered;
    } else if (source->weight()) {
      values_[own] = {Lowered::Kind::One, op_.value_of(source), {}};
    }
    return own;
  }

  ir::Value* given(const ir::Value* source, Value* value) {
    ir::Value* own = bound(source, {Lowered::Kind::One, value, {}});
    own->set_facts(value->facts());
    own->facts().constant = nullptr;
    return own;
  }

  ir::Value* items(const ir::Value* source, const Choice& choice) {
    const std::vector<Parts> all = op_.parts_in(source);
    Lowered list{Lowered::Kind::List, nullptr, {}};
    for (std::size_t i = 0; i < all.size(); ++i)
      list.list.push_back(all[i].real ? part(all[i], choice.items.empty() ? choice.part : choice.items.at(i))
                                      : nullptr);
    return bound(source, std::move(list));
  }

  Value* part(const Parts& parts, Part wanted) const {
    if (wanted == Part::Real) return parts.real;
    if (parts.imaginary) return parts.imaginary;
    return op_->constant_of_shape(op_->shape(parts.real), Op::dtype_of(parts.real), 0);
  }

  // A lowering may ask how many items of a list are used.
  void copy_readers(const ir::Value& list, ir::Value* own) {
    for (const ir::Use& use : list.uses()) {
      ir::Node* reader = graph_.create(use.node->kind(), {}, use.node->output_count());
      for (std::size_t i = 0; i < use.node->input_count(); ++i)
        reader->add_input(i == use.index ? own : fresh(use.node->input(i)));
    }
  }

  Op& op_;
  std::span<const Choice> choices_;
  ir::Graph graph_;
  ValueMap values_;
  ir::Node* node_;
};

}  // namespace

Outputs call_with(Op& op, std::span<const Choice> choices) { return Call(op, choices).run(); }

Outputs on_each_part(Op& op, std::string_view arguments) {
  std::vector<Choice> real, imaginary;
  while (!arguments.empty()) {
    const std::size_t end = std::min(arguments.find(' '), arguments.size());
    const bool sizes_alone = arguments.front() == '~';
    const std::string_view name = arguments.substr(sizes_alone, end - sizes_alone);
    real.push_back({name, Part::Real});
    imaginary.push_back({name, sizes_alone ? Part::Real : Part::Imaginary});
    arguments.remove_prefix(std::min(end + 1, arguments.size()));
  }
  Outputs results = call_with(op, real);
  const ir::Value* first = op.node().output(0);
  if (first->type().is(ir::Type::Kind::Tensor) && first->facts().dtype != DType::Undefined &&
      !ir::is_complex(first->facts().dtype))
    return results;
  const Outputs others = call_with(op, imaginary);
  for (std::size_t i = 0; i < results.items.size(); ++i) {
    Lowered& item = results.items[i];
    const Lowered& other = others.items.at(i);
    if (item.kind != other.kind || item.kind == Lowered::Kind::Sequence || item.list.size() != other.list.size())
      op.refuse("it is not supported for complex tensors here");
    if (item.kind == Lowered::Kind::One) item = {Lowered::Kind::Complex, item.one, {}, other.one};
    if (item.kind == Lowered::Kind::List) item = {Lowered::Kind::ComplexList, nullptr, item.list, nullptr, other.list};
  }
  return results;
}

}  // namespace tonnx::lower
