#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "error_matchers.h"
#include "host.h"

// Destinations of a model: files, external data, descriptors and callbacks, and the files that remain after a failure.
using host::failure;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;
namespace fs = std::filesystem;

namespace {

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class Save : public testing::Test {
 protected:
  Save() {
    std::string pattern = (fs::temp_directory_path() / "tonnx_save_XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    torch::jit::Module module("Net");
    module.register_parameter("weight", at::randn({64, 64}), false);
    module.register_parameter("bias", at::randn({64}), false);
    module.define("def forward(self, x):\n    return torch.linear(x, self.weight, self.bias)\n");
    module.save(archive().string());
  }
  ~Save() override {
    std::error_code ignored;
    fs::permissions(folder_, fs::perms::owner_all, ignored);
    fs::remove_all(folder_, ignored);
  }

  fs::path archive() const { return folder_ / "model.pt"; }
  fs::path out() const { return folder_ / "model.onnx"; }
  tonnx::Model model() const { return tonnx::export_program(program(), example()); }
  tonnx::Program program() const { return tonnx::Program::load(archive().string()); }
  static tonnx::Args example() { return host::args({at::ones({2, 64})}); }
  std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_)) names.push_back(entry.path().filename());
    return names;
  }

  fs::path folder_;
};

}  // namespace

TEST_F(Save, AutoKeepsASmallModelInOneFile) {
  const auto saved = model();
  saved.save(out().string());
  EXPECT_TRUE(read(out()) == saved.bytes());
  EXPECT_THAT(files(), UnorderedElementsAre("model.pt", "model.onnx"));
  saved.save((folder_ / "again.onnx").string(), TONNX_EXTERNAL_DATA_NO);
  EXPECT_TRUE(read(folder_ / "again.onnx") == saved.bytes());
}

TEST_F(Save, F20_F260_YesPutsLargeWeightsBeside) {
  const auto saved = model();
  saved.save(out().string(), TONNX_EXTERNAL_DATA_YES);
  EXPECT_THAT(files(), UnorderedElementsAre("model.pt", "model.onnx", "model.onnx.data"));
  EXPECT_EQ(fs::file_size(folder_ / "model.onnx.data"), 64 * 64 * sizeof(float)) << "the small bias stays inside";
  tonnx::check_file(out().string());
  EXPECT_THAT(read(out()), HasSubstr("model.onnx.data"));
  // Replaces the files; then writes one file without external data.
  saved.save(out().string(), TONNX_EXTERNAL_DATA_YES);
  tonnx::check_file(out().string());
  saved.save(out().string());
  EXPECT_TRUE(read(out()) == saved.bytes());
}

TEST_F(Save, ArchivePointsIntoTheProgramsFile) {
  const auto saved = model();
  saved.save(out().string(), TONNX_EXTERNAL_DATA_ARCHIVE);
  EXPECT_THAT(files(), UnorderedElementsAre("model.pt", "model.onnx"));
  EXPECT_LT(fs::file_size(out()), 4096u);
  tonnx::check_file(out().string());
  EXPECT_THAT(read(out()), HasSubstr("model.pt"));

  fs::create_directory(folder_ / "below");
  const auto beside =
      failure([&] { saved.save((folder_ / "below" / "m.onnx").string(), TONNX_EXTERNAL_DATA_ARCHIVE); });
  EXPECT_EQ(beside.status(), TONNX_STATUS_ARGUMENT);
  EXPECT_THAT(beside.what(), HasSubstr("folder"));
  EXPECT_EQ(failure([&] { saved.save(archive().string(), TONNX_EXTERNAL_DATA_ARCHIVE); }).status(),
            TONNX_STATUS_ARGUMENT);
  EXPECT_TRUE(fs::is_empty(folder_ / "below"));
}

TEST_F(Save, OntoTheArchivesOwnPath) {
  const auto source = program();
  const auto saved = tonnx::export_program(source, example());
  const std::string before = saved.bytes();
  saved.save(archive().string());
  EXPECT_TRUE(read(archive()) == before);
  EXPECT_THAT(files(), ElementsAre("model.pt"));
  // The model reads on from the file that it replaced.
  EXPECT_TRUE(saved.bytes() == before);
  saved.save(out().string());
  EXPECT_TRUE(read(out()) == before);
}

TEST_F(Save, AnArchiveThatIsGoneOrShorterIsReported) {
  const auto source = program();
  fs::resize_file(archive(), 700);
  const auto error = failure([&] { tonnx::export_program(source, example()).save(out().string()); });
  EXPECT_EQ(error.status(), TONNX_STATUS_FILE);
  EXPECT_THAT(error.what(), HasSubstr("model.pt"));
  EXPECT_THAT(files(), ElementsAre("model.pt"));
}

