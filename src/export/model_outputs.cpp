#include "export/model_outputs.h"

#include <optional>

#include "aten/called_as.h"
#include "aten/traits.h"
#include "ir/complex.h"
#include "ir/error.h"
#include "ir/observer.h"
#include "ir/open_ranks.h"

namespace tonnx::exporting {

using ir::Code;
using ir::Error;

namespace {

// Returns nothing if the program cannot be run here.
std::vector<ir::Tensor> results_of(const std::function<std::vector<ir::Tensor>()>& run) {
  try {
    return run();
  } catch (const Error&) {
    return {};
  }
}

// Assigns the output its own value if a node reads it, since runtimes use the declared type of an output wherever the
// value is read.
ir::Value& separate_from_readers(ir::Graph& model, std::size_t i) {
  ir::Value* out = model.outputs()[i];
  if (out->uses().size() < 2) return *out;
  const auto append = [&](const char* op, std::vector<ir::Value*> inputs, ir::Facts facts) {
    ir::Node* node = model.create(op, std::move(inputs), 1);
    model.block().append(node);
    node->output()->set_facts(std::move(facts));
    return node->output();
  };
  ir::Value* shape = append("onnx::Shape", {out}, {ir::DType::Int64, std::vector<ir::Dim>(1), nullptr});
  ir::Value* apart = append("onnx::Reshape", {out, shape}, {out->facts().dtype, std::nullopt, nullptr});
  apart->set_name(out->name());
  out->set_name("");
  model.block().return_node()->set_input(i, apart);
  return *apart;
}

}  // namespace

void require_outputs(const ir::Graph& graph, const std::string& method) {
  if (!graph.outputs().empty()) return;
  throw Error(Code::Unsupported,
              "method '" + method + "' returns no tensor and no number: an ONNX model needs an output; return one");
}

void declare_ranks(ir::Graph& model, const ir::Graph& program, const std::function<std::vector<ir::Tensor>()>& results,
                   std::vector<std::string>& warnings) {
  const auto* ranks = program.block().return_node()->attribute_as<std::vector<std::int64_t>>("example_ranks");
  std::optional<std::vector<ir::Tensor>> example;
  for (std::size_t i = 0; ranks && i < model.outputs().size() && i < ranks->size(); ++i) {
    const ir::Type& type = model.outputs()[i]->type();
    // Elements of a sequence or an optional need no rank.
    if (model.outputs()[i]->facts().dims || type.is(ir::Type::Kind::List) || type.is(ir::Type::Kind::Optional))
      continue;
    std::int64_t rank = (*ranks)[i];
    if (rank < 0) {
      if (!example) example = results_of(results);
      if (example->size() != model.outputs().size()) continue;
      rank = (*example)[i].rank();
    }
    separate_from_readers(model, i).facts().dims.emplace(static_cast<std::size_t>(rank));
    ir::set_open_rank(model.block(), i);
    ir::warn(warnings, ir::Category::Sizes,
             "output " + std::to_string(i) +
                 ((*ranks)[i] < 0 ? " may have another rank in some runs" : " has another rank in some runs") +
                 "; the model declares rank " + std::to_string(rank));
  }
}

std::vector<OperatorNames> output_operators(const ir::Graph& program) {
  const auto is_view = [](const ir::Node& node) {
    if (!node.schema() || node.input_count() == 0 || !node.input(0)->type().is(ir::Type::Kind::Tensor)) return false;
    const std::vector<ir::Argument>& results = node.schema()->returns;
    return aten::may_alias(aten::traits_of(node)) || (!results.empty() && !results[0].alias_set.empty());
  };
  std::vector<OperatorNames> names;
  for (const ir::Value* value : program.outputs()) {
    const ir::Node* node = value->node();
    while (is_view(*node)) node = node->input(0)->node();
    names.emplace_back();
    if (const std::string_view called = aten::called_as(*node); !called.empty()) names.back().emplace_back(called);
    names.back().push_back(node->full_name());
  }
  return names;
}

void warn_complex(const ir::Graph& program, const std::vector<std::string>& output_names,
                  std::vector<std::string>& warnings) {
  const auto warn = [&](const char* what, const ir::Value* value, const std::string& name, std::size_t i,
                        const char* verb) {
    const ir::DType dtype = value->facts().dtype;
    if (!ir::is_complex(dtype)) return;
    ir::warn(warnings, ir::Category::Program,
             std::string(what) + " " + (name.empty() ? std::to_string(i) : "'" + name + "'") + " is " +
                 std::string(ir::name_of(dtype)) + ": the model " + verb + " it as " +
                 std::string(ir::name_of(ir::part_dtype(dtype))) +
                 " with a last axis of 2 for the real and the imaginary part");
  };
  for (std::size_t i = 0; i < program.inputs().size(); ++i)
    warn("input", program.inputs()[i], program.inputs()[i]->name(), i, "takes");
  for (std::size_t i = 0; i < program.outputs().size(); ++i)
    warn("output", program.outputs()[i], i < output_names.size() ? output_names[i] : "", i, "returns");
}

}  // namespace tonnx::exporting
