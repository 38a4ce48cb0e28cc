#include "lower/built_in_call.h"

#include <algorithm>
#include <map>

#include "aten/result_facts.h"
#include "aten/schemas.h"
#include "ir/evaluator.h"
#include "ir/merge.h"

namespace tonnx::lower {
namespace {

using ir::Code;
using ir::Constant;
using ir::Error;
using ir::Facts;
using ir::Type;
using Kind = Type::Kind;

// The size of dims that are not fixed, where only the ranks and dtypes of results are wanted.
constexpr std::int64_t kAnySize = 6;
// Which of the dims that are not fixed have size 1: none, all, or the one with this number.
constexpr std::size_t kNone = static_cast<std::size_t>(-1), kAll = static_cast<std::size_t>(-2);

// The constant as an argument of this type; nullopt if it is not one.
std::optional<Constant> fitted(const Constant& constant, const Type& type) {
  switch (type.kind) {
    case Kind::Optional: return constant.is_none() ? constant : fitted(constant, type.elements.at(0));
    case Kind::Tensor: return constant.get<ir::Tensor>() ? std::optional(constant) : std::nullopt;
    case Kind::Int: return constant.get<std::int64_t>() ? std::optional(constant) : std::nullopt;
    case Kind::Float:
      if (!constant.get<double>() && !constant.get<std::int64_t>()) return std::nullopt;
      return Constant{constant.as_double()};
    case Kind::Bool:
      if (constant.get<bool>()) return constant;
      if (const auto* number = constant.get<std::int64_t>(); number && (*number == 0 || *number == 1))
        return Constant{*number == 1};
      return std::nullopt;
    case Kind::Number:
      return constant.is_number() || constant.get<std::complex<double>>() ? std::optional(constant) : std::nullopt;
    case Kind::String: return constant.get<std::string>() ? std::optional(constant) : std::nullopt;
    case Kind::Device:
      if (const auto* name = constant.get<std::string>()) return Constant{Constant::Device{*name}};
      return constant.get<Constant::Device>() ? std::optional(constant) : std::nullopt;
    case Kind::List: {
      const auto* list = constant.get<Constant::List>();
      if (!list) return std::nullopt;
      Constant::List items;
      for (const Constant& item : list->items) {
        auto made = fitted(item, type.elements.at(0));
        if (!made) return std::nullopt;
        items.items.push_back(std::move(*made));
      }
      return Constant{std::move(items)};
    }
    default: return constant.is_none() ? std::optional(constant) : std::nullopt;
  }
}

const Type& without_none(const Type& type) { return type.is(Kind::Optional) ? type.elements.at(0) : type; }

// True if a value of the model can be an argument of this type. A tensor can be a number, or a list of numbers, if
// `lenient`.
bool fits(const CallArgument& argument, const Type& optional, bool lenient) {
  const Type& type = without_none(optional);
  if (argument.value.kind == Lowered::Kind::List || argument.value.kind == Lowered::Kind::Sequence)
    return type.is(Kind::List) && without_none(type.elements.at(0)).is(Kind::Tensor);
  if (type.is(Kind::Tensor)) return !argument.is_number;
  if (!argument.is_number && !lenient) return false;
  const Facts& facts = argument.value.one->facts();
  if (!facts.has_rank()) return false;
  return (type.is_scalar() && facts.rank() == 0) || (type.is_number_list() && facts.rank() == 1);
}

std::string describe(const CallArgument& argument) {
  if (argument.constant) return to_string(*argument.constant);
  if (argument.value.kind != Lowered::Kind::One) return "a list of tensors";
  const Facts& facts = argument.value.one->facts();
  return "a value of type " + std::string(ir::name_of(facts.dtype)) +
         (facts.dims ? ir::to_string(*facts.dims) : std::string());
}

// The arguments of a call in the order of a schema.
struct Binding {
  ir::SchemaPtr schema;
  std::vector<CallArgument> arguments;
  std::string failure;  // why the schema does not take the arguments; empty if it does
};

Binding bind(ir::SchemaPtr schema, std::span<const CallArgument> positional, std::span<const NamedArgument> named,
             bool lenient) {
  Binding made{schema, {}, {}};
  const auto fail = [&](const std::string& why) {
    made.failure = schema->full_name() + " " + why;
    return made;
  };
  const std::size_t count = schema->arguments.size();
  if (positional.size() > count)
    return fail("takes " + std::to_string(count) + " arguments, not " + std::to_string(positional.size()));
  for (const NamedArgument& given : named) {
    const int at = schema->index_of(given.first);
    if (at < 0) return fail("has no argument '" + given.first + "'");
    if (static_cast<std::size_t>(at) < positional.size())
      return fail("receives the argument '" + given.first + "' twice");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const ir::Argument& formal = schema->arguments[i];
    const auto by_name =
        std::ranges::find_if(named, [&](const NamedArgument& given) { return given.first == formal.name; });
    CallArgument argument;
    if (i < positional.size()) {
      argument = positional[i];
    } else if (by_name != named.end()) {
      argument = by_name->second;
    } else if (formal.default_value) {
      argument.constant = *formal.default_value;
    } else if (formal.type.is(Kind::Optional)) {
      argument.constant = Constant{Constant::None{}};
    } else {
      return fail("needs the argument '" + formal.name + "' (" + to_string(formal.type) + ")");
    }
    const auto constant = argument.constant ? fitted(*argument.constant, formal.type) : std::nullopt;
    if (argument.constant ? !constant : !fits(argument, formal.type, lenient))
      return fail("takes " + to_string(formal.type) + " as the argument '" + formal.name + "', not " +
                  describe(argument));
    if (constant) argument.constant = *constant;
    made.arguments.push_back(std::move(argument));
  }
  return made;
}

// The overload that takes the arguments.
Binding choose(const std::string& name, std::span<const CallArgument> positional,
               std::span<const NamedArgument> named) {
  std::vector<ir::SchemaPtr> schemas;
  if (name.find('.') != std::string::npos) {
    if (auto schema = aten::find_schema(name)) schemas.push_back(std::move(schema));
  } else {
    for (const aten::SchemaLine& line : aten::overloads_of(name)) schemas.push_back(aten::find_schema(line.full_name));
  }
  if (schemas.empty()) throw Error(Code::Argument, "LibTorch has no operator " + name);
  std::string failures;
  for (const bool lenient : {false, true}) {
    failures.clear();
    for (const ir::SchemaPtr& schema : schemas) {
      Binding made = bind(schema, positional, named, lenient);
      if (made.failure.empty()) return made;
      failures += (failures.empty() ? "" : "; ") + made.failure;
    }
  }
  throw Error(Code::Argument, "the arguments do not fit: " + failures);
}

// A node outside of the program, with its lowered arguments.
class Call {
 public:
  Call(Op& op, const Binding& binding) : op_(op), node_(graph_.create(binding.schema->name, {}, 0)) {
    node_->set_schema(binding.schema);
    node_->set_location(op.node().location());
    graph_.block().append(node_);
    for (std::size_t i = 0; i < binding.arguments.size(); ++i)
      node_->add_input(input(binding.arguments[i], binding.schema->arguments[i]));
    for (const ir::Argument& result : binding.schema->returns) node_->add_output()->set_type(result.type);
    const std::vector<Facts> known = aten::result_facts(*node_);
    for (std::size_t i = 0; i < known.size(); ++i) node_->output(i)->set_facts(known[i]);
    evaluate();
  }

