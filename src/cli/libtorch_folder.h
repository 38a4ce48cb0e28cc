#pragma once

#include <functional>
#include <string>

#include <CLI/CLI.hpp>

// Which LibTorch the command line uses.
namespace tonnx::cli {

void add_libtorch_flag(CLI::App& command, std::string& folder);

// Runs a command with the LibTorch of `folder`, or if that is empty, of $TONNX_LIBTORCH. If both are empty and the
// command finds no LibTorch that it needs, runs it again with the one of the active Python environment, if there is
// one. Python is not started.
int with_libtorch(const std::string& folder, const std::function<int()>& command);

}  // namespace tonnx::cli
