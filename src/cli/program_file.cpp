#include "cli/program_file.h"

#include <fstream>
#include <sstream>

#include "cli/usage.h"

namespace tonnx::cli {

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file.peek() != std::ifstream::traits_type::eof()) text << file.rdbuf();
  if (!file.is_open() || file.bad() || text.bad()) throw Error(TONNX_STATUS_FILE, path + ": the file cannot be read");
  return std::move(text).str();
}

bool is_source(const std::string& path) { return path.ends_with(".py"); }

Program open_program(const std::string& path, const std::string& weights) {
  if (is_source(path)) return Program::compile(text_of(path), weights.empty() ? Args() : Args::load(weights), path);
  Program program = Program::load(path);
  return weights.empty() ? std::move(program) : program.with_weights(weights);
}

}  // namespace tonnx::cli
