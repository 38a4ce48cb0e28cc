#pragma once

#include <functional>

#include <CLI/CLI.hpp>

// The subcommands of tonnx. Each one adds itself to the application. If chosen, it sets the function to run, which
// returns the exit code: 0 success, 1 cannot be exported, 2 wrong usage, 3 verification failed, 4 error of an input or
// output file.
namespace tonnx::cli {

using Run = std::function<int()>;

void add_export(CLI::App& app, Run& run);
void add_check(CLI::App& app, Run& run);
void add_print(CLI::App& app, Run& run);
void add_run(CLI::App& app, Run& run);
void add_infer(CLI::App& app, Run& run);
void add_registry(CLI::App& app, Run& run);
void add_version(CLI::App& app, Run& run);
void add_completion(CLI::App& app, Run& run);

}  // namespace tonnx::cli
