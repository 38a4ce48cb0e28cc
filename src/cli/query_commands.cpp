#include <cstdio>
#include <map>

#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/input_spec.h"
#include "cli/libtorch_folder.h"
#include "cli/program_file.h"
#include "cli/usage.h"

namespace tonnx::cli {
namespace {

struct PrintOptions {
  std::string path;
  std::string args;
  std::string weights;
  std::string libtorch;
  std::vector<std::string> libraries;
  std::vector<std::string> schemas;
  std::string format = "text";
  std::string mismatch;
};

bool is_archive(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) throw Error(TONNX_STATUS_FILE, path + ": the file cannot be opened");
  char magic[2] = {};
  const bool zip = std::fread(magic, 1, 2, file) == 2 && magic[0] == 'P' && magic[1] == 'K';
  std::fclose(file);
  return zip;
}

int run_print(const PrintOptions& given) {
  const std::int32_t format = choose(
      "--format", given.format,
      {{"text", TONNX_TEXT_SHORT}, {"full", TONNX_TEXT_FULL}, {"svg", TONNX_TEXT_SVG}, {"html", TONNX_TEXT_HTML}});
  if (!given.mismatch.empty() && format != TONNX_TEXT_SVG && format != TONNX_TEXT_HTML)
    misuse("--mismatch marks operators in a picture; add --format svg or html");
  std::string text;
  if (!given.mismatch.empty()) {
    text = file_picture(given.path, format, text_of(given.mismatch));
  } else if (is_source(given.path) || is_archive(given.path)) {
    for (const std::string& library : given.libraries) load_operators(library);
    for (const std::string& schema : given.schemas) register_operator(schema);
    const Args args = given.args.empty() ? Args() : Args::load(given.args);
    text = open_program(given.path, given.weights).text(args, {}, format);
  } else {
    text = file_text(given.path, format);
  }
  std::fputs(text.c_str(), stdout);
  if (!text.ends_with('\n')) std::fputc('\n', stdout);
  return 0;
}

// Lists every operator with the first opset that supports it, and how it is converted.
int run_registry(int opset) {
  if (opset < tonnx_opset_oldest() || opset > tonnx_opset_newest())
    throw Error(TONNX_STATUS_ARGUMENT, "--opset " + std::to_string(opset) + ": one of " +
                                           std::to_string(tonnx_opset_oldest()) + " to " +
                                           std::to_string(tonnx_opset_newest()));
  std::map<std::string, Registry::Entry> first;
  for (const Registry::Entry& entry : Registry().entries()) {
    if (entry.since > opset) continue;
    const auto [it, fresh] = first.try_emplace(entry.name, entry);
    if (!fresh && entry.since < it->second.since) it->second = entry;
  }
  for (const auto& [name, entry] : first)
    std::printf("%-48s %2d %s\n", name.c_str(), std::max(entry.since, tonnx_opset_oldest()), entry.kind.c_str());
  return 0;
}

}  // namespace

void add_check(CLI::App& app, Run& run) {
  auto path = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("check", "Run the ONNX checker on a model file");
  command->add_option("MODEL", *path, "ONNX file")->required();
  command->callback([path, &run] {
    run = [path] {
      check_file(*path);
      std::printf("%s: the ONNX checker found no errors\n", path->c_str());
      return 0;
    };
  });
}

void add_print(CLI::App& app, Run& run) {
  auto given = std::make_shared<PrintOptions>();
  CLI::App* command = app.add_subcommand("print", "Print a model, or an unconverted program");
  command->add_option("MODEL", given->path, "ONNX file, archive or TorchScript source text (.py)")->required();
  command->add_option("--args", given->args, "example inputs of a program");
  command->add_option("--weights", given->weights, "attributes of source text: dict(state) written by torch.save");
  add_libtorch_flag(*command, given->libtorch);
  command->add_option("--library", given->libraries, "shared library that defines operators; repeatable")
      ->take_all()
      ->expected(1);
  command->add_option("--schema", given->schemas, "schema of an operator without its library; repeatable")
      ->take_all()
      ->expected(1);
  command->add_option("--format", given->format, "text, full (protobuf), svg or html: a picture by module")
      ->capture_default_str();
  command->add_option("--mismatch", given->mismatch,
                      "mark the operators of a model that differ from LibTorch: mismatch.json of tonnx export --repro");
  command->callback(
      [given, &run] { run = [given] { return with_libtorch(given->libtorch, [&] { return run_print(*given); }); }; });
}

void add_registry(CLI::App& app, Run& run) {
  auto opset = std::make_shared<int>(tonnx_opset_newest());
  CLI::App* command = app.add_subcommand("registry", "List all supported operators and their first opset");
  command->add_option("--opset", *opset, "only operators supported at this opset")->capture_default_str();
  command->callback([opset, &run] { run = [opset] { return run_registry(*opset); }; });
}

void add_version(CLI::App& app, Run& run) {
  CLI::App* command = app.add_subcommand("version", "Print the versions of tonnx and of its libraries");
  command->callback([&run] {
    run = [] {
      std::printf("tonnx %s (%s; opsets %d to %d, default %d)\n", tonnx_version(), tonnx_build_info(),
                  tonnx_opset_oldest(), tonnx_opset_newest(), tonnx_opset_default());
      return 0;
    };
  });
}

void add_completion(CLI::App& app, Run& run) {
  auto shell = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("completion", "Print a script that completes tonnx's commands in a shell");
  command->add_option("SHELL", *shell, "bash, zsh or fish")->required();
  command->callback([shell, &app, &run] {
    run = [shell, &app] {
      std::fputs(completion_script(app, *shell).c_str(), stdout);
      return 0;
    };
  });
}

}  // namespace tonnx::cli
