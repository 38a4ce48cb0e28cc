#include "ort_aten/call.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "aten/schemas.h"
#include "aten/traits.h"
#include "backend/libtorch.h"
#include "ir/error.h"
#include "ir/graph.h"

namespace tonnx::ort_aten {
namespace {

using ir::Code;
using ir::Constant;
using ir::Error;
using ir::Schema;
using ir::Tensor;
using ir::Type;
using ir::Value;
using Kind = ir::Type::Kind;

bool is_tensor(const Type& type) { return type.without_optional().is(Kind::Tensor); }

bool is_supported(const Type& given) {
  const Type& type = given.without_optional();
  if (is_list_of_tensors(type) || type.is_number_list()) return true;
  switch (type.kind) {
    case Kind::Tensor:
    case Kind::Int:
    case Kind::Float:
    case Kind::Bool:
    case Kind::Number:
    case Kind::String:
    case Kind::Device: return true;
    default: return given.is(Kind::Optional);  // None
  }
}

bool is_supported(const Schema& schema) {
  const auto takes = [](const ir::Argument& argument) { return !argument.is_write && is_supported(argument.type); };
  const auto returns = [](const ir::Argument& result) { return result.type.is(Kind::Tensor); };
  return !schema.is_vararg && std::ranges::all_of(schema.arguments, takes) &&
         std::ranges::all_of(schema.returns, returns) && !schema.returns.empty() &&
         aten::traits_of(schema.name, schema.overload).effect != aten::Effect::Outside;
}

template <class T>
Constant list_of(const std::vector<T>& items, Kind kind) {
  Constant::List list;
  for (const T item : items) {
    if constexpr (std::is_same_v<T, std::int64_t>) {
      if (kind == Kind::Bool) {
        list.items.push_back({item != 0});
        continue;
      }
      if (kind == Kind::Float) {
        list.items.push_back({static_cast<double>(item)});
        continue;
      }
    }
    list.items.push_back({item});
  }
  return {std::move(list)};
}

// The value that an attribute holds for the argument; nullopt if there is none.
std::optional<Constant> read(const Attributes& attributes, const ir::Argument& argument) {
  const Type& type = argument.type.without_optional();
  const std::string& name = argument.name;
  if (type.is(Kind::String)) {
    if (auto text = attributes.text(name)) return Constant{std::move(*text)};
    return std::nullopt;
  }
  if (type.is_number_list()) {
    const Kind element = type.elements[0].kind;
    if (const auto whole = attributes.integers(name)) return list_of(*whole, element);
    if (const auto real = attributes.reals(name)) return list_of(*real, element);
  } else if (!type.is_scalar()) {
    return std::nullopt;
  }
  if (const auto whole = attributes.integer(name)) {
    if (type.is(Kind::Bool)) return Constant{*whole != 0};
    if (type.is(Kind::Float)) return Constant{static_cast<double>(*whole)};
    return Constant{*whole};
  }
  if (const auto real = attributes.real(name)) return Constant{*real};
  return std::nullopt;
}

Constant number_in(const Tensor& tensor, std::int64_t index, Kind kind) {
  const bool is_real = kind == Kind::Float || (kind == Kind::Number && ir::is_floating(tensor.dtype));
  if (is_real) return {tensor.as_double(index)};
  if (kind == Kind::Bool || (kind == Kind::Number && tensor.dtype == ir::DType::Bool))
    return {tensor.as_int64(index) != 0};
  return {tensor.as_int64(index)};
}

// The number, or list of numbers, in an input; nullopt if the input is not one of this type.
std::optional<Constant> number_of(const Tensor& tensor, const Type& type) {
  const bool is_whole = !ir::is_floating(tensor.dtype);
  if (type.is_scalar()) {
    if (tensor.rank() != 0 || ((type.is(Kind::Int) || type.is(Kind::Bool)) && !is_whole)) return std::nullopt;
    return number_in(tensor, 0, type.kind);
  }
  if (!type.is_number_list() || tensor.rank() != 1) return std::nullopt;
  const Kind element = type.elements[0].kind;
  if ((element == Kind::Int || element == Kind::Bool) && !is_whole && tensor.numel() > 0) return std::nullopt;
  Constant::List list;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) list.items.push_back(number_in(tensor, i, element));
  return Constant{std::move(list)};
}

// The arguments of one call: for each argument a constant, or the inputs that are its tensors.
struct Bound {
  struct Argument {
    std::optional<Constant> constant;
    std::vector<std::size_t> inputs;
  };
  std::vector<Argument> arguments;
  std::size_t numbers = 0;  // inputs that are numbers
};

// Binds the inputs of a node to the arguments that no attribute has.
class Binder {
 public:
  Binder(const Schema& schema, const std::vector<std::optional<Constant>>& known, const Call::Inputs& inputs,
         bool is_explicit)
      : schema_(schema), known_(known), inputs_(inputs), is_explicit_(is_explicit) {}

