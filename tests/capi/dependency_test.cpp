#include <cstdlib>

#include <gmock/gmock.h>

#include "host.h"

using testing::AllOf;
using testing::HasSubstr;

// A process loads ONNX Runtime once, so that this test has one of its own.
TEST(Dependency, F271_AMissingLibraryIsAnErrorOfItsOwnClass) {
  ::setenv("TONNX_ONNXRUNTIME", "/nowhere/libonnxruntime.so", 1);
  const tonnx::Program program = host::program("x + 1");
  const tonnx::Args args = host::args({at::ones({2})});
  const tonnx::Model model = tonnx::export_program(program, args);
  const tonnx::Error error = host::failure([&] { model.verify(program, args); });
  EXPECT_EQ(error.status(), TONNX_STATUS_FILE);
  EXPECT_EQ(error.class_name(), "DependencyError");
  EXPECT_THAT(error.what(), AllOf(HasSubstr("ONNX Runtime cannot be loaded"), HasSubstr("/nowhere/libonnxruntime.so")));
  // One that is there, and is another library.
  ::setenv("TONNX_ONNXRUNTIME", "libc.so.6", 1);
  EXPECT_EQ(host::failure([&] { model.verify(program, args); }).class_name(), "DependencyError");
  EXPECT_EQ(host::failure([] { tonnx::Program::load("/nowhere/program.pt"); }).class_name(), "FileError");
}
