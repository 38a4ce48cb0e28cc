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

void GraphImport::inline_block(const JitNode& node, const JitBlock& block) {
  convert(block);
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    const Imported known = get(block.outputs()[i]);
    set(node.outputs()[i], known);
  }
}

void GraphImport::convert_if(const JitNode& node) {
  const JitBlock& yes = *node.blocks()[0];
  const JitBlock& no = *node.blocks()[1];
  const Imported condition = get(node.input());
  bool known = false;
  if (const bool* value = condition.as_bool(known)) return inline_block(node, *value ? yes : no);
  ir::Value* test = input(node, 0);
  ir::Node* made = emit("prim::If", std::vector<ir::Value*>{test}, node.outputs().size(), location(node));
  const State before = state();
  const auto first = fill_branch(yes, *made->add_block());
  const State after_yes = state();
  restore(before);
  const auto second = fill_branch(no, *made->add_block());
  const State after_no = state();
  restore(before);
  if ((!first && after_yes.grad != grad_) || (!second && after_no.grad != grad_))
    throw Error(Code::Unsupported, "gradients are switched on or off in a branch that depends on the inputs");
  if (first || second) {
    made->erase();
    if (first && second) throw *first;
    guard(test, first ? *first : *second, first.has_value(), location(node));
    return inline_block(node, first ? no : yes);
  }
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    // Where both sides agree, that type says more than the declared one.
    const ir::Type& a = made->block(0)->outputs()[i]->type();
    made->output(i)->set_type(a == made->block(1)->outputs()[i]->type() ? a : to_ir(*node.output(i)->type()));
    set(node.output(i), made->output(i));
  }
  join_attributes(*made, before, after_yes, after_no);
}

// A branch without results, so that what follows reads nothing of it.
void GraphImport::guard(ir::Value* test, const Raised& raised, bool when, const ir::Location& location) {
  ir::Node* made = emit("prim::If", std::vector<ir::Value*>{test}, 0, location);
  ir::Block* yes = made->add_block();
  ir::Block* no = made->add_block();
  const Scoped inside(block_, when ? yes : no);
  ir::Value* text = constant({raised.text}, raised.location);
  emit("prim::RaiseException", std::vector<ir::Value*>{text}, 0, raised.location);
}

std::optional<GraphImport::Raised> GraphImport::fill_branch(const JitBlock& from, ir::Block& to) {
  try {
    fill_block(from, to);
    return std::nullopt;
  } catch (const Raised& raised) {
    return raised;
  }
}

