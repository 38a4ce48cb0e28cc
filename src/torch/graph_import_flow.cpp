#include <algorithm>

#include "ir/error.h"
#include "ir/refusal.h"
#include "torch/convert.h"
#include "torch/graph_import.h"
#include "torch/scoped.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
using ir::Training;
namespace jit = ::torch::jit;

namespace {

// True for the class of torch.autocast, whatever module of Python it comes from.
bool is_autocast(const c10::ClassType& type) {
  return type.name() && type.name()->qualifiedName().ends_with(".autocast_mode.autocast");
}

// Throws if the object is torch.autocast for the CPU and not known to be off: LibTorch computes in another dtype in its
// block. For another device it has no effect on tensors of the CPU.
void refuse_autocast(const Imported& object) {
  const LocalObject* local = object.local();
  if (!local || !is_autocast(*local->type)) return;
  const auto known = [&](const char* name) {
    const auto found = local->attributes.find(name);
    return found == local->attributes.end() ? nullptr : found->second.ivalue();
  };
  const c10::IValue *enabled = known("_enabled"), *device = known("device");
  if (enabled && enabled->isBool() && !enabled->toBool()) return;
  if (device && device->isString() && device->toStringRef() != "cpu") return;
  throw Error(
      Code::Unsupported,
      "torch.autocast for the CPU is not supported in a script; trace the module, save it by torch.export, or cast "
      "its operands (x.bfloat16())");
}

}  // namespace

void GraphImport::set_results(const JitNode& node, const std::vector<Imported>& results) {
  for (std::size_t i = 0; i < node.outputs().size(); ++i) set(node.output(i), results[i]);
}

GraphImport::Path GraphImport::path_through(const JitBlock& block) {
  return [this, &block] {
    convert(block);
    std::vector<Imported> results;
    for (const JitValue* output : block.outputs()) results.push_back(get(output));
    return results;
  };
}

void GraphImport::convert_if(const JitNode& node) {
  const Path yes = path_through(*node.blocks()[0]), no = path_through(*node.blocks()[1]);
  const Imported condition = get(node.input());
  bool known = false;
  if (const bool* value = condition.as_bool(known)) return set_results(node, *value ? yes() : no());
  std::vector<c10::TypePtr> types;
  for (const JitValue* output : node.outputs()) types.push_back(output->type());
  set_results(node, branch(input(node, 0), location(node), types, yes, no));
}

// Returns the results of a dynamic branch: a value of each type.
std::vector<Imported> GraphImport::branch(ir::Value* test, const ir::Location& location,
                                          std::span<const c10::TypePtr> types, const Path& yes, const Path& no) {
  ir::Node* made = emit("prim::If", std::vector<ir::Value*>{test}, 0, location);
  const State before = state();
  const std::vector<std::shared_ptr<LocalObject>> outside = locals_;
  std::vector<Imported> results[2], given[2];  // after each branch; and the objects themselves
  const auto take = [&](std::size_t side) {
    for (const Imported& known : given[side]) results[side].push_back(snapshot(known));
  };
  const auto first = fill_branch(yes, *made->add_block(), given[0]);
  if (!first) take(0);
  const State after_yes = state();
  restore(before);
  const auto second = fill_branch(no, *made->add_block(), given[1]);
  if (!second) take(1);
  const State after_no = state();
  restore(before);
  if ((!first && after_yes.grad != grad_) || (!second && after_no.grad != grad_))
    throw Error(Code::Unsupported, "gradients are enabled or disabled in a branch that depends on the inputs");
  if (first || second) {
    made->erase();
    if (first && second) throw *first;
    guard(test, first ? *first : *second, first.has_value(), location);
    return first ? no() : yes();
  }
  moved_.insert(after_yes.moved.begin(), after_yes.moved.end());
  moved_.insert(after_no.moved.begin(), after_no.moved.end());
  std::vector<Imported> joined, apart[2];
  for (std::size_t i = 0; i < types.size(); ++i) {
    const Imported &a = results[0][i], &b = results[1][i];
    const LocalObject* same = given[0][i].local();
    const auto is_same = [&](const auto& object) { return object.get() == same; };
    if (same && same == given[1][i].local() && std::any_of(outside.begin(), outside.end(), is_same)) {
      joined.push_back(given[0][i]);
    } else if (a.objects() && a.objects() == b.objects()) {
      joined.push_back(a);
    } else if (holds_local(a) || holds_local(b)) {
      for (std::size_t side = 0; side < 2; ++side) {
        apart[side].push_back(given[side][i]);
        move_objects(given[side][i]);
      }
      joined.push_back(join_objects(*made, a, b, types[i]));
    } else {
      joined.push_back(join_values(*made, a, b, types[i]));
    }
  }
  for (const auto& side : apart) require_apart(side, {});
  join_attributes(*made, before, after_yes, after_no);
  return joined;
}

