#include <algorithm>

#include <gtest/gtest.h>

#include "ir/printer.h"
#include "modules.h"
#include "torch/archive.h"

namespace tonnx {
namespace {

using test::ramp;
using test::Script;
using torch::Archive;

TEST(FrozenArchive, ConstantsOfAFrozenProgramStayInTheFile) {
  Script net("Net");
  net.parameter("a", ramp({256, 128})).parameter("c", ramp({512, 256}));
  net.define(
      "def forward(self, x):\n"
      "  p, q = torch.chunk(self.c, 2)\n"  // two constants of one record that differ only in their offset
      "  x = torch.matmul(x, self.a.t())\n"
      "  return torch.matmul(x, p.t()) - torch.matmul(x, q.t())[:, 0:1]\n");
  const std::string path = net.frozen().save("frozen.pt");
  const auto archive = torch::load_archive(path);
  const ir::Arguments arguments{{ir::Constant{ramp({2, 128})}}, {}};
  const auto program = archive->import(arguments);
  std::vector<double> last;
  for (const ir::Value* w : program.graph->weights()) {
    EXPECT_EQ(w->weight()->storage->path(), path) << w->name();
    last.push_back(w->weight()->as_double(w->weight()->numel() - 1));
  }
  std::sort(last.begin(), last.end());
  ASSERT_EQ(last.size(), 3u) << ir::print(*program.graph);
  EXPECT_NEAR(last[1], 6553.5, 0.01);
  EXPECT_NEAR(last[2], 13107.1, 0.01);
  const auto frozen = archive->run(arguments);
  EXPECT_TRUE(frozen[0].equals(torch::load_archive(net.bytes())->run(arguments)[0]));
}

}  // namespace
}  // namespace tonnx
