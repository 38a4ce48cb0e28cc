#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "cli/usage.h"

namespace tonnx::cli {

// Adds --input and --seed, which describe the inputs of a command; see add_input(). `inputs` and `seed` must live as
// long as the command.
inline void add_input_flags(CLI::App& command, std::vector<std::string>& inputs, std::uint64_t& seed) {
  command
      .add_option("--input", inputs,
                  "NAME=float32[1,3,224,224] (random), NAME=file.npy, NAME=3, NAME=0.5, NAME=true, NAME='\"text\"' or "
                  "NAME=none; repeatable")
      ->take_all()
      ->expected(1);
  const auto read_seed = [&seed](const std::string& text) {
    if (!read(text, seed)) misuse("--seed '" + text + "': not an integer from 0 to 2^64 - 1");
  };
  command.add_option_function<std::string>("--seed", read_seed, "seed of random inputs")
      ->type_name("UINT")
      ->default_str("0");
}

}  // namespace tonnx::cli
