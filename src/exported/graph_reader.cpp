#include "exported/graph_reader.h"

#include <algorithm>
#include <array>
#include <set>

#include "aten/autocast.h"
#include "aten/called_as.h"
#include "aten/certain_checks.h"
#include "aten/containers.h"
#include "aten/primitives.h"
#include "aten/schemas.h"
#include "aten/settled_facts.h"
#include "aten/size_checks.h"
#include "aten/traits.h"
#include "aten/view_place.h"
#include "exported/control_reader.h"
#include "exported/declared_schemas.h"
#include "exported/document_error.h"
#include "exported/number_reader.h"
#include "ir/checked.h"
#include "ir/error.h"
#include "ir/merge.h"
#include "ir/observer.h"
#include "ir/refusal.h"

namespace tonnx::exported {

using ir::Constant;
using ir::Facts;
using ir::Node;
using ir::Type;
using ir::Value;

void Context::warn(const std::string& text) {
  if (std::find(warnings.begin(), warnings.end(), text) == warnings.end()) warnings.push_back(text);
}

Value* GraphReader::value(const std::string& name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw DocumentError("there is no value '" + name + "'");
  return found->second;
}

Facts GraphReader::tensor_facts(const std::string& name) const {
  return context_.meta.facts(graph_.at("tensor_values").at(name));
}

Facts GraphReader::number_facts(const std::string& name, Type::Kind type) const {
  const char* table = type == Type::Kind::Bool    ? "sym_bool_values"
                      : type == Type::Kind::Float ? "sym_float_values"
                                                  : "sym_int_values";
  return context_.meta.facts(graph_.at(table).at(name), type);
}

void GraphReader::read() {
  for (const Json& node : graph_.at("nodes")) {
    ir::checkpoint();
    ir::count_step();
    read_node(node);
  }
}

void GraphReader::read_node(const Json& node) {
  location_ = context_.locations.of(node.at("metadata"));
  const std::string_view target = node.at("target").string();
  constexpr std::string_view kOperators = "torch.ops.";
  constexpr std::string_view kHigherOrder = "torch.ops.higher_order.";
  if (target.starts_with(kHigherOrder)) {
    ControlReader(*this).read(node, std::string(target.substr(kHigherOrder.size())));
  } else if (target.starts_with(kOperators)) {
    read_operator(node, target.substr(kOperators.size()));
  } else if (!NumberReader(*this).read(node, target)) {
    leave(node, std::string(target), "a Python function that has no ONNX form");
  }
}

void GraphReader::leave(const Json& node, const std::string& op, const std::string& why) {
  const Json& named = node.at("outputs");
  if (named.empty()) {
    const ir::Location at = context_.locations.of(node.at("metadata"));
    return context_.refused.add(
        ir::refusal({.op = op, .text = why, .module = at.module_path(), .source = at.source()}));
  }
  std::vector<Value*> read;  // read first, so that all refused arguments are reported
  const auto add = [&](const Json& tensor) {
    if (const auto found = values_.find(tensor.at("name").get<std::string>()); found != values_.end())
      read.push_back(found->second);
  };
  for (const Json& input : node.at("inputs")) {
    const Tagged t = tagged(input.at("arg"));
    if (t.is("as_tensor")) add(*t.value);
    if (t.is("as_tensors")) std::ranges::for_each(*t.value, add);
  }
  Node* made = emit(op, read, named.size());
  ir::set_why_refused(*made, why);
  for (std::size_t i = 0; i < named.size(); ++i)
    if (const Tagged result = named[i]; result.is("as_tensors"))
      made->output(i)->set_type(Type::list(Type::of(Type::Kind::Tensor)));
  bind_outputs(node, made->outputs());
}

void GraphReader::refuse(const Json& node, const std::string& op, const std::string& why) const {
  const ir::Location at = context_.locations.of(node.at("metadata"));
  throw ir::refusal({.op = op, .text = why, .module = at.module_path(), .source = at.source()});
}

Node* GraphReader::emit(std::string kind, std::span<Value* const> inputs, std::size_t outputs) {
  Node* node = context_.graph.create(std::move(kind), inputs, outputs);
  node->set_location(location_);
  block_.append(node);
  return node;
}

Value* GraphReader::emit_value(std::string_view full_name, std::span<Value* const> inputs) {
  const ir::SchemaPtr schema = aten::find_schema(full_name);
  if (!schema) throw ir::Error(ir::Code::Internal, "there is no operator " + std::string(full_name));
  std::vector<Value*> all(inputs.begin(), inputs.end());
  for (std::size_t i = all.size(); i < schema->arguments.size(); ++i) {
    const ir::Argument& absent = schema->arguments[i];
    if (!absent.default_value)
      throw DocumentError(schema->full_name() + " is called without its argument '" + absent.name + "'");
    all.push_back(constant(*absent.default_value, &absent.type));
  }
  Node* node = emit(schema->name, all, 1);
  node->set_schema(schema);
  node->output()->set_type(schema->returns.at(0).type);
  return node->output();
}

Value* GraphReader::emit_copy(Value* tensor) {
  Value* made = emit_value("aten::clone", std::span(&tensor, 1));
  made->set_facts(tensor->facts());
  made->facts().constant = nullptr;
  return made;
}

namespace {

// True if the operator only prints or checks something at run time.
bool is_check(const ir::Schema& schema) {
  return schema.returns.empty() && aten::traits_of(schema.name, schema.overload).effect == aten::Effect::Diagnostic;
}

bool is_number(const Json& argument) {
  const Tagged t = tagged(argument);
  return t.is("as_int") || t.is("as_float") || t.is("as_bool") || t.is("as_sym_int") || t.is("as_sym_float") ||
         t.is("as_complex");
}

const Json* find_argument(const Json& node, std::string_view name) {
  for (const Json& input : node.at("inputs"))
    if (input.at("name").string() == name) return &input.at("arg");
  return nullptr;
}

const Json& named_json(const Json& node, std::string_view name) {
  if (const Json* found = find_argument(node, name)) return *found;
  throw DocumentError(node.at("target").get<std::string>() + " is called without its argument '" + std::string(name) +
                      "'");
}

// The operator of aten that this call is an alias of, or null.
const aten::Primitive* primitive_of(const std::string& name, const Json& node) {
  const Json* narrowed = find_argument(node, "output_dtype");
  return narrowed && !tagged(*narrowed).is("as_none") ? nullptr : aten::find_primitive(name);
}

// Returns the overload that takes numbers if the schema has tensors where this call has numbers; the schema itself if
// there is none.
ir::SchemaPtr with_numbers(const ir::SchemaPtr& schema, const Json& node, const aten::Primitive* primitive) {
  const auto has_number = [&](const ir::Argument& argument) {
    const std::string_view name = primitive ? primitive->own(argument.name) : argument.name;
    const Json* given = argument.type.is(Type::Kind::Tensor) ? find_argument(node, name) : nullptr;
    return given && is_number(*given);
  };
  if (std::none_of(schema->arguments.begin(), schema->arguments.end(), has_number)) return schema;
  const auto fits = [&](const ir::Argument& wanted, const ir::Argument& argument) {
    if (wanted.name != argument.name) return false;
    return has_number(argument) ? wanted.type.is(Type::Kind::Number) : wanted.type == argument.type;
  };
  for (const aten::SchemaLine& line : aten::overloads_of(schema->name)) {
    ir::SchemaPtr other = aten::find_schema(line.full_name);
    std::vector<ir::Argument> wanted = schema->arguments;
    std::vector<ir::Argument> own = other->arguments;
    const auto by_name = [](const ir::Argument& a, const ir::Argument& b) { return a.name < b.name; };
    std::sort(wanted.begin(), wanted.end(), by_name);
    std::sort(own.begin(), own.end(), by_name);
    if (std::equal(own.begin(), own.end(), wanted.begin(), wanted.end(), fits)) return other;
  }
  return schema;
}

// True if the arguments of the call are the first ones of the schema, by name.
bool has_arguments_of(const Json& node, const ir::Schema& schema) {
  const auto is_same = [](const Json& given, const ir::Argument& argument) {
    return given.at("name").string() == argument.name;
  };
  const std::span<const Json> given = node.at("inputs").items();
  return given.size() <= schema.arguments.size() &&
         std::equal(given.begin(), given.end(), schema.arguments.begin(), is_same);
}

// Stores the overload that the archive calls if the node has another one.
void note_called(Node& node, const ir::Schema& called) {
  if (called.name != node.kind() || called.overload == node.schema()->overload) return;
  const auto have_same_name = [](const ir::Argument& a, const ir::Argument& b) { return a.name == b.name; };
  if (std::ranges::equal(called.arguments, node.schema()->arguments, have_same_name))
    node.set_attribute(aten::kCalledAs, called.full_name());
}

}  // namespace

Value* GraphReader::named_argument(const Json& node, std::string_view name) { return argument(named_json(node, name)); }

Facts GraphReader::result_facts(const Json& node) const {
  return tensor_facts(tagged(node.at("outputs")[0]).value->at("name").get<std::string>());
}

bool GraphReader::bind_result(const Json& node, Value* result) {
  bind_outputs(node, std::span(&result, 1));
  return true;
}

bool GraphReader::read_size(const Json& node) {
  return bind_result(
      node, emit_value("aten::size.int", std::vector{named_argument(node, "self"), named_argument(node, "dim")}));
}

bool GraphReader::read_element_count(const Json& node) {
  return bind_result(node, emit_value("aten::numel", std::vector{named_argument(node, "self")}));
}

// The stride of an axis of a contiguous tensor is the product of the sizes after it.
bool GraphReader::read_stride(const Json& node) {
  const Tagged tensor = tagged(node.at("inputs").at(0).at("arg"));
  const Tagged dim = tagged(node.at("inputs").at(1).at("arg"));
  if (!tensor.is("as_tensor") || !dim.is("as_int")) return false;
  const std::string name = tensor.value->at("name").get<std::string>();
  const Json& meta = graph_.at("tensor_values").at(name);
  if (!context_.meta.is_contiguous(meta)) return false;
  const auto rank = static_cast<std::int64_t>(meta.at("sizes").size());
  const std::int64_t axis = dim.value->get<std::int64_t>();
  Value* stride = constant({std::int64_t{1}});
  for (std::int64_t later = (axis < 0 ? axis + rank : axis) + 1; later < rank; ++later)
    stride = emit_value(
        "aten::mul.int",
        std::vector<Value*>{stride, emit_value("aten::size.int", std::vector<Value*>{value(name), constant({later})})});
  return bind_result(node, stride);
}

// A view with the strides of the tensor itself, as in decompositions, is the tensor.
bool GraphReader::read_same_strides(const Json& node) {
  const auto [in, out] = first_tensors(node);
  if (in.empty() || !context_.meta.same_elements(tensor_meta(in), tensor_meta(out))) return false;
  bind(tagged(node.at("outputs")[0]).value->at("name").get<std::string>(), argument(node.at("inputs")[0].at("arg")));
  return true;
}

// Numbers from `start` with step `step`.
bool GraphReader::read_iota(const Json& node) {
  const Facts facts = result_facts(node);
  Value* result = nullptr;
  const auto emit_next = [&](std::string_view operation, std::vector<Value*> operands) {
    result = emit_value(operation, operands);
    result->set_facts(facts);
  };
  emit_next("aten::arange", {named_argument(node, "length"), named_argument(node, "dtype")});
  emit_next("aten::mul.Scalar", {result, named_argument(node, "step")});
  emit_next("aten::add.Scalar", {result, named_argument(node, "start")});
  return bind_result(node, result);
}

// Splits an axis in two.
bool GraphReader::read_split_dim(const Json& node) {
  const std::vector lengths{named_argument(node, "outer_length"), constant({std::int64_t{-1}})};
  Value* sizes = list(lengths, Type::of(Type::Kind::Int));
  const std::vector operands{named_argument(node, "a"), named_argument(node, "dim"), sizes};
  return bind_result(node, emit_value("aten::unflatten.int", operands));
}

// A copy in other strides.
bool GraphReader::read_strided_copy(const Json& node) {
  return bind_result(node, emit_copy(named_argument(node, "a")));
}

// The product over several axes, which no operator of aten computes at once.
bool GraphReader::read_product(const Json& node) {
  const std::string in = first_tensors(node).first;
  const Json* given = find_argument(node, "dims");
  const Json* dtype = find_argument(node, "output_dtype");
  const bool is_int64 = returns_int64(node);
  Value* wanted = dtype ? argument(*dtype) : constant({});
  Value* result = named_argument(node, "inp");
  if (!given || tagged(*given).is("as_none"))
    return bind_reduced(node, emit_value("aten::prod", std::vector{result, wanted}), is_int64);
  Facts facts = tensor_facts(in);
  if (!facts.dims) return false;
  const auto rank = static_cast<std::int64_t>(facts.dims->size());
  std::vector<std::int64_t> axes;
  for (const Json& axis : *tagged(*given).value) {
    const auto number = axis.get<std::int64_t>();
    axes.push_back(number < 0 ? number + rank : number);
  }
  if (axes.empty()) return bind_result(node, emit_copy(result));
  facts.dtype = is_int64 ? ir::DType::Int64 : result_facts(node).dtype;
  facts.constant = nullptr;
  std::ranges::sort(axes, std::greater());
  for (const std::int64_t axis : axes) {
    result = emit_value("aten::prod.dim_int", std::vector{result, constant({axis}), constant({false}), wanted});
    facts.dims->erase(facts.dims->begin() + axis);
    result->set_facts(facts);
  }
  return bind_reduced(node, result, is_int64);
}

bool GraphReader::returns_int64(const Json& node) const {
  const Json* wanted = find_argument(node, "output_dtype");
  const std::string in = first_tensors(node).first;
  if (in.empty() || (wanted && !tagged(*wanted).is("as_none"))) return false;
  const ir::DType dtype = tensor_facts(in).dtype;
  return ir::is_integral(dtype) ? dtype != ir::DType::Int64 : dtype == ir::DType::Bool;
}

bool GraphReader::bind_reduced(const Json& node, Value* result, bool is_int64) {
  if (!is_int64) return bind_result(node, result);
  const std::string quoted = '"' + first_tensors(node).second + '"';
  // Their results have the dtype of another tensor.
  constexpr std::array kOwnDtype{"torch.ops.aten.copy_.default", "torch.ops.aten.copy.default"};
  const auto reads_result = [&](const Json& other) {
    return std::ranges::find(kOwnDtype, other.at("target").string()) == kOwnDtype.end() &&
           other.at("inputs").dump().find(quoted) != std::string::npos;
  };
  // The document of an inner graph's caller has the dtypes of its outputs.
  const bool is_returned = block_.owner() && graph_.at("outputs").dump().find(quoted) != std::string::npos;
  if (is_returned || std::ranges::any_of(graph_.at("nodes"), reads_result)) {
    leave(node, operator_name(node.at("target").string().substr(std::string_view("torch.ops.").size())).full(),
          "PyTorch's kernel returns int64, but its metadata declares " +
              std::string(ir::name_of(result_facts(node).dtype)) +
              ", so the operators that read the result have wrong dtypes in the archive; convert the argument to int64 "
              "before");
    return true;
  }
  bind_result(node, result);
  result->facts().dtype = ir::DType::Int64;
  return true;
}

bool GraphReader::read_sum(const Json& node) {
  const Facts facts = result_facts(node);
  const bool is_int64 = returns_int64(node);
  const Json* given = find_argument(node, "dims");
  // PyTorch's shape rule says that no axis is reduced, and its kernel reduces all.
  if (given && tagged(*given).is("as_ints") && tagged(*given).value->empty()) return false;
  const std::vector operands{named_argument(node, "inp"), named_argument(node, "dims"), constant({false}),
                             constant({static_cast<std::int64_t>(is_int64 ? ir::DType::Int64 : facts.dtype)})};
  return bind_reduced(node, emit_value("aten::sum.dim_IntList", operands), is_int64);
}

bool GraphReader::has_other_users(const Json& node, const std::string& tensor) const {
  const std::string quoted = '"' + tensor + '"';
  const auto uses = [&](const Json& place) { return place.dump().find(quoted) != std::string::npos; };
  return uses(graph_.at("outputs")) || std::ranges::any_of(graph_.at("nodes"), [&](const Json& other) {
           return !(other == node) && uses(other.at("inputs"));
         });
}

// Changes the sizes of a tensor, whose elements stay in the order of the memory. The document may have the sizes of
// before.
bool GraphReader::read_resize(const Json& node) {
  const std::string in = first_tensors(node).first;
  const Tagged shape = tagged(named_json(node, "shape"));
  const auto before = tensor_facts(in).fixed_dims();
  if (!shape.is("as_ints") || !before ||
      ir::checked_count(*before) != ir::checked_count(shape.value->get<std::vector<std::int64_t>>()) ||
      !context_.meta.is_contiguous(tensor_meta(in)) || has_other_users(node, in))
    refuse(node, "prims::resize", "it resizes the storage of a tensor, which has no ONNX form");
  Value* result = emit_value("aten::reshape", std::vector{named_argument(node, "a"), named_argument(node, "shape")});
  bind_result(node, result);
  std::vector<ir::Dim> dims;
  for (const std::int64_t size : shape.value->get<std::vector<std::int64_t>>()) dims.emplace_back(size);
  if (result->facts().dims && !ir::same_dims(*result->facts().dims, dims)) context_.wrong_shapes.insert(result);
  result->facts().dims = std::move(dims);
  return true;
}

// The real root, also of negative numbers.
bool GraphReader::read_cube_root(const Json& node) {
  const Facts facts = result_facts(node);
  if (!ir::is_floating(facts.dtype)) return false;
  Value* const self = named_argument(node, "self");
  Value* result = self;
  const auto emit_next = [&](std::string_view operation, std::vector<Value*> operands) {
    result = emit_value(operation, operands);
    result->set_facts(facts);
  };
  emit_next("aten::abs", {self});
  emit_next("aten::pow.Tensor_Scalar", {result, constant({1.0 / 3})});
  emit_next("aten::copysign.Tensor", {result, self});
  return bind_result(node, result);
}

// The quotient of integers is an integer, rounded towards zero.
bool GraphReader::read_quotient(const Json& node) {
  if (!ir::is_integral(result_facts(node).dtype)) return false;
  const Json* divisor = find_argument(node, "other");
  const bool by_number = divisor && is_number(*divisor);
  const std::vector operands{named_argument(node, "self"), named_argument(node, "other"),
                             constant({std::string("trunc")})};
  return bind_result(node, emit_value(by_number ? "aten::div.Scalar_mode" : "aten::div.Tensor_mode", operands));
}

// Axis i of the tensor becomes axis broadcast_dimensions[i] of the result.
bool GraphReader::read_broadcast(const Json& node) {
  Facts facts = tensor_facts(first_tensors(node).first);
  const Json* places = find_argument(node, "broadcast_dimensions");
  const Json* shape = find_argument(node, "shape");
  if (!facts.dims || !places || !shape) return false;
  facts.constant = nullptr;
  std::set<std::size_t> given;
  for (const Json& place : *tagged(*places).value) given.insert(static_cast<std::size_t>(place.get<std::int64_t>()));
  Value* result = named_argument(node, "a");
  for (std::size_t axis = 0; axis < tagged(*shape).value->size(); ++axis) {
    if (given.contains(axis)) continue;
    result = emit_value("aten::unsqueeze", std::vector{result, constant({static_cast<std::int64_t>(axis)})});
    facts.dims->insert(facts.dims->begin() + static_cast<std::ptrdiff_t>(axis), ir::Dim(1));
    result->set_facts(facts);
  }
  return bind_result(node, emit_value("aten::expand", std::vector{result, named_argument(node, "shape")}));
}

// Random numbers of a distribution that aten has for existing tensors only.
bool GraphReader::read_uniform(const Json& node) {
  const Facts facts = result_facts(node);
  Value* filled = emit_value("aten::empty.memory_format",
                             std::vector{named_argument(node, "shape"), named_argument(node, "dtype")});
  filled->set_facts(facts);
  return bind_result(node, emit_value("aten::uniform",
                                      std::vector{filled, named_argument(node, "low"), named_argument(node, "high")}));
}

// Calls that have another name in eager programs, or arguments that no operator accepts.
bool GraphReader::read_form(const Json& node, std::string_view full_name) {
  struct Form {
    std::string_view name;
    bool (GraphReader::*read)(const Json&);
  };
  static constexpr Form kForms[] = {
      {"aten::as_strided", &GraphReader::read_same_strides},
      {"aten::sym_numel", &GraphReader::read_element_count},
      {"aten::sym_size.int", &GraphReader::read_size},
      {"aten::sym_stride.int", &GraphReader::read_stride},
      {"prims::broadcast_in_dim", &GraphReader::read_broadcast},
      {"prims::cbrt", &GraphReader::read_cube_root},
      {"prims::copy_strided", &GraphReader::read_strided_copy},
      {"prims::div", &GraphReader::read_quotient},
      {"prims::iota", &GraphReader::read_iota},
      {"prims::prod", &GraphReader::read_product},
      {"prims::resize", &GraphReader::read_resize},
      {"prims::split_dim", &GraphReader::read_split_dim},
      {"prims::sum", &GraphReader::read_sum},
      {"prims::uniform", &GraphReader::read_uniform},
  };
  const auto* form = std::ranges::find(kForms, full_name, &Form::name);
  return form != std::end(kForms) && (this->*form->read)(node);
}

void GraphReader::require_check(const Json& node) const {
  if (!context_.meta.has_sizes() || node.at("inputs").empty()) return;
  const Tagged checked = tagged(node.at("inputs")[0].at("arg"));
  const Json* name = checked.is("as_sym_bool") ? checked.value->find("as_name") : nullptr;
  if (!name) return;
  const Tagged check = tagged(graph_.at("sym_bool_values").at(name->string()));
  if (!check.is("as_expr") || context_.meta.truth(check.value->at("expr_str").string()) != false) return;
  const Json* message = find_argument(node, "assert_msg");
  const Tagged text = message ? tagged(*message) : Tagged("as_none", nullptr);
  throw ir::Error(ir::Code::Argument,
                  "a check of the program does not hold at these sizes" +
                      (text.is("as_string") ? ": " + text.value->get<std::string>() : std::string()));
}

void GraphReader::warn_of_check(const Json& node, const ir::Schema& schema) {
  const Value& condition = *argument(node.at("inputs").at(0).at("arg"));
  if (aten::is_certain(condition, context_.replaced)) return;
  const Json* message = find_argument(node, "assert_msg");
  const Tagged text = message ? tagged(*message) : Tagged("as_none", nullptr);
  const ir::Location at = context_.locations.of(node.at("metadata"));
  const std::string site = ir::describe_site(
      ir::Reason{.op = schema.full_name(), .text = {}, .module = at.module_path(), .source = at.source()});
  context_.warn(aten::unchecked_condition(site, text.is("as_string") ? text.value->get<std::string>() : std::string(),
                                          aten::is_assumed(condition, context_.replaced)));
}

void GraphReader::read_operator(const Json& node, std::string_view target) {
  const OperatorName called = operator_name(target);
  const auto& [name, overload] = called;
  const std::string full_name = called.full();
  if (read_form(node, full_name)) return;
  ir::SchemaPtr schema = aten::find_schema(full_name);
  bool has_schema = true;
  const aten::Primitive* primitive = schema ? nullptr : primitive_of(name, node);
  if (primitive) schema = aten::find_schema(primitive->as);
  const ir::SchemaPtr called_schema = primitive ? nullptr : schema;
  if (schema) {
    schema = with_numbers(schema, node, primitive);
  } else if (ir::SchemaPtr declared = declared_schema(full_name)) {
    schema = std::move(declared);
    require_fit(node, *schema);
  } else {
    has_schema = false;
    schema = schema_of_call(name, overload, node);
    if (!is_pure(node, *schema)) return;
  }
  if (aten::asserts_condition(schema->name)) warn_of_check(node, *schema);
  if (is_check(*schema)) return require_check(node);

  std::vector<Value*> inputs;
  for (const ir::Argument& wanted : schema->arguments) {
    if (const Json* given = find_argument(node, primitive ? primitive->own(wanted.name) : wanted.name)) {
      inputs.push_back(argument(*given, &wanted.type));
    } else if (const auto fixed = primitive ? primitive->fixed(wanted.name) : std::nullopt) {
      inputs.push_back(constant({*fixed}, &wanted.type));
    } else if (wanted.default_value) {
      inputs.push_back(constant(*wanted.default_value, &wanted.type));
    } else {
      throw DocumentError(schema->full_name() + " is called without its argument '" + wanted.name + "'");
    }
  }
  if (!casts_.empty()) cast_operands(node, *schema, inputs);
  Node* made = emit(schema->name, inputs, schema->returns.size());
  made->set_schema(schema);
  if (called_schema) note_called(*made, *called_schema);
  if (primitive && has_arguments_of(node, *schema)) made->set_attribute(aten::kCalledAs, std::string(primitive->name));
  if (!has_schema) context_.without_schema.push_back(made);
  for (std::size_t i = 0; i < schema->returns.size(); ++i) made->output(i)->set_type(schema->returns[i].type);
  note_memory(node, *made);
  bind_outputs(node, made->outputs());
  settle(*made);
}

void GraphReader::require_fit(const Json& node, const ir::Schema& schema) const {
  for (const Json& input : node.at("inputs"))
    if (const std::string name = input.at("name").get<std::string>(); schema.index_of(name) < 0)
      throw ir::Error(ir::Code::Argument, "the archive calls " + schema.full_name() + " with an argument '" + name +
                                              "', which its registered schema does not have");
}

// A call does not show which arguments are written or returned; names and missing results do.
bool GraphReader::is_pure(const Json& node, const ir::Schema& schema) {
  constexpr std::string_view kWayOut =
      "; register its schema (--schema, tonnx_operators_register) and a symbolic that returns the written values, or "
      "change the operator to return them";
  if (schema.returns.empty())
    leave(node, schema.full_name(), "it returns no result, so it must write to its arguments" + std::string(kWayOut));
  else if (schema.name.ends_with('_') && !schema.name.ends_with("__"))
    leave(node, schema.full_name(),
          "its name says that it writes to an argument, but the archive does not say which one" + std::string(kWayOut));
  else
    return true;
  return false;
}

// Shapes derived from a result whose shape in the document is wrong are unknown until they are inferred.
void GraphReader::settle(Node& made) {
  const std::vector<const Value*> others = aten::settle_facts(made);
  const auto has_wrong_shape = [&](const Value* value) { return context_.wrong_shapes.contains(value); };
  bool follows = false;
  for (std::size_t i = 0; i < made.input_count(); ++i) {
    const Value* input = made.input(i);
    if (made.schema()->arguments[i].name == "hx") continue;  // only the states depend on it, and these are known
    const bool gathers = input->type().is(Type::Kind::List) && input->node();
    follows |= has_wrong_shape(input) || (gathers && std::ranges::any_of(input->node()->inputs(), has_wrong_shape));
  }
  context_.wrong_shapes.insert(others.begin(), others.end());
  if (!follows) return;
  for (Value* result : made.outputs()) {
    result->facts().dims.reset();
    context_.wrong_shapes.insert(result);
  }
}

void GraphReader::cast_operands(const Json& node, const ir::Schema& schema, std::vector<Value*>& operands) {
  if (node.at("outputs").empty() || schema.index_of("dtype") >= 0 || aten::may_alias(aten::traits_of(schema.name)))
    return;
  const Tagged t = tagged(node.at("outputs")[0]);
  if (!t.is("as_tensor")) return;
  const std::string result = t.value->at("name").get<std::string>();
  const ir::DType wanted = tensor_facts(result).dtype;
  if (!ir::is_floating(wanted)) return;
  if (wanted == ir::DType::Float32 && aten::is_narrowed_by_autocast(schema.name) &&
      graph_.at("tensor_values").at(result).at("device").at("type") == casts_)
    refuse(node, schema.full_name(),
           "it runs under autocast, but the archive has the dtypes without autocast, as torch.export writes them with "
           "strict=True, and in the functions of torch.cond and of loops; export the program with strict=False, or "
           "decompose it with "
           "run_decompositions() "
           "if such a function has autocast");
  const auto cast = [&](Value* value) {
    const bool differs =
        value->type().is(Type::Kind::Tensor) && ir::is_floating(value->facts().dtype) && value->facts().dtype != wanted;
    if (!differs) return value;
    Facts facts = value->facts();
    facts.dtype = wanted;
    value = emit_value("aten::to.dtype", std::vector<Value*>{value, constant({static_cast<std::int64_t>(wanted)})});
    value->set_facts(std::move(facts));
    return value;
  };
  for (Value*& operand : operands) {
    if (operand->type().is_tensor_list() && aten::acts_as(*operand->node(), aten::Container::List)) {
      std::vector<Value*> items;
      for (Value* item : operand->node()->inputs()) items.push_back(cast(item));
      operand = list(items, Type::of(Type::Kind::Tensor));
    } else {
      operand = cast(operand);
    }
  }
}

std::pair<std::string, std::string> GraphReader::first_tensors(const Json& node) const {
  const auto tensor = [&](const Json& list, bool is_input) -> std::string {
    if (list.empty()) return "";
    const Tagged t = tagged(is_input ? list[0].at("arg") : list[0]);
    return t.is("as_tensor") ? t.value->at("name").get<std::string>() : "";
  };
  const std::string in = tensor(node.at("inputs"), true), out = tensor(node.at("outputs"), false);
  return in.empty() || out.empty() ? std::pair<std::string, std::string>() : std::pair(in, out);
}

// Operators that read a reordered view by its strides read the contiguous base of the view.
void GraphReader::note_memory(const Json& node, Node& made) {
  auto [in, out] = first_tensors(node);
  if (in.empty()) return;
  const aten::Traits& traits = aten::traits_of(made);
  const Meta& meta = context_.meta;
  const auto whole = wholes_.find(in);
  if (traits.reads_memory && whole != wholes_.end() && !made.input("src") && !ir::is_complex(tensor_facts(in).dtype)) {
    in = whole->second;
    made.set_input(0, values_.at(in));
  }
  exported::note_memory(made, meta, tensor_meta(in), tensor_meta(out));
  const auto* shares = made.attribute_as<std::int64_t>("shares_memory");
  const bool sometimes = traits.alias == aten::Alias::SometimesSame || traits.alias == aten::Alias::SometimesView;
  if (!aten::begins_with_argument(traits) || traits.alias == aten::Alias::Unmarked ||
      (sometimes && !(shares && *shares == 1)))
    return;
  if (meta.is_contiguous(tensor_meta(out)) || meta.offset(tensor_meta(in)) != meta.offset(tensor_meta(out))) return;
  if (meta.is_contiguous(tensor_meta(in)))
    wholes_[out] = in;
  else if (whole != wholes_.end())
    wholes_[out] = whole->second;
}

void GraphReader::bind_outputs(const Json& node, std::span<Value* const> outputs) {
  const Json& named = node.at("outputs");
  if (named.size() > outputs.size())
    throw DocumentError(node.at("target").get<std::string>() + " has more results than its operator");
  for (std::size_t i = 0; i < named.size(); ++i) bind_output(named[i], outputs[i]);
}

void GraphReader::bind_output(const Tagged& t, Value* value) {
  const auto number = [&](Type::Kind type) {
    const Json* name = t.value->find("as_name");
    if (!name) return;
    value->set_type(Type::of(type));
    value->set_facts(number_facts(name->get<std::string>(), type));
    bind(name->get<std::string>(), value);
  };
  if (t.is("as_tensor")) {
    const std::string name = t.value->at("name").get<std::string>();
    value->set_type(Type::of(Type::Kind::Tensor));
    value->set_facts(tensor_facts(name));
    bind(name, value);
  } else if (t.is("as_tensors")) {
    Node* unpack = emit("prim::ListUnpack", std::span(&value, 1), t.value->size());
    for (std::size_t i = 0; i < t.value->size(); ++i)
      bind_output(Tagged("as_tensor", &(*t.value)[i]), unpack->output(i));
  } else if (t.is("as_sym_int")) {
    number(Type::Kind::Int);
  } else if (t.is("as_sym_float")) {
    number(Type::Kind::Float);
  } else if (t.is("as_sym_bool")) {
    number(Type::Kind::Bool);
  } else if (t.is("as_optional_tensor")) {
    if (tagged(*t.value).is("as_tensor")) bind_output(*t.value, value);
  } else if (!t.is("as_none") && !t.is("as_int") && !t.is("as_float") && !t.is("as_bool")) {
    throw ir::Error(ir::Code::Unsupported, "a result of kind '" + t.name() + "' has no ONNX form");
  }
}

}  // namespace tonnx::exported
