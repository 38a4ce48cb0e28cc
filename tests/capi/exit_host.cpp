#include "exit_host.h"

#include <cstdlib>
#include <map>
#include <string>

#include "tonnx.hpp"

// Returns from main() while threads export: exit_host KIND MILLISECONDS. Is not linked with LibTorch.
namespace {

constexpr const char* kSource = R"(
def forward(x):
    for i in range(x.size(0)):
        if bool(x.sum() > 0):
            x = torch.softmax(x, -1) * i
    return torch.relu(x)
)";

void export_archive() {
  static const std::string path = std::string(std::getenv("TONNX_SOURCE_ROOT")) + "/tests/exported/torch-2.9.1.pt2";
  tonnx::export_program(tonnx::Program::load(path), {});
}

tonnx::Args example() {
  const float data[6] = {1, 2, 3, 4, 5, 6};
  tonnx::Args args;
  args.add(tonnx::Tensor(TONNX_DTYPE_FLOAT32, {2, 3}, data, sizeof data));
  return args;
}

void export_script() { tonnx::export_program(tonnx::Program::compile(kSource), example()); }

void verify_script() {
  const tonnx::Args args = example();
  const tonnx::Program program = tonnx::Program::compile(kSource);
  tonnx::export_program(program, args).verify(program, args);
}

}  // namespace

int main(int, char** arguments) {
  const std::map<std::string, void (*)()> kinds = {
      {"archive", export_archive}, {"script", export_script}, {"verify", verify_script}};
  host::start_threads(kinds.at(arguments[1]), std::atoi(arguments[2]));
  return 0;
}
