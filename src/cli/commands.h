#pragma once

#include <functional>

#include <CLI/CLI.hpp>

// The sub-commands of tonnx. Each adds itself to the application and, when chosen, sets what to run; that returns the
// exit code: 0 done, 1 cannot be exported, 2 wrong usage, 3 verification failed, 4 input or output file.
namespace tonnx::cli {

using Run = std::function<int()>;

void add_export(CLI::App& app, Run& run);
void add_check(CLI::App& app, Run& run);
void add_print(CLI::App& app, Run& run);
void add_registry(CLI::App& app, Run& run);
void add_version(CLI::App& app, Run& run);

}  // namespace tonnx::cli