  Outputs run() {
    Outputs results = op_.lower_real(*node_, values_);
    if (results.items.size() != node_->output_count())
      throw Error(Code::Internal, "the lowering of " + node_->full_name() + " returned " +
                                      std::to_string(results.items.size()) + " results");
    for (std::size_t i = 0; i < results.items.size(); ++i) {
      const Lowered& item = results.items[i];
      if (item.kind != Lowered::Kind::One) continue;
      Facts facts = item.one->facts();
      if (const auto conflict = ir::merge(facts, node_->output(i)->facts()))
        throw Refusal("result " + std::to_string(i) + " differs from LibTorch's: " + *conflict);
      item.one->set_facts(std::move(facts));
    }
    return results;
  }

 private:
  ir::Value* input(const CallArgument& argument, const ir::Argument& formal) {
    if (argument.constant) {
      ir::Node* constant = graph_.create_constant(*argument.constant);
      constant->insert_before(node_);
      return constant->output();
    }
    ir::Value* made = graph_.block().add_input();
    made->set_name(formal.name);
    made->set_type(without_none(formal.type));
    if (argument.value.kind == Lowered::Kind::One) {
      made->set_facts(argument.value.one->facts());
      made->facts().constant = nullptr;
    }
    values_[made] = argument.value;
    return made;
  }

  // Dims at which results are computed; nullopt if the rank is unknown.
  std::optional<Dims> sizes(const Facts& facts) {
    if (facts.dtype == DType::Undefined || !facts.dims) return std::nullopt;
    Dims made;
    for (const ir::Dim& dim : *facts.dims) made.push_back(dim.is_fixed() ? dim.size() : size(dim));
    return made;
  }

