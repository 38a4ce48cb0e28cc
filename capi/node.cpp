#include <algorithm>
#include <numeric>
#include <type_traits>
#include <utility>

#include "guard.h"
#include "ir/control_flow.h"
#include "ir/emptied_axes.h"
#include "tonnx/graph.h"
#include "walk.h"

using tonnx::capi::answer;
using tonnx::capi::AttributeValue;
using tonnx::capi::guard;
using tonnx::capi::require;
using tonnx::ir::Attribute;
using tonnx::ir::Constant;
using tonnx::ir::DType;
using tonnx::ir::Type;

tonnx_node::tonnx_node(const tonnx::ir::Node& of, const tonnx::capi::Walk* within)
    : node(&of), walk(within), module(of.location().module_path()), source(of.location().source()) {}

namespace {

tonnx::ir::Facts tensor_facts(const tonnx::ir::Tensor& tensor) {
  return {tensor.dtype, std::vector<tonnx::ir::Dim>(tensor.dims.begin(), tensor.dims.end()),
          std::make_shared<const Constant>(Constant{tensor})};
}

// The content of an attribute as a constant. The floats of a model are those that its file has, of binary32.
class AttributeReader {
 public:
  AttributeReader(AttributeValue& made, bool is_binary32) : made_(made), is_binary32_(is_binary32) {}

  void operator()(std::int64_t number) const { number_of(Type::Kind::Int, DType::Int64, {number}); }
  void operator()(double number) const { number_of(Type::Kind::Float, DType::Float64, {rounded(number)}); }
  void operator()(const std::string& text) const { constant_of(Type::of(Type::Kind::String), {text}); }
  void operator()(const tonnx::ir::Tensor& tensor) const {
    made_.type = Type::of(Type::Kind::Tensor);
    made_.facts = tensor_facts(tensor);
  }
  void operator()(const tonnx::ir::TypeAttribute& type) const {
    made_.is_type = true;
    const Type tensor = Type::of(Type::Kind::Tensor);
    made_.type = type.is_sequence ? Type::list(tensor) : tensor;
    made_.facts.dtype = type.dtype;
    if (!type.has_rank) return;
    made_.facts.dims.emplace();
    for (const std::int64_t size : type.dims)
      made_.facts.dims->push_back(size < 0 ? tonnx::ir::Dim() : tonnx::ir::Dim(size));
  }
  void operator()(const std::vector<tonnx::ir::Tensor>& tensors) const {
    made_.type = Type::list(Type::of(Type::Kind::Tensor));
    for (const tonnx::ir::Tensor& tensor : tensors) {
      auto& item = made_.items.emplace_back(std::make_unique<tonnx_value>());
      item->attribute = std::make_unique<AttributeValue>();
      AttributeReader(*item->attribute, is_binary32_)(tensor);
    }
  }
  void operator()(const std::vector<std::int64_t>& numbers) const { list_of(Type::Kind::Int, numbers); }
  void operator()(const std::vector<double>& numbers) const { list_of(Type::Kind::Float, numbers); }
  void operator()(const std::vector<std::string>& texts) const { list_of(Type::Kind::String, texts); }

 private:
  void constant_of(Type type, Constant constant) const {
    made_.type = std::move(type);
    made_.facts.constant = std::make_shared<const Constant>(std::move(constant));
  }
  void number_of(Type::Kind kind, DType dtype, Constant constant) const {
    constant_of(Type::of(kind), std::move(constant));
    made_.facts.dtype = dtype;
    made_.facts.dims.emplace();
  }
  template <class T>
  void list_of(Type::Kind kind, const std::vector<T>& items) const {
    Constant::List list;
    for (const T& item : items) {
      if constexpr (std::is_same_v<T, double>) {
        list.items.push_back({rounded(item)});
      } else {
        list.items.push_back({item});
      }
    }
    constant_of(Type::list(Type::of(kind)), {std::move(list)});
  }
  double rounded(double number) const {
    return is_binary32_ ? static_cast<double>(static_cast<float>(number)) : number;
  }

  AttributeValue& made_;
  const bool is_binary32_;
};

// The indices of the inputs, tensors and lists of tensors first.
std::vector<std::size_t> tensors_first(const tonnx::ir::Node& node) {
  // The schema's type, because None has a type of its own.
  const auto is_tensor = [&](std::size_t i) {
    const bool is_known = node.schema() && i < node.schema()->arguments.size();
    if (!is_known && !node.input(i)) return true;  // an omitted input of ONNX
    const Type& type = is_known ? node.schema()->arguments[i].type : node.input(i)->type();
    const Type& given = type.without_optional();
    return given.is(Type::Kind::Tensor) ||
           (given.is(Type::Kind::List) && given.elements.at(0).without_optional().is(Type::Kind::Tensor));
  };
  std::vector<std::size_t> order(node.input_count());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_partition(order, is_tensor);
  return order;
}

bool is_of_model(const tonnx_node& node) { return node.walk && node.walk->opset() > 0; }

// True for an attribute that a pass has set, which the user's operator does not have.
bool is_internal(const tonnx::ir::NamedAttribute& attribute) {
  return attribute.name == tonnx::ir::kBlockNames || attribute.name == tonnx::ir::kEmptiedAxes;
}

const std::vector<tonnx_value>& attributes_of(const tonnx_node& node) {
  std::call_once(node.read, [&] {
    std::vector<tonnx_value> made;
    for (const tonnx::ir::NamedAttribute& attribute : node.node->attributes()) {
      if (is_internal(attribute)) continue;
      tonnx_value& value = made.emplace_back();
      value.walk = node.walk;
      value.attribute = std::make_unique<AttributeValue>();
      value.attribute->name = attribute.name;
      std::visit(AttributeReader(*value.attribute, is_of_model(node)), attribute.value);
      value.is_list = std::holds_alternative<std::vector<tonnx::ir::Tensor>>(attribute.value);
      for (const auto& item : value.attribute->items) {
        item->walk = node.walk;
        value.list.push_back(item.get());
      }
    }
    std::ranges::sort(made, {}, [](const tonnx_value& value) -> const std::string& { return value.attribute->name; });
    node.attributes = std::move(made);
  });
  return node.attributes;
}

}  // namespace