// Adds a branch without results, so that later nodes do not depend on it.
void GraphImport::guard(ir::Value* test, const Raised& raised, bool when, const ir::Location& location) {
  ir::Node* made = emit("prim::If", std::vector<ir::Value*>{test}, 0, location);
  ir::Block* yes = made->add_block();
  ir::Block* no = made->add_block();
  const Scoped inside(block_, when ? yes : no);
  ir::Value* text = constant({raised.text}, raised.location);
  emit("prim::RaiseException", std::vector<ir::Value*>{text}, 0, raised.location);
}

std::optional<GraphImport::Raised> GraphImport::fill_branch(const Path& way, ir::Block& to,
                                                            std::vector<Imported>& results) {
  try {
    const Scoped inside(block_, &to);
    results = way();
    return std::nullopt;
  } catch (const Raised& raised) {
    return raised;
  }
}

void GraphImport::convert_loop(const JitNode& node) {
  const Imported trips = get(node.input(0));
  const Imported first = get(node.input(1));
  bool flag = true;
  const bool* goes_in = first.as_bool(flag);
  const bool no_trip = trips.ivalue() && trips.ivalue()->isInt() && trips.ivalue()->toInt() <= 0;
  if (no_trip || (goes_in && !*goes_in)) {
    for (std::size_t i = 0; i < node.outputs().size(); ++i) {
      const Imported known = get(node.input(i + 2));
      set(node.output(i), known);
    }
    return;
  }
  if (unroll_loop(node)) return;
  // Attributes that the body changes become loop-carried; they are known only after the body was imported once.
  Carried carried;
  while (!fill_loop(node, carried)) {
  }
}

// True if a variable of the type contains an object that the program creates, or None.
bool GraphImport::is_optional_object(const c10::Type& type) const {
  const auto* optional = type.castRaw<c10::OptionalType>();
  const auto* held = optional ? optional->getElementType()->castRaw<c10::ClassType>() : nullptr;
  return held && !held->is_module() && !is_value(*held);
}

// The value of such a variable after an iteration.
Imported GraphImport::optional_end(const Imported& end, const Imported& start, ir::Block& body,
                                   const c10::TypePtr& type) {
  const Scoped inside(block_, &body);
  if (end.is_none() && start.local()) return maybe_there(like_of_nothing(start, type), c10::IValue(false));
  const bool is_sure = end.local() && !end.local()->may_be_missing();
  return is_sure ? maybe_there(end, c10::IValue(true)) : end;
}

