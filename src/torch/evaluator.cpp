#include "torch/evaluator.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include <ATen/ops/empty.h>
#include <c10/core/InferenceMode.h>
#include <c10/util/Exception.h>

#include "aten/meaning.h"
#include "aten/schemas.h"
#include "aten/traits.h"
#include "ir/error.h"
#include "ir/observer.h"
#include "ir/text.h"
#include "ir/writes.h"
#include "torch/checkpoint.h"
#include "torch/evaluator_values.h"
#include "torch/meta_memory.h"
#include "torch/operator_table.h"
#include "torch/prim_forms.h"
#include "torch/real_call.h"
#include "torch/result_memo.h"

namespace tonnx::torch {
namespace {

enum class Origin {
  Known,
  Probe,      // a placeholder for a value that depends on the data of a tensor
  FromProbe,  // computed from a probe: sizes may be used to continue, contents are not facts
};

class TensorDatum final : public ir::Datum {
 public:
  TensorDatum(c10::IValue value, Origin origin) : value(std::move(value)), origin(origin) {}

  c10::IValue value;
  Origin origin;
  // While results are shared, so that the value does not change: what was asked about it.
  mutable std::optional<ir::Facts> facts, brief_facts;
  mutable std::optional<std::vector<ir::DatumPtr>> items;
};

class Silence final : public c10::WarningHandler {
 public:
  void process(const c10::Warning&) override {}
};

// True for the number of a container's items, or a key lookup: the items themselves have no effect.
bool asks_for_form(const ir::Node& node) {
  const aten::Container form = aten::traits_of(node).container;
  if (form != aten::Container::Length && form != aten::Container::Contains) return false;
  const ir::Type& type = node.input()->type();
  return type.is(ir::Type::Kind::Dict) || (form == aten::Container::Length && type.is(ir::Type::Kind::List));
}

class TensorEvaluator final : public ir::Evaluator {
 public:
  void share_results(bool may_share) override { memo_.start(may_share); }

  ir::DatumPtr meta(ir::DType dtype, std::span<const std::int64_t> dims) override {
    return memo_.shared(dtype, dims, [&] {
      const c10::InferenceMode mode;
      return wrap(meta_empty(at::IntArrayRef(dims.data(), dims.size()), static_cast<c10::ScalarType>(dtype)),
                  Origin::Known);
    });
  }

  ir::DatumPtr meta(const ir::Tensor& tensor) override {
    return memo_.shared(tensor, [&] {
      const c10::InferenceMode mode;
      return wrap(memory_.import_meta(tensor), Origin::Known);
    });
  }

  ir::DatumPtr constant(const ir::Constant& constant) override {
    return memo_.shared(constant, [&] {
      const c10::InferenceMode mode;
      return wrap(value_of(constant, nullptr), Origin::Known);
    });
  }

  Outcome evaluate(const ir::Node& node, std::span<const ir::DatumPtr> inputs, std::vector<ir::DatumPtr>& outputs,
                   Wanted wanted) override;

  ir::Facts describe(const ir::Datum& datum, std::int64_t max_elements) override;

  bool share_memory(const ir::Datum& a, const ir::Datum& b) override {
    const c10::IValue& x = value_of_datum(a);
    const c10::IValue& y = value_of_datum(b);
    if (x.isTensor() && y.isTensor()) {
      const void* memory = memory_.identity(x.toTensor());
      return memory && memory == memory_.identity(y.toTensor());
    }
    return x.isPtrType() && y.isPtrType() && x.is(y);
  }

  std::optional<std::int64_t> contiguous_offset(const ir::Datum& datum) override {
    const c10::IValue& value = value_of_datum(datum);
    if (!value.isTensor() || !value.toTensor().defined() || !value.toTensor().is_contiguous()) return std::nullopt;
    return value.toTensor().storage_offset();
  }