TEST_F(Save, F17_WhereNothingCanBeWritten) {
  const auto saved = model();
  const auto status = [&](const fs::path& path, std::int32_t mode = TONNX_EXTERNAL_DATA_AUTO) {
    const auto error = failure([&] { saved.save(path.string(), mode); });
    EXPECT_THAT(error.what(), HasSubstr(path.string()));
    return error.status();
  };
  for (const std::int32_t mode : {TONNX_EXTERNAL_DATA_AUTO, TONNX_EXTERNAL_DATA_YES}) {
    EXPECT_EQ(status(folder_ / "missing" / "model.onnx", mode), TONNX_STATUS_FILE);
    EXPECT_EQ(status(folder_, mode), TONNX_STATUS_FILE);
    EXPECT_EQ(status(archive() / "model.onnx", mode), TONNX_STATUS_FILE);
    EXPECT_EQ(status("/proc/model.onnx", mode), TONNX_STATUS_FILE);
  }
  EXPECT_EQ(status("/dev/full"), TONNX_STATUS_FILE);
  EXPECT_EQ(failure([&] { saved.save(""); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(failure([&] { saved.save(out().string(), 5); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_EQ(failure([&] { saved.save(out().string(), -1); }).status(), TONNX_STATUS_ARGUMENT);
  EXPECT_THAT(files(), ElementsAre("model.pt"));
}

TEST_F(Save, AReadOnlyFolderOrAFolderInTheDatasPlace) {
  const auto saved = model();
  fs::create_directory(folder_ / "model.onnx.data");
  EXPECT_EQ(failure([&] { saved.save(out().string(), TONNX_EXTERNAL_DATA_YES); }).status(), TONNX_STATUS_FILE);
  EXPECT_THAT(files(), UnorderedElementsAre("model.pt", "model.onnx.data"));
  fs::permissions(folder_, fs::perms(0555));
  ::setfsuid(65534);  // root would write all the same; does nothing for others
  const auto error = failure([&] { saved.save(out().string()); });
  ::setfsuid(::geteuid());
  EXPECT_EQ(error.status(), TONNX_STATUS_FILE);
  EXPECT_THAT(error.what(), HasSubstr("Permission denied"));
}

TEST_F(Save, AFailedSaveKeepsWhatStoodThere) {
  std::ofstream(out()) << "before";
  std::ofstream(folder_ / "model.onnx.data") << "data before";
  const auto source = program();
  const auto saved = tonnx::export_program(source, example());
  fs::resize_file(archive(), 700);
  for (const std::int32_t mode : {TONNX_EXTERNAL_DATA_AUTO, TONNX_EXTERNAL_DATA_YES})
    EXPECT_EQ(failure([&] { saved.save(out().string(), mode); }).status(), TONNX_STATUS_FILE);
  EXPECT_EQ(read(out()), "before");
  EXPECT_EQ(read(folder_ / "model.onnx.data"), "data before");
  EXPECT_THAT(files(), UnorderedElementsAre("model.pt", "model.onnx", "model.onnx.data"));
}

TEST_F(Save, ALinkIsFollowed) {
  const auto saved = model();
  fs::create_directory(folder_ / "real");
  fs::create_symlink(folder_ / "real" / "target.onnx", out());
  saved.save(out().string());
  EXPECT_TRUE(fs::is_symlink(out()));
  EXPECT_TRUE(read(folder_ / "real" / "target.onnx") == saved.bytes());
  // Also one by a relative path, and one that leads nowhere that can be written.
  fs::create_symlink("real/other.onnx", folder_ / "relative.onnx");
  saved.save((folder_ / "relative.onnx").string());
  EXPECT_TRUE(read(folder_ / "real" / "other.onnx") == saved.bytes());
  fs::create_symlink("missing/other.onnx", folder_ / "lost.onnx");
  EXPECT_EQ(failure([&] { saved.save((folder_ / "lost.onnx").string()); }).status(), TONNX_STATUS_FILE);
  fs::create_symlink("ring.onnx", folder_ / "ring.onnx");
  EXPECT_EQ(failure([&] { saved.save((folder_ / "ring.onnx").string()); }).status(), TONNX_STATUS_FILE);
}

TEST_F(Save, F18_ToADescriptorAtItsPosition) {
  const auto saved = model();
  const int fd = ::open(out().c_str(), O_RDWR | O_CREAT, 0644);
  ASSERT_EQ(::write(fd, "head", 4), 4);
  ASSERT_EQ(tonnx_model_write_fd(saved.get(), fd, nullptr), TONNX_STATUS_OK);
  ASSERT_EQ(::write(fd, "tail", 4), 4) << "it stays open, at the end of what was written";
  ::close(fd);
  EXPECT_TRUE(read(out()) == "head" + saved.bytes() + "tail");
}

TEST_F(Save, ToAPipe) {
  const auto saved = model();
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::string got;
  std::thread reader([&] {
    char piece[4096];
    for (ssize_t n; (n = ::read(ends[0], piece, sizeof piece)) > 0;) got.append(piece, static_cast<std::size_t>(n));
  });
  EXPECT_EQ(tonnx_model_write_fd(saved.get(), ends[1], nullptr), TONNX_STATUS_OK);
  ::close(ends[1]);
  reader.join();
  ::close(ends[0]);
  EXPECT_TRUE(got == saved.bytes());
}

TEST_F(Save, ADescriptorThatTakesNothing) {
  const auto saved = model();
  for (const char* path : {"/dev/full", "/dev/null"}) {
    const int fd = ::open(path, O_WRONLY);
    tonnx_error* error = nullptr;
    EXPECT_EQ(tonnx_model_write_fd(saved.get(), fd, &error), *(path + 5) == 'f' ? TONNX_STATUS_FILE : TONNX_STATUS_OK);
    tonnx_error_free(error);
    ::close(fd);
  }
  const int fd = ::open(archive().c_str(), O_RDONLY);
  EXPECT_EQ(tonnx_model_write_fd(saved.get(), fd, nullptr), TONNX_STATUS_FILE);
  ::close(fd);
  EXPECT_EQ(tonnx_model_write_fd(saved.get(), -1, nullptr), TONNX_STATUS_FILE);
  EXPECT_EQ(tonnx_model_write_fd(saved.get(), 4000, nullptr), TONNX_STATUS_FILE);
}

TEST_F(Save, F19_ACallbackMayStop) {
  const auto saved = model();
  struct State {
    int calls = 0;
    int stop_at;
    std::size_t bytes = 0;
  };
  const auto write = [](tonnx_writer*, const void*, std::size_t size, void* user_data) -> std::int32_t {
    auto* state = static_cast<State*>(user_data);
    state->bytes += size;
    return ++state->calls == state->stop_at ? 5 : 0;
  };
  State all{.stop_at = 0};
  ASSERT_EQ(tonnx_model_write(saved.get(), write, &all, nullptr), TONNX_STATUS_OK);
  EXPECT_EQ(all.bytes, saved.bytes().size());
  for (int stop = 1; stop <= all.calls; ++stop) {
    State state{.stop_at = stop};
    tonnx_error* error = nullptr;
    EXPECT_EQ(tonnx_model_write(saved.get(), write, &state, &error), TONNX_STATUS_CALLBACK);
    EXPECT_THAT(tonnx_error_message(error), HasSubstr("callback"));
    tonnx_error_free(error);
    EXPECT_EQ(state.calls, stop) << "it is not called again";
  }
}

TEST_F(Save, WhatALambdaThrowsComesOutUnchanged) {
  struct Full {};
  const auto saved = model();
  EXPECT_THROW(saved.write([](const void*, std::size_t) -> bool { throw Full(); }), Full);
  EXPECT_EQ(host::failure([&] { saved.write([](const void*, std::size_t) { return false; }); }).status(),
            TONNX_STATUS_CALLBACK);
}

TEST_F(Save, F262_ASerializerMakesAFileOfItsOwn) {
  const auto saved = model();
  const auto names = [](const tonnx::Model& m, tonnx::Writer& writer) {
    for (const std::string& name : m.input_names()) writer.write(name.data(), name.size());
    writer.write(nullptr, 0);
    const std::string bytes = m.bytes();
    writer.write(bytes.data(), bytes.size());
  };
  saved.save(out().string(), names);
  EXPECT_EQ(read(out()), "x" + saved.bytes());
  EXPECT_EQ(failure([&] { saved.save((folder_ / "none" / "m").string(), names); }).status(), TONNX_STATUS_FILE);
  EXPECT_EQ(failure([&] { saved.save("", names); }).status(), TONNX_STATUS_ARGUMENT);
  struct Full {};
  EXPECT_THROW(saved.save(out().string(),
                          [](const tonnx::Model&, tonnx::Writer& writer) {
                            writer.write("half", 4);
                            throw Full();
                          }),
               Full);
  EXPECT_EQ(read(out()), "x" + saved.bytes()) << "the file stays as it was";
  EXPECT_THAT(files(), UnorderedElementsAre("model.pt", "model.onnx"));
}

TEST_F(Save, TheCauseOfAFailedWriteComesOut) {
  const auto saved = model();
  int destroyed = 0;
  const tonnx_destroy_fn destroy = [](void* cause) { ++*static_cast<int*>(cause); };
  const auto write = [](tonnx_writer* writer, const void*, std::size_t, void* user) -> std::int32_t {
    EXPECT_EQ(tonnx_writer_write(writer, "x", 1, nullptr), TONNX_STATUS_ARGUMENT) << "it only reports";
    const auto* given = static_cast<std::pair<int*, tonnx_destroy_fn>*>(user);
    tonnx_writer_fail(writer, "first", given->first, given->second);
    tonnx_writer_fail(writer, "the pipe is closed", given->first, given->second);
    return 0;
  };
  std::pair<int*, tonnx_destroy_fn> given{&destroyed, destroy};
  tonnx_error* error = nullptr;
  EXPECT_EQ(tonnx_model_write(saved.get(), write, &given, &error), TONNX_STATUS_CALLBACK);
  EXPECT_STREQ(tonnx_error_message(error), "the pipe is closed");
  EXPECT_EQ(tonnx_error_cause(error, destroy), &destroyed);
  EXPECT_EQ(tonnx_error_cause(error, nullptr), nullptr);
  EXPECT_EQ(destroyed, 1);
  tonnx_error_free(error);
  EXPECT_EQ(destroyed, 2);
}

TEST_F(Save, UnknownModesAreRefused) {
  tonnx::SaveOptions options;
  EXPECT_THAT(failure([&] { options.external_data(9); }), host::is_error(TONNX_STATUS_ARGUMENT, HasSubstr("9")));
  EXPECT_EQ(failure([&] { options.external_data(-1); }).status(), TONNX_STATUS_ARGUMENT);
}

TEST_F(Save, ASerializerReportsWhyItFails) {
  const auto saved = model();
  const auto status_of = [&](const char* path, tonnx_serialize_fn serialize, const char* text) {
    tonnx_error* error = nullptr;
    const tonnx_status status = tonnx_model_serialize(saved.get(), path, serialize, nullptr, &error);
    EXPECT_THAT(error ? tonnx_error_message(error) : "", HasSubstr(text));
    tonnx_error_free(error);
    return status;
  };
  const std::string path = out().string();
  const auto failing = [](const tonnx_model*, tonnx_writer* writer, void*) -> std::int32_t {
    tonnx_writer_fail(writer, "no form for Loop", nullptr, nullptr);
    return 0;
  };
  EXPECT_EQ(status_of(path.c_str(), failing, "no form for Loop"), TONNX_STATUS_CALLBACK);
  const auto silent = [](const tonnx_model*, tonnx_writer*, void*) -> std::int32_t { return 3; };
  EXPECT_EQ(status_of(path.c_str(), silent, "without a reason"), TONNX_STATUS_CALLBACK);
  const auto careless = [](const tonnx_model*, tonnx_writer* writer, void*) -> std::int32_t {
    const std::string much(1 << 20, 'a');
    EXPECT_EQ(tonnx_writer_write(writer, nullptr, 4, nullptr), TONNX_STATUS_ARGUMENT);
    for (int i = 0; i < 3; ++i)
      EXPECT_EQ(tonnx_writer_write(writer, much.data(), much.size(), nullptr), TONNX_STATUS_FILE);
    return 0;
  };
  EXPECT_EQ(status_of("/dev/full", careless, "No space"), TONNX_STATUS_FILE);
  EXPECT_EQ(status_of(path.c_str(), nullptr, "serialize"), TONNX_STATUS_ARGUMENT);
  EXPECT_THAT(files(), ElementsAre("model.pt"));
}

TEST_F(Save, TwoThreadsWriteToOnePath) {
  const auto source = program();
  const auto one = tonnx::export_program(source, example());
  tonnx::Options options;
  options.output_name("another");
  const auto two = tonnx::export_program(source, example(), options);
  const std::string first = one.bytes(), second = two.bytes();
  ASSERT_NE(first, second);
  for (int round = 0; round < 20; ++round) {
    std::thread writer([&] { one.save(out().string()); });
    two.save(out().string());
    writer.join();
    const std::string got = read(out());
    EXPECT_TRUE(got == first || got == second);
  }
  EXPECT_THAT(files(), UnorderedElementsAre("model.pt", "model.onnx"));
}

TEST_F(Save, OneModelIsWrittenByManyThreads) {
  const auto saved = model();
  const std::string bytes = saved.bytes();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&, i] {
      const fs::path path = folder_ / (std::to_string(i) + ".onnx");
      saved.save(path.string(), i % 2 ? TONNX_EXTERNAL_DATA_NO : TONNX_EXTERNAL_DATA_AUTO);
      EXPECT_TRUE(read(path) == bytes);
      EXPECT_TRUE(saved.bytes() == bytes);
      saved.check();
    });
  for (std::thread& thread : threads) thread.join();
}
