#include "export/exporter.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <unordered_set>

#include "export/axes.h"
#include "export/naming.h"
#include "export/opset_range.h"
#include "export/symbolic_types.h"
#include "ir/printer.h"
#include "lower/lower.h"
#include "onnx/check.h"
#include "onnx/opset.h"
#include "onnx/writer.h"
#include "optimize/optimize.h"
#include "program/prepare.h"
#include "torch/evaluator.h"
#include "verify/runtime.h"

namespace tonnx::exporting {
namespace {

using ir::Code;
using ir::Error;

class Stopwatch {
 public:
  explicit Stopwatch(Report& report) : report_(report), start_(Clock::now()) {}
  void lap(const char* stage) {
    const Clock::time_point now = Clock::now();
    report_.seconds.emplace_back(stage, std::chrono::duration<double>(now - start_).count());
    start_ = now;
  }

 private:
  using Clock = std::chrono::steady_clock;
  Report& report_;
  Clock::time_point start_;
};

void check_options(const Options& options) {
  check_opset(options.opset);
  for (const auto& [domain, version] : options.custom_opsets) {
    if (domain.empty() || domain == "ai.onnx" || domain == "onnx")
      throw Error(Code::Argument, "custom opset of domain '" + domain + "': the default domain's version is the opset");
    if (version < 1)
      throw Error(Code::Argument,
                  "custom opset of domain '" + domain + "': version " + std::to_string(version) + " is below 1");
  }
}

void count_operators(const ir::Graph& graph, std::map<std::string, std::int64_t>& counts) {
  ir::for_each_node(graph.block(), [&](ir::Node* node) {
    if (!node->is("prim::Constant")) ++counts[node->domain() == "onnx" ? std::string(node->op()) : node->full_name()];
  });
}

// The custom opsets of domains that the model uses; warns of the others.
std::vector<std::pair<std::string, std::int64_t>> used_domains(const ir::Graph& model, const Options& options,
                                                               Report& report) {
  std::unordered_set<std::string> used;
  ir::for_each_node(model.block(), [&](ir::Node* node) { used.insert(std::string(node->domain())); });
  std::vector<std::pair<std::string, std::int64_t>> kept;
  for (const auto& [domain, version] : options.custom_opsets) {
    if (used.contains(domain))
      kept.emplace_back(domain, version);
    else
      report.warnings.push_back("custom opset domain '" + domain + "' is not used in the model");
  }
  return kept;
}

std::vector<program::DynamicAxis> program_axes(const std::vector<BoundAxis>& bound) {
  std::vector<program::DynamicAxis> axes;
  for (const BoundAxis& b : bound)
    if (b.is_input) axes.push_back({b.index, static_cast<std::size_t>(b.axis), b.symbol});
  return axes;
}

// Weights become inputs of the model after the user's, in state-dict order.
void weights_to_inputs(ir::Graph& model, const std::vector<std::string>& order) {
  const std::vector<ir::Value*> weights(model.weights().begin(), model.weights().end());
  for (const std::string& key : order) {
    const auto it = std::find_if(weights.begin(), weights.end(), [&](ir::Value* w) { return w->name() == key; });
    if (it == weights.end()) continue;
    ir::Value* input = model.block().add_input();
    input->set_name(key);
    input->set_facts((*it)->facts());
    (*it)->replace_uses(input);
    model.remove_weight(*it);
  }
}

std::unique_ptr<Model> run(const Source& source, const ir::Arguments& args, const Options& options,
                           const lower::Registry& registry, Report& report) {
  check_options(options);
  const auto opset = onnx::opset(options.opset);
  Stopwatch watch(report);

  torch::Program program = source.import(options.method, args, options.training);
  ir::Graph& graph = *program.graph;
  if (graph.outputs().empty())
    throw Error(Code::Unsupported, "method '" + options.method +
                                       "' returns no tensor and no number: an ONNX model needs an output; return one");
  report.warnings.insert(report.warnings.end(), program.warnings.begin(), program.warnings.end());
  count_operators(graph, report.source_operators);
  watch.lap("import");

  const std::vector<BoundAxis> axes = bind_axes(graph, options, program.output_names);
  const lower::LowerOptions lowering{.training = options.training == Training::Train};
  const auto evaluator = with_symbolic_types(torch::make_evaluator(), registry, *opset, lowering);
  std::vector<ir::Constant> examples;
  for (const ir::Tensor& t : program.inputs) examples.push_back({t});
  program::prepare(graph, *evaluator, program_axes(axes), examples, report.warnings);
  std::vector<std::string> weight_order;
  for (const ir::Value* weight : graph.weights()) weight_order.push_back(weight->name());
  watch.lap("program passes");

  auto model = std::make_unique<Model>();
  model->method = options.method;
  model->training = options.training;
  model->graph = lower::lower_program(graph, registry, *opset, lowering);
  watch.lap("lowering");

  const bool old_ir = options.opset < 9;
  const bool as_inputs = old_ir || (options.initializers_as_inputs == InitializersAsInputs::Always);
  if (old_ir && options.initializers_as_inputs == InitializersAsInputs::Never)
    report.warnings.push_back("initializers are listed as inputs: opset " + std::to_string(options.opset) +
                              " allows nothing else");
  if (!options.export_params) weights_to_inputs(*model->graph, weight_order);
  const bool fold = options.constant_folding && options.training == Training::Eval && options.opset >= 9;
  if (options.constant_folding && options.training != Training::Eval)
    report.warnings.push_back("constant folding is off: it would change learnable parameters in training mode");
  optimize::optimize(*model->graph, {.fold_constants = true, .integer_constants = !old_ir, .fold_weights = fold && options.initializers_as_inputs != InitializersAsInputs::Always});
  watch.lap("model passes");

  // Only now: in the program an output may be an input, or stand twice.
  for (std::size_t i = 0; i < program.output_names.size(); ++i)
    if (!program.output_names[i].empty()) model->graph->outputs()[i]->set_name(program.output_names[i]);
  if (options.export_params) {
    name_model(*model->graph, options, weight_order);
  } else {
    name_model(*model->graph, options, {});
  }
  apply_axes(*model->graph, axes);
  model->info.opset = options.opset;
  model->info.ir_version = onnx::ir_version(options.opset);
  model->info.producer_name = "tonnx";
  model->info.producer_version = TONNX_VERSION;
  model->info.initializers_as_inputs = as_inputs;
  model->info.doc_strings = options.doc_strings;
  model->info.domains = used_domains(*model->graph, options, report);
  count_operators(*model->graph, report.model_operators);
  if (options.check) onnx::check(*model->graph, model->info);
  watch.lap("names and checker");
  return model;
}

ir::DType loosest_dtype(const ir::Graph& model) {
  ir::DType dtype = ir::DType::Undefined;
  const auto see = [&](const ir::Value* value) { dtype = verify::looser(dtype, value->facts().dtype); };
  for (const ir::Value* value : model.weights()) see(value);
  for (const ir::Value* value : model.inputs()) see(value);
  ir::for_each_node(model.block(), [&](ir::Node* node) {
    for (const ir::Value* value : node->outputs()) see(value);
  });
  return dtype;
}

// A file name in the temporary folder that nobody else has, removed at the end.
class TemporaryModel {
 public:
  TemporaryModel() {
    std::string pattern = (std::filesystem::temp_directory_path() / "tonnx-XXXXXX").string();
    if (!mkdtemp(pattern.data())) throw Error(Code::File, "no temporary folder can be made in " + pattern);
    folder_ = pattern;
  }
  TemporaryModel(const TemporaryModel&) = delete;
  TemporaryModel& operator=(const TemporaryModel&) = delete;
  ~TemporaryModel() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  std::string path() const { return (folder_ / "model.onnx").string(); }

