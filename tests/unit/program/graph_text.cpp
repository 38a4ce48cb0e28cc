#include "graph_text.h"

#include <cctype>
#include <map>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "aten/remove_dead.h"
#include "aten/schema_text.h"
#include "ir/source_line.h"

namespace tonnx::program::test {

using ir::Block;
using ir::Constant;
using ir::DType;
using ir::Facts;
using ir::Graph;
using ir::Node;
using ir::Type;
using ir::Value;

namespace {

constexpr std::string_view kSchemas = R"(
aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor
aten::add.int(int a, int b) -> int
aten::add.t(t[] a, t[] b) -> t[]
aten::add_.t(t[](a!) self, t[] b) -> t[]
aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)
aten::add_.Scalar(Tensor(a!) self, Scalar other, Scalar alpha=1) -> Tensor(a!)
aten::mul.Tensor(Tensor self, Tensor other) -> Tensor
aten::mul.int(int a, int b) -> int
aten::mul_.Tensor(Tensor(a!) self, Tensor other) -> Tensor(a!)
aten::mul_.Scalar(Tensor(a!) self, Scalar other) -> Tensor(a!)
aten::mul.Scalar(Tensor self, Scalar other) -> Tensor
aten::mul.out(Tensor self, Tensor other, *, Tensor(a!) out) -> Tensor(a!)
aten::sort.values(Tensor self, int dim=-1, bool descending=False, *, Tensor(a!) values, Tensor(b!) indices) -> (Tensor(a!) values, Tensor(b!) indices)
aten::aminmax.out(Tensor self, *, int? dim=None, bool keepdim=False, Tensor(a!) min, Tensor(b!) max) -> (Tensor(a!) min, Tensor(b!) max)
aten::relu(Tensor self) -> Tensor
aten::_nested_tensor_from_mask(Tensor t, Tensor mask, bool mask_check=True) -> Tensor
aten::_nested_tensor_from_mask_left_aligned(Tensor t, Tensor mask) -> bool
aten::to_padded_tensor(Tensor self, float padding, SymInt[]? output_size=None) -> Tensor
prim::is_nested(Tensor a) -> bool
aten::relu_(Tensor(a!) self) -> Tensor(a!)
aten::neg_(Tensor(a!) self) -> Tensor(a!)
aten::neg(Tensor self) -> Tensor
aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor
aten::zero_(Tensor(a!) self) -> Tensor(a!)
aten::fill_.Scalar(Tensor(a!) self, Scalar value) -> Tensor(a!)
aten::copy_(Tensor(a!) self, Tensor src, bool non_blocking=False) -> Tensor(a!)
aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)
aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)
aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)
aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)
aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)
aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)
aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)
aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)
aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)
aten::unsqueeze_(Tensor(a!) self, int dim) -> Tensor(a!)
aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)
aten::detach(Tensor(a) self) -> Tensor(a)
aten::contiguous(Tensor(a) self, *, MemoryFormat memory_format=0) -> Tensor(a)
aten::alias(Tensor(a) self) -> Tensor(a)
aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor
aten::movedim.intlist(Tensor(a) self, int[] source, int[] destination) -> Tensor(a)
aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)
aten::narrow(Tensor(a) self, int dim, SymInt start, SymInt length) -> Tensor(a)
aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]
aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]
aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]
aten::stack(Tensor[] tensors, int dim=0) -> Tensor
aten::cat(Tensor[] tensors, int dim=0) -> Tensor
aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor
aten::matmul(Tensor self, Tensor other) -> Tensor
aten::index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)
aten::masked_fill_.Scalar(Tensor(a!) self, Tensor mask, Scalar value) -> Tensor(a!)
aten::gt.Scalar(Tensor self, Scalar other) -> Tensor
aten::gt.int(int a, int b) -> bool
aten::eq.int(int a, int b) -> bool
aten::eq.str(str a, str b) -> bool
aten::lt.int(int a, int b) -> bool
aten::__and__.bool(bool a, bool b) -> bool
aten::floordiv.int(int a, int b) -> int
aten::remainder.int(int a, int b) -> int
aten::min.int(int a, int b) -> int
aten::size(Tensor self) -> int[]
aten::size.int(Tensor self, int dim) -> int
aten::dim(Tensor self) -> int
aten::item(Tensor self) -> Scalar
aten::Int.Tensor(Tensor a) -> int
aten::Int.Scalar(Scalar a) -> int
aten::Bool.Tensor(Tensor a) -> bool
aten::nonzero(Tensor self) -> Tensor
aten::zeros(SymInt[] size, *, ScalarType? dtype=None) -> Tensor
aten::len.t(t[] a) -> int
aten::append.t(t[](a!) self, t(c -> *) el) -> t[](a!)
aten::extend.t(t[](a!) self, t[] other) -> ()
aten::insert.t(t[](a!) self, int idx, t(b -> *) el) -> ()
aten::pop.t(t[](a!) self, int idx=-1) -> t(*)
aten::clear.t(t[](a!) self) -> ()
aten::_set_item.t(t[](a!) l, int idx, t(b -> *) el) -> t[](a!)
aten::__getitem__.t(t[](a) list, int idx) -> t(*)
aten::slice.t(t[] l, int? start=None, int? end=None, int step=1) -> t[]
aten::_set_item.str(Dict(str, t)(a!) l, str(b -> *) idx, t(c -> *) v) -> ()
aten::__getitem__.Dict_str(Dict(str, t) self, str key) -> t(*)
aten::__contains__.str(Dict(str, t) dict, str key) -> bool
aten::_set_item.float(Dict(float, t)(a!) l, float(b -> *) idx, t(c -> *) v) -> ()
aten::__getitem__.Dict_float(Dict(float, t) self, float key) -> t(*)
aten::upper(str self) -> str
aten::values.str(Dict(str, t) self) -> t[](*)
aten::keys.str(Dict(str, t) self) -> str[](*)
aten::__is__(t1 self, t2 obj) -> bool
aten::__isnot__(t1 self, t2 obj) -> bool
aten::warn(str message, int stacklevel=2) -> ()
aten::dropout(Tensor input, float p, bool train) -> Tensor
aten::set_.source_Tensor(Tensor(a!) self, Tensor source) -> Tensor(a!)
aten::arange(Scalar end, *, ScalarType? dtype=None) -> Tensor
custom::scale_into(Tensor x, Tensor(a!) y) -> ()
custom::op(Tensor x) -> Tensor
prim::NumToTensor.Scalar(Scalar a) -> Tensor
)";

