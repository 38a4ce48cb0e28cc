#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "aten/identity.h"
#include "aten/size_checks.h"
#include "aten/traits.h"
#include "ir/constant_facts.h"
#include "ir/error.h"
#include "ir/refusal.h"
#include "torch/checkpoint.h"
#include "torch/convert.h"
#include "torch/division_guard.h"
#include "torch/graph_import.h"
#include "torch/outside.h"
#include "torch/trace_functions.h"
#include "torch/unknown_argument.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
namespace jit = ::torch::jit;

void GraphImport::convert(const JitNode& node) {
  checkpoint();
  if (node.kind() == c10::prim::Constant) return convert_constant(node);
  if (is_function_mark(node)) return convert_function_mark(node);
  if (convert_structure(node) || convert_shortcut(node) || convert_object_list(node) || convert_object_dict(node))
    return;
  refuse_outside(node);
  require_moved_only(node);
  if (!fold(node) && !convert_enum(node)) convert_operator(node);
}

// Operators that access anything outside of the program are neither run nor exported.
void GraphImport::refuse_outside(const JitNode& node) {
  if (aten::traits_of(node.kind().toQualString()).effect == aten::Effect::Unchecked) return;
  const std::string reason = reason_not_to_run(node);
  if (reason.empty()) return;
  const ir::Location where = location(node);
  throw ir::refusal({.op = node.kind().toQualString(),
                     .text = "it " + reason + "; such operators are never run and cannot be exported",
                     .module = where.module_path(),
                     .source = where.source()});
}

// Imports control flow, calls, attributes, tuples.
bool GraphImport::convert_structure(const JitNode& node) {
  switch (node.kind()) {
    case c10::prim::If: convert_if(node); return true;
    case c10::prim::Loop: convert_loop(node); return true;
    case c10::prim::CallFunction:
    case c10::prim::CallMethod:
    case c10::prim::fork:
    case c10::prim::Enter:
    case c10::prim::Exit: convert_call(node); return true;
    case c10::prim::GetAttr: convert_get(node); return true;
    case c10::prim::SetAttr: convert_set(node); return true;
    case c10::prim::RaiseException: convert_raise(node); return true;
    case c10::prim::ModuleContainerIndex: convert_module_index(node); return true;
    case c10::prim::CreateObject: {
      const auto object = std::make_shared<LocalObject>();
      object->type = node.output()->type()->expect<c10::ClassType>();
      locals_.push_back(object);
      set(node.output(), object);
      return true;
    }
    case c10::prim::TupleConstruct: {
      auto parts = std::make_shared<Parts>();
      for (const JitValue* item : node.inputs()) parts->items.push_back(get(item));
      parts->type = node.output()->type();
      set(node.output(), std::shared_ptr<const Parts>(std::move(parts)));
      return true;
    }
    default: return false;
  }
}

// Imports nodes without effect in a model, and those whose result depends only on the form of their operands.
bool GraphImport::convert_shortcut(const JitNode& node) {
  using Shortcut = bool (GraphImport::*)(const JitNode&);
  static const std::unordered_map<std::string_view, Shortcut> shortcuts = {
      {"aten::set_grad_enabled", &GraphImport::convert_grad_mode},
      {"aten::is_grad_enabled", &GraphImport::convert_grad_mode},
      {"aten::_unwrap_optional", &GraphImport::convert_unwrapping},
      {"prim::requires_grad", &GraphImport::convert_requires_grad},
      {"aten::is_leaf", &GraphImport::convert_leaf},
      {"prim::isinstance", &GraphImport::convert_isinstance},
      {"prim::TupleUnpack", &GraphImport::convert_tuple_unpack},
      {"prim::TupleIndex", &GraphImport::convert_tuple_index},
      {"prim::TupleSlice", &GraphImport::convert_tuple_slice}};
  const std::string kind = node.kind().toQualString();
  if (const auto found = shortcuts.find(kind); found != shortcuts.end()) return (this->*found->second)(node);
  const aten::Traits& traits = aten::traits_of(kind);
  if (aten::asserts_condition(kind)) {
    const ir::Location where = location(node);
    const auto message = node.inputs().size() > 1 ? jit::toIValue(node.input(1)) : std::nullopt;
    warn(aten::unchecked_condition(
        ir::describe_site(ir::Reason{.op = kind, .text = {}, .module = where.module_path(), .source = where.source()}),
        message && message->isString() ? message->toStringRef() : std::string()));
  }
  if (traits.effect == aten::Effect::Diagnostic && node.outputs().empty()) {
    if (node.kind() == c10::prim::Print) warn("what the program prints is left out");
    return true;
  }
  if (traits.passes && node.inputs().size() == 1) {
    const ir::Value* source = get(node.input(0)).value();
    const bool may_be_none = source && source->type().is(ir::Type::Kind::Optional);
    if (may_be_none && node.output()->type()->kind() != c10::TypeKind::OptionalType) return false;
    const Imported known = get(node.input(0));
    set(node.output(), known);
    return true;
  }
  return aten::identity_of(kind) != aten::Identity::None && convert_is(node);
}

