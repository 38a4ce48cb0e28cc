#include "export/call_adapter.h"

#include "ir/complex.h"
#include "ir/error.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Error;
using ir::Tensor;

constexpr std::string_view kKey = "tonnx.call";

const ir::CallForm& form_of(const Model& model) {
  if (model.form) return *model.form;
  throw Error(Code::Unsupported, "the nesting of arguments and results is known only for exported programs (.pt2)");
}

std::vector<std::string> names_of(std::span<ir::Value* const> values) {
  std::vector<std::string> names;
  for (const ir::Value* value : values) names.push_back(value->name());
  return names;
}

}  // namespace

std::vector<Tensor> flat_inputs(const Model& model, const ir::Arguments& arguments) {
  return ir::with_parts(form_of(model).inputs(arguments));
}

std::vector<Tensor> flat_outputs(const Model& model, const ir::Arguments& results) {
  const ir::CallForm& form = form_of(model);
  if (!results.keywords.empty())
    throw Error(Code::Argument, "the results do not fit the program: results have no keywords");
  if (results.positional.size() == 1) return ir::with_parts(form.outputs(results.positional[0]));
  return ir::with_parts(form.outputs({ir::Constant::Tuple{results.positional, {}}}));
}

void store_call(Model& model, std::shared_ptr<const ir::CallForm> form) {
  if (!form) return;
  model.form = std::move(form);
  model.info.metadata.emplace_back(kKey,
                                   model.form->json(names_of(model.graph->inputs()), names_of(model.graph->outputs())));
}

const std::string& call_text(const Model& model) {
  static const std::string none;
  for (const auto& [key, value] : model.info.metadata)
    if (key == kKey) return value;
  return none;
}

}  // namespace tonnx::exporting
