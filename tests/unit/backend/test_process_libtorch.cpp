#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <string>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/libtorch.h"
#include "backend/process_libtorch.h"
#include "ir/dependency_error.h"

// Tests which LibTorch the loader takes, with libraries that have only the version function of LibTorch; see
// fake_libtorch.c. Each test runs in a process of its own, which has loaded none.
using namespace tonnx;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

namespace fs = std::filesystem;

namespace {

void in_a_new_process(void (*body)()) {
  EXPECT_EXIT(
      {
        body();
        std::exit(testing::Test::HasFailure() ? 1 : 0);
      },
      testing::ExitedWithCode(0), "");
}

fs::path beside_this(const char* name) { return fs::canonical("/proc/self/exe").parent_path() / name; }

// The library that the loader finds, and the same with another name.
fs::path fake() { return beside_this("libtorch_cpu.so"); }
fs::path renamed() { return beside_this("librenamed_torch.so"); }

// A folder with a copy of the fake.
fs::path folder_of_copy() {
  const fs::path folder = fs::path(testing::TempDir()) / ("tonnx-libtorch-" + std::to_string(::getpid()));
  fs::create_directories(folder);
  fs::copy_file(fake(), folder / "libtorch_cpu.so", fs::copy_options::overwrite_existing);
  return folder;
}

void load(const fs::path& library) { ASSERT_NE(::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL), nullptr); }

// The message of the DependencyError that the call throws.
template <class Call>
std::string failure(const Call& call) {
  try {
    call();
  } catch (const ir::DependencyError& error) {
    return error.what();
  }
  return "nothing is thrown";
}

std::string failure() {
  return failure([] { backend::libtorch(); });
}

}  // namespace

TEST(ProcessLibTorchDeathTest, TheLoaderFindsIt) {
  in_a_new_process([] {
    EXPECT_EQ(backend::libtorch_version(), 0U);
    backend::libtorch();
    EXPECT_EQ(backend::libtorch_version(), 0x026300U);
  });
}

TEST(ProcessLibTorchDeathTest, ThatOfTheProcessComesFirst) {
  in_a_new_process([] {
    const fs::path folder = folder_of_copy();
    load(folder / "libtorch_cpu.so");
    EXPECT_EQ(backend::libtorch_version(), 0x026300U);
    EXPECT_EQ(backend::loaded(), nullptr);
    backend::libtorch();
    ASSERT_EQ(backend::loaded_libtorchs().size(), 1U);
    EXPECT_EQ(backend::loaded_libtorchs()[0].file, folder / "libtorch_cpu.so");
    fs::remove_all(folder);
  });
}

TEST(ProcessLibTorchDeathTest, AnotherVersionIsRefused) {
  in_a_new_process([] {
    ::setenv("FAKE_LIBTORCH", "2.10.1", 1);
    for (int tries = 0; tries < 2; ++tries)
      EXPECT_THAT(failure(), AllOf(StartsWith("the process has LibTorch 2.10.1; tonnx has backends for 2.98, 2.99\n"),
                                   HasSubstr("libtonnx_torch-2.10.so: no such file"), HasSubstr(fake().string()),
                                   HasSubstr("\nbuild the backend (make backend LIBTORCH=DIR), ")));
    EXPECT_EQ(backend::loaded(), nullptr);
    EXPECT_EQ(backend::libtorch_version(), 0x020A01U);
  });
}

TEST(ProcessLibTorchDeathTest, AnUnknownVersionIsRefused) {
  in_a_new_process([] {
    ::setenv("FAKE_LIBTORCH", "0", 1);
    EXPECT_THAT(failure(),
                AllOf(StartsWith("the process has a LibTorch older than 2.7; tonnx has backends for 2.98, 2.99"),
                      EndsWith("\nuse LibTorch 2.7 or newer")));
    EXPECT_EQ(backend::libtorch_version(), 0U);
  });
}

TEST(ProcessLibTorchDeathTest, ABackendOfAnotherLineIsRefused) {
  in_a_new_process([] {
    ::setenv("FAKE_LIBTORCH", "2.98.0", 1);
    EXPECT_EQ(failure(),
              "libtonnx_torch-2.98.so is built for LibTorch 2.99, and the process has LibTorch 2.98.0: the file was "
              "renamed");
  });
}

TEST(ProcessLibTorchDeathTest, TwoAreRefused) {
  in_a_new_process([] {
    const fs::path folder = folder_of_copy();
    load(folder / "libtorch_cpu.so");
    load(fake());
    EXPECT_THAT(failure(),
                AllOf(HasSubstr("several LibTorchs"), HasSubstr(folder.string()), HasSubstr(fake().string())));
    EXPECT_EQ(backend::libtorch_version(), 0U);
    fs::remove_all(folder);
  });
}

TEST(ProcessLibTorchDeathTest, ASecondIsRefusedLater) {
  in_a_new_process([] {
    backend::libtorch();
    const fs::path folder = folder_of_copy();
    load(folder / "libtorch_cpu.so");
    for (int tries = 0; tries < 2; ++tries) EXPECT_THAT(failure(), HasSubstr("several LibTorchs"));
    fs::remove_all(folder);
  });
}

TEST(ProcessLibTorchDeathTest, OneOfAnotherNameIsRefused) {
  in_a_new_process([] {
    load(renamed());
    EXPECT_THAT(failure(), AllOf(StartsWith("the process has LibTorch 2.99.0 in "), HasSubstr(renamed().string()),
                                 HasSubstr("a shared library called libtorch_cpu.so")));
  });
}

TEST(ProcessLibTorchDeathTest, AFolderIsNamed) {
  in_a_new_process([] {
    const fs::path folder = folder_of_copy();
    EXPECT_THAT(failure([] { backend::libtorch_in("/nowhere"); }), StartsWith("no LibTorch in '/nowhere'"));
    EXPECT_EQ(backend::libtorch_version(), 0U);
    backend::libtorch_in(folder);
    EXPECT_EQ(backend::loaded_libtorchs()[0].file, folder / "libtorch_cpu.so");
    backend::libtorch_in(folder);
    EXPECT_THAT(
        failure([] { backend::libtorch_in(fake().parent_path()); }),
        AllOf(HasSubstr("cannot be loaded: the process already has LibTorch 2.99.0"), HasSubstr(folder.string())));
    EXPECT_THAT(failure([] { backend::libtorch_in("/nowhere"); }), StartsWith("no LibTorch in '/nowhere'"));
    backend::libtorch();
    fs::remove_all(folder);
  });
}

TEST(ProcessLibTorchDeathTest, AFolderMayContainLib) {
  in_a_new_process([] {
    const fs::path folder = folder_of_copy();
    fs::create_directory(folder / "lib");
    fs::rename(folder / "libtorch_cpu.so", folder / "lib" / "libtorch_cpu.so");
    backend::libtorch_in(folder);
    EXPECT_EQ(backend::loaded_libtorchs()[0].file, folder / "lib" / "libtorch_cpu.so");
    fs::remove_all(folder);
  });
}

TEST(ProcessLibTorchDeathTest, AFileThatIsNotALibraryIsAnError) {
  in_a_new_process([] {
    const fs::path folder = folder_of_copy();
    fs::resize_file(folder / "libtorch_cpu.so", 100);
    EXPECT_THAT(failure([&] { backend::libtorch_in(folder); }),
                AllOf(StartsWith("LibTorch is needed, but cannot be loaded:"), HasSubstr(folder.string())));
    backend::libtorch();
    fs::remove_all(folder);
  });
}