// Returns false if the body changed other attributes or returned other objects than those carried, which are then
// added; the loop must be imported again.
bool GraphImport::fill_loop(const JitNode& node, Carried& known) {
  std::vector<Slot>& carried = known.slots;
  const State outside = state();
  const std::vector<std::shared_ptr<LocalObject>> outer = locals_;
  std::vector<ir::Value*> inputs = {input(node, 0), input(node, 1)};
  std::vector<Imported> starts, given;  // given: the objects themselves
  std::vector<Leaf> leaves;
  std::vector<bool> is_open;  // an object that starts as None and is not known yet
  for (std::size_t i = 2; i < node.inputs().size(); ++i) {
    const c10::TypePtr& type = node.blocks()[0]->inputs()[i - 1]->type();
    Imported start = get(node.input(i));
    const bool is_optional = is_optional_object(*type);
    const bool is_nothing = is_never(start) || (is_optional && start.is_none());
    if (is_nothing && known.objects.contains(i)) {
      start = like_of_nothing(known.objects.at(i), type);
      if (is_optional) start.local()->is_there = c10::IValue(false);
    }
    is_open.push_back(is_nothing && !start.local() &&
                      (is_optional || (type->cast<c10::ClassType>() && !is_value(*type))));
    given.push_back(start);
    if (is_optional && start.local() && !start.local()->may_be_missing()) start = maybe_there(start, c10::IValue(true));
    starts.push_back(holds_local(start) || is_open.back() ? start : Imported(input(node, i)));
    if (!is_open.back()) add_leaves(starts.back(), type, leaves);
  }
  require_apart(given, {});
  for (const Leaf& leaf : leaves) inputs.push_back(materialise(leaf.known, location(node)));
  for (const Slot& slot : carried) inputs.push_back(materialise(value_in(outside, slot)));
  ir::Node* made = emit("prim::Loop", inputs, 0, location(node));
  ir::Block* body = made->add_block();
  const JitBlock& from = *node.blocks()[0];
  const auto add = [](auto& maker, const c10::TypePtr& type) {
    ir::Value* value = maker.add_output();
    value->set_type(to_ir(*type));
    return value;
  };
  set(from.inputs()[0], add(*body->params(), from.inputs()[0]->type()));
  std::vector<ir::Value*> params;
  for (const Leaf& leaf : leaves) params.push_back(add(*body->params(), leaf.type));
  for (const Slot& slot : carried) set_attribute(slot, add(*body->params(), slot.type));
  for (const Imported& start : given) move_objects(start);
  const State before = state();
  std::span<ir::Value* const> left = params;
  for (std::size_t k = 0; k < starts.size(); ++k)
    set(from.inputs()[k + 1], is_open[k] ? starts[k] : with_leaves(starts[k], left));
  std::vector<Imported> results;
  if (const auto raised = fill_branch(path_through(from), *body, results))
    throw Error(Code::Unsupported, raised->message + ", in a loop");
  const State after = state();
  if (after.grad != before.grad)
    throw Error(Code::Unsupported, "gradients are enabled or disabled by iterations of a loop");
  std::vector<Leaf> ends = {{results[0], from.outputs()[0]->type()}};
  std::vector<Imported> again;
  const std::size_t objects = known.objects.size();
  for (std::size_t k = 0; k < starts.size(); ++k) {
    Imported end = again.emplace_back(results[k + 1]);
    if (!is_open[k] && is_optional_object(*node.output(k)->type()))
      end = optional_end(end, starts[k], *body, node.output(k)->type());
    if (is_open[k]) {
      if (holds_local(end)) known.objects[k + 2] = snapshot(end);
    } else if (holds_local(starts[k]) || holds_local(end)) {
      if (!are_alike(starts[k], end)) {
        if (const LocalObject* object = end.local() ? end.local() : starts[k].local()) begin_with_values(*object->type);
        throw Error(Code::Unsupported,
                    "an object is replaced, or has other attributes set, after an iteration of a loop");
      }
      add_leaves(end, node.output(k)->type(), ends);
    } else {
      ends.push_back({end, node.output(k)->type()});
    }
  }
  require_apart(again, outer);
  const auto is_carried = [&](const Slot& slot) {
    return std::any_of(carried.begin(), carried.end(), [&](const Slot& p) { return p.is(slot); });
  };
  const std::size_t count = carried.size();
  for (Slot& slot : changed(before, after))
    if (!is_carried(slot)) carried.push_back(std::move(slot));
  std::vector<ir::Value*> end_values;
  for (const Leaf& end : ends) {
    const Scoped inside(block_, body);
    end_values.push_back(materialise(end.known));
  }
  restore(outside);
  if (carried.size() > count || known.objects.size() > objects) {
    made->erase();
    return false;
  }
  moved_ = after.moved;
  for (ir::Value* end : end_values) body->add_output(end);
  for (const Slot& slot : carried) {
    const Scoped inside(block_, body);
    body->add_output(materialise(value_in(after, slot)));
  }
  std::vector<ir::Value*> values;
  for (const Leaf& leaf : leaves) values.push_back(add(*made, leaf.type));
  left = values;
  for (std::size_t k = 0; k < starts.size(); ++k) {
    const Imported result = is_open[k] ? starts[k] : with_leaves(starts[k], left);
    if (result.value() && !is_open[k]) result.value()->set_type(to_ir(*node.output(k)->type()));
    set(node.output(k), result);
  }
  for (const Slot& slot : carried) set_attribute(slot, add(*made, slot.type));
  return true;
}

void GraphImport::convert_raise(const JitNode& node) {
  const Imported message = get(node.input(0));
  const ir::Location where = location(node);
  const bool known = message.ivalue() && message.ivalue()->isString();
  const std::string words = known ? message.ivalue()->toStringRef() : "";
  std::string text = "the program raises an exception";
  if (!words.empty()) text += ": " + words;
  text += ir::site_after(where);
  throw Raised{text, words, where};
}

void GraphImport::convert_call(const JitNode& node) {
  std::vector<Imported> arguments;
  for (const JitValue* value : node.inputs()) arguments.push_back(get(value));
  const Scoped calling(frame_->line, location(node).line);
  if (node.kind() == c10::prim::CallFunction) {
    auto* function = node.input(0)->type()->expect<c10::FunctionType>()->function();
    arguments.erase(arguments.begin());
    const auto results = call(*function, std::move(arguments));
    set(node.output(), results.at(0));
  } else if (node.kind() == c10::prim::fork) {
    Frame inner;
    inner.scope = frame_->scope;
    inner.self = frame_->self;
    inner.line = frame_->line;
    const auto results = enter(*node.g(c10::attr::Subgraph), std::move(arguments), std::move(inner));
    set(node.output(), results.at(0));
  } else {
    const Imported receiver = arguments.at(0);
    std::string name;
    if (node.kind() == c10::prim::Enter) {
      refuse_autocast(receiver);
      name = "__enter__";
    } else if (node.kind() == c10::prim::Exit)
      name = "__exit__";
    else
      name = node.s(c10::attr::name);
    if (name == "__exit__") arguments.resize(4, Imported(c10::IValue()));
    convert_method(node, receiver, name, std::move(arguments), !node.outputs().empty());
  }
}

