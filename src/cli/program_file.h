#pragma once

#include <string>

#include "tonnx.hpp"

namespace tonnx::cli {

// TorchScript source text by its name, "net.py"; anything else is an archive.
bool is_source(const std::string& path);

// The program in a file. `weights`: what torch.save wrote of dict(state), the attributes of source text, or a state
// dict for an exported program; empty: none. Throws Error(TONNX_FILE) if a file cannot be read,
// Error(TONNX_UNSUPPORTED) if weights are given for a TorchScript archive, which has its own.
Program open_program(const std::string& path, const std::string& weights = {});

}  // namespace tonnx::cli
