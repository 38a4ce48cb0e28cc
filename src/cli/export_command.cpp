#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/console.h"
#include "cli/function_file.h"
#include "cli/input_flags.h"
#include "cli/input_spec.h"
#include "cli/interruption.h"
#include "cli/libtorch_folder.h"
#include "cli/option_flags.h"
#include "cli/program_file.h"
#include "cli/summary.h"
#include "cli/usage.h"
#include "cli/verify_flags.h"

namespace tonnx::cli {
namespace {

struct ExportOptions {
  std::string model;
  std::string output;
  std::string args;
  std::vector<std::string> other_args;
  std::string weights;
  std::vector<std::string> inputs;
  std::uint64_t seed = 0;
  OptionFlags options;
  std::string libtorch;
  std::vector<std::string> libraries;
  std::vector<std::string> schemas;
  std::vector<std::string> functions;
  std::string external_data = "auto";
  bool verify = false;
  bool every_operator = false;
  std::string repro;
  VerifyOptions verification;
  std::string verify_flag;  // the last verification flag on the command line
  std::string report;
  bool verbose = false;
  bool quiet = false;
  std::string log;
};

Args make_args(const ExportOptions& given) {
  if (!given.args.empty() && !given.inputs.empty()) misuse("use --args or --input, not both");
  if (!given.args.empty()) return Args::load(given.args);
  Args args;
  std::uint64_t seed = given.seed;
  for (const std::string& text : given.inputs) add_input(args, text, seed++);
  return args;
}

bool is_same_file(const std::string& a, const std::string& b) {
  namespace fs = std::filesystem;
  std::error_code failed;
  return fs::equivalent(a, b, failed) || fs::weakly_canonical(a, failed) == fs::weakly_canonical(b, failed);
}

// Refuses a report path that would overwrite another file of this command.
void check_report_path(const ExportOptions& given) {
  if (given.report.empty()) return;
  const std::pair<const char*, std::string> others[] = {{"the archive", given.model},
                                                        {"the model", given.output},
                                                        {"the model's data", given.output + ".data"},
                                                        {"the weights", given.weights},
                                                        {"the example inputs", given.args}};
  for (const auto& [what, path] : others)
    if (!path.empty() && is_same_file(given.report, path))
      misuse("--report '" + given.report + "': this file is " + what + "; choose another file for the report");
}

void write_report(const std::string& path, const std::string& json) {
  if (path.ends_with(".sarif")) return save_report(path, json);
  std::ofstream file(path);
  file << json << '\n';
  if (!file.flush()) throw Error(TONNX_STATUS_FILE, path + ": the report cannot be written");
}

// Returns the result of `action`. If it throws, writes the error's report, too.
template <class Action>
auto or_report(const std::string& report, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    try {
      if (!report.empty()) write_report(report, error.report());
    } catch (const Error& unwritten) {
      std::fprintf(stderr, "warning: %s\n", unwritten.what());
    }
    throw;
  }
}

struct Exported {
  Program program;
  Args args;
  Model model;
};

// Loads and exports the program of a file.
Exported export_file(const ExportOptions& given, const Options& options, const Registry& registry, Console& console) {
  console.say("loading");
  Program program = open_program(given.model, given.weights);
  Args args = make_args(given);
  console.say("exporting");
  Model model = [&] {
    const Interruptible interruptible;
    return export_program(program, args, options, registry);
  }();
  console.clear();
  if (given.verbose) std::fputs(model.text().c_str(), stdout);
  if (!given.quiet) console.warn(model.warnings());
  return {std::move(program), std::move(args), std::move(model)};
}

// Writes a report of the search and the models of all operators that differ to a folder.
void write_repro(const std::string& folder, const Mismatch& mismatch) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(TONNX_STATUS_FILE, folder + ": " + failed.message());
  write_report(folder + "/mismatch.json", mismatch.json());
  for (const std::string& id : mismatch.leaves())
    mismatch.save_part(id, folder + "/test_" + (id.empty() ? "model" : id));
}

// Finds the operators that differ and prints them. `known`: the difference of the whole model was already printed.
bool print_mismatch(const ExportOptions& given, const Program& program, const Args& args, const Options& options,
                    const Registry& registry, Console& console, bool known) {
  const Mismatch mismatch = [&] {
    const Interruptible interruptible;
    return find_mismatch(program, args, options, &registry, given.verification);
  }();
  console.clear();
  const std::string text = mismatch.text();
  if (mismatch.found() || !given.quiet) std::fputs(text.c_str() + (known ? text.find('\n') + 1 : 0), stderr);
  if (!given.repro.empty()) write_repro(given.repro, mismatch);
  return mismatch.found();
}

// Compares with the models for other example inputs, and prints the first difference. Returns true if there is one.
bool print_difference(const ExportOptions& given, const Exported& exported, const Options& options,
                      const Registry& registry, Console& console) {
  std::vector<Args> groups;
  for (const std::string& path : given.other_args) groups.push_back(Args::load(path));
  std::vector<std::reference_wrapper<const Args>> all = {exported.args};
  all.insert(all.end(), groups.begin(), groups.end());
  const std::string text = [&] {
    const Interruptible interruptible;
    return export_difference(exported.program, all, options, &registry);
  }();
  console.clear();
  std::fputs(text.c_str(), stderr);
  if (text.empty() && !given.quiet) std::fputs("compared: the model is the same for all example inputs\n", stderr);
  return !text.empty();
}

