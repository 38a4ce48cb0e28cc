#include "aten/autocast.h"

#include <algorithm>

namespace tonnx::aten {

namespace {

// The operators in LibTorch's lists for both devices (ATen/autocast_mode.h), except those that never occur in
// torch.export programs.
constexpr std::string_view kNarrowed[] = {
    "aten::addbmm",
    "aten::addmm",
    "aten::baddbmm",
    "aten::bmm",
    "aten::conv1d",
    "aten::conv2d",
    "aten::conv3d",
    "aten::conv_tbc",
    "aten::conv_transpose1d",
    "aten::conv_transpose2d",
    "aten::conv_transpose3d",
    "aten::linalg_vecdot",
    "aten::linear",
    "aten::matmul",
    "aten::mm",
    "aten::prelu",
    "aten::scaled_dot_product_attention",
};
static_assert(std::is_sorted(std::begin(kNarrowed), std::end(kNarrowed)));

}  // namespace

bool is_narrowed_by_autocast(std::string_view kind) {
  return std::binary_search(std::begin(kNarrowed), std::end(kNarrowed), kind);
}

}  // namespace tonnx::aten
