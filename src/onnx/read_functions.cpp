#include "onnx/read_functions.h"

#include <algorithm>
#include <set>

#include <onnx/checker.h>
#include <onnx/defs/parser.h>

#include "ir/error.h"
#include "onnx/function_calls.h"
#include "onnx/module_attributes.h"
#include "onnx/opset.h"
#include "onnx/proto.h"

namespace tonnx::onnx {
namespace {

using Kind = ir::Function::Kind;

[[noreturn]] void refuse_function(const std::string& text) { throw ir::Error(ir::Code::Argument, text); }

// Text has no control characters; a FunctionProto has at least that of an opset's version.
bool is_function_text(std::string_view bytes) {
  return std::ranges::all_of(bytes, [](unsigned char c) { return c >= 0x20 || c == '\t' || c == '\n' || c == '\r'; });
}

// The parser's message without the lines that repeat the text.
std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

std::vector<pb::FunctionProto> parse_text(const std::string& text) {
  pb::OnnxParser parser(text);
  std::vector<pb::FunctionProto> functions;
  do {
    const auto status = parser.Parse(functions.emplace_back());
    if (!status.IsOK())
      refuse_function("function " + std::to_string(functions.size()) +
                      " is not in ONNX text format: " + one_line(status.ErrorMessage()));
  } while (!parser.EndOfInput());
  return functions;
}

// The default domain has one spelling in a model.
void normalise_domains(pb::FunctionProto& function) {
  for (pb::OperatorSetIdProto& import : *function.mutable_opset_import())
    if (import.domain() == "ai.onnx") import.set_domain("");
  change_nodes(*function.mutable_node(), [](pb::NodeProto& node) {
    if (node.domain() == "ai.onnx") node.clear_domain();
  });
}

void check_identity(const pb::FunctionProto& function) {
  const std::string &name = function.name(), &domain = function.domain();
  if (name.empty()) refuse_function("the function has no name; is it a FunctionProto?");
  const std::string whose = "function " + domain + "::" + name + ": ";
  static const std::set<std::string> kReserved{"", "ai.onnx", "onnx", "prim", "tonnx", kModuleDomain};
  if (kReserved.contains(domain))
    refuse_function("function '" + name + "': the domain '" + domain +
                    "' is not one of a function; write domain: \"my.domain\"");
  const auto is_plain = [](unsigned char c) { return c > 0x20 && c < 0x7f && c != ':'; };
  if (!std::ranges::all_of(domain + name, is_plain))
    refuse_function(whose + "domain and name must not contain spaces, colons or characters outside ASCII");
  if (pb::OpSchemaRegistry::Schema(name, domain)) refuse_function(whose + "ONNX has an operator of this name");
  if (!function.overload().empty()) refuse_function(whose + "overloads are not supported; rename the function");
  std::set<std::string> imported;
  for (const pb::OperatorSetIdProto& import : function.opset_import()) {
    if (!imported.insert(import.domain()).second)
      refuse_function(whose + "it imports the domain '" + import.domain() + "' twice");
    if (import.version() < 1 || import.version() > INT32_MAX ||
        (import.domain().empty() && import.version() > newest_opset()))
      refuse_function(whose + "it imports version " + std::to_string(import.version()) + " of the domain '" +
                      import.domain() + "', which is not known");
  }
  visit_nodes(function.node(), [&](const pb::NodeProto& node) {
    if (!node.overload().empty())
      refuse_function(whose + "it calls an overload of " + node.op_type() + "; overloads are not supported");
  });
}

void check_body(const pb::FunctionProto& function, const std::string& name) {
  pb::checker::CheckerContext context;
  context.set_ir_version(ir_version(newest_opset()));
  context.set_skip_opset_compatibility_check(true);
  try {
    pb::checker::check_function(function, context, pb::checker::LexicalScopeContext());
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {
    refuse_function("function " + name + ": " + one_line(error.what()));
  }
  std::set<std::string> defined(function.input().begin(), function.input().end());
  for (const pb::NodeProto& node : function.node()) defined.insert(node.output().begin(), node.output().end());
  for (const std::string& output : function.output())
    if (!defined.contains(output))
      refuse_function("function " + name + ": no node computes the output '" + output + "'");
  if (function.output().empty()) refuse_function("function " + name + " has no outputs");
}

Kind kind_of(int type) {
  using Proto = pb::AttributeProto;
  switch (type) {
    case Proto::INT: return Kind::Int;
    case Proto::FLOAT: return Kind::Float;
    case Proto::STRING: return Kind::String;
    case Proto::INTS: return Kind::Ints;
    case Proto::FLOATS: return Kind::Floats;
    case Proto::STRINGS: return Kind::Strings;
    case Proto::TENSOR: return Kind::Tensor;
    default: return Kind::Other;
  }
}

void read_parameters(const pb::FunctionProto& proto, ir::Function& function) {
  for (const std::string& name : proto.attribute()) function.parameters.push_back({name, Kind::Any, false});
  for (const pb::AttributeProto& given : proto.attribute_proto())
    function.parameters.push_back({given.name(), kind_of(given.type()), true});
  visit_nodes(proto.node(), [&](const pb::NodeProto& node) {
    for (const pb::AttributeProto& attribute : node.attribute()) {
      const std::string& name = attribute.ref_attr_name();
      if (name.empty()) continue;
      const auto at = std::ranges::find(function.parameters, name, &ir::Function::Parameter::name);
      if (at == function.parameters.end())
        refuse_function("function " + function.full_name() + " has no attribute '" + name + "', to which " +
                        node.op_type() + " refers");
      const Kind kind = kind_of(attribute.type());
      if (at->kind != Kind::Any && at->kind != kind)
        refuse_function("function " + function.full_name() + " uses its attribute '" + name + "' as two types");
      at->kind = kind;
    }
  });
}

void read_opsets(const pb::FunctionProto& proto, ir::Function& function) {
  for (const pb::OperatorSetIdProto& import : proto.opset_import())
    if (import.domain().empty()) function.opset = static_cast<std::int32_t>(import.version());
  function.oldest = 1;
  function.newest = newest_opset();
  visit_nodes(proto.node(), [&](const pb::NodeProto& node) {
    if (!node.domain().empty()) {
      function.operators.insert(node.domain() + "::" + node.op_type());
      return;
    }
    const auto version_at = [&](int opset) {
      const pb::OpSchema* schema = pb::OpSchemaRegistry::Schema(node.op_type(), opset);
      return schema && !schema->deprecated() ? schema->since_version() : 0;
    };
    const int own = version_at(function.opset);
    for (int opset = function.opset; opset >= function.oldest; --opset)
      if (version_at(opset) != own) function.oldest = opset + 1, function.older = node.op_type();
    for (int opset = function.opset; opset <= function.newest; ++opset)
      if (version_at(opset) != own) function.newest = opset - 1, function.newer = node.op_type();
  });
}

ir::Function describe_function(pb::FunctionProto proto) {
  normalise_domains(proto);
  check_identity(proto);
  ir::Function function;
  function.domain = proto.domain();
  function.name = proto.name();
  check_body(proto, function.full_name());
  function.inputs.assign(proto.input().begin(), proto.input().end());
  function.outputs.assign(proto.output().begin(), proto.output().end());
  read_parameters(proto, function);
  read_opsets(proto, function);
  function.message = proto.SerializeAsString();
  return function;
}

}  // namespace

std::vector<ir::Function> read_functions(std::span<const std::byte> bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) refuse_function("the text of a function is empty");
  std::vector<pb::FunctionProto> protos;
  if (is_function_text(text)) {
    protos = parse_text(text);
  } else if (!protos.emplace_back().ParseFromString(text)) {
    refuse_function("neither a FunctionProto nor ONNX text format");
  }
  std::vector<ir::Function> functions;
  for (pb::FunctionProto& proto : protos) functions.push_back(describe_function(std::move(proto)));
  return functions;
}

std::string misfit(const ir::Function& function, int opset) {
  const std::string whose = "the function " + function.full_name() + " ";
  if (opset < kFirstWithFunctions)
    return whose + "needs opset " + std::to_string(kFirstWithFunctions) + " or newer (IR version 8); the target is " +
           std::to_string(opset);
  if (opset >= function.oldest && opset <= function.newest) return {};
  const bool is_older = opset < function.oldest;
  const int oldest = std::max(function.oldest, kFirstWithFunctions);
  std::string fitting = oldest > function.newest ? "" : "export for opset " + std::to_string(oldest);
  if (oldest < function.newest) fitting += " to " + std::to_string(function.newest);
  return whose + "is written for opset " + std::to_string(function.opset) + ", and its operator " +
         (is_older ? function.older : function.newer) + " has another version at opset " + std::to_string(opset) +
         ", the target: " + (fitting.empty() ? "" : fitting + ", or ") + "write the function for opset " +
         std::to_string(opset);
}

}  // namespace tonnx::onnx
