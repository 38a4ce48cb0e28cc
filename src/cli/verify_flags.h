#pragma once

#include "CLI/CLI.hpp"
#include "cli/usage.h"

namespace tonnx::cli {

// The flags of capi/options.json for verification. Writes the user's values to `options`, which must outlive the
// parsing.
class VerifyFlags {
 public:
  explicit VerifyFlags(VerifyOptions& options) : options_(options) {}
  void add_to(CLI::App& command);

 private:
  template <class T>
  using Setter = VerifyOptions& (VerifyOptions::*)(T);

  void number(CLI::App&, const char* flags, const char* text, Setter<double>);
  void toggle(CLI::App&, const char* flags, const char* text, Setter<bool>);
  void text(CLI::App&, const char* flag, const char* text, Setter<const std::string&> set);
  void each(CLI::App&, const char* flags, const char* text, Setter<const std::string&> add, const char* item);
  void sizes(CLI::App&, const char* flags, const char* text,
             VerifyOptions& (VerifyOptions::*)(const std::string&, std::int64_t));
  void tolerances(CLI::App&, const char* flags, const char* text,
                  VerifyOptions& (VerifyOptions::*)(const std::string&, double, double));

  VerifyOptions& options_;
};

}  // namespace tonnx::cli
