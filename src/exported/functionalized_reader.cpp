#include "exported/functionalized_reader.h"

#include <algorithm>

#include "aten/list_writes.h"
#include "aten/result_facts.h"
#include "aten/schemas.h"
#include "exported/declared_schemas.h"
#include "exported/document_error.h"
#include "ir/error.h"

namespace tonnx::exported {

using ir::Node;
using ir::Type;
using ir::Value;

void FunctionalizedReader::read() {
  const ir::SchemaPtr schema = this->schema();
  if (!schema)
    return reader_.leave(node_, name(),
                         "it writes to its arguments; register its schema (--schema, tonnx_operators_register) and a "
                         "symbolic that returns the written values, or change the operator to return them");
  const auto writes_list = [](const ir::Argument& argument) {
    return argument.is_write && argument.type.is(Type::Kind::List);
  };
  if (const auto list = std::ranges::find_if(schema->arguments, writes_list); list != schema->arguments.end())
    return reader_.leave(node_, name(), aten::writes_to_list(list->name));
  if (const Json* bases = given("_all_bases")) {
    bases_ = tagged(*bases).value;
    for (const Json& base : *bases_) copy(base);
  }
  std::vector<Value*> inputs;
  for (const ir::Argument& wanted : schema->arguments) {
    const Json* own = wanted.is_write ? nullptr : given(wanted.name);
    if (wanted.is_write) {
      inputs.push_back(written(wanted));
    } else if (own || !wanted.default_value) {
      inputs.push_back(own ? reader_.argument(*own, &wanted.type)
                           : reader_.constant({ir::Constant::None{}}, &wanted.type));
    } else {
      inputs.push_back(reader_.constant(*wanted.default_value, &wanted.type));
    }
  }
  Node* made = reader_.emit(schema->name, inputs, schema->returns.size());
  made->set_schema(schema);
  for (std::size_t i = 0; i < schema->returns.size(); ++i) made->output(i)->set_type(schema->returns[i].type);

  const Json& named = node_.at("outputs");
  const std::size_t returned = named.size() - std::min(named.size(), copies_.size());
  for (std::size_t i = 0; i < named.size(); ++i) {
    const Tagged result = named[i];
    if (result.is("as_none")) continue;
    if (i < returned && i >= made->output_count())
      throw ir::Error(ir::Code::Argument,
                      "the archive has more results of " + schema->full_name() + " than its registered schema");
    reader_.bind_output(result, i < returned ? made->output(i) : copies_[i - returned]);
  }
}

std::string FunctionalizedReader::name() const {
  constexpr std::string_view kOperators = "torch.ops.";
  std::string_view target = node_.at("inputs").at(0).at("arg").at("as_operator").string();
  if (target.starts_with(kOperators)) target.remove_prefix(kOperators.size());
  return operator_name(target).full();
}

ir::SchemaPtr FunctionalizedReader::schema() const {
  const std::string name = this->name();
  const ir::SchemaPtr known = aten::find_schema(name);
  return known ? known : declared_schema(name);
}

const Json* FunctionalizedReader::given(const std::string& name) const {
  for (const Json& input : node_.at("inputs"))
    if (input.at("name").string() == name) return tagged(input.at("arg")).is("as_none") ? nullptr : &input.at("arg");
  return nullptr;
}

Value* FunctionalizedReader::number(const std::string& name) const {
  const Json* found = given(name);
  if (!found) throw DocumentError("a call of auto_functionalized has no argument '" + name + "'");
  const Type list = Type::list(Type::of(Type::Kind::Int));
  const Tagged t = tagged(*found);
  return reader_.argument(*found, t.is("as_ints") || t.is("as_sym_ints") || t.is("as_tensors") ? &list : nullptr);
}

Value* FunctionalizedReader::emit_tensor(std::string_view operation, const std::vector<Value*>& operands) const {
  Value* result = reader_.emit_value(operation, operands);
  result->set_facts(aten::result_facts(*result->node())[0]);
  return result;
}

Value* FunctionalizedReader::copy(const Json& tensor) {
  return copies_.emplace_back(reader_.emit_copy(reader_.value(tensor.at("name").get<std::string>())));
}

Value* FunctionalizedReader::written(const ir::Argument& wanted) {
  const auto refuse = [&](const std::string& what) { reader_.refuse(node_, name(), what); };
  const auto nothing = [&] { return reader_.constant({ir::Constant::None{}}, &wanted.type); };
  if (!bases_) {
    const Json* tensor = given(wanted.name);
    return tensor ? copy(*tagged(*tensor).value) : nothing();
  }
  const std::string prefix = "_" + wanted.name;
  const Json* index = given(prefix + "_base_index");
  if (!index) return nothing();
  const auto base = static_cast<std::size_t>(tagged(*index).value->get<std::int64_t>());
  if (base >= copies_.size()) throw DocumentError("a call of auto_functionalized has no base " + std::to_string(base));
  if (given(prefix + "_size")) {
    Value* view = strided(prefix, base);
    if (!view) refuse("it writes to a part of a tensor that is not contiguous");
    return view;
  }
  if (given(prefix + "_slice_dim"))
    return emit_tensor("aten::slice.Tensor", {copies_[base], number(prefix + "_slice_dim"),
                                              number(prefix + "_slice_start"), number(prefix + "_slice_end")});
  return copies_[base];
}

Value* FunctionalizedReader::strided(const std::string& prefix, std::size_t base) const {
  const Meta& meta = reader_.context_.meta;
  const Json& base_meta = reader_.graph_.at("tensor_values").at((*bases_)[base].at("name").string());
  if (!meta.is_contiguous(base_meta) || meta.offset(base_meta) != 0) return nullptr;
  Value* view = emit_tensor("aten::as_strided", {copies_[base], number(prefix + "_size"), number(prefix + "_stride"),
                                                 number(prefix + "_storage_offset")});
  view->node()->set_attribute("memory_offset", std::int64_t{0});
  if (!view->facts().dims) view->facts().dims.emplace(tagged(*given(prefix + "_size")).value->size());
  return view;
}

}  // namespace tonnx::exported