const char* tonnx_node_operator(const tonnx_node* node) {
  if (!node) return "";
  const char* kind = node->node->kind().c_str();
  return is_of_model(*node) && node->node->domain() == "onnx" ? kind + std::string_view("onnx::").size() : kind;
}

const char* tonnx_node_overload(const tonnx_node* node) {
  return node && node->node->schema() ? node->node->schema()->overload.c_str() : "";
}

const char* tonnx_node_name(const tonnx_node* node) { return node ? node->node->name().c_str() : ""; }
const char* tonnx_node_module(const tonnx_node* node) { return node ? node->module.c_str() : ""; }
const char* tonnx_node_source(const tonnx_node* node) { return node ? node->source.c_str() : ""; }

int32_t tonnx_node_argument_index(const tonnx_node* node, const char* name) {
  return node && name && node->node->schema() ? node->node->schema()->index_of(name) : -1;
}

const char* tonnx_node_argument_name(const tonnx_node* node, size_t index) {
  if (!node || !node->node->schema() || index >= node->node->schema()->arguments.size()) return "";
  return node->node->schema()->arguments[index].name.c_str();
}

tonnx_status tonnx_node_get_tensors_first(const size_t** out, size_t* count, const tonnx_node* node,
                                          tonnx_error** error) {
  if (out) *out = nullptr;
  if (count) *count = 0;
  return guard(error, [&] {
    require(out, "out");
    require(count, "count");
    require(node, "node");
    std::call_once(node->ordered, [&] { node->tensors_first = tensors_first(*node->node); });
    *out = node->tensors_first.data();
    *count = node->tensors_first.size();
  });
}

size_t tonnx_node_input_count(const tonnx_node* node) { return node ? node->node->input_count() : 0; }

tonnx_value* tonnx_node_input(const tonnx_node* node, size_t index) {
  return answer(static_cast<tonnx_value*>(nullptr), [&] {
    if (index >= tonnx_node_input_count(node)) return static_cast<tonnx_value*>(nullptr);
    // All calls that change a value refuse one of contents.
    return node->walk ? const_cast<tonnx_value*>(node->walk->of(node->node->input(index))) : node->inputs[index];
  });
}

size_t tonnx_node_output_count(const tonnx_node* node) { return node ? node->node->output_count() : 0; }

const tonnx_value* tonnx_node_output(const tonnx_node* node, size_t index) {
  return answer(static_cast<const tonnx_value*>(nullptr), [&] {
    if (index >= tonnx_node_output_count(node)) return static_cast<const tonnx_value*>(nullptr);
    return node->walk ? node->walk->of(node->node->output(index)) : node->outputs[index];
  });
}

size_t tonnx_node_attribute_count(const tonnx_node* node) {
  if (!node) return 0;
  const auto& all = node->node->attributes();
  return all.size() - static_cast<std::size_t>(std::ranges::count_if(all, is_internal));
}

const char* tonnx_node_attribute_name(const tonnx_node* node, size_t index) {
  return answer("", [&] {
    if (index >= tonnx_node_attribute_count(node)) return "";
    return attributes_of(*node)[index].attribute->name.c_str();
  });
}

const tonnx_value* tonnx_node_attribute(const tonnx_node* node, const char* name) {
  return answer(static_cast<const tonnx_value*>(nullptr), [&] {
    if (node && name)
      for (const tonnx_value& value : attributes_of(*node))
        if (value.attribute->name == name) return &value;
    return static_cast<const tonnx_value*>(nullptr);
  });
}

size_t tonnx_node_graph_count(const tonnx_node* node) { return node && node->walk ? node->node->blocks().size() : 0; }

const tonnx_graph* tonnx_node_graph(const tonnx_node* node, size_t index) {
  return answer(static_cast<const tonnx_graph*>(nullptr), [&] {
    return index < tonnx_node_graph_count(node) ? node->walk->of(node->node->block(index)) : nullptr;
  });
}

const tonnx_graph* tonnx_node_parent(const tonnx_node* node) {
  return answer(static_cast<const tonnx_graph*>(nullptr),
                [&] { return node && node->walk ? node->walk->of(node->node->home()) : nullptr; });
}
