#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include <gmock/gmock.h>

#include "ir/dependency_error.h"
#include "ir/error.h"
#include "verify/runtime.h"

using namespace tonnx;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

namespace {

// A model by hand: y = Relu(x), float32[2].
std::string relu_model(char ir_version = 8, char opset = 17, const char* op = "Relu", char dtype = 1) {
  const auto field = [](char tag, const std::string& body) {
    return std::string(1, tag) + static_cast<char>(body.size()) + body;
  };
  const auto value_info = [&](const std::string& name) {
    const std::string dim = field(0x0a, std::string("\x08\x02", 2));
    const std::string tensor = std::string{0x08, dtype} + field(0x12, dim);
    return field(0x0a, name) + field(0x12, field(0x0a, tensor));
  };
  const std::string node = field(0x0a, "x") + field(0x12, "y") + field(0x22, op);
  const std::string graph =
      field(0x0a, node) + field(0x12, "g") + field(0x5a, value_info("x")) + field(0x62, value_info("y"));
  return std::string{0x08, ir_version} + field(0x3a, graph) + field(0x42, std::string{0x10, opset});
}

std::string write_file(const std::string& name, const std::string& bytes) {
  const std::string path = testing::TempDir() + name;
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

}  // namespace

TEST(Runtime, RunsAModel) {
  const std::string path = write_file("relu.onnx", relu_model());
  const verify::Session session(path);
  EXPECT_EQ(session.input_names(), std::vector<std::string>{"x"});
  EXPECT_EQ(session.output_names(), std::vector<std::string>{"y"});
  const float values[] = {-1, 2};
  const auto got = session.run({ir::Tensor::from_bytes(ir::DType::Float32, {2}, values, sizeof values)});
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].to_doubles(), (std::vector<double>{0, 2}));
  std::remove(path.c_str());
}

TEST(Runtime, ReportsWhatIsWrong) {
  const std::string path = write_file("broken.onnx", "no model");
  EXPECT_THROW(verify::Session{path}, ir::Error);
  EXPECT_THROW(verify::Session{path + ".missing"}, ir::Error);
  std::remove(path.c_str());
}

// A model for a newer version is not a wrong model.
TEST(Runtime, ReportsThatItIsTooOldForAModel) {
  const auto failure_of = [](const std::string& model) -> std::string {
    const std::string path = write_file("newer.onnx", model);
    std::string text = "no dependency error";
    try {
      verify::Session{path};
    } catch (const ir::DependencyError& error) {
      text = error.what();
    } catch (const ir::Error& error) {
      EXPECT_EQ(error.code(), ir::Code::Verification) << error.what();
      text = error.what();
    }
    std::remove(path.c_str());
    return text;
  };
  EXPECT_THAT(failure_of(relu_model(99, 17)),
              AllOf(StartsWith("ONNX Runtime 1."), HasSubstr("is too old"), HasSubstr("IR version: 99")));
  EXPECT_THAT(failure_of(relu_model(8, 99)),
              AllOf(StartsWith("ONNX Runtime 1."), HasSubstr("is too old"), HasSubstr("99")));
  EXPECT_THAT(failure_of(relu_model(8, 17, "Rule")), AllOf(StartsWith("ONNX Runtime: "), Not(HasSubstr("too old"))));
}

// Acos of float64. A node that is wrong is not one without a kernel.
TEST(Runtime, ReportsThatItHasNoKernel) {
  const std::string path = write_file("kernel.onnx", relu_model(8, 17, "Acos", 11));
  EXPECT_THROW(verify::Session{path}, ir::MissingKernelError);
  write_file("kernel.onnx", relu_model(8, 17, "Acos"));
  EXPECT_NO_THROW(verify::Session{path});
  write_file("kernel.onnx", relu_model(8, 17, "Acos", 7));
  try {
    verify::Session{path};
    ADD_FAILURE() << "Acos of int64 is loaded";
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Verification) << error.what();
  }
  std::remove(path.c_str());
}

TEST(Runtime, RefusesAWrongCountOfInputs) {
  const std::string path = write_file("relu2.onnx", relu_model());
  EXPECT_THROW(verify::Session(path).run({}), ir::Error);
  std::remove(path.c_str());
}
