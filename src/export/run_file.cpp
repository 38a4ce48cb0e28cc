#include "export/run_file.h"

#include <algorithm>

#include "ir/error.h"
#include "ir/text.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Constant;
using ir::DType;
using ir::Error;
using ir::Tensor;

// The argument of each input, in order.
std::vector<const Constant*> arguments_of(const std::vector<std::string>& names, const ir::Arguments& arguments) {
  const std::string takes = "; the model takes " + (names.empty() ? "none" : ir::comma_list(names));
  if (arguments.positional.size() > names.size())
    throw Error(Code::Argument, std::to_string(arguments.positional.size()) + " inputs are too many" + takes);
  std::vector<const Constant*> values(names.size());
  for (std::size_t i = 0; i < arguments.positional.size(); ++i) values[i] = &arguments.positional[i];
  for (const auto& [name, value] : arguments.keywords) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw Error(Code::Argument, "the model has no input '" + name + "'" + takes);
    const Constant*& place = values[static_cast<std::size_t>(found - names.begin())];
    if (place) throw Error(Code::Argument, "input '" + name + "' is specified twice");
    place = &value;
  }
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!values[i]) throw Error(Code::Argument, "input '" + names[i] + "' is missing" + takes);
  return values;
}

}  // namespace

Tensor tensor_of(const Constant& value) {
  if (const auto* tensor = value.get<Tensor>()) return *tensor;
  if (const auto* flag = value.get<bool>()) return Tensor::scalar(DType::Bool, std::int64_t{*flag});
  if (const auto* number = value.get<std::int64_t>()) return Tensor::scalar(DType::Int64, *number);
  if (const auto* number = value.get<double>()) return Tensor::scalar(DType::Float64, *number);
  throw Error(Code::Argument, ir::to_string(value) + " is neither a tensor nor a number");
}

FileResults run_file(const std::string& path, const ir::Arguments& arguments, const VerifyOptions& options) {
  const verify::Session session(path, session_options(options));
  std::vector<Tensor> inputs;
  std::vector<std::size_t> counts;
  for (const Constant* value : arguments_of(session.input_names(), arguments)) {
    const std::size_t before = inputs.size();
    if (const auto* list = value->get<Constant::List>())
      for (const Constant& item : list->items) inputs.push_back(tensor_of(item));
    else
      inputs.push_back(tensor_of(*value));
    counts.push_back(inputs.size() - before);
  }
  FileResults results;
  std::vector<std::size_t> given;
  results.tensors = session.run(inputs, counts, &given);
  for (std::size_t i = 0; i < given.size(); ++i) {
    const std::string& name = session.output_names()[i];
    if (given[i] == 1) results.names.push_back(name);
    for (std::size_t k = 0; given[i] != 1 && k < given[i]; ++k) results.names.push_back(name + "." + std::to_string(k));
  }
  return results;
}

}  // namespace tonnx::exporting
