#include <cstdio>
#include <cstdlib>
#include <exception>

#include "cli/commands.h"
#include "cli/interruption.h"
#include "tonnx.hpp"

namespace {

int exit_code(tonnx_status status) {
  switch (status) {
    case TONNX_STATUS_OK: return 0;
    case TONNX_STATUS_ARGUMENT: return 2;
    case TONNX_STATUS_VERIFICATION: return 3;
    case TONNX_STATUS_FILE: return 4;
    default: return 1;
  }
}

// Ends the help of tonnx and of each command with an example and the exit codes.
void add_footers(CLI::App& app) {
  const std::string others = "2 wrong usage; 4 error of an input or output file.";
  const auto add = [&](CLI::App* command, const std::string& example, const std::string& codes) {
    command->footer("Example:\n  tonnx " + example + "\n\nExit codes: 0 success; " + codes + others);
  };
  const std::string input = "--input 'x=float32[1,3,224,224]'";
  const std::string exported = "export resnet50.pt -o resnet50.onnx " + input + " --dynamic-axes x:0=batch --verify";
  const std::string of_export =
      "1 the model cannot be exported; 3 verification failed, or a model for --other-args differs; ";
  const std::string of_run = "3 ONNX Runtime refuses the model or the inputs; ";
  add(&app, exported, of_export);
  add(app.get_subcommand("export"), exported, of_export);
  add(app.get_subcommand("check"), "check resnet50.onnx", "1 the model is invalid; ");
  add(app.get_subcommand("print"), "print resnet50.onnx --format html > resnet50.html", "1 the program is invalid; ");
  add(app.get_subcommand("run"), "run resnet50.onnx " + input + " -o outputs.npz", of_run);
  add(app.get_subcommand("infer"), "infer resnet50.onnx -o typed.onnx", "1 the model is invalid; ");
  add(app.get_subcommand("registry"), "registry --opset 17", "");
  add(app.get_subcommand("version"), "version", "");
  add(app.get_subcommand("completion"), "completion bash > tonnx.bash", "");
}

int run_command(int argc, char** argv) {
  CLI::App app{"Exports LibTorch programs as ONNX models, without Python."};
  app.name("tonnx");
  app.require_subcommand(1);
  tonnx::cli::Run run;
  tonnx::cli::add_export(app, run);
  tonnx::cli::add_check(app, run);
  tonnx::cli::add_print(app, run);
  tonnx::cli::add_run(app, run);
  tonnx::cli::add_infer(app, run);
  tonnx::cli::add_registry(app, run);
  tonnx::cli::add_version(app, run);
  tonnx::cli::add_completion(app, run);
  add_footers(app);
  app.set_version_flag("--version", std::string("tonnx ") + tonnx_version());
  const auto is_called = [argv](const CLI::App* command) { return command->get_name() == argv[1]; };
  if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_called).empty()) {
    std::fprintf(stderr, "tonnx: unknown command '%s'; see tonnx --help\n", argv[1]);
    return 2;
  }
  try {
    app.parse(argc, argv);
    return run();
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
}

// Prints every exception. Returns the exit code.
int run_and_report(int argc, char** argv) {
  try {
    return run_command(argc, argv);
  } catch (const tonnx::Error& e) {
    if (e.status() == TONNX_STATUS_CANCELLED && tonnx::cli::is_interrupted()) {
      std::fprintf(stderr, "tonnx: interrupted\n");
      tonnx::cli::end_by_interruption();
    }
    std::fprintf(stderr, "tonnx: %s\n", e.what());
    return exit_code(e.status());
  } catch (const std::exception& e) {
    std::fprintf(stderr, "tonnx: %s\n", e.what());
    return 1;
  }
}

}  // namespace

int main(int argc, char** argv) {
  ::setenv("ORT_DISABLE_TELEMETRY", "1", 1);  // otherwise ONNX Runtime leaves a file in the temporary folder
  ::setenv("OMP_WAIT_POLICY", "passive",
           0);  // tensors are small; LibTorch's threads would spin after each operator
  int code = run_and_report(argc, argv);
  const bool is_written = std::fflush(stdout) == 0 && !std::ferror(stdout);
  if (!is_written && code == 0) {
    std::fprintf(stderr, "tonnx: standard output cannot be written\n");
    code = 4;
  }
  // Exit without running destructors: those of LibTorch take as long as a small export.
  std::fflush(nullptr);
  std::_Exit(code);
}