const std::map<std::string, ir::SchemaPtr>& schemas() {
  static const std::map<std::string, ir::SchemaPtr> table = [] {
    std::map<std::string, ir::SchemaPtr> out;
    std::istringstream lines{std::string(kSchemas)};
    for (std::string line; std::getline(lines, line);) {
      if (line.empty()) continue;
      auto schema = std::make_shared<const ir::Schema>(aten::parse_schema(line));
      out[schema->full_name()] = schema;
    }
    return out;
  }();
  return table;
}

Type parse_type(std::string text) {
  if (text.ends_with("[]")) return Type::list(parse_type(text.substr(0, text.size() - 2)));
  if (text == "int") return Type::of(Type::Kind::Int);
  if (text == "float") return Type::of(Type::Kind::Float);
  if (text == "bool") return Type::of(Type::Kind::Bool);
  return Type::of(Type::Kind::Tensor);
}

class Parser {
 public:
  explicit Parser(std::string_view text) {
    std::istringstream lines{std::string(text)};
    for (std::string line; std::getline(lines, line);) {
      const std::size_t begin = line.find_first_not_of(" \t");
      lines_.push_back(begin == std::string::npos ? "" : line.substr(begin));
    }
  }

  std::unique_ptr<Graph> run() {
    graph_ = std::make_unique<Graph>();
    block(graph_->block());
    return std::move(graph_);
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error("line " + std::to_string(at_) + ": " + why + ": " + text_);
  }
  void skip() {
    while (column_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[column_]))) ++column_;
  }
  bool take(std::string_view s) {
    skip();
    if (text_.compare(column_, s.size(), s) != 0) return false;
    column_ += s.size();
    return true;
  }
  void expect(std::string_view s) {
    if (!take(s)) fail("expected " + std::string(s));
  }
  std::string until(std::string_view stops) {
    skip();
    const std::size_t begin = column_;
    int depth = 0;
    while (column_ < text_.size()) {
      const char c = text_[column_];
      if (depth == 0 && stops.find(c) != std::string_view::npos) break;
      depth += c == '(' || c == '[';
      depth -= c == ')' || c == ']';
      ++column_;
    }
    std::string out = text_.substr(begin, column_ - begin);
    while (!out.empty() && out.back() == ' ') out.pop_back();
    return out;
  }

  // Parses a declaration: "%x : Float(2, 3)".
  void declare(Value* value, const std::string& name, const std::string& type) {
    value->set_name(name.substr(1));
    values_[name] = value;
    if (type.empty()) return;
    value->set_type(parse_type(type));
    const std::size_t open = type.find('(');
    if (open == std::string::npos) return;
    Facts facts;
    facts.dtype = ir::dtype_from_name(type.substr(0, open) == "Float"  ? "float32"
                                      : type.substr(0, open) == "Long" ? "int64"
                                      : type.substr(0, open) == "Half" ? "float16"
                                                                       : "bool")
                      .value();
    facts.dims.emplace();
    std::istringstream dims(type.substr(open + 1, type.size() - open - 2));
    for (std::string dim; std::getline(dims, dim, ',');) facts.dims->push_back(ir::Dim(std::stoll(dim)));
    value->set_facts(std::move(facts));
  }

  Constant literal(const std::string& text) {
    if (text == "None") return {Constant::None{}};
    if (text == "True") return {true};
    if (text == "False") return {false};
    if (text[0] == '"') return {text.substr(1, text.size() - 2)};
    if (text.starts_with("tensor(")) {
      const std::string number = text.substr(7, text.size() - 8);
      if (number.find('.') != std::string::npos) return {ir::Tensor::scalar(DType::Float64, std::stod(number))};
      return {ir::Tensor::scalar(DType::Int64, std::int64_t{std::stoll(number)})};
    }
    if (text.starts_with("tensor[")) {
      std::vector<std::int64_t> elements;
      std::istringstream items(text.substr(7, text.size() - 8));
      for (std::string item; std::getline(items, item, ',');) elements.push_back(std::stoll(item));
      return {ir::Tensor::of_int64(elements)};
    }
    if (text[0] == '[') {
      Constant::List list;
      std::istringstream items(text.substr(1, text.size() - 2));
      for (std::string item; std::getline(items, item, ',');) list.items.push_back({std::int64_t{std::stoll(item)}});
      return {std::move(list)};
    }
    if (text.find('.') != std::string::npos) return {std::stod(text)};
    return {std::int64_t{std::stoll(text)}};
  }

  Value* operand(const std::string& text, Block& block) {
    if (text[0] == '%') {
      if (!values_.contains(text)) fail("unknown value " + text);
      return values_.at(text);
    }
    Node* constant = graph_->create_constant(literal(text));
    if (text == "[]") constant->output()->set_type(Type::list(Type::of(Type::Kind::Int)));
    block.append(constant);
    return constant->output();
  }
  std::vector<Value*> operands(Block& block, std::string_view close) {
    std::vector<Value*> out;
    while (column_ < text_.size() && !take(close)) {
      out.push_back(operand(until(std::string(",") + std::string(close)), block));
      take(",");
    }
    return out;
  }
  std::vector<std::string> names(std::string_view stop) {
    std::vector<std::string> out;
    while (!take(stop)) {
      if (column_ >= text_.size()) fail("unfinished");
      out.push_back(until(std::string(", ") + std::string(stop)));
      take(",");
    }
    return out;
  }

  ir::Location location() const {
    ir::Location out;
    out.line = std::make_shared<const ir::SourceLine>("line:" + std::to_string(at_));
    return out;
  }

  Type result_type(const Type& type, const std::vector<Value*>& inputs) const {
    if (type.is(Type::Kind::Any)) {
      const Type& from = inputs.at(0)->type();
      return from.is(Type::Kind::List) || from.is(Type::Kind::Dict) ? from.elements.back() : from;
    }
    if (type.is(Type::Kind::List) && type.elements[0].is(Type::Kind::Any)) return inputs.at(0)->type();
    return type;
  }

  void node(Block& block) {
    std::vector<std::pair<std::string, std::string>> outputs;
    if (text_[0] == '%') {
      do {
        const std::string name = until(",=: ");
        std::string type;
        if (take(":")) type = until(",=");
        outputs.emplace_back(name, type);
      } while (take(","));
      expect("=");
    }
    const std::string name = until("(");
    expect("(");
    std::vector<Value*> inputs = operands(block, ")");
    const auto schema = schemas().find(name);
    if (schema == schemas().end() && !name.starts_with("prim::")) fail("no schema");
    Node* node = graph_->create(schema == schemas().end() ? name : schema->second->name, inputs, 0);
    if (schema != schemas().end()) {
      node->set_schema(schema->second);
      for (std::size_t i = node->input_count(); i < schema->second->arguments.size(); ++i) {
        const auto& value = schema->second->arguments[i].default_value;
        if (!value) fail("missing argument");
        Node* constant = graph_->create_constant(*value);
        block.append(constant);
        node->add_input(constant->output());
      }
    }
    node->set_location(location());
    block.append(node);
    const std::size_t count = schema == schemas().end() ? outputs.size() : schema->second->returns.size();
    for (std::size_t i = 0; i < count; ++i) {
      Value* out = node->add_output();
      if (schema != schemas().end()) out->set_type(result_type(schema->second->returns[i].type, inputs));
      if (name == "prim::ListConstruct" && !inputs.empty()) out->set_type(Type::list(inputs[0]->type()));
      if (name == "prim::DictConstruct") {
        const bool is_empty = inputs.empty();  // then a dict of strings and tensors
        out->set_type({Type::Kind::Dict,
                       {is_empty ? Type::of(Type::Kind::String) : inputs[0]->type(),
                        is_empty ? Type::of(Type::Kind::Tensor) : inputs.at(1)->type()},
                       {}});
      }
      if (name == "prim::ListUnpack") out->set_type(inputs.at(0)->type().elements.at(0));
      if (name == "prim::TupleUnpack") out->set_type(inputs.at(0)->type().elements.at(i));
      if (name == "prim::TupleConstruct") {
        Type type = Type::of(Type::Kind::Tuple);
        for (const Value* in : inputs) type.elements.push_back(in->type());
        out->set_type(type);
      }
      if (i < outputs.size()) {
        declare(out, outputs[i].first, outputs[i].second);
        out->set_name("");
      }
    }
  }

  // The type of an If result; optional if one branch returns None.
  static Type joined(const Type& a, const Type& b) {
    if (a == b) return a;
    return {Type::Kind::Optional, {a.is(Type::Kind::None) ? b : a}, {}};
  }

  void if_node(Block& block) {
    const std::vector<std::string> outs = names("=");
    Value* condition = operand(until(" "), block);
    Node* node = graph_->create("prim::If", std::vector<Value*>{condition}, 0);
    node->set_location(location());
    block.append(node);
    this->block(*node->add_block());
    this->block(*node->add_block());
    for (std::size_t i = 0; i < outs.size(); ++i) {
      Value* out = node->add_output();
      values_[outs[i]] = out;
      out->set_type(joined(node->block(0)->outputs()[i]->type(), node->block(1)->outputs()[i]->type()));
    }
  }

  // The type of a loop-carried value; an optional tensor if it starts as None.
  static Type carried(const Type& type) { return joined(type, type.is(Type::Kind::None) ? Type() : type); }

  void loop(Block& block) {
    const std::vector<std::string> outs = names("=");
    expect("(");
    std::vector<Value*> inputs = operands(block, ")");
    expect("(");
    const std::vector<std::string> params = names(")");
    if (take("from"))
      for (Value* value : operands(block, "$")) inputs.push_back(value);
    Node* node = graph_->create("prim::Loop", inputs, 0);
    node->set_location(location());
    block.append(node);
    Block& body = *node->add_block();
    for (std::size_t i = 0; i < params.size(); ++i) {
      Value* param = body.add_input();
      values_[params[i]] = param;
      param->set_type(i == 0 ? Type::of(Type::Kind::Int) : carried(inputs.at(i + 1)->type()));
    }
    this->block(body);
    for (std::size_t i = 0; i < outs.size(); ++i) {
      Value* out = node->add_output();
      values_[outs[i]] = out;
      out->set_type(carried(inputs.at(i + 2)->type()));
    }
  }

  void block(Block& block) {
    while (at_ < lines_.size()) {
      text_ = lines_[at_++];
      if (const std::size_t comment = text_.find('#'); comment != std::string::npos) text_ = text_.substr(0, comment);
      while (!text_.empty() && text_.back() == ' ') text_.pop_back();
      column_ = 0;
      if (text_.empty()) continue;
      if (take("end")) continue;
      if (take("graph(")) {
        while (!take(")")) {
          const std::string name = until(":");
          expect(":");
          declare(block.add_input(), name, until(",)"));
          take(",");
        }
      } else if (take("weight ")) {
        const std::string name = until(":");
        expect(":");
        const std::string type = until("$");
        Value scratch;
        declare(&scratch, name, type);
        std::vector<std::int64_t> dims = scratch.facts().fixed_dims().value();
        std::int64_t count = 1;
        for (const std::int64_t d : dims) count *= d;
        const std::vector<float> data(static_cast<std::size_t>(count), 1.0F);
        values_[name] = graph_->add_weight(
            name.substr(1), ir::Tensor::from_bytes(DType::Float32, dims, data.data(), data.size() * sizeof(float)));
      } else if (take("if ")) {
        if_node(block);
      } else if (take("loop ")) {
        loop(block);
      } else if (take("then") || take("else") || take("next") || take("return")) {
        for (Value* value : operands(block, "$")) block.add_output(value);
        return;
      } else {
        node(block);
      }
    }
  }

  std::vector<std::string> lines_;
  std::size_t at_ = 0;
  std::string text_;
  std::size_t column_ = 0;
  std::unique_ptr<Graph> graph_;
  std::unordered_map<std::string, Value*> values_;
};