  std::vector<std::int64_t> merged_strides(const ir::Datum& datum, std::span<const std::size_t> single) override {
    const c10::IValue& value = value_of_datum(datum);
    std::vector<std::int64_t> strides;
    if (!value.isTensor() || !value.toTensor().defined() || value.toTensor().layout() != at::kStrided) return strides;
    const at::Tensor& tensor = value.toTensor();
    std::int64_t contiguous = 0;  // the stride of an axis that continues where the later axes end
    for (auto axis = static_cast<std::size_t>(tensor.dim()); axis-- > 0;) {
      const std::int64_t size = tensor.sizes()[axis], stride = tensor.strides()[axis];
      if (size == 1 || std::ranges::find(single, axis) != single.end()) continue;
      if (strides.empty() || stride != contiguous) strides.insert(strides.begin(), stride);
      contiguous = stride * size;
    }
    return strides;
  }

  std::vector<ir::DatumPtr> items(const ir::Datum& datum) override {
    const auto& whole = static_cast<const TensorDatum&>(datum);
    if (memo_.may_share() && whole.items) return *whole.items;
    const bool known = whole.origin == Origin::Known && state_of(whole.value) == ListState::Known;
    const Origin origin = known ? Origin::Known : Origin::FromProbe;
    std::vector<ir::DatumPtr> result;
    if (whole.value.isList()) {
      for (const c10::IValue& item : whole.value.toList()) result.push_back(wrap(item, origin));
    } else if (whole.value.isTuple()) {
      for (const c10::IValue& item : whole.value.toTupleRef().elements()) result.push_back(wrap(item, origin));
    }
    if (memo_.may_share()) whole.items = result;
    return result;
  }

  std::size_t count(const ir::Datum& datum) override {
    const c10::IValue& value = static_cast<const TensorDatum&>(datum).value;
    if (value.isList()) return value.toListRef().size();
    return value.isTuple() ? value.toTupleRef().elements().size() : 0;
  }

  ir::DatumPtr entry(const ir::Datum& dict, const ir::Datum& key) override {
    const auto& whole = static_cast<const TensorDatum&>(dict);
    const c10::IValue& name = value_of_datum(key);
    if (!whole.value.isGenericDict() || !(name.isString() || name.isInt() || name.isDouble() || name.isBool()))
      return nullptr;
    const auto entries = whole.value.toGenericDict();
    const auto found = entries.find(name);
    const bool known = whole.origin == Origin::Known && state_of(whole.value) == ListState::Known;
    return found == entries.end() ? nullptr : wrap(found->value(), known ? Origin::Known : Origin::FromProbe);
  }

  std::vector<ir::DatumPtr> keys(const ir::Datum& dict) override {
    const auto& whole = static_cast<const TensorDatum&>(dict);
    std::vector<ir::DatumPtr> result;
    if (whole.value.isGenericDict())
      for (const auto& entry : whole.value.toGenericDict()) result.push_back(wrap(entry.key(), Origin::Known));
    return result;
  }

  ir::DatumPtr list(std::span<const ir::DatumPtr> items) override {
    const bool of_numbers = !items.empty() && items.front() && value_of_datum(*items.front()).isScalar();
    c10::impl::GenericList list(of_numbers ? value_of_datum(*items.front()).type() : c10::TensorType::get());
    Origin origin = Origin::Known;
    for (const ir::DatumPtr& item : items) {
      if (!item) return nullptr;
      list.push_back(value_of_datum(*item));
      if (static_cast<const TensorDatum&>(*item).origin != Origin::Known) origin = Origin::FromProbe;
    }
    return wrap(list, origin);
  }

  ir::DatumPtr never() override { return wrap(at::Tensor(), Origin::Known); }
  bool is_never(const ir::Datum& datum) override {
    const c10::IValue& value = value_of_datum(datum);
    return value.isTensor() && !value.toTensor().defined();
  }

  void forget_content(const ir::Datum& datum) override {
    value_of_datum(datum).visit([this](const c10::IValue& part) {
      if (part.isTensor() && part.toTensor().defined()) memory_.invalidate(part.toTensor());
      return false;
    });
  }

