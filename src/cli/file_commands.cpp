#include <cstdio>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/input_flags.h"
#include "cli/input_spec.h"
#include "cli/interruption.h"
#include "cli/libtorch_folder.h"
#include "cli/npz.h"
#include "cli/usage.h"

// The commands that run and complete model files.
namespace tonnx::cli {
namespace {

struct RunOptions {
  std::string model;
  std::string args;
  std::vector<std::string> inputs;
  std::uint64_t seed = 0;
  std::string output;
  std::string provider;
  std::vector<std::string> runtime_libraries;
  std::string libtorch;
};

// "float32[2,3]"
std::string type_text(const Tensor& tensor) {
  std::string dims;
  for (const std::int64_t size : tensor.dims()) dims += (dims.empty() ? "" : ",") + std::to_string(size);
  return tonnx_dtype_name(tensor.dtype()) + ("[" + dims + "]");
}

int run_model(const RunOptions& given) {
  if (!given.args.empty() && !given.inputs.empty()) misuse("use --args or --input, not both");
  if (!given.output.empty() && !given.output.ends_with(".npz"))
    misuse("-o '" + given.output + "': outputs are written as NAME.npz");
  Args args = given.args.empty() ? Args() : Args::load(given.args);
  std::uint64_t seed = given.seed;
  for (const std::string& text : given.inputs) add_input(args, text, seed++);
  VerifyOptions options;
  Console console("", false);
  options.observer(console.observer());
  options.provider(given.provider);
  for (const std::string& library : given.runtime_libraries) options.runtime_library(library);
  if (!given.output.empty()) clean_up_on_interruption(given.output);
  const auto outputs = [&] {
    const Interruptible interruptible;
    return run_file(given.model, args, options);
  }();
  if (!given.output.empty()) write_npz(given.output, outputs);
  for (const auto& [name, tensor] : outputs) std::printf("%s %s\n", name.c_str(), type_text(tensor).c_str());
  return 0;
}

}  // namespace

void add_run(CLI::App& app, Run& run) {
  auto given = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a model file in ONNX Runtime");
  command->add_option("MODEL", given->model, "ONNX file")->required();
  command->add_option("--args", given->args, "inputs, a file written by torch.save");
  add_input_flags(*command, given->inputs, given->seed);
  command->add_option("-o,--output", given->output, "NumPy file to write the outputs to: NAME.npz");
  command->add_option("--provider", given->provider, "execution provider of ONNX Runtime: cpu or cuda; default: cpu");
  command
      ->add_option("--ort-library", given->runtime_libraries,
                   "shared library with custom operators for ONNX Runtime; repeatable")
      ->take_all()
      ->expected(1);
  add_libtorch_flag(*command, given->libtorch);
  command->callback(
      [given, &run] { run = [given] { return with_libtorch(given->libtorch, [&] { return run_model(*given); }); }; });
}

void add_infer(CLI::App& app, Run& run) {
  auto path = std::make_shared<std::string>(), result = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("infer", "Infer the types and shapes of all values of a model file");
  command->add_option("MODEL", *path, "ONNX file")->required();
  command->add_option("-o,--output", *result, "ONNX file to write; may be MODEL")->required();
  command->callback([path, result, &run] {
    run = [path, result] {
      infer_file(*path, *result);
      return 0;
    };
  });
}

}  // namespace tonnx::cli
