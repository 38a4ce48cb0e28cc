#include <filesystem>
#include <optional>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "symbolic_host.h"

// The query for a running export, base classes of errors, and running model files without a program.
using host::failure;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

std::vector<float> floats(const tonnx::Tensor& tensor) {
  std::vector<float> values(tensor.size() / sizeof(float));
  tensor.read(0, values.data(), tensor.size());
  return values;
}

class ModelFile : public testing::Test {
 protected:
  ModelFile() { tonnx::export_program(host::compiled("(torch.relu(x), x.sum(0))"), host::example()).save(path_); }
  ~ModelFile() override { std::filesystem::remove(path_); }
  std::string path_ = testing::TempDir() + "exporting_test." + std::to_string(getpid()) + ".onnx";
};

}  // namespace

TEST(Exporting, F13_IsKnownInSymbolicsAndTraces) {
  EXPECT_FALSE(tonnx::is_exporting());
  bool inside = false;
  tonnx::Registry registry;
  registry.add("aten::relu", 9, [&](tonnx::Graph&, const tonnx::Node&, const auto&) -> host::Results {
    inside = tonnx::is_exporting();
    return std::nullopt;
  });
  const tonnx::Program program = host::compiled("torch.relu(x)");
  tonnx::export_program(program, host::example(), {}, registry);
  EXPECT_TRUE(inside);
  EXPECT_FALSE(tonnx::is_exporting());
  EXPECT_EQ(failure([&] { tonnx::export_program(program, tonnx::Args()); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_FALSE(tonnx::is_exporting());
  inside = false;
  tonnx::Program::trace(
      [&](tonnx::Trace& trace) {
        inside = tonnx::is_exporting();
        trace.output(trace.input(0));
      },
      host::example());
  EXPECT_TRUE(inside);
  EXPECT_FALSE(tonnx::is_exporting());
  tonnx::Recording recording(host::example());
  EXPECT_TRUE(tonnx::is_exporting());
  recording.output(recording.input(0));
  EXPECT_FALSE(recording.next());
  recording.end();
  EXPECT_FALSE(tonnx::is_exporting());
}

TEST(Exporting, IsKnownInEveryEvent) {
  int events = 0;
  const tonnx::Observer observer([&](const tonnx::Event&) {
    ++events;
    EXPECT_TRUE(tonnx::is_exporting()) << "event " << events;
    return true;
  });
  tonnx::export_program(host::compiled("torch.relu(x)"), host::example(), tonnx::Options().observer(observer));
  EXPECT_GT(std::exchange(events, 0), 0);
  tonnx::Program::trace([](tonnx::Trace& trace) { trace.output(trace.input(0)); }, host::example(),
                        tonnx::TraceOptions().observer(observer));
  EXPECT_GT(events, 0);
  EXPECT_FALSE(tonnx::is_exporting());
}

TEST(Exporting, ErrorsMadeFromAStatusHaveItsClass) {
  for (tonnx_status status = TONNX_STATUS_UNSUPPORTED; status <= TONNX_STATUS_CANCELLED; ++status)
    EXPECT_TRUE(tonnx::Error(status, "").is("OnnxExporterError")) << status;
  EXPECT_EQ(tonnx::Error(TONNX_STATUS_FILE, "").class_name(), "FileError");
  EXPECT_EQ(tonnx::Error(TONNX_STATUS_UNSUPPORTED, "").class_name(), "OnnxExporterError");
  EXPECT_EQ(tonnx::Error(TONNX_STATUS_CANCELLED + 1, "").class_name(), "InternalError");
  EXPECT_EQ(tonnx::Error(TONNX_STATUS_OK, "").class_name(), "");
}

TEST(Exporting, F65_ClassesOfErrorsDeriveFromOneBase) {
  const tonnx::Error error =
      failure([] { tonnx::export_program(host::compiled("torch.linalg.ldl_factor(x @ x.t())[0]"), host::example()); });
  EXPECT_EQ(error.class_name(), "UnsupportedOperatorError") << error.what();
  EXPECT_TRUE(error.is("UnsupportedOperatorError"));
  EXPECT_TRUE(error.is("OnnxExporterError"));
  EXPECT_FALSE(error.is("FileError"));
  EXPECT_TRUE(failure([] { tonnx::check_file("/missing.onnx"); }).is("FileError"));
  EXPECT_EQ(tonnx_error_class_is("DependencyError", "FileError"), 1);
  EXPECT_EQ(tonnx_error_class_is("MissingKernelError", "FileError"), 1);
  EXPECT_EQ(tonnx_error_class_is("FileError", "DependencyError"), 0);
  EXPECT_EQ(tonnx_error_class_is(nullptr, "FileError"), 0);
}

TEST_F(ModelFile, F239_RunsInOnnxRuntime) {
  const auto outputs = tonnx::run_file(path_, host::example());
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].first, "output_0");
  EXPECT_THAT(floats(outputs[0].second), ElementsAre(0, 0, 0, 1, 2, 3));
  EXPECT_EQ(outputs[1].first, "output_1");
  EXPECT_THAT(floats(outputs[1].second), ElementsAre(-1, 1, 3));
  const float values[6] = {1, 1, 1, 1, 1, 1};
  const tonnx::Tensor x(TONNX_DTYPE_FLOAT32, {2, 3}, values, sizeof values);
  EXPECT_THAT(floats(tonnx::run_file(path_, tonnx::Args().key("x").add(x))[1].second), ElementsAre(2, 2, 2));
  const auto refused = [&](const tonnx::Args& args) { return failure([&] { tonnx::run_file(path_, args); }); };
  EXPECT_THAT(refused(tonnx::Args()), host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("input 'x' is missing")));
  EXPECT_THAT(refused(tonnx::Args().key("y").add(x)), host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("no input 'y'")));
  EXPECT_THAT(refused(tonnx::Args().add(x).add(x)), host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("too many")));
  EXPECT_EQ(refused(tonnx::Args().add_string("text")).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(failure([] { tonnx::run_file("/missing.onnx", tonnx::Args()); }).status(), TONNX_STATUS_FILE);
  EXPECT_EQ(failure([] { tonnx::run_file("/proc/self/exe", tonnx::Args()); }).status(), TONNX_STATUS_FILE);
}

TEST_F(ModelFile, AnOutputNameMayHaveALineBreak) {
  tonnx::Options options;
  options.output_name("a\nb").output_name("c");
  tonnx::export_program(host::compiled("(torch.relu(x), x.sum(0))"), host::example(), options).save(path_);
  const auto outputs = tonnx::run_file(path_, host::example());
  ASSERT_EQ(outputs.size(), 2u);
  EXPECT_EQ(outputs[0].first, "a\nb");
  EXPECT_EQ(outputs[1].first, "c");
}

TEST_F(ModelFile, F239_GetsInferredTypes) {
  tonnx::export_program(host::compiled("torch.relu(x) + 1"), host::example(), tonnx::Options().value_info(false))
      .save(path_);
  EXPECT_THAT(tonnx::file_text(path_, TONNX_TEXT_FULL), testing::Not(HasSubstr("value_info")));
  tonnx::infer_file(path_, path_);
  EXPECT_THAT(tonnx::file_text(path_, TONNX_TEXT_FULL), HasSubstr("value_info"));
  tonnx::check_file(path_);
  EXPECT_EQ(failure([&] { tonnx::infer_file("/missing.onnx", path_); }).status(), TONNX_STATUS_FILE);
}