  // Nullopt if they do not fit.
  std::optional<Bound> run() {
    Bound bound;
    for (std::size_t i = 0; i < schema_.arguments.size(); ++i) {
      auto argument = bind(i, bound.numbers);
      if (!argument) return std::nullopt;
      bound.arguments.push_back(std::move(*argument));
    }
    if (next_ != inputs_.size()) return std::nullopt;
    for (const auto& [argument, input] : optional_numbers_)
      if (may_be_of_another(argument, input, bound)) return std::nullopt;
    return bound;
  }

 private:
  std::optional<Bound::Argument> bind(std::size_t i, std::size_t& numbers) {
    const ir::Argument& argument = schema_.arguments[i];
    const Type& type = argument.type.without_optional();
    if (known_[i]) return Bound::Argument{known_[i], {}};
    if (is_list_of_tensors(type)) {
      Bound::Argument list;
      for (const std::size_t after = required_after(i); inputs_.size() - next_ > after; ++next_)
        list.inputs.push_back(next_);
      return list;
    }
    if (is_tensor(argument.type)) {
      if (next_ == inputs_.size()) return absent(argument);
      if (!inputs_[next_]) return ++next_, absent(argument);
      return Bound::Argument{std::nullopt, {next_++}};
    }
    if (next_ == inputs_.size()) return absent(argument);
    if (!inputs_[next_]) return ++next_, absent(argument);
    // A number that is None may have neither an attribute nor an input.
    const bool may_be_none = argument.type.is(Kind::Optional) && !is_explicit_;
    if (may_be_none && inputs_.size() - next_ <= required_after(i)) return absent(argument);
    auto number = number_of(*inputs_[next_], type);
    if (!number) return may_be_none ? absent(argument) : std::nullopt;
    if (may_be_none) optional_numbers_.emplace_back(i, next_);
    ++next_;
    ++numbers;
    return Bound::Argument{std::move(number), {}};
  }

  // True if the input could be the value of another argument that is None.
  bool may_be_of_another(std::size_t argument, std::size_t input, const Bound& bound) const {
    for (std::size_t i = 0; i < schema_.arguments.size(); ++i) {
      const auto& constant = bound.arguments[i].constant;
      const Type& type = schema_.arguments[i].type;
      if (i != argument && !known_[i] && type.is(Kind::Optional) && constant && constant->is_none() &&
          number_of(*inputs_[input], type.without_optional()))
        return true;
    }
    return false;
  }

  // The least number of inputs that belong to later arguments.
  std::size_t required_after(std::size_t i) const {
    std::size_t count = 0;
    for (++i; i < schema_.arguments.size(); ++i) {
      const Type& type = schema_.arguments[i].type;
      count += !known_[i] && !is_list_of_tensors(type) && !type.without_optional().is(Kind::String) &&
               !type.without_optional().is(Kind::Device) && !type.is(Kind::Optional);
    }
    return std::min(count, inputs_.size() - next_);
  }

  static std::optional<Bound::Argument> absent(const ir::Argument& argument) {
    if (argument.type.is(Kind::Optional)) return Bound::Argument{Constant{}, {}};
    if (argument.default_value) return Bound::Argument{argument.default_value, {}};
    if (argument.type.is(Kind::Device)) return Bound::Argument{Constant{Constant::Device{"cpu"}}, {}};
    return std::nullopt;
  }