void GraphImport::fill_block(const JitBlock& from, ir::Block& to) {
  const Scoped inside(block_, &to);
  convert(from);
  for (const JitValue* output : from.outputs()) {
    const Imported known = get(output);
    to.add_output(materialise(known));
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
  // Attributes that the body changes are carried; which do is known once it has been walked.
  std::vector<Slot> carried;
  while (!fill_loop(node, carried)) {
  }
}

// False if the body changed other attributes than those carried, which are added; the loop has to be made again.
bool GraphImport::fill_loop(const JitNode& node, std::vector<Slot>& carried) {
  std::vector<ir::Value*> inputs;
  for (std::size_t i = 0; i < node.inputs().size(); ++i) inputs.push_back(input(node, i));
  const State outside = state();
  for (const Slot& slot : carried) inputs.push_back(materialise(value_in(outside, slot)));
  ir::Node* made = emit("prim::Loop", inputs, node.outputs().size(), location(node));
  ir::Block* body = made->add_block();
  const JitBlock& from = *node.blocks()[0];
  for (const JitValue* param : from.inputs()) {
    ir::Value* value = body->add_input();
    value->set_type(to_ir(*param->type()));
    set(param, value);
  }
  for (const Slot& slot : carried) {
    ir::Value* value = body->add_input();
    value->set_type(to_ir(*slot.type));
    set_attribute(slot, value);
  }
  const State before = state();
  if (const auto raised = fill_branch(from, *body))
    throw Error(Code::Unsupported, raised->message + "; it does so in a loop");
  const State after = state();
  if (after.grad != before.grad) throw Error(Code::Unsupported, "gradients are switched on or off by turns of a loop");
  const auto is_carried = [&](const Slot& slot) {
    return std::any_of(carried.begin(), carried.end(), [&](const Slot& p) { return p.is(slot); });
  };
  const std::size_t count = carried.size();
  for (Slot& slot : changed(before, after))
    if (!is_carried(slot)) carried.push_back(std::move(slot));
  restore(outside);
  if (carried.size() > count) {
    made->erase();
    return false;
  }
  for (const Slot& slot : carried) {
    const Scoped inside(block_, body);
    body->add_output(materialise(value_in(after, slot)));
  }
  for (std::size_t i = 0; i < node.outputs().size(); ++i) {
    made->output(i)->set_type(to_ir(*node.output(i)->type()));
    set(node.output(i), made->output(i));
  }
  for (const Slot& slot : carried) {
    ir::Value* result = made->add_output();
    result->set_type(to_ir(*slot.type));
    set_attribute(slot, result);
  }
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
    if (node.kind() == c10::prim::Enter)
      name = "__enter__";
    else if (node.kind() == c10::prim::Exit)
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
  if (!class_type)
    throw Error(Code::Unsupported, "which module the method '" + name + "' of interface " + type->annotation_str() +
                                       " is called on depends on the inputs");
  if (receiver.value())
    throw Error(Code::Unsupported, "the method '" + name + "' is called on an object of class " +
                                       class_type->name()->name() +
                                       " that was kept in a list or chosen by a branch; this is not supported");
  jit::Function* method = class_type->findMethod(name);
  if (!method) throw Error(Code::Unsupported, "class " + class_type->name()->name() + " has no method '" + name + "'");
  const auto results = call(*method, std::move(arguments));
  if (has_result) set(node.output(), results.at(0));
}

namespace {

bool is_custom_class(const c10::IValue& value) {
  if (value.isCapsule()) return true;
  if (!value.isObject()) return false;
  const auto name = value.toObjectRef().type()->name();
  return name && name->qualifiedName().starts_with("__torch__.torch.classes");
}

}  // namespace

void GraphImport::convert_get(const JitNode& node) {
  const Imported receiver = get(node.input());
  const std::string& name = node.s(c10::attr::name);
  if (const LocalObject* local = receiver.local()) {
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
    throw Error(Code::Unsupported, "the attribute '" + name + "' of an object of type " +
                                       node.input()->type()->annotation_str() +
                                       " is read that was kept in a list or chosen by a branch; this is not supported");
  if (const auto it = written_.find({object, name}); it != written_.end()) {
    const Imported known = it->second;
    set(node.output(), known);
    return;
  }
  set(node.output(), stored_attribute(*object, name));
}

// An attribute's value before the program sets it.
Imported GraphImport::stored_attribute(const c10::ivalue::Object& object, const std::string& name) {
  if (name == "training" && training_ != Training::Preserve && object.type()->is_module()) {
    return c10::IValue(training_ == Training::Train);
  }
  const c10::IValue value = object.getAttr(name);
  const std::string path = path_of(&object);
  const std::string full = path.empty() ? name : path + "." + name;
  if (is_custom_class(value) && !is_packed(value))
    throw Error(Code::Unsupported, "attribute '" + full + "' holds packed parameters (" +
                                       value.type()->annotation_str() +
                                       ") of a back-end specific module; its weights cannot be read");
  if (value.isTensor() && value.toTensor().defined())
    return value.toTensor().is_quantized() ? quantised_tensor(value.toTensor(), full, {}) : weights_.weight(value.toTensor(), full);
  if (value.isTensor()) return c10::IValue();
  if (value.isPtrType())
    if (const auto changed = changed_containers_.find(value.internalToPointer()); changed != changed_containers_.end())
      return changed->second;
  return value;
}

void GraphImport::convert_set(const JitNode& node) {
  const Imported receiver = get(node.input(0));
  const Imported value = get(node.input(1));
  const std::string& name = node.s(c10::attr::name);
  if (LocalObject* local = receiver.local()) {
    local->attributes[name] = value;
    return;
  }
  const c10::ivalue::Object* object = receiver.object();
  const std::string path = object ? path_of(object) : std::string();
  const std::string full = path.empty() ? name : path + "." + name;
  if (!object)
    throw Error(Code::Unsupported, "attribute '" + full + "' is changed of an object that was kept in a list or chosen by "
                                       "a branch; this is not supported");
  warn("the program changes attribute '" + full + "'; the model starts from its saved value at every run");
  written_[{object, name}] = value;
}

}  // namespace tonnx::torch
