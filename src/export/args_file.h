#pragma once

// Example inputs as torch.save writes them.
#include "torch/args_file.h"

namespace tonnx::exporting {

using torch::read_arguments;

}  // namespace tonnx::exporting