  std::int64_t size(const ir::Dim& dim) {
    if (open_++ == ones_) return 1;
    const std::int64_t any = ones_ == kAll ? 1 : kAnySize;
    if (!dim.polynomial()) return any;
    std::map<std::string, ir::Polynomial> assignment;
    for (const std::string& symbol : dim.polynomial()->symbols()) assignment.emplace(symbol, any);
    return std::max<std::int64_t>(dim.polynomial()->with(assignment).constant().value_or(any), 1);
  }

  ir::DatumPtr datum(ir::Evaluator& evaluator, const ir::Value* source) {
    if (source->constant()) return evaluator.constant(*source->constant());
    const Lowered& value = values_.at(source);
    if (value.kind == Lowered::Kind::List) {
      std::vector<ir::DatumPtr> items;
      for (const Value* item : value.list) {
        const auto dims = item ? sizes(item->facts()) : std::nullopt;
        if (!dims) return nullptr;
        items.push_back(evaluator.meta(item->facts().dtype, *dims));
      }
      return evaluator.list(items);
    }
    const auto dims = source->type().is(Kind::Tensor) ? sizes(source->facts()) : std::nullopt;
    return dims ? evaluator.meta(source->facts().dtype, *dims) : nullptr;
  }

  // The facts that LibTorch's rules infer for the results if these dims have size 1; nullopt without a rule, or if the
  // operator does not run at these sizes.
  std::optional<std::vector<Facts>> results(ir::Evaluator& evaluator, std::size_t ones) {
    ones_ = ones;
    open_ = 0;
    std::vector<ir::DatumPtr> inputs, outputs;
    for (const ir::Value* in : node_->inputs()) {
      inputs.push_back(datum(evaluator, in));
      if (!inputs.back()) return std::nullopt;
    }
    bool is_exact = open_ == 0;
    try {
      const auto outcome = evaluator.evaluate(*node_, inputs, outputs, ir::Evaluator::Wanted::Sizes);
      if (outcome == ir::Evaluator::Outcome::NoRule) return std::nullopt;
      is_exact = is_exact && outcome == ir::Evaluator::Outcome::Done;
    } catch (const Error& error) {
      if (error.code() != Code::Program) throw;
      return std::nullopt;
    }
    std::vector<Facts> all(node_->output_count());
    for (std::size_t i = 0; i < all.size() && i < outputs.size(); ++i) {
      if (!outputs[i] || !node_->output(i)->type().is(Kind::Tensor)) continue;
      all[i] = evaluator.describe(*outputs[i]);
      all[i].constant = nullptr;
      if (!is_exact && all[i].dims) all[i].dims = std::vector<ir::Dim>(all[i].dims->size());
    }
    return all;
  }

  // Adds the facts that LibTorch's rules infer at all sizes: a rank may depend on which sizes are 1.
  void evaluate() {
    ir::Evaluator* const evaluator = op_.evaluator();
    if (!evaluator) return;
    std::optional<std::vector<Facts>> agreed = results(*evaluator, kNone);
    if (!agreed) return;
    const std::size_t open = open_;
    for (std::size_t one = 0; open > 0 && one <= open; ++one) {
      const auto others = results(*evaluator, one < open ? one : kAll);
      for (std::size_t i = 0; others && i < agreed->size(); ++i) {
        Facts& facts = (*agreed)[i];
        const Facts& other = (*others)[i];
        if (other.dtype != facts.dtype) facts.dtype = DType::Undefined;
        if (facts.dims && (!other.dims || other.dims->size() != facts.dims->size())) facts.dims.reset();
      }
    }
    for (std::size_t i = 0; i < agreed->size(); ++i) {
      Facts known = node_->output(i)->facts();
      if (!ir::merge(known, (*agreed)[i])) node_->output(i)->set_facts(std::move(known));
    }
  }

  Op& op_;
  ir::Graph graph_;
  ValueMap values_;
  ir::Node* node_;
  std::size_t ones_ = kNone;  // which dims that are not fixed have size 1
  std::size_t open_ = 0;      // dims that are not fixed, counted so far
};

}  // namespace

Outputs call_built_in(Op& op, const std::string& name, std::span<const CallArgument> positional,
                      std::span<const NamedArgument> named) {
  const Binding binding = choose(name, positional, named);
  try {
    return Call(op, binding).run();
  } catch (const Refusal& refusal) {
    throw Refusal(binding.schema->full_name() + ": " + refusal.what(), refusal.missing());
  }
}

}  // namespace tonnx::lower