class Shower {
 public:
  std::string run(const Graph& graph) {
    for (const Value* in : graph.inputs()) names_[in] = "%" + in->name();
    for (const Value* in : graph.weights()) names_[in] = "%" + in->name();
    block(graph.block(), 0, "return");
    return out_;
  }

 private:
  std::string name(const Value* value) {
    const auto found = names_.find(value);
    if (found != names_.end()) return found->second;
    if (value->node()->is("prim::Constant")) return value->constant() ? to_string(*value->constant()) : "None";
    return names_[value] = "%" + std::to_string(++count_);
  }
  std::string list(std::span<Value* const> values) {
    std::string out;
    for (const Value* value : values) out += (out.empty() ? "" : ", ") + name(value);
    return out;
  }
  void line(int depth, const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + text + "\n";
  }

  void block(const Block& block, int depth, const std::string& end) {
    for (const Node* node : block.nodes()) {
      if (node->is("prim::Constant")) continue;
      if (node->is("prim::If")) {
        line(depth, "if " + name(node->input()));
        this->block(*node->block(0), depth + 1, "then");
        this->block(*node->block(1), depth + 1, "else");
        line(depth, "end -> " + list(node->outputs()));
      } else if (node->is("prim::Loop")) {
        std::string carried = name(node->block(0)->inputs()[0]);
        for (std::size_t i = 2; i < node->input_count(); ++i)
          carried += ", " + name(node->block(0)->inputs()[i - 1]) + " = " + name(node->input(i));
        line(depth, "loop " + name(node->input(0)) + ", " + name(node->input(1)) + ": " + carried);
        this->block(*node->block(0), depth + 1, "next");
        line(depth, "end -> " + list(node->outputs()));
      } else {
        const std::string inputs = list(node->inputs());
        const std::string outputs = list(node->outputs());
        line(depth, (outputs.empty() ? "" : outputs + " = ") + node->kind() + "(" + inputs + ")");
      }
    }
    line(depth, end + " " + list(block.outputs()));
  }

  std::unordered_map<const Value*, std::string> names_;
  int count_ = 0;
  std::string out_;
};

}  // namespace

std::unique_ptr<Graph> parse(std::string_view text) { return Parser(text).run(); }

std::string show(const Graph& graph) { return Shower().run(graph); }

std::string after(bool (*pass)(ir::Graph&), std::string_view text) {
  const auto graph = parse(text);
  if (!pass(*graph)) return "";
  aten::remove_dead(*graph);
  verify(*graph, "the pass");
  return show(*graph);
}

}  // namespace tonnx::program::test
