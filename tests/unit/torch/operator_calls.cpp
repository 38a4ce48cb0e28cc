#include "operator_calls.h"

#include <stdexcept>

#include <ATen/ATen.h>
#include <torch/csrc/jit/runtime/operator.h>

#include "torch/convert.h"

namespace tonnx::torch::testing {
namespace {

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Stack all() {
    Stack stack;
    skip();
    while (at_ < text_.size()) {
      stack.push_back(value());
      skip();
      if (at_ < text_.size()) expect(';');
      skip();
    }
    return stack;
  }

 private:
  void skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }
  bool take(const std::string& word) {
    skip();
    if (text_.compare(at_, word.size(), word) != 0) return false;
    at_ += word.size();
    return true;
  }
  void expect(char c) {
    skip();
    if (at_ >= text_.size() || text_[at_] != c) throw std::runtime_error("bad arguments: " + text_.substr(at_));
    ++at_;
  }

  c10::IValue number() {
    std::size_t end = at_;
    while (end < text_.size() && std::string("+-.eE0123456789").find(text_[end]) != std::string::npos) ++end;
    const std::string word = text_.substr(at_, end - at_);
    if (word.empty()) throw std::runtime_error("bad arguments: " + text_.substr(at_));
    at_ = end;
    if (word.find_first_of(".e") == std::string::npos) return static_cast<std::int64_t>(std::stoll(word));
    return std::stod(word);
  }

  at::Tensor tensor(char kind) {
    std::vector<std::int64_t> sizes;
    while (!take(")")) {
      sizes.push_back(number().toInt());
      take(",");
    }
    at::Tensor t;
    switch (kind) {
      case 'f': t = at::rand(sizes); break;
      case 'd': t = at::rand(sizes, at::kDouble); break;
      case 'h': t = at::rand(sizes).to(at::kHalf); break;
      case 'i': t = at::zeros(sizes, at::kLong); break;
      case 'j': t = at::zeros(sizes, at::kInt); break;
      case 'b': t = at::ones(sizes, at::kBool); break;
      default: t = at::rand(sizes, at::kComplexFloat); break;
    }
    if (take("cl")) {
      return t.contiguous(t.dim() == 5 ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::ChannelsLast);
    }
    if (take("t")) return t.transpose(-1, -2).contiguous().transpose(-1, -2);
    if (take("s")) return t.transpose(1, 2).contiguous().transpose(1, 2);
    if (take("x")) return t.flatten().slice(0, 0, 1).expand(sizes);
    return t;
  }

  c10::IValue value() {
    skip();
    if (take("None")) return {};
    if (take("true")) return true;
    if (take("false")) return false;
    if (take("dtype:half")) return at::kHalf;
    if (take("dtype:double")) return at::kDouble;
    if (take("dtype:long")) return at::kLong;
    if (take("\"")) {
      const std::size_t end = text_.find('"', at_);
      std::string word = text_.substr(at_, end - at_);
      at_ = end + 1;
      return word;
    }
    for (const char kind : std::string("fdhijbc")) {
      if (take(std::string(1, kind) + "(")) return tensor(kind);
    }
    if (take("[")) {
      std::vector<c10::IValue> items;
      while (!take("]")) {
        skip();
        items.push_back(number());
        take(",");
      }
      if (!items.empty() && items[0].isDouble()) {
        c10::List<double> list;
        for (const c10::IValue& item : items) list.push_back(item.toDouble());
        return list;
      }
      c10::List<std::int64_t> list;
      for (const c10::IValue& item : items) list.push_back(item.toInt());
      return list;
    }
    if (take("{")) {
      std::vector<c10::IValue> items;
      bool optional = false;
      while (!take("}")) {
        items.push_back(value());
        optional = optional || items.back().isNone();
        take(",");
      }
      if (optional) {
        c10::List<std::optional<at::Tensor>> list;
        for (const c10::IValue& item : items) list.push_back(item.toOptional<at::Tensor>());
        return list;
      }
      c10::List<at::Tensor> list;
      for (const c10::IValue& item : items) list.push_back(item.toTensor());
      return list;
    }
    return number();
  }

  std::string text_;
  std::size_t at_ = 0;
};

std::pair<std::string, std::string> split(const std::string& op) {
  const std::size_t dot = op.find('.');
  return dot == std::string::npos ? std::pair(op, std::string()) : std::pair(op.substr(0, dot), op.substr(dot + 1));
}

const ::torch::jit::Operator& operator_of(const std::string& op) {
  const auto [name, overload] = split(op);
  const auto found = ::torch::jit::findOperatorFor({name, overload});
  if (!found) throw std::runtime_error("no operator " + op);
  return *found;
}

}  // namespace

Stack parse_arguments(const std::string& text) { return Parser(text).all(); }

