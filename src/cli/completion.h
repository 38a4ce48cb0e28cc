#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace tonnx::cli {

// Returns a script for this shell (bash, zsh or fish) that completes the subcommands of the application, their options
// and file names. Throws tonnx::Error for another shell.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace tonnx::cli