 private:
  // The content of a list or dict after operators have written to it.
  enum class ListState { Known, Probe, Unknown };
  static constexpr std::int64_t kDescribed = 1024;  // the default of describe()

  static const c10::IValue& value_of_datum(const ir::Datum& datum) {
    return static_cast<const TensorDatum&>(datum).value;
  }
  static ir::DatumPtr wrap(c10::IValue value, Origin origin) {
    return std::make_shared<TensorDatum>(std::move(value), origin);
  }

  ListState state_of(const c10::IValue& value) const {
    if (lists_.empty() || !(value.isList() || value.isGenericDict())) return ListState::Known;
    const auto found = lists_.find(value.internalToPointer());
    return found == lists_.end() ? ListState::Known : found->second.second;
  }
  void mark(const c10::IValue& value, ListState state) {
    if (!value.isList() && !value.isGenericDict()) return;
    auto& entry = lists_.try_emplace(value.internalToPointer(), value, ListState::Known).first->second;
    entry.second = std::max(entry.second, state);
  }

  Outcome evaluate_anew(const ir::Node& node, std::span<const ir::DatumPtr> inputs, std::vector<ir::DatumPtr>& outputs,
                        Wanted wanted);
  ir::Facts facts_of(const TensorDatum& whole, std::int64_t max_elements);
  bool has_dataless(const c10::IValue& value) const;
  c10::IValue to_meta(const c10::IValue& value);
  void invalidate_writes(const Operator& op, c10::ArrayRef<c10::IValue> arguments);
  void require_room(const Operator& op, const c10::Stack& stack);
  bool run(const Operator& op, c10::Stack& stack, bool from_probe, Wanted wanted, bool& depends);
  void write_unknown(const ir::Node& node, std::span<const ir::DatumPtr> inputs);