  const Schema& schema_;
  const std::vector<std::optional<Constant>>& known_;
  const Call::Inputs& inputs_;
  bool is_explicit_;
  std::size_t next_ = 0;
  std::vector<std::pair<std::size_t, std::size_t>> optional_numbers_;  // arguments and their inputs
};

std::vector<Tensor> call(const ir::SchemaPtr& schema, const Bound& bound, const Call::Inputs& inputs) {
  ir::Graph graph;
  std::vector<Tensor> tensors;
  const auto append = [&](ir::Node* node) {
    graph.block().append(node);
    return node->output();
  };
  const auto input = [&](std::size_t index) -> Value* {
    if (!inputs[index]) return append(graph.create_constant({}));
    tensors.push_back(*inputs[index]);
    return graph.block().add_input();
  };
  std::vector<Value*> arguments;
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const Bound::Argument& argument = bound.arguments[i];
    if (argument.constant) {
      Value* constant = append(graph.create_constant(*argument.constant));
      if (argument.constant->get<Constant::List>()) constant->set_type(schema->arguments[i].type.without_optional());
      arguments.push_back(constant);
    } else if (!is_list_of_tensors(schema->arguments[i].type)) {
      arguments.push_back(input(argument.inputs.at(0)));
    } else {
      std::vector<Value*> items;
      for (const std::size_t index : argument.inputs) items.push_back(input(index));
      ir::Node* list = graph.create("prim::ListConstruct", items);
      list->output()->set_type(schema->arguments[i].type.without_optional());
      arguments.push_back(append(list));
    }
  }
  ir::Node* node = graph.create(schema->name, arguments, schema->returns.size());
  node->set_schema(schema);
  graph.block().append(node);
  for (std::size_t i = 0; i < schema->returns.size(); ++i) graph.block().add_output(node->output(i));
  return backend::libtorch().run_graph(graph, tensors, backend::RandomNumbers::Advance);
}

}  // namespace

bool is_list_of_tensors(const Type& type) {
  const Type& list = type.without_optional();
  return list.is(Kind::List) && !list.elements.empty() && is_tensor(list.elements[0]);
}

Call::Call(const std::string& name, std::optional<std::string> overload, const Attributes& attributes, bool is_explicit)
    : name_(name + (overload && !overload->empty() ? "." + *overload : std::string())), is_explicit_(is_explicit) {
  if (const ir::SchemaPtr unnamed = overload ? nullptr : aten::find_schema(name); unnamed && is_supported(*unnamed))
    overload = "";
  bool is_known = false;
  for (const aten::SchemaLine& line : aten::overloads_of(name)) {
    if (overload && line.overload() != *overload) continue;
    is_known = true;
    Form form{aten::find_schema(line.full_name), {}, 0};
    if (!is_supported(*form.schema)) continue;
    for (const ir::Argument& argument : form.schema->arguments) {
      form.known.push_back(read(attributes, argument));
      form.attributes += form.known.back().has_value();
    }
    forms_.push_back(std::move(form));
  }
  if (!is_known) throw Error(Code::Unsupported, "LibTorch has no operator " + name_);
  if (forms_.empty())
    throw Error(Code::Unsupported,
                name_ +
                    " cannot be run in ONNX Runtime: it has an argument or a result that is not a tensor, a number, "
                    "a string, or a list of them, or it writes to an argument");
}

std::vector<Tensor> Call::run(const Inputs& inputs) const {
  const Form* best = nullptr;
  std::optional<Bound> chosen;
  const auto is_better = [&](const Form& form, const Bound& bound) {
    if (form.attributes != best->attributes) return form.attributes > best->attributes;
    if (bound.numbers != chosen->numbers) return bound.numbers < chosen->numbers;
    return form.schema->arguments.size() < best->schema->arguments.size();
  };
  for (const Form& form : forms_) {
    auto bound = Binder(*form.schema, form.known, inputs, is_explicit_).run();
    if (!bound || (best && !is_better(form, *bound))) continue;
    best = &form;
    chosen = std::move(bound);
  }
  if (!best)
    throw Error(Code::Unsupported, "the node's " + std::to_string(inputs.size()) +
                                       " inputs and its attributes do not fit the arguments of " + name_ +
                                       ", or fit them in several ways");
  return call(best->schema, *chosen, inputs);
}

}  // namespace tonnx::ort_aten