bool GraphImport::convert_unwrapping(const JitNode& node) {
  const Imported known = get(node.input(0));
  if (known.is_none()) return false;
  set(node.output(), known);
  return true;
}

// Unpacks tuples here if an item may be something that is not a value of the graph: a module, a function, None. Tuples
// with unknown items are left to the passes.
bool GraphImport::convert_tuple_unpack(const JitNode& node) {
  const Imported known = get(node.input());
  std::vector<Imported> items;
  if (known.parts()) items = known.parts()->items;
  if (known.ivalue() && known.ivalue()->isTuple())
    for (const auto& item : known.ivalue()->toTupleRef().elements()) items.emplace_back(item);
  if (items.size() != node.outputs().size() || items.empty()) return false;
  for (std::size_t i = 0; i < items.size(); ++i) set(node.output(i), items[i]);
  return true;
}

bool GraphImport::convert_tuple_index(const JitNode& node) {
  const Imported known = get(node.input(0));
  const Imported index = get(node.input(1));
  if (index.value()) return index_as_list(node);
  if (!known.parts() || !index.ivalue() || !index.ivalue()->isInt()) return false;
  const auto at = ir::item_at(index.ivalue()->toInt(), known.parts()->items.size());
  if (at) set(node.output(), known.parts()->items[*at]);
  return at.has_value();
}

// TorchScript allows an index known only at run time if all items have one type. Such a tuple is read as a list.
bool GraphImport::index_as_list(const JitNode& node) {
  const auto& type = node.input(0)->type()->expectRef<c10::TupleType>();
  if (type.elements().empty() || class_in(type) || holds_value(type)) return false;
  const c10::TypePtr& item = type.elements().front();
  const ir::Location where = location(node);
  ir::Node* parts = emit("prim::TupleUnpack", std::vector<ir::Value*>{input(node, 0)}, type.elements().size(), where);
  for (ir::Value* part : parts->outputs()) part->set_type(to_ir(*item));
  ir::Value* list = emit("prim::ListConstruct", parts->outputs(), 1, where)->output();
  list->set_type(to_ir(*c10::ListType::create(item)));
  ir::Value* read = schema_call("aten::__getitem__.t", {list, input(node, 1)}, where);
  read->set_type(to_ir(*item));
  set(node.output(), read);
  return true;
}

bool GraphImport::convert_tuple_slice(const JitNode& node) {
  const Imported known = get(node.input(0));
  if (!known.parts()) return false;
  auto parts = std::make_shared<Parts>();
  const auto& items = known.parts()->items;
  parts->items.assign(items.begin() + node.i(c10::attr::beg), items.begin() + node.i(c10::attr::end));
  parts->type = node.output()->type();
  set(node.output(), std::shared_ptr<const Parts>(std::move(parts)));
  return true;
}

namespace {

// True for an immutable value that can be a schema argument.
bool is_plain(const c10::IValue& value) {
  if (value.isTuple()) {
    for (const auto& item : value.toTupleRef().elements())
      if (!is_plain(item)) return false;
    return true;
  }
  return value.isNone() || value.isBool() || value.isInt() || value.isDouble() || value.isComplexDouble() ||
         value.isString() || value.isDevice() || value.isEnum();
}

bool writes(const c10::FunctionSchema& schema) {
  for (const auto& argument : schema.arguments())
    if (argument.alias_info() && argument.alias_info()->isWrite()) return true;
  return false;
}

}  // namespace

// The value as an operand of a computation at import; nullopt if it is unknown or may be changed.
std::optional<c10::IValue> GraphImport::foldable(const JitValue* value) const {
  const Imported& known = get(value);
  if (const c10::IValue* plain = known.ivalue()) {
    if (is_plain(*plain) || (plain->isList() && !holds_tensor(*plain))) return *plain;
    return std::nullopt;
  }
  // A list literal with a single use, as in `mode in ["nearest", "area"]`.
  const JitNode& maker = *value->node();
  if (!known.value() || maker.kind() != c10::prim::ListConstruct || value->uses().size() != 1) return std::nullopt;
  c10::impl::GenericList list(value->type()->expectRef<c10::ListType>().getElementType());
  for (const JitValue* item : maker.inputs()) {
    const c10::IValue* element = get(item).ivalue();
    if (!element || !is_plain(*element)) return std::nullopt;
    list.push_back(*element);
  }
  return c10::IValue(list);
}

// Computes a node if all operands are known plain values and all results are plain, too.
bool GraphImport::fold(const JitNode& node) {
  if (node.inputs().empty() || !node.blocks().empty()) return false;
  std::vector<c10::IValue> stack;
  for (const JitValue* value : node.inputs()) {
    auto operand = foldable(value);
    if (!operand) return false;
    stack.push_back(std::move(*operand));
  }
  for (const JitValue* output : node.outputs())
    if (output->type()->kind() == c10::TypeKind::TensorType) return false;
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (!schema || writes(*schema) || node.hasSideEffects() || node.isNondeterministic()) return false;
  try {
    require_quotients(*schema, stack);
    node.getOperation()(stack);
  } catch (const std::exception&) {
    return false;
  }
  if (stack.size() != node.outputs().size()) return false;
  for (const c10::IValue& result : stack)
    if (!is_plain(result)) return false;
  for (std::size_t i = 0; i < stack.size(); ++i) set(node.output(i), stack[i]);
  return true;
}