 private:
  std::filesystem::path folder_;
};

// A file without a name in `folder`, where its file system can.
class UnnamedFile {
 public:
  explicit UnnamedFile(const std::string& folder)
      : descriptor_(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600)) {}
  UnnamedFile(const UnnamedFile&) = delete;
  UnnamedFile& operator=(const UnnamedFile&) = delete;
  ~UnnamedFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }
  int descriptor() const { return descriptor_; }
  // Leads to it from this process; empty where there is none.
  std::string path() const {
    const std::string path = "/proc/self/fd/" + std::to_string(descriptor_);
    return descriptor_ >= 0 && ::access(path.c_str(), R_OK) == 0 ? path : std::string();
  }

 private:
  int descriptor_;
};

}  // namespace

std::unique_ptr<Model> export_program(const Source& source, const ir::Arguments& args, const Options& options,
                                      const lower::Registry& registry, Report* report) {
  Report own;
  Report& target = report ? *report : own;
  try {
    std::unique_ptr<Model> model = run(source, args, options, registry, target);
    model->report = target;
    return model;
  } catch (const Error& error) {
    target.reasons = error.reasons();
    throw;
  }
}

std::string program_text(const Source& source, const ir::Arguments& args, const Options& options) {
  const torch::Program program = source.import(options.method, args, options.training);
  return ir::print(*program.graph);
}

void verify_file(const std::string& path, const Source& source, const ir::Arguments& args, const std::string& method,
                 Training training, const verify::Tolerance& tolerance) {
  const verify::Session session(path);
  const std::vector<ir::Tensor> got = session.run(source.import(method, args, training).inputs);
  verify::compare(source.run(method, args, training), got, session.output_names(), tolerance);
}

void verify_model(const Model& model, const Source& source, const ir::Arguments& args, verify::Tolerance tolerance) {
  tolerance.loosest = verify::looser(tolerance.loosest, loosest_dtype(*model.graph));
  // A file without a name is gone however the process ends; external data needs a folder.
  constexpr std::uint64_t kOneFile = std::uint64_t{1} << 30;
  const UnnamedFile unnamed(std::filesystem::temp_directory_path().string());
  if (!unnamed.path().empty() && onnx::message_size(*model.graph, model.info) < kOneFile) {
    onnx::write_descriptor(*model.graph, model.info, unnamed.descriptor());
    return verify_file(unnamed.path(), source, args, model.method, model.training, tolerance);
  }
  const TemporaryModel file;
  onnx::write_file(*model.graph, model.info, file.path(), {.external_data = onnx::ExternalData::Auto, .sync = false});
  verify_file(file.path(), source, args, model.method, model.training, tolerance);
}

}  // namespace tonnx::exporting
