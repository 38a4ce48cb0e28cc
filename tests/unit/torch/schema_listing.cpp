#include "schema_listing.h"

#include <map>
#include <sstream>
#include <utility>

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/runtime/operator.h>

namespace tonnx::torch::test {
namespace {

constexpr std::pair<at::Tag, const char*> kTags[] = {
    {at::Tag::data_dependent_output, "data_dependent_output"},
    {at::Tag::dynamic_output_shape, "dynamic_output_shape"},
    {at::Tag::inplace_view, "inplace_view"},
    {at::Tag::nondeterministic_seeded, "nondeterministic_seeded"},
};

std::string full_name(const c10::FunctionSchema& schema) {
  return schema.overload_name().empty() ? schema.name() : schema.name() + "." + schema.overload_name();
}

}  // namespace

std::string list_schemas() {
  std::map<std::string, std::string> lines;
  const auto add = [&](const c10::FunctionSchema& schema, const c10::OperatorHandle* handle) {
    if (schema.name().starts_with("_test::")) return;
    std::ostringstream text;
    text << schema;
    for (const auto& [tag, name] : kTags)
      if (handle && handle->hasTag(tag)) text << " #" << name;
    lines.emplace(full_name(schema), text.str());
  };
  for (const c10::OperatorName& name : c10::Dispatcher::singleton().getAllOpNames())
    if (const auto handle = c10::Dispatcher::singleton().findSchema(name)) add(handle->schema(), &*handle);
  for (const auto& op : ::torch::jit::getAllOperators()) add(op->schema(), nullptr);
  std::string all;
  for (const auto& [name, text] : lines) all += text + "\n";
  return all;
}

}  // namespace tonnx::torch::test
