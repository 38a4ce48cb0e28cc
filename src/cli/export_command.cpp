#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/input_spec.h"
#include "cli/interruption.h"
#include "cli/option_flags.h"
#include "cli/program_file.h"
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
  std::vector<std::string> libraries;
  std::vector<std::string> schemas;
  std::string external_data = "auto";
  bool verify = false;
  bool every_operator = false;
  std::string repro;
  VerifyOptions verification;
  std::string verify_flag;  // one of them that was given
  std::string report;
  bool verbose = false;
  bool quiet = false;
};

Args make_args(const ExportOptions& given) {
  if (!given.args.empty() && !given.inputs.empty()) misuse("give --args or --input, not both");
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

// Writing the report must not cost another file.
void check_report_path(const ExportOptions& given) {
  if (given.report.empty()) return;
  const std::pair<const char*, std::string> others[] = {{"the archive", given.model},
                                                        {"the model", given.output},
                                                        {"the model's data", given.output + ".data"},
                                                        {"the weights", given.weights},
                                                        {"the example inputs", given.args}};
  for (const auto& [what, path] : others)
    if (!path.empty() && is_same_file(given.report, path))
      misuse("--report '" + given.report + "': this is the file of " + what + "; give the report another one");
}

void write_report(const std::string& path, const std::string& json) {
  if (path.ends_with(".sarif")) return save_diagnostics(path, json);
  std::ofstream file(path);
  file << json << '\n';
  if (!file.flush()) throw Error(TONNX_FILE, path + ": the report cannot be written");
}

// What `action` gives; what it throws is reported as well.
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

// The program in a file, and what it came to.
template <class Say>
Exported export_file(const ExportOptions& given, const Options& options, const Say& say) {
  say("loading");
  Program program = open_program(given.model, given.weights);
  Args args = make_args(given);
  say("exporting");
  Model model = export_program(program, args, options);
  if (given.verbose) std::fputs(model.text().c_str(), stdout);
  if (!given.quiet)
    for (const std::string& warning : model.warnings()) std::fprintf(stderr, "warning: %s\n", warning.c_str());
  return {std::move(program), std::move(args), std::move(model)};
}

// Leaves the models of the operators that differ in a folder.
void write_repro(const std::string& folder, const Mismatch& mismatch) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) throw Error(TONNX_FILE, folder + ": " + failed.message());
  write_report(folder + "/mismatch.json", mismatch.json());
  for (const std::string& id : mismatch.leaves())
    mismatch.save_part(id, folder + "/test_" + (id.empty() ? "model" : id));
}

// Tells which operators differ, and leaves their models where that is asked for. `known`: that the model does has been
// told.
bool tell_mismatch(const ExportOptions& given, const Program& program, const Args& args, const Options& options,
                   bool known) {
  const Mismatch mismatch = find_mismatch(program, args, options, nullptr, given.verification);
  const std::string text = mismatch.text();
  if (mismatch.found() || !given.quiet) std::fputs(text.c_str() + (known ? text.find('\n') + 1 : 0), stderr);
  if (!given.repro.empty()) write_repro(given.repro, mismatch);
  return mismatch.found();
}

// Whether the model for other example inputs is built otherwise, which is told.
bool tell_difference(const ExportOptions& given, const Exported& exported, const Options& options) {
  std::vector<Args> groups;
  for (const std::string& path : given.other_args) groups.push_back(Args::load(path));
  std::vector<std::reference_wrapper<const Args>> all = {exported.args};
  all.insert(all.end(), groups.begin(), groups.end());
  const std::string text = export_difference(exported.program, all, options);
  std::fputs(text.c_str(), stderr);
  if (text.empty() && !given.quiet) std::fputs("compared: the model is the same for all example inputs\n", stderr);
  return !text.empty();
}

// As Model::verify; what differs is told operator by operator.
std::vector<std::string> verify(const ExportOptions& given, const Exported& exported, const Options& options) {
  try {
    return exported.model.verify(exported.program, exported.args, given.verification);
  } catch (const Error& error) {
    if (error.status() != TONNX_VERIFICATION) throw;
    try {
      tell_mismatch(given, exported.program, exported.args, options, true);
    } catch (const Error& why) {
      const char* what = why.status() == TONNX_FILE ? "what --repro asks for cannot be written"
                                                    : "which operators differ cannot be told";
      std::fprintf(stderr, "warning: %s: %s\n", what, why.what());
    }
    throw;
  }
}

