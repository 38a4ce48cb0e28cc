#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "../capi/host.h"
#include "callback.h"
#include "other_device.h"

// Weights on a device other than the host.
namespace {

using callbacks::other_device;

// The second weight is read as its transpose, whose elements are not contiguous.
tonnx::Program record(const at::Tensor& matrix, const at::Tensor& other, const tonnx::TraceOptions& options) {
  return tonnx::Program::trace(
      [&](tonnx::Trace& trace) {
        trace.weight("matrix", &matrix);
        trace.weight("other", &other);
        const at::Tensor x = host::tensor(trace.input(0)).to(matrix.device());
        const at::Tensor y = x.matmul(matrix).tanh().matmul(other.t()).relu();
        trace.output(&y);
      },
      host::args({at::randn({2, 3, matrix.size(0)})}), options);
}

std::int64_t status(const std::string& field) {
  std::ifstream file("/proc/self/status");
  for (std::string name; file >> name; file.ignore(1024, '\n')) {
    std::int64_t kibibytes = 0;
    if (name == field + ":" && file >> kibibytes) return kibibytes / 1024;
  }
  return -1;
}

// The peak memory of the call in MiB, beyond that of the process before it.
template <class Call>
std::int64_t peak_of(const Call& call) {
  EXPECT_TRUE(std::ofstream("/proc/self/clear_refs") << "5" << std::flush);
  const std::int64_t before = status("VmRSS");
  call();
  const std::int64_t most = status("VmHWM");
  EXPECT_GT(before, 0);
  EXPECT_GT(most, 0);
  return most - before;
}

TEST(DeviceWeights, AreReadPieceByPieceIfTheyAreShared) {
  const host::Folder folder;
  const std::string path = folder.path() / "model.onnx";
  const at::Tensor matrix = (at::randn({4096, 8192}) / 64).to(other_device()),
                   other = (at::randn({1024, 8192}) / 64).to(other_device());
  tonnx::TraceOptions options;
  options.share_weights(true).replay(false);
  const tonnx::Program program = record(matrix, other, options);
  const std::int64_t peak = peak_of([&] { tonnx::export_program(program, tonnx::Args()).save(path); });
  // 160 MiB of weights; the transposed one of 32 MiB is copied completely, and there are two buffers of 16 MiB.
  EXPECT_LT(peak, 110);
  tonnx::export_program(program, tonnx::Args()).verify(program, tonnx::Args());
}

// TONNX_TEST_WEIGHTS_GIB: the size of all weights in GiB.
TEST(DeviceWeights, AreWrittenInMemoryThatDoesNotGrowWithThem) {
  const char* gibibytes = std::getenv("TONNX_TEST_WEIGHTS_GIB");
  std::vector<at::Tensor> weights;
  for (int i = gibibytes ? 8 * std::atoi(gibibytes) : 4; i > 0; --i)
    weights.push_back(at::empty({4096, 8192}, at::device(other_device())).fill_(i / 1024.0));
  tonnx::TraceOptions options;
  options.share_weights(true).replay(false);
  const tonnx::Program program = tonnx::Program::trace(
      [&](tonnx::Trace& trace) {
        const at::Tensor x = host::tensor(trace.input(0)).to(other_device());
        at::Tensor y = at::zeros({2, 8192}, x.options());
        for (std::size_t i = 0; i < weights.size(); ++i) {
          trace.weight("weight" + std::to_string(i), &weights[i]);
          y = y + x.matmul(weights[i]);
        }
        trace.output(&y);
      },
      host::args({at::ones({2, 4096})}), options);
  const host::Folder folder;
  const std::string path = folder.path() / "model.onnx";
  const std::int64_t peak = peak_of([&] { tonnx::export_program(program, tonnx::Args()).save(path); });
  const bool is_simulated = other_device().is_privateuseone();
  EXPECT_LT(peak, is_simulated ? 256 : 500);  // of 512 MiB; the allocator keeps some buffers of 16 MiB
  EXPECT_EQ(callbacks::largest_page_locked_block(), is_simulated ? std::size_t{16} << 20 : 0);
}

TEST(DeviceWeights, AreReplayedAndTracedAtSeveralSizes) {
  const at::Tensor matrix = at::randn({64, 128}).to(other_device()), other = at::randn({32, 128}).to(other_device());
  tonnx::TraceOptions options;
  options.share_weights(true);
  options.dynamic_axis(0, 0, "rows");
  const tonnx::Program program = record(matrix, other, options);
  tonnx::export_program(program, tonnx::Args()).verify(program, tonnx::Args());
}

TEST(DeviceWeights, AreCopiedByDefault) {
  const host::Folder folder;
  const auto saved = [&](const tonnx::Program& program) {
    const std::string path = folder.path() / "model.onnx";
    tonnx::export_program(program, tonnx::Args()).save(path);
    std::ifstream file(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  at::Tensor matrix = at::randn({64, 128}).to(other_device());
  const at::Tensor other = at::randn({32, 128}).to(other_device());
  const tonnx::Program program = record(matrix, other, {});
  const std::string before = saved(program);
  matrix.copy_(at::zeros({64, 128}));
  EXPECT_EQ(saved(program), before);
}

}  // namespace
