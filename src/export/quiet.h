#pragma once

#include "torch/quiet.h"

namespace tonnx::exporting {

using torch::Quiet;

}  // namespace tonnx::exporting