int run_export(const ExportOptions& given) {
  check_report_path(given);
  const bool compares = given.verify || given.every_operator;
  if (!given.repro.empty() && !compares)
    misuse("--repro '" + given.repro + "': nothing is compared; give --verify or --verify-every-operator as well");
  if (!given.verify_flag.empty() && !compares)
    misuse(given.verify_flag + ": nothing is compared; give --verify as well");
  for (const std::string& library : given.libraries) load_operators(library);
  for (const std::string& schema : given.schemas) register_operator(schema);
  const Options options = given.options.make();
  const std::int32_t external = choose("--external-data", given.external_data,
                                       {{"auto", TONNX_EXTERNAL_DATA_AUTO},
                                        {"yes", TONNX_EXTERNAL_DATA_YES},
                                        {"no", TONNX_EXTERNAL_DATA_NO},
                                        {"archive", TONNX_EXTERNAL_DATA_ARCHIVE},
                                        {"each", TONNX_EXTERNAL_DATA_EACH}});
  const bool progress = !given.quiet && isatty(STDERR_FILENO);
  const auto say = [&](const char* what) {
    if (progress) std::fprintf(stderr, "%s\n", what);
  };
  const Exported exported = or_report(given.report, [&] { return export_file(given, options, say); });
  if (!given.report.empty()) write_report(given.report, exported.model.report());
  say("writing");
  clean_up_on_interruption(given.output);
  or_report(given.report, [&] { exported.model.save(given.output, external); });
  if (!given.other_args.empty()) {
    say("comparing exports");
    if (tell_difference(given, exported, options)) return 3;
  }
  if (given.every_operator) {
    say("verifying every operator");
    return tell_mismatch(given, exported.program, exported.args, options, false) ? 3 : 0;
  }
  if (given.verify) {
    say("verifying");
    const std::vector<std::string> warnings = verify(given, exported, options);
    if (given.quiet) return 0;
    for (const std::string& warning : warnings) std::fprintf(stderr, "warning: %s\n", warning.c_str());
    std::fprintf(stderr, "verified: ONNX Runtime agrees with LibTorch\n");
  }
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
      "attributes of source text, as torch.save wrote dict(state), or the state dict (.pt, .safetensors) of a .pt2");
  command->add_option("--args", given->args, "example inputs, as torch.save wrote them");
  command
      ->add_option(
          "--other-args", given->other_args,
          "further example inputs: tells the first node at which the model for these is another one; repeatable")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--input", given->inputs,
                   "NAME=float32[1,3,224,224] (random), NAME=file.npy, or NAME=3, NAME=0.5, NAME=true; repeatable")
      ->take_all()
      ->expected(1);
  const auto read_seed = [given](const std::string& text) {
    if (!read(text, given->seed)) misuse("--seed '" + text + "': it is a whole number from 0 to 2^64 - 1");
  };
  command->add_option_function<std::string>("--seed", read_seed, "seed of random inputs")
      ->type_name("UINT")
      ->default_str("0");
  given->options.add_to(*command);
  command->add_option("--library", given->libraries, "shared library that defines operators; repeatable")
      ->take_all()
      ->expected(1);
  command->add_option("--schema", given->schemas, "schema of an operator without its library; repeatable")
      ->take_all()
      ->expected(1);
  command
      ->add_option("--external-data", given->external_data, "auto, yes, no, archive, or each: a file for each weight")
      ->capture_default_str();
  command->add_flag("--verify", given->verify, "run the model in ONNX Runtime beside LibTorch and compare");
  VerifyFlags(given->verification).add_to(*command);
  command->add_option(
      "--repro", given->repro,
      "folder for what --verify finds to differ: the model of each operator as an ONNX test case, and mismatch.json");
  command->add_option("--report", given->report,
                      "write a report, of a failure, too: JSON, or SARIF to a file NAME.sarif");
  command->add_flag("-v,--verbose", given->verbose, "print the exported graph");
  command->add_flag("-q,--quiet", given->quiet, "no progress, no warnings");
  command->callback([given, command, &run] {
    given->every_operator = command->get_option("--verify-every-operator")->as<bool>();
    for (const CLI::Option* option : command->parse_order())
      if (const std::string flag = option->get_name(); flag.starts_with("--verify-")) given->verify_flag = flag;
    run = [given] { return run_export(*given); };
  });
}

}  // namespace tonnx::cli