void GraphImport::convert_constant(const JitNode& node) {
  const JitValue* output = node.output();
  if (output->type()->kind() == c10::TypeKind::FunctionType) {
    set(output, c10::IValue());  // its readers use its type
    return;
  }
  if (!node.hasAttribute(c10::attr::value)) {
    set(output, c10::IValue());
    return;
  }
  const auto value = jit::toIValue(output);
  if (!value) throw Error(Code::Internal, "a constant of type " + output->type()->annotation_str() + " cannot be read");
  set(output, value->isTensor() ? tensor_constant(value->toTensor()) : Imported(*value));
}

namespace {

std::optional<std::vector<ir::Dim>> recorded_dims(const c10::Type& type) {
  const auto tensor = type.cast<c10::TensorType>();
  const auto sizes = tensor ? tensor->sizes().concrete_sizes() : std::nullopt;
  return sizes ? std::optional(std::vector<ir::Dim>(sizes->begin(), sizes->end())) : std::nullopt;
}

// x + 1.5: a trace records the number as a rank-0 tensor, which an archive stores. LibTorch runs it as a number, so
// that an int32 x returns float32. A tensor made by the program passes through aten::to and aten::detach first.
bool is_number_of_arithmetic(const jit::Node& node, std::size_t i, const c10::IValue& known) {
  if (i >= 2 || node.input(i)->node()->kind() != c10::prim::Constant || !known.isTensor() ||
      !known.toTensor().defined())
    return false;
  const at::Tensor& tensor = known.toTensor();
  if (tensor.dim() != 0 || (tensor.scalar_type() != at::kDouble && tensor.scalar_type() != at::kLong)) return false;
  const c10::FunctionSchema* schema = node.maybeSchema();  // div with a rounding mode uses the tensor
  return schema && schema->overload_name() == "Tensor" && aten::traits_of(node.kind().toQualString()).takes_number;
}

}  // namespace

void GraphImport::convert_operator(const JitNode& node) {
  const ir::Location where = location(node);
  const c10::FunctionSchema* schema = node.maybeSchema();
  std::vector<ir::Value*> inputs;
  std::vector<std::optional<c10::IValue>> values;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) {
    Imported known = get(node.input(i));
    if (!marked_numbers_ && known.ivalue() && is_number_of_arithmetic(node, i, *known.ivalue()))
      known = Imported(c10::IValue(known.ivalue()->toTensor().item()));
    const bool written = schema && i < schema->arguments().size() && schema->arguments()[i].alias_info() &&
                         schema->arguments()[i].alias_info()->isWrite();
    if (written && known.ivalue() && !known.ivalue()->isTensor() && !known.is_none()) {
      const c10::IValue& container = *known.ivalue();
      if (is_kept(container) && !changed_.contains(container.internalToPointer()))
        throw Anew{{container.internalToPointer()}, {}};
      throw Error(Code::Unsupported,
                  std::string(node.kind().toQualString()) +
                      " changes a list or dict in an attribute of a module; a model has no such state");
    }
    values.push_back(known.ivalue() ? std::optional(*known.ivalue()) : std::nullopt);
    inputs.push_back(known.value() ? known.value() : materialise(known, where));
  }
  if (const std::string unknown = schema ? unknown_argument(*schema, values) : ""; !unknown.empty())
    throw ir::refusal({.op = node.kind().toQualString(),
                       .text = "tonnx does not know its argument '" + unknown + "', which this version of LibTorch has",
                       .module = where.module_path(),
                       .source = where.source()});
  ir::Node* made = emit(node.kind().toQualString(), inputs, node.outputs().size(), where);
  if (schema && schema->name() == node.kind().toQualString()) made->set_schema(to_ir(*schema));
  for (const c10::Symbol name : node.attributeNames()) {
    const std::string text = name.toUnqualString();
    switch (node.kindOf(name)) {
      case jit::AttributeKind::i: made->set_attribute(text, node.i(name)); break;
      case jit::AttributeKind::f: made->set_attribute(text, node.f(name)); break;
      case jit::AttributeKind::s: made->set_attribute(text, node.s(name)); break;
      case jit::AttributeKind::is: made->set_attribute(text, std::vector<std::int64_t>(node.is(name))); break;
      case jit::AttributeKind::ss: made->set_attribute(text, std::vector<std::string>(node.ss(name))); break;
      default:
        throw Error(Code::Unsupported, made->full_name() + " has an attribute '" + text + "' that cannot be imported");
    }
  }
  set_results(node, *made);
}

void GraphImport::set_results(const JitNode& node, const ir::Node& made) {
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    made.output(i)->set_type(to_ir(*node.output(i)->type()));
    if (keep_recorded_dims_) made.output(i)->facts().dims = recorded_dims(*node.output(i)->type());
    set(node.output(i), made.output(i));
  }
}

}  // namespace tonnx::torch
