#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host.h"

// Operators of LibTorch that stay in a model, run by LibTorch in ONNX Runtime.
using testing::HasSubstr;

TEST(AtenNodes, F45_F251_EqualLibTorch) {
  const auto program = tonnx::Program::compile(
      "def forward(x: Tensor, y: Tensor):\n"
      "    matrix = x + x.t()\n"
      "    ld, pivots, info = torch.linalg_ldl_factor_ex(matrix)\n"
      "    solved = torch.linalg_ldl_solve(ld, pivots, y)\n"
      "    tangent = torch.glu_jvp(x[:, :2], x, y, 1)\n"
      "    return solved, pivots, tangent, torch.norm_except_dim(solved, 2, 0), torch.hash_tensor(x, [1])\n");
  const auto args = host::args({at::randn({4, 4}), at::randn({4, 4})});
  for (const auto type : {TONNX_OPERATOR_EXPORT_TYPE_ATEN_FALLBACK, TONNX_OPERATOR_EXPORT_TYPE_FALLTHROUGH,
                          TONNX_OPERATOR_EXPORT_TYPE_ATEN}) {
    tonnx::Options options;
    options.operator_export_type(type);
    const auto model = tonnx::export_program(program, args, options);
    EXPECT_THAT(model.text(), HasSubstr("hash_tensor"));
    model.verify(program, args);
  }
}
