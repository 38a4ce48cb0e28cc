#include "exported/call_spec.h"

#include <algorithm>

#include "exported/graph_reader.h"
#include "exported/tree.h"
#include "ir/error.h"

namespace tonnx::exported {

using ir::Code;
using ir::Constant;
using ir::Error;
using ir::Type;
using ir::Value;

namespace {

[[noreturn]] void misfit(const std::string& text) {
  throw Error(Code::Argument, "the example inputs do not fit the program: " + text);
}

std::string text_of(const ir::Facts& facts) {
  std::string dims;
  for (const ir::Dim& dim : *facts.dims)
    dims += (dims.empty() ? "" : ", ") + ir::text_of(dim);
  return std::string(ir::name_of(facts.dtype)) + "[" + dims + "]";
}

std::string text_of(const ir::Tensor& tensor) {
  ir::Facts facts;
  facts.dtype = tensor.dtype;
  facts.dims.emplace(tensor.dims.begin(), tensor.dims.end());
  return text_of(facts);
}

bool fits(const ir::Tensor& tensor, const ir::Facts& facts) {
  if (tensor.dtype != facts.dtype || !facts.dims || tensor.dims.size() != facts.dims->size()) return false;
  for (std::size_t d = 0; d < tensor.dims.size(); ++d)
    if ((*facts.dims)[d].is_fixed() && (*facts.dims)[d].size() != tensor.dims[d]) return false;
  return true;
}

ir::Tensor as_input(const Constant& given, const Value& input, const std::string& name) {
  const auto* tensor = given.get<ir::Tensor>();
  switch (input.type().kind) {
    case Type::Kind::Int:
      if (const auto* number = given.get<std::int64_t>()) return ir::Tensor::scalar(ir::DType::Int64, *number);
      break;
    case Type::Kind::Bool:
      if (const auto* flag = given.get<bool>()) return ir::Tensor::scalar(ir::DType::Bool, std::int64_t{*flag});
      break;
    case Type::Kind::Float:
      if (given.get<double>() || given.get<std::int64_t>()) return ir::Tensor::scalar(ir::DType::Float64, given.as_double());
      break;
    default:
      if (tensor && fits(*tensor, input.facts())) return *tensor;
  }
  if (tensor && input.type().is_scalar() && tensor->dims.empty() && tensor->dtype == input.facts().dtype) return *tensor;
  misfit("'" + name + "' is " + (tensor ? text_of(*tensor) : ir::to_string(given)) + ", and the program takes " +
         text_of(input.facts()));
}

}  // namespace

CallSpec::CallSpec(const Json& module) {
  for (const Json& spec : module.at("signature").at("input_specs")) {
    const Tagged t = tagged(spec);
    if (t.is("constant_input")) leaves_.push_back({t.value->at("name").get<std::string>(), &t.value->at("value")});
    if (!t.is("user_input")) continue;
    const Json& argument = t.value->at("arg");
    const Tagged kind = tagged(argument);
    const auto name = [&](const char* key) -> const std::string* {
      const auto found = kind.value->is_object() ? kind.value->find(key) : kind.value->end();
      return found == kind.value->end() ? nullptr : &found->get_ref<const std::string&>();
    };
    const std::string* own = name("name") ? name("name") : name("as_name");
    leaves_.push_back({own ? *own : std::string(), own ? nullptr : &argument});
  }
  for (const Json& entry : module.at("module_call_graph")) {
    if (entry.at("fqn") != "" || entry.at("signature").is_null()) continue;
    const Json& signature = entry.at("signature");
    const Json children = Json::parse(signature.at("in_spec").get_ref<const std::string&>()).at(1).at("children_spec");
    positional_ = children.at(0);
    keywords_ = children.at(1);
    if (const auto names = signature.find("forward_arg_names"); names != signature.end() && names->is_array())
      parameters_ = names->get<std::vector<std::string>>();
  }
  if (positional_.is_null() || leaf_count(positional_) + leaf_count(keywords_) != leaves_.size())
    throw Error(Code::File, "the tree of its arguments is not that of its inputs");
}

void CallSpec::place(const ir::Arguments& arguments, Leaves& leaves) const {
  const Json& children = positional_.at("children_spec");
  if (arguments.positional.size() > children.size())
    misfit(std::to_string(arguments.positional.size()) + " positional arguments are given, and it takes " +
           std::to_string(children.size()));
  Leaves found;
  for (std::size_t i = 0; i < arguments.positional.size(); ++i)
    if (!flatten(children[i], arguments.positional[i], found))
      misfit("argument " + std::to_string(i) + " is another tree than the program was exported with");
  std::copy(found.begin(), found.end(), leaves.begin());
  for (const auto& [name, value] : arguments.keywords) place_keyword(name, value, leaves);
}

void CallSpec::place_keyword(const std::string& name, const Constant& value, Leaves& leaves) const {
  const Json& positional = positional_.at("children_spec");
  const Json& keywords = keywords_.at("children_spec");
  const std::vector<std::string> keys = child_names(keywords_);
  std::size_t begin = 0;
  for (std::size_t i = 0; i < positional.size() + keywords.size(); ++i) {
    const bool is_keyword = i >= positional.size();
    const Json& tree = is_keyword ? keywords[i - positional.size()] : positional[i];
    const std::string* own = is_keyword && i - positional.size() < keys.size() ? &keys[i - positional.size()]
                             : i < parameters_.size()                          ? &parameters_[i]
                                                                               : nullptr;
    const std::size_t count = leaf_count(tree);
    if (own && *own == name) {
      Leaves found;
      if (!flatten(tree, value, found)) misfit("'" + name + "' is another tree than the program was exported with");
      std::copy(found.begin(), found.end(), leaves.begin() + static_cast<std::ptrdiff_t>(begin));
      return;
    }
    begin += count;
  }
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    if (leaves_[i].name != name) continue;
    leaves[i] = &value;
    return;
  }
  std::string known;
  for (const Leaf& leaf : leaves_)
    if (!leaf.name.empty()) known += (known.empty() ? "'" : ", '") + leaf.name + "'";
  misfit("it has no input '" + name + "', but " + (known.empty() ? "none at all" : known));
}

std::vector<ir::Tensor> CallSpec::inputs(const ir::Arguments& arguments, const ir::Graph& program) const {
  Leaves given(leaves_.size());
  place(arguments, given);
  std::vector<ir::Tensor> inputs;
  for (std::size_t i = 0; i < leaves_.size(); ++i) {
    const Leaf& leaf = leaves_[i];
    if (leaf.fixed) {
      if (!given[i]) continue;
      const std::string fixed = ir::to_string(constant_of(*leaf.fixed));
      if (ir::to_string(*given[i]) != fixed)
        misfit("'" + leaf.name + "' is " + ir::to_string(*given[i]) + ", and the program was exported with " + fixed +
               " fixed; export it with that value");
      continue;
    }
    if (!given[i]) misfit("'" + leaf.name + "' is missing");
    inputs.push_back(as_input(*given[i], *program.inputs()[inputs.size()], leaf.name));
  }
  return inputs;
}

}  // namespace tonnx::exported
