#pragma once

#include <string>

#include "tonnx.hpp"

namespace tonnx::cli {

// True for TorchScript source text, recognised by its name "net.py"; all other files are archives.
bool is_source(const std::string& path);

// The content of a file. Throws Error(TONNX_STATUS_FILE) if it cannot be read.
std::string text_of(const std::string& path);

// Loads the program of a file. `weights`: attributes of source text (dict(state) written by torch.save), or a state
// dict for an exported program; may be empty. Throws Error(TONNX_STATUS_FILE) if a file cannot be read,
// Error(TONNX_STATUS_UNSUPPORTED) if weights are specified for a TorchScript archive, which has its own.
Program open_program(const std::string& path, const std::string& weights = {});

}  // namespace tonnx::cli
