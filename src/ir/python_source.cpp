#include "ir/python_source.h"

namespace tonnx::ir {

bool is_torch_package(std::string_view file) {
  if (file.starts_with("torch/")) return true;
  for (const std::string_view folder : {"/torch/nn/", "/torch/jit/", "/torch/_", "/torch/functional.py",
                                        "/torch/utils/", "/torch/fx/", "/torch/autograd/", "/torch/overrides.py"})
    if (file.find(folder) != std::string_view::npos) return true;
  return false;
}

}  // namespace tonnx::ir