Stack call_really(const std::string& op, Stack& arguments) {
  const auto& schema = operator_of(op).schema();
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument& formal = schema.arguments()[i];
    if (i >= arguments.size()) {
      if (!formal.default_value()) throw std::runtime_error(op + " wants an argument " + formal.name());
      arguments.push_back(*formal.default_value());
    }
    const bool optional_items = formal.type()->str() == "Tensor?[]";
    if (optional_items && arguments[i].isTensorList()) {
      c10::List<std::optional<at::Tensor>> list;
      for (const at::Tensor& item : arguments[i].toTensorVector()) list.push_back(item);
      arguments[i] = list;
    }
  }
  Stack stack = arguments;
  const at::NoGradGuard no_grad;
  operator_of(op).getOperation()(stack);
  return stack;
}

std::unique_ptr<OperatorNode> make_node(const std::string& op) {
  auto result = std::make_unique<OperatorNode>();
  const auto& schema = operator_of(op).schema();
  result->node = result->graph.create(schema.name(), {}, schema.returns().size());
  result->node->set_schema(to_ir(schema));
  return result;
}

std::unique_ptr<OperatorNode> make_form(const std::string& kind, std::size_t outputs, const ir::Type& type) {
  auto result = std::make_unique<OperatorNode>();
  result->node = result->graph.create(kind, {}, outputs);
  for (ir::Value* output : result->node->outputs()) output->set_type(type);
  return result;
}

ir::DatumPtr datum_of(ir::Evaluator& evaluator, const c10::IValue& value) {
  if (value.isTensor()) return evaluator.meta(to_ir(value.toTensor()));
  const bool optional = value.isList() && value.toList().elementType()->kind() == c10::TypeKind::OptionalType;
  if (value.isTensorList() || optional) {
    std::vector<ir::DatumPtr> items;
    for (const c10::IValue& item : value.toList()) items.push_back(datum_of(evaluator, item));
    return evaluate_form(evaluator, "prim::ListConstruct", items, 1, to_ir(*value.type()))[0];
  }
  return evaluator.constant(to_ir(value).value());
}

Evaluated evaluate(ir::Evaluator& evaluator, const std::string& op, const Stack& arguments) {
  Evaluated result;
  for (const c10::IValue& argument : arguments) result.inputs.push_back(datum_of(evaluator, argument));
  const auto node = make_node(op);
  result.outcome = evaluator.evaluate(*node->node, result.inputs, result.outputs);
  return result;
}

std::vector<ir::DatumPtr> evaluate(ir::Evaluator& evaluator, const std::string& op,
                                   const std::vector<ir::DatumPtr>& inputs) {
  std::vector<ir::DatumPtr> outputs;
  evaluator.evaluate(*make_node(op)->node, inputs, outputs);
  return outputs;
}

std::vector<ir::DatumPtr> evaluate_form(ir::Evaluator& evaluator, const std::string& kind,
                                        const std::vector<ir::DatumPtr>& inputs, std::size_t outputs,
                                        const ir::Type& type) {
  std::vector<ir::DatumPtr> results;
  evaluator.evaluate(*make_form(kind, outputs, type)->node, inputs, results);
  return results;
}

namespace {

std::string join(const std::vector<std::string>& items) {
  std::string text;
  for (const std::string& item : items) text += (text.empty() ? "" : ", ") + item;
  return text;
}

std::string join(const std::vector<std::int64_t>& items) {
  std::vector<std::string> texts;
  for (const std::int64_t item : items) texts.push_back(std::to_string(item));
  return join(texts);
}

std::string tensor_layout(ir::DType dtype, const std::vector<std::int64_t>& sizes, std::vector<std::int64_t> strides) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 2) strides[i] = 1;  // never used
  }
  return std::string(name_of(dtype)) + " (" + join(sizes) + ") strides (" + join(strides) + ")";
}

}  // namespace

std::string layout(const c10::IValue& value) {
  if (value.isTensor()) {
    const at::Tensor& t = value.toTensor();
    if (!t.defined()) return "undefined";
    return tensor_layout(dtype_of(t.scalar_type()), t.sizes().vec(), t.strides().vec());
  }
  if (value.isList()) {
    std::vector<std::string> items;
    for (const c10::IValue& item : value.toList()) items.push_back(layout(item));
    return "[" + join(items) + "]";
  }
  const auto constant = to_ir(value);
  return constant ? ir::to_string(*constant) : value.tagKind();
}

std::string layout(ir::Evaluator& evaluator, const ir::DatumPtr& datum) {
  if (!datum) return "?";
  const ir::Facts facts = evaluator.describe(*datum);
  if (facts.constant && !facts.constant->get<ir::Tensor>() && !facts.constant->get<ir::Constant::List>()) {
    return ir::to_string(*facts.constant);
  }
  if (facts.dims) {
    if (facts.rank() == 0 && !facts.fixed_dims()) return "?";
    const auto strides = evaluate(evaluator, "aten::stride", {datum});
    std::vector<std::int64_t> values;
    for (const ir::DatumPtr& item : evaluator.items(*strides.at(0))) {
      const auto value = evaluator.describe(*item).constant;
      if (!value) return "probe";
      values.push_back(value->as_int64());
    }
    return tensor_layout(facts.dtype, facts.fixed_dims().value(), values);
  }
  std::vector<std::string> items;
  for (const ir::DatumPtr& item : evaluator.items(*datum)) items.push_back(layout(evaluator, item));
  return "[" + join(items) + "]";
}

}  // namespace tonnx::torch::testing