  OperatorTable operators_;
  std::unordered_map<const ir::Meaning*, PrimForm> forms_;
  MetaMemory memory_;
  std::unordered_map<const void*, std::pair<c10::IValue, ListState>> lists_;
  ResultMemo memo_;
  Silence silence_;
};

bool TensorEvaluator::has_dataless(const c10::IValue& value) const {
  if (value.isTensor()) return memory_.without_data(value.toTensor());
  if (value.isTensorList() || (value.isList() && !value.isIntList() && !value.isDoubleList() && !value.isBoolList())) {
    for (const c10::IValue& item : value.toList()) {
      if (has_dataless(item)) return true;
    }
  }
  return false;
}

c10::IValue TensorEvaluator::to_meta(const c10::IValue& value) {
  if (value.isTensor()) return memory_.to_meta(value.toTensor());
  if (!value.isList() || value.isIntList() || value.isDoubleList() || value.isBoolList()) return value;
  const auto list = value.toList();
  bool changes = false;
  for (const c10::IValue& item : list) {
    changes = changes || (item.isTensor() && item.toTensor().defined() && !item.toTensor().is_meta());
  }
  if (!changes) return value;
  c10::impl::GenericList result(list.elementType());
  result.reserve(list.size());
  for (const c10::IValue& item : list) result.push_back(to_meta(item));
  return result;
}

// Everything that an operator writes while an operand is unknown becomes unknown.
void TensorEvaluator::invalidate_writes(const Operator& op, c10::ArrayRef<c10::IValue> arguments) {
  for (const std::size_t i : op.writes) {
    const c10::IValue& target = arguments[i];
    if (target.isTensor()) {
      memory_.invalidate(target.toTensor());
    } else if (target.isList()) {
      for (const c10::IValue& item : target.toList()) {
        if (item.isTensor() && op.handle) memory_.invalidate(item.toTensor());
      }
    }
  }
}

void TensorEvaluator::write_unknown(const ir::Node& node, std::span<const ir::DatumPtr> inputs) {
  if (!node.schema()) return;
  const auto& arguments = node.schema()->arguments;
  for (std::size_t i = 0; i < arguments.size() && i < inputs.size(); ++i) {
    if (!arguments[i].is_write || !inputs[i]) continue;
    const c10::IValue& target = value_of_datum(*inputs[i]);
    if (target.isTensor()) memory_.invalidate(target.toTensor());
    mark(target, ListState::Unknown);
  }
}

// True if TorchScript's operator on a list of tensors can fail only because of the items: it does not use an index of
// the list.
bool compares_items(const c10::Stack& stack) {
  const auto is_place = [](const c10::IValue& value) { return value.isInt(); };
  return std::ranges::any_of(stack, &c10::IValue::isTensorList) && std::ranges::none_of(stack, is_place);
}

// True if the operator is not LibTorch's own: it may read data that a meta tensor lacks, and then throw anything.
bool is_of_a_user(const Operator& op) {
  if (!op.handle || op.rule) return false;
  const c10::OperatorName& name = op.handle->operator_name();
  return !aten::find_line(name.overload_name.empty() ? name.name : name.name + "." + name.overload_name);
}

// Throws ir::Cancelled if the results of an operator on constants, whose sizes its meta kernel computes, exceed the
// limit.
void TensorEvaluator::require_room(const Operator& op, const c10::Stack& stack) {
  const std::int64_t limit = limits().constant_bytes;
  if (limit <= 0 || !op.handle || !op.returns_tensors) return;
  c10::Stack arguments = stack;
  for (c10::IValue& value : arguments) value = to_meta(value);
  for (const std::size_t i : op.devices) arguments[i] = c10::Device(c10::kMeta);
  const c10::Stack operands = arguments;
  try {
    op.handle->callBoxed(arguments);
  } catch (const std::exception&) {
    return;  // no meta kernel: the operator itself says what is wrong, if anything is
  }
  for (const c10::IValue& result : arguments) {
    std::vector<at::Tensor> tensors;
    if (result.isTensor()) tensors = {result.toTensor()};
    if (result.isTensorList()) tensors = result.toTensorVector();
    for (const at::Tensor& tensor : tensors) {
      if (!tensor.defined() || !tensor.has_storage()) continue;
      const bool is_view = std::ranges::any_of(operands, [&](const c10::IValue& operand) {
        return operand.isTensor() && operand.toTensor().defined() && operand.toTensor().is_alias_of(tensor);
      });
      const std::size_t bytes = is_view ? 0 : tensor.storage().nbytes();
      if (static_cast<std::int64_t>(bytes) <= limit) continue;
      throw ir::Cancelled("a constant that " + op.schema->name() + " computes takes " + std::to_string(bytes) +
                          " bytes, more than " + std::to_string(limit) + " (raise the option max_constant_mib)");
    }
  }
}

// Replaces the arguments by the results; returns false if it cannot be evaluated. `depends`: the results depend on
// data.
bool TensorEvaluator::run(const Operator& op, c10::Stack& stack, bool from_probe, Wanted wanted, bool& depends) {
  // Ignores the device that the program specifies: values are on the host here.
  for (const std::size_t i : op.devices) {
    if (stack[i].isDevice()) stack[i] = c10::Device(c10::kCPU);
  }
  for (const std::size_t i : op.pins) stack[i] = c10::IValue();
  const auto is_tensors = [](const c10::IValue& value) { return value.isTensor() || value.isTensorList(); };
  const bool makes_tensor = !op.devices.empty() && !op.rule && std::none_of(stack.begin(), stack.end(), is_tensors);
  bool dataless = op.is_random || op.is_uninitialised || (wanted == Wanted::Sizes && makes_tensor);
  for (const c10::IValue& value : stack) {
    // The content of a tensor computed from a probe must not be used to choose sizes.
    const bool is_probe = from_probe && op.returns_tensors && is_tensors(value);
    dataless = dataless || is_probe || has_dataless(value);
  }
  // Operators that LibTorch cannot run have a rule that needs no data.
  if (!dataless && op.can_run()) {
    if (from_probe) invalidate_writes(op, stack);
    require_room(op, stack);
    op.call(stack);
    return true;
  }

  invalidate_writes(op, stack);
  const c10::Stack originals = stack;
  // TorchScript's own operators on lists and similar values accept tensors unchanged, and lists by identity.
  const bool as_they_are = !op.handle && op.operation && !op.rule && op.schema->name() != "aten::to";
  if (!as_they_are) {
    for (c10::IValue& value : stack) value = to_meta(value);
    for (const std::size_t i : op.devices) stack[i] = c10::Device(c10::kMeta);
  }
  if (op.rule) {
    std::vector<c10::IValue> results;
    RuleCall call(stack, originals, results);
    const RuleOutcome outcome = op.rule(call);
    if (outcome != RuleOutcome::Declined) {
      depends = outcome == RuleOutcome::DataDependent;
      stack = std::move(results);
      return true;
    }
  }
  if (!op.can_run()) return false;
  c10::Stack arguments = stack;
  const bool compares = as_they_are && compares_items(stack);
  try {
    op.call(stack);
    return true;
  } catch (const c10::NotImplementedError&) {
    if (compares) return false;
    stack = std::move(arguments);
  } catch (const std::exception&) {
    if (compares) return false;
    if (!is_of_a_user(op)) throw;
    stack = std::move(arguments);
  }
  for (c10::IValue& value : stack) value = to_meta(value);
  depends = call_on_zeros(op, stack);
  return true;
}

namespace {

// An empty constant list has no item type; operators with one form for all lists need it.
c10::IValue typed(const c10::IValue& value, const ir::Type& type) {
  if (!value.isList() || !value.toListRef().empty() || !type.is(ir::Type::Kind::List) || type.elements.empty())
    return value;
  const c10::TypePtr element = type_of(type.elements[0]);
  return *value.toList().elementType() == *element ? value : c10::IValue(c10::impl::GenericList(element));
}

// True if the result depends on the datum alone, not on the type that the node assigns to an empty list.
bool is_typed(const ir::DatumPtr& datum) {
  if (!datum) return false;
  const c10::IValue& value = static_cast<const TensorDatum&>(*datum).value;
  return !value.isList() || !value.toListRef().empty();
}

}  // namespace

ir::Evaluator::Outcome TensorEvaluator::evaluate(const ir::Node& node, std::span<const ir::DatumPtr> inputs,
                                                 std::vector<ir::DatumPtr>& outputs, Wanted wanted) {
  std::optional<ResultMemo::Call> call;
  if (std::ranges::all_of(inputs, is_typed)) call = memo_.call_of(node, inputs, wanted);
  if (!call) return evaluate_anew(node, inputs, outputs, wanted);
  if (const ResultMemo::Result* known = memo_.find(*call)) {
    if (known->error) std::rethrow_exception(known->error);
    outputs = known->outputs;
    return known->outcome;
  }
  try {
    const Outcome outcome = evaluate_anew(node, inputs, outputs, wanted);
    memo_.add(*std::move(call), {outcome, outputs});
    return outcome;
  } catch (const ir::Error& error) {
    if (error.code() == ir::Code::Program) memo_.add(*std::move(call), {.error = std::current_exception()});
    throw;
  }
}

ir::Evaluator::Outcome TensorEvaluator::evaluate_anew(const ir::Node& node, std::span<const ir::DatumPtr> inputs,
                                                      std::vector<ir::DatumPtr>& outputs, Wanted wanted) {
  outputs.assign(node.output_count(), nullptr);
  // The remaining ones are converted by the user's symbolics; their operands are floats, for which LibTorch has no
  // kernel.
  if (node.domain() == "quantized") return Outcome::NoRule;
  c10::Stack stack;
  stack.reserve(inputs.size() + 2);
  bool from_probe = false;
  for (const ir::DatumPtr& input : inputs) {
    const auto* datum = static_cast<const TensorDatum*>(input.get());
    const ListState state = datum ? state_of(datum->value) : ListState::Unknown;
    if (state == ListState::Unknown) {
      write_unknown(node, inputs);
      return Outcome::NoRule;
    }
    from_probe = from_probe || datum->origin != Origin::Known || state == ListState::Probe;
    const std::size_t i = stack.size();
    stack.push_back(i < node.input_count() && !writes_argument(node, i) ? typed(datum->value, node.input(i)->type())
                                                                        : datum->value);
  }

  const c10::InferenceMode mode;
  const c10::WarningUtils::WarningHandlerGuard quiet(&silence_);
  bool depends = false;
  try {
    bool done = false;
    const auto [form_of, is_new_form] = forms_.try_emplace(aten::meaning_of(node));
    if (is_new_form) form_of->second = find_prim_form(node.kind());
    if (const PrimForm form = form_of->second) {
      std::vector<c10::IValue> results;
      done = form(node, stack, results);
      if (done) stack = std::move(results);
    }
    if (!done) {
      const Operator* op = operators_.find(node, stack);
      if (!op || (op->schema && !complete_arguments(*op->schema, stack))) {
        write_unknown(node, inputs);
        return Outcome::NoRule;
      }
      if (from_probe) {
        for (const std::size_t i : op->writes) {
          if (i < stack.size()) mark(stack[i], ListState::Probe);
        }
      }
      if (!run(*op, stack, from_probe, wanted, depends)) {
        write_unknown(node, inputs);
        return Outcome::NoRule;
      }
    }
  } catch (const c10::NotImplementedError&) {
    return Outcome::NoRule;
  } catch (const c10::Error& error) {
    throw ir::Error(ir::Code::Program, ir::first_line(error.what_without_backtrace()));
  } catch (const ir::Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw ir::Error(ir::Code::Memory, node.full_name() + ": out of memory");
  } catch (const std::exception& error) {
    throw ir::Error(ir::Code::Program, ir::first_line(error.what()));
  }
  from_probe = from_probe && !aten::traits_of(node).type_only && !asks_for_form(node);
  const Origin origin = depends ? Origin::Probe : from_probe ? Origin::FromProbe : Origin::Known;
  for (std::size_t i = 0; i < outputs.size() && i < stack.size(); ++i) outputs[i] = wrap(std::move(stack[i]), origin);
  return depends ? Outcome::DataDependent : Outcome::Done;
}

ir::Facts TensorEvaluator::describe(const ir::Datum& datum, std::int64_t max_elements) {
  const auto& whole = static_cast<const TensorDatum&>(datum);
  if (!memo_.may_share() || (max_elements != 0 && max_elements != kDescribed)) return facts_of(whole, max_elements);
  std::optional<ir::Facts>& known = max_elements == 0 ? whole.brief_facts : whole.facts;
  if (!known) known = facts_of(whole, max_elements);
  return *known;
}

ir::Facts TensorEvaluator::facts_of(const TensorDatum& whole, std::int64_t max_elements) {
  const c10::InferenceMode mode;
  ir::Facts facts;
  if (whole.value.isTensor()) {
    const at::Tensor& tensor = whole.value.toTensor();
    if (!tensor.defined()) return facts;
    facts.dtype = static_cast<ir::DType>(tensor.scalar_type());
    facts.dims.emplace();
    for (const std::int64_t size : tensor.sizes()) facts.dims->emplace_back(size);
  } else if (whole.value.isScalar()) {
    facts.dtype = static_cast<ir::DType>(whole.value.toScalar().type());
    facts.dims.emplace();
  }
  if (whole.origin == Origin::FromProbe || state_of(whole.value) != ListState::Known) return facts;
  const auto is_known = [&](const at::Tensor& tensor) {
    return tensor.numel() <= max_elements && !memory_.without_data(tensor);
  };
  ir::Constant constant;
  if (convert_value(whole.value, is_known, constant)) {
    facts.constant = std::make_shared<const ir::Constant>(std::move(constant));
  }
  return facts;
}

}  // namespace

std::unique_ptr<ir::Evaluator> make_evaluator() { return std::make_unique<TensorEvaluator>(); }

}  // namespace tonnx::torch
