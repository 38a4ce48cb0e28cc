#pragma once

#include <functional>
#include <vector>

#include "CLI/CLI.hpp"
#include "cli/usage.h"

namespace tonnx::cli {

// The flags of capi/options.json. Collects the user's values; `make` applies them and may throw Error.
class OptionFlags {
 public:
  void add_to(CLI::App& command);
  Options make() const;

 private:
  template <class T>
  using Setter = Options& (Options::*)(T);

  void integer(CLI::App&, const char* flag, const char* text, Setter<std::int32_t>);
  void text(CLI::App&, const char* flag, const char* text, Setter<const std::string&>);
  void toggle(CLI::App&, const char* flags, const char* text, Setter<bool>);
  void choice(CLI::App&, const char* flags, const char* text, Setter<std::int32_t>, const Choices&);
  // Calls the function once for each item of a list. Empty items are skipped, unless items are matched by index.
  void each(CLI::App&, const char* flag, const char* text, std::function<void(Options&, const std::string&)>,
            const char* item, bool with_empty = false);
  void each_in_place(CLI::App&, const char* flag, const char* text, std::function<void(Options&, const std::string&)>,
                     const char* item);

  std::vector<std::function<void(Options&)>> given_;
};

}  // namespace tonnx::cli
