#include "torch/operator_traits.h"

#include <algorithm>

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/enum_tag.h>

#include "aten/quantised_traits.h"
#include "aten/schemas.h"
#include "aten/training_flags.h"
#include "aten/traits.h"

namespace tonnx::torch {

namespace {

bool takes_tensor(const c10::FunctionSchema& schema) {
  for (const auto& argument : schema.arguments())
    if (argument.type()->isSubtypeOf(*c10::OptionalType::ofTensor()) ||
        argument.type()->isSubtypeOf(*c10::ListType::ofTensors()))
      return true;
  return false;
}

// LibTorch tags only one overload of some operators and none of others.
bool may_be_sized_by_data(const c10::FunctionSchema& schema, const aten::Traits& traits) {
  const bool has_row = traits.data_dims != aten::DataDims::All && schema.overload_name().empty();
  const auto overloads = aten::overloads_of(schema.name());
  return has_row ||
         std::ranges::any_of(overloads, [](const aten::SchemaLine& line) { return line.tags.dynamic_output_shape; });
}

OperatorTraits traits_of(const c10::FunctionSchema& schema) {
  OperatorTraits result;
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
    const auto& argument = schema.arguments()[i];
    if (argument.alias_info() && argument.alias_info()->isWrite())
      result.written.push_back(i);
    else if (aten::is_statistic(argument.name()))
      result.statistics.push_back(i);
    if (aten::is_statistics_flag(argument.name())) result.training = i;
  }
  const bool in_place = !result.written.empty();
  const aten::Traits& traits = aten::traits_of(schema.name(), schema.overload_name());
  result.resizes = traits.write == aten::Write::Resize;
  result.replaces_memory = traits.write == aten::Write::Memory;
  result.creates = !in_place && (!takes_tensor(schema) || traits.creates);
  result.sized_by_data = may_be_sized_by_data(schema, traits);
  result.uninitialised = result.creates && traits.is_undefined;
  const aten::QuantisedForm form = aten::quantised_traits_of(schema.name(), schema.overload_name()).form;
  result.reads_scale = form == aten::QuantisedForm::Scale || form == aten::QuantisedForm::ZeroPoint;
  return result;
}

}  // namespace

const OperatorTraits& OperatorTraitsTable::of(const c10::OperatorName& name) {
  const auto [place, added] = traits_.try_emplace(name);
  if (added)
    if (const auto op = c10::Dispatcher::singleton().findSchema(name)) {
      place->second = traits_of(op->schema());
      place->second.random = op->hasTag(at::Tag::nondeterministic_seeded);
    }
  return place->second;
}

}  // namespace tonnx::torch
