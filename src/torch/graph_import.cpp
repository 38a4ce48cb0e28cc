#include "torch/graph_import.h"

#include <algorithm>

#include "ir/error.h"
#include "ir/observer.h"
#include "ir/refusal.h"
#include "torch/checkpoint.h"
#include "torch/convert.h"
#include "torch/scoped.h"
#include "torch/source_line.h"
#include "torch/trace.h"

namespace tonnx::torch {

using ir::Code;
using ir::Error;
namespace jit = ::torch::jit;

GraphImport::GraphImport(ir::Graph& graph, WeightTable& weights, ir::Training training, bool gradients,
                         std::vector<std::string>& warnings)
    : graph_(graph),
      weights_(weights),
      training_(training),
      warnings_(warnings),
      block_(&graph.block()),
      grad_(gradients) {}

void GraphImport::set_root(const jit::Module& module, ObjectForms forms) {
  root_ = module._ivalue();
  forms_ = std::move(forms);
  const auto visit = [this](const auto& self, const c10::IValue& value, const std::string& path) -> void {
    const auto object = value.toObject();
    if (!paths_.emplace(object.get(), path).second) return;
    objects_.emplace(path, object.get());
    const auto& type = object->type();
    for (std::size_t i = 0; i < type->numAttributes(); ++i) {
      const c10::IValue& item = object->getSlot(i);
      const std::string name = path.empty() ? type->getAttributeName(i) : path + "." + type->getAttributeName(i);
      if (item.isObject())
        self(self, item, name);
      else if (!item.isTensor())
        name_contents(item, name, name);
    }
  };
  visit(visit, root_, "");
}

std::string GraphImport::path_of(const c10::ivalue::Object* object) const {
  const auto it = paths_.find(object);
  return it == paths_.end() ? std::string() : it->second;
}

void GraphImport::warn(const std::string& text) {
  if (std::find(warnings_.begin(), warnings_.end(), text) == warnings_.end()) warnings_.push_back(text);
}

std::vector<Imported> GraphImport::call(jit::Function& function, std::vector<Imported> arguments) {
  function.ensure_defined();
  Frame frame;
  if (frame_) {
    frame.scope = frame_->scope;
    frame.self = frame_->self;
    frame.line = frame_->line;
  }
  if (!arguments.empty() && arguments[0].object() && arguments[0].object()->type()->is_module()) {
    const c10::ivalue::Object* object = arguments[0].object();
    if (object != frame.self) frame.scope = scope_of(object);
    frame.self = object;
  }
  auto* graph_function = jit::tryToGraphFunction(function);
  if (!graph_function) {
    const std::string name = function.qualname().qualifiedName();
    throw Error(Code::Unsupported, "the call of '" + name + "' has no code to follow",
                {{name, "it has no code to follow", "", "", 1}});
  }
  return enter(*graph_function->graph(), std::move(arguments), std::move(frame));
}

std::vector<Imported> GraphImport::body(const jit::Graph& graph, std::vector<Imported> arguments) {
  return enter(graph, std::move(arguments), Frame());
}

std::vector<Imported> GraphImport::enter(const jit::Graph& graph, std::vector<Imported> arguments, Frame frame) {
  const std::int64_t given = limits().call_depth;
  // Not a refusal, after which a script is recorded instead.
  if (given > 0 && depth_ >= given)
    throw ir::Cancelled("the calls of the program are nested deeper than " + std::to_string(given) +
                        "; raise the option max_call_depth, up to 400");
  if (depth_ >= ir::Limits::kCallDepth) throw Error(Code::Unsupported, "the program recurses without end");
  if (graph.inputs().size() != arguments.size())
    throw Error(Code::Internal, "a call has " + std::to_string(arguments.size()) + " arguments instead of " +
                                    std::to_string(graph.inputs().size()));
  for (std::size_t i = 0; i < arguments.size(); ++i) frame.values[graph.inputs()[i]] = std::move(arguments[i]);
  const Scoped entered(frame_, &frame);
  const Scoped deeper(depth_, depth_ + 1);
  try {
    convert(*graph.block());
  } catch (const Raised& raised) {
    if (depth_ > 1) throw;
    throw Error(Code::Program, raised.message);
  }
  std::vector<Imported> results;
  for (const JitValue* output : graph.outputs()) results.push_back(get(output));
  return results;
}

void GraphImport::convert(const JitBlock& block) {
  for (const JitNode* node : block.nodes()) {
    try {
      convert(*node);
    } catch (const Error& error) {
      if (error.code() != Code::Unsupported || !error.reasons().empty()) throw;
      const ir::Location where = location(*node);
      throw ir::refusal({.op = node->kind().toQualString(),
                         .text = error.what(),
                         .module = where.module_path(),
                         .source = where.source()});
    }
  }
}

const Imported& GraphImport::get(const JitValue* value) const {
  const auto it = frame_->values.find(value);
  if (it == frame_->values.end()) throw Error(Code::Internal, "the program reads an undefined value");
  return it->second;
}

void GraphImport::set(const JitValue* value, Imported known) { frame_->values[value] = std::move(known); }

ir::Value* GraphImport::input(const JitNode& node, std::size_t i) {
  const Imported known = get(node.input(i));
  if (known.value()) return known.value();
  ir::Value* value = materialise(known, location(node));
  return value;
}

ir::Location GraphImport::location(const JitNode& node) {
  auto line = torch::source_line(node.sourceRange(), frame_->line);
  std::shared_ptr<const ir::Scope> scope = frame_->scope;
  if (!scope && const_cast<JitNode&>(node).scope()) scope = traced_scope(const_cast<JitNode&>(node).scope());
  return {std::move(scope), std::move(line)};
}

std::shared_ptr<const ir::Scope> GraphImport::traced_scope(const jit::ScopePtr& scope) {
  if (!scope || scope->isRoot() || scope->isBlank()) return nullptr;
  auto& made = traced_scopes_[scope.get()];
  if (!made) {
    TraceScope known = TraceScope::of(scope->name().toUnqualString());
    made = std::make_shared<const ir::Scope>(
        ir::Scope{traced_scope(scope->parent()), std::move(known.type), std::move(known.name)});
  }
  return made;
}

namespace {

// "torch.nn.modules.linear.Linear" for __torch__.torch.nn.modules.linear.___torch_mangle_3.Linear.
std::string type_name(const c10::ivalue::Object& object) {
  std::string result;
  for (const std::string& atom : object.type()->name()->atoms())
    if (atom != "__torch__" && !atom.starts_with("___torch_mangle_")) result += (result.empty() ? "" : ".") + atom;
  return result;
}

}  // namespace

// Creates scopes for the modules on the path from the calling module; a module elsewhere is named from the root.
std::shared_ptr<const ir::Scope> GraphImport::scope_of(const c10::ivalue::Object* object) {
  const std::string path = path_of(object);
  if (path.empty()) return std::make_shared<const ir::Scope>(ir::Scope{nullptr, type_name(*object), ""});
  std::map<std::string, const c10::ivalue::Object*> by_path;
  const auto find = [&](const std::string& p) {
    if (const auto it = objects_.find(p); it != objects_.end()) by_path[p] = it->second;
  };
  find("");
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', dot + 1))
    find(path.substr(0, dot));
  const std::string from = frame_ && frame_->self ? path_of(frame_->self) : std::string();
  const bool below = frame_ && frame_->self && (from.empty() || path.starts_with(from + "."));
  std::shared_ptr<const ir::Scope> scope = below ? frame_->scope : nullptr;
  std::string last = below ? from : std::string();
  if (!below && by_path.contains(""))
    scope = std::make_shared<const ir::Scope>(ir::Scope{nullptr, type_name(*by_path[""]), ""});
  const auto relative = [&](const std::string& p) { return last.empty() ? p : p.substr(last.size() + 1); };
  for (const auto& [p, o] : by_path) {
    if (p.size() <= last.size()) continue;
    std::shared_ptr<const ir::Scope> made;
    auto& kept = frame_ ? frame_->containers[p] : made;
    if (!kept || kept->parent != scope)
      kept = std::make_shared<const ir::Scope>(ir::Scope{scope, type_name(*o), relative(p)});
    scope = kept;
    last = p;
  }
  return std::make_shared<const ir::Scope>(ir::Scope{scope, type_name(*object), relative(path)});
}

ir::Node* GraphImport::emit(std::string kind, std::span<ir::Value* const> inputs, std::size_t outputs,
                            const ir::Location& location) {
  ir::Node* node = graph_.create(std::move(kind), inputs, outputs);
  node->set_location(location);
  block_->append(node);
  // A node of a removed branch may have had the same address.
  if (grad_)
    without_grad_.erase(node);
  else
    without_grad_.insert(node);
  return node;
}

ir::Value* GraphImport::constant(ir::Constant constant, const ir::Location& location) {
  ir::Node* node = graph_.create_constant(std::move(constant));
  node->set_location(location);
  block_->append(node);
  return node->output();
}

ir::Value* GraphImport::materialise(const Imported& known, const ir::Location& location) {
  if (known.value()) return known.value();
  if (const auto parts = kept_parts(known)) return materialise(parts, location);
  if (is_kept_object(known)) throw Anew{{known.object()}, {}};
  if (const auto* ivalue = known.ivalue()) return materialise_ivalue(*ivalue, "", location);
  if (const auto* parts = known.parts()) {
    std::vector<ir::Value*> items;
    for (const Imported& item : parts->items) items.push_back(materialise(item, location));
    ir::Value* tuple = emit("prim::TupleConstruct", items, 1, location)->output();
    tuple->set_type(to_ir(*parts->type));
    return tuple;
  }
  if (const auto* list = known.objects()) {
    const auto& held = list->type->expectRef<c10::ListType>().getElementType()->expectRef<c10::ClassType>();
    refuse_object(held, "a list of type " + list->type->annotation_str() +
                            " is used in a way that is known only at run time; this is not supported: use one list per "
                            "attribute, or a list of tuples");
  }
  if (const auto* local = known.local()) {
    refuse_object(*local->type,
                  "an object of class " + local->type->name()->name() +
                      " is stored in a list or passed through a branch or a loop; this is not supported: use tuples");
  }
  throw Error(Code::Internal, "a value has no form");
}

const c10::ClassType* class_within(const c10::IValue& value) {
  const c10::ClassType* found = nullptr;
  if (!is_container(value)) return found;
  value.visit([&](const c10::IValue& inner) {
    const c10::ClassType* type = inner.isObject() ? inner.toObjectRef().type().get() : nullptr;
    if (type && !type->is_module() && library_class(*type).empty()) found = type;
    return found != nullptr;
  });
  return found;
}

bool holds_tensor(const c10::IValue& value) {
  bool found = false;
  value.visit([&](const c10::IValue& inner) {
    if (inner.isTensor()) found = true;
    return found;
  });
  return found;
}

Imported GraphImport::tensor_constant(const at::Tensor& tensor) {
  if (!tensor.defined()) return Imported(c10::IValue());
  // A number used as a tensor has a lower priority in type promotion than a rank-0 tensor.
  if (tensor.unsafeGetTensorImpl()->is_wrapped_number()) return Imported(c10::IValue(tensor.item()));
  if (tensor.is_quantized()) return Imported(quantised_tensor(tensor, "quantised", {}));
  const bool floating = at::isFloatingType(tensor.scalar_type()) || at::isComplexType(tensor.scalar_type());
  const std::int64_t largest = floating ? largest_floating_ : largest_integral_;
  const bool small = (tensor.dim() == 0 || (tensor.numel() <= largest && !weights_.has_name(tensor))) &&
                     !(tensor.has_storage() && kept_weights_.contains(tensor.storage().unsafeGetStorageImpl()));
  if (small) return Imported(c10::IValue(tensor));
  return Imported(captured(tensor, ""));
}

ir::Value* GraphImport::captured(const at::Tensor& tensor, const std::string& given) {
  const std::string name = given.empty() ? weights_.name_of_storage(tensor) : given;
  if (!name.empty()) return weights_.weight(tensor, name);
  return weights_.weight(tensor, "constant_" + std::to_string(next_constant_++), true);
}

ir::Value* GraphImport::add_input(const ir::Tensor& example, ir::Type::Kind type, const std::string& name) {
  ir::Value* value = graph_.block().add_input();
  value->set_name(name);
  value->set_type(ir::Type::of(type));
  ir::Facts facts;
  facts.dtype = example.dtype;
  facts.dims.emplace(example.dims.begin(), example.dims.end());
  value->set_facts(std::move(facts));
  return value;
}

ir::Value* GraphImport::materialise_ivalue(const c10::IValue& value, const std::string& given,
                                           const ir::Location& location) {
  if (const auto parts = kept_parts(value)) return materialise(parts, location);
  if (!is_kept(value)) return construct(value, given, location);
  const void* identity = value.internalToPointer();
  if (const auto made = changed_containers_.find(identity); made != changed_containers_.end()) return made->second;
  ir::Value* result = construct(value, given, location);
  if (changed_.contains(identity)) {
    changed_containers_[identity] = result;
  } else {
    copies_[result] = identity;
  }
  return result;
}

ir::Value* GraphImport::construct(const c10::IValue& value, const std::string& given, const ir::Location& location) {
  std::string name = given;
  if (name.empty() && value.isPtrType() && !value.isString()) {
    const auto it = content_names_.find(value.internalToPointer());
    if (it != content_names_.end()) name = it->second;
  }
  if (is_packed(value)) return packed_parameters(value, name.empty() ? "packed" : name, location);
  if (value.isTensor() && value.toTensor().defined() && value.toTensor().is_quantized())
    return quantised_tensor(value.toTensor(), name.empty() ? "quantised" : name, location);
  if (value.isTensor() && value.toTensor().defined() && !name.empty()) return weights_.weight(value.toTensor(), name);
  const c10::ClassType* held = class_within(value);
  if (held) begin_with_values(*held);
  if ((holds_tensor(value) || constructs_ || held) && !value.isTensor()) {
    std::vector<ir::Value*> items;
    const auto named = [&](const std::string& item) { return name.empty() ? "constant_" + item : name + "." + item; };
    const auto build = [&](const char* kind) {
      ir::Value* result = emit(kind, items, 1, location)->output();
      result->set_type(to_ir(*value.type()));
      return result;
    };
    for_each_item(value, [&](const c10::IValue* key, const c10::IValue& item, const std::string& place) {
      if (key) items.push_back(materialise_ivalue(*key, "", location));
      items.push_back(materialise_ivalue(item, named(place), location));
    });
    if (value.isList()) return build("prim::ListConstruct");
    if (value.isTuple()) return build("prim::TupleConstruct");
    if (value.isGenericDict()) return build("prim::DictConstruct");
  }
  auto plain = to_ir(value, weights_.storages());
  if (!plain)
    throw ir::refusal({.op = {},
                       .text = (name.empty() ? "a value" : "'" + name + "'") + std::string(" of type ") +
                               value.type()->annotation_str() + " has no ONNX form",
                       .module = location.module_path(),
                       .source = location.source()});
  ir::Value* result = constant(std::move(*plain), location);
  if (is_container(value)) result->set_type(to_ir(*value.type()));
  return result;
}

}  // namespace tonnx::torch