void GraphImport::convert_method(const JitNode& node, const Imported& receiver, const std::string& name,
                                 std::vector<Imported> arguments, bool has_result) {
  c10::TypePtr type = node.input(0)->type();
  if (receiver.object())
    type = receiver.object()->type();
  else if (receiver.local())
    type = receiver.local()->type;
  const auto class_type = type->cast<c10::ClassType>();
  if (!class_type && call_chosen(node, name, arguments)) return;
  if (!class_type)
    throw Error(Code::Unsupported, "the module on which the method '" + name + "' of interface " +
                                       type->annotation_str() + " is called depends on the inputs");
  if (receiver.value() && !is_value(*class_type))
    throw Error(Code::Unsupported, "the method '" + name + "' is called on an object of class " +
                                       class_type->name()->name() +
                                       " that was stored in a list or selected by a branch; this is not supported");
  jit::Function* method = class_type->findMethod(name);
  if (!method) throw Error(Code::Unsupported, "class " + class_type->name()->name() + " has no method '" + name + "'");
  const auto results = call(*method, std::move(arguments));
  if (has_result) set(node.output(), results.at(0));
  if (name == "__init__" && is_value(*class_type)) set(node.input(0), form_of(receiver, location(node)));
}

namespace {

bool is_custom_object(const c10::IValue& value) {
  return value.isCapsule() || (value.isObject() && !library_class(*value.toObjectRef().type()).empty());
}

}  // namespace

void GraphImport::convert_get(const JitNode& node) {
  const Imported receiver = get(node.input());
  const std::string& name = node.s(c10::attr::name);
  if (convert_value_get(node)) return;
  if (const LocalObject* local = receiver.local()) {
    require_unmoved(local);
    const auto it = local->attributes.find(name);
    if (it == local->attributes.end())
      throw Error(Code::Program,
                  "an object of class " + local->type->name()->name() + " has no attribute '" + name + "' yet");
    const Imported known = it->second;
    set(node.output(), known);
    return;
  }
  const c10::ivalue::Object* object = receiver.object();
  if (!object)
    throw Error(Code::Unsupported,
                "the attribute '" + name + "' of an object of type " + node.input()->type()->annotation_str() +
                    " is read that was stored in a list or selected by a branch; this is not supported");
  if (const auto it = written_.find({object, name}); it != written_.end()) {
    const Imported known = it->second;
    set(node.output(), known);
    return;
  }
  set(node.output(), stored_attribute(*object, name));
}

// The value of an attribute before the program sets it.
Imported GraphImport::stored_attribute(const c10::ivalue::Object& object, const std::string& name) {
  if (name == "training" && training_ != Training::Preserve && object.type()->is_module()) {
    return c10::IValue(training_ == Training::Train);
  }
  const c10::IValue value = object.getAttr(name);
  const std::string path = path_of(&object);
  const std::string full = path.empty() ? name : path + "." + name;
  if (is_custom_object(value) && !is_packed(value))
    throw Error(Code::Unsupported, "attribute '" + full + "' contains packed parameters (" +
                                       value.type()->annotation_str() +
                                       ") of a backend-specific module; its weights cannot be read");
  if (value.isTensor() && value.toTensor().defined())
    return value.toTensor().is_quantized() ? quantised_tensor(value.toTensor(), full, {})
                                           : weights_.weight(value.toTensor(), full);
  if (value.isTensor()) return c10::IValue();
  if (value.isObject())
    if (const auto chosen = chosen_objects_.find(value.internalToPointer()); chosen != chosen_objects_.end())
      return chosen->second;
  if (is_kept(value) && changed_.contains(value.internalToPointer()))
    return changed_containers_.at(value.internalToPointer());
  return value;
}

void GraphImport::convert_set(const JitNode& node) {
  const Imported receiver = get(node.input(0));
  const Imported value = get(node.input(1));
  const std::string& name = node.s(c10::attr::name);
  if (convert_value_set(node)) return;
  if (LocalObject* local = receiver.local()) {
    require_unmoved(local);
    if (!local->path.empty()) note_change(local->path + "." + name, &node);
    local->attributes[name] = value;
    return;
  }
  const c10::ivalue::Object* object = receiver.object();
  const std::string path = object ? path_of(object) : std::string();
  const std::string full = path.empty() ? name : path + "." + name;
  if (!object)
    throw Error(
        Code::Unsupported,
        "attribute '" + full +
            "' is changed of an object that was stored in a list or selected by a branch; this is not supported");
  note_change(full, &node);
  written_[{object, name}] = value;
}

}  // namespace tonnx::torch