// Same as Model::verify. After a difference, also prints the operators that differ.
std::vector<std::string> verify(const ExportOptions& given, const Exported& exported, const Options& options,
                                const Registry& registry, Console& console) {
  try {
    const Interruptible interruptible;
    return exported.model.verify(exported.program, exported.args, given.verification);
  } catch (const Error& error) {
    if (error.status() != TONNX_STATUS_VERIFICATION) throw;
    console.clear();
    try {
      print_mismatch(given, exported.program, exported.args, options, registry, console, true);
    } catch (const Error& why) {
      if (why.status() == TONNX_STATUS_CANCELLED) throw;
      const char* what = why.status() == TONNX_STATUS_FILE ? "the folder of --repro cannot be written"
                                                           : "the operators that differ cannot be found";
      std::fprintf(stderr, "warning: %s: %s\n", what, why.what());
    }
    throw;
  }
}

int run_export(ExportOptions& given) {
  check_report_path(given);
  const bool compares = given.verify || given.every_operator;
  if (!given.repro.empty() && !compares)
    misuse("--repro '" + given.repro + "': nothing is compared; add --verify or --verify-every-operator");
  if (!given.verify_flag.empty() && !compares) misuse(given.verify_flag + ": nothing is compared; add --verify");
  for (const std::string& library : given.libraries) load_operators(library);
  for (const std::string& schema : given.schemas) register_operator(schema);
  const Registry registry = registry_of(given.functions);
  const auto begin = std::chrono::steady_clock::now();
  Console console(given.log, !given.quiet && isatty(STDERR_FILENO));
  Options options = given.options.make();
  options.observer(console.observer());
  given.verification.observer(console.observer());
  const std::int32_t external = choose("--external-data", given.external_data,
                                       {{"auto", TONNX_EXTERNAL_DATA_AUTO},
                                        {"yes", TONNX_EXTERNAL_DATA_YES},
                                        {"no", TONNX_EXTERNAL_DATA_NO},
                                        {"archive", TONNX_EXTERNAL_DATA_ARCHIVE},
                                        {"each", TONNX_EXTERNAL_DATA_EACH}});
  clean_up_on_interruption(given.output);
  const Exported exported = or_report(given.report, [&] { return export_file(given, options, registry, console); });
  if (!given.report.empty()) write_report(given.report, exported.model.report());
  console.say("writing");
  or_report(given.report, [&] {
    const Interruptible interruptible;
    exported.model.save(given.output, tonnx::SaveOptions().external_data(external).observer(console.observer()));
  });
  if (!given.other_args.empty()) {
    console.say("comparing exports");
    if (print_difference(given, exported, options, registry, console)) return 3;
  }
  const auto summarise = [&](bool verified) {
    if (!console.has_bar()) return;  // the report is large
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    console.say(summary_text(given.output, exported.model.report(), seconds.count(), verified).c_str());
  };
  if (given.every_operator) {
    console.say("verifying every operator");
    if (print_mismatch(given, exported.program, exported.args, options, registry, console, false)) return 3;
    summarise(true);
    return 0;
  }
  if (given.verify) {
    console.say("verifying");
    const std::vector<std::string> warnings = verify(given, exported, options, registry, console);
    console.clear();
    if (given.quiet) return 0;
    console.warn(warnings);
    std::fprintf(stderr, "verified: ONNX Runtime agrees with LibTorch\n");
  }
  summarise(given.verify);
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Run& run) {
  auto given = std::make_shared<ExportOptions>();
  CLI::App* command =
      app.add_subcommand("export", "Export a TorchScript program or an exported program to an ONNX file");
  command
      ->add_option("MODEL", given->model,
                   "TorchScript archive (.pt), exported program (.pt2) or TorchScript source text (.py)")
      ->required();
  command->add_option("-o,--output", given->output, "ONNX file to write")->required();
  command->add_option(
      "--weights", given->weights,
      "attributes of source text: dict(state) written by torch.save; or state dict (.pt, .safetensors) of a .pt2");
  command->add_option("--args", given->args, "example inputs, a file written by torch.save");
  command
      ->add_option("--other-args", given->other_args,
                   "more example inputs; prints the first node that differs from the model for --args; repeatable")
      ->take_all()
      ->expected(1);
  add_input_flags(*command, given->inputs, given->seed);
  given->options.add_to(*command);
  add_libtorch_flag(*command, given->libtorch);
  command->add_option("--library", given->libraries, "shared library that defines operators; repeatable")
      ->take_all()
      ->expected(1);
  command->add_option("--schema", given->schemas, "schema of an operator without its library; repeatable")
      ->take_all()
      ->expected(1);
  command
      ->add_option(
          "--function", given->functions,
          "FILE or FILE:DOMAIN::OP: ONNX functions, as text or a FunctionProto; the operator becomes a call of "
          "the last one; repeatable")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--external-data", given->external_data,
                   "where to store weights: auto, yes, no, archive, or each (one file per weight)")
      ->capture_default_str();
  command->add_flag("--verify", given->verify, "run the model in ONNX Runtime and compare with LibTorch");
  VerifyFlags(given->verification).add_to(*command);
  command->add_option("--repro", given->repro,
                      "write each operator that differs as an ONNX test case, and mismatch.json, to this folder");
  command->add_option("--report", given->report,
                      "write a report, also after a failure: JSON, or SARIF if the file is NAME.sarif");
  command->add_flag("-v,--verbose", given->verbose, "print the exported graph");
  command->add_flag("-q,--quiet", given->quiet, "no progress, no warnings");
  command->add_option("--log", given->log,
                      "print log messages of this level: debug (each operator), info, or warning; warnings are printed "
                      "when they are found");
  command->callback([given, command, &run] {
    given->every_operator = command->get_option("--verify-every-operator")->as<bool>();
    for (const CLI::Option* option : command->parse_order())
      if (const std::string flag = option->get_name(); flag.starts_with("--verify-")) given->verify_flag = flag;
    run = [given] { return with_libtorch(given->libtorch, [&] { return run_export(*given); }); };
  });
}

}  // namespace tonnx::cli
