#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "exported/archive.h"
#include "ir/error.h"
#include "ir/refusal.h"

namespace tonnx::exported {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::filesystem::path folder() {
  return std::filesystem::path(std::getenv("TONNX_SOURCE_ROOT")) / "tests" / "exported";
}

std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

ir::RawProgram import(std::vector<std::byte> bytes, const std::string& model = "model") {
  return Archive::open(archive::ArchiveFile::from_bytes(std::move(bytes)))->import(model);
}

std::string error_of(std::vector<std::byte> bytes) {
  try {
    import(std::move(bytes));
  } catch (const ir::Error& error) {
    return error.what();
  }
  return {};
}

// Writers may omit checksums, also in nested archives.
std::vector<std::byte> unchecked(std::vector<std::byte> bytes) {
  constexpr char kEntry[] = {'P', 'K', 1, 2};
  constexpr std::ptrdiff_t kChecksum = 16;
  const auto same = [](std::byte a, char b) { return static_cast<char>(a) == b; };
  for (auto at = bytes.begin();; ++at) {
    at = std::search(at, bytes.end(), std::begin(kEntry), std::end(kEntry), same);
    if (at == bytes.end()) return bytes;
    std::fill_n(at + kChecksum, 4, std::byte{0});
  }
}

// Replaces a string by another one of the same length.
std::vector<std::byte> with(std::vector<std::byte> bytes, const std::string& text, const std::string& other) {
  std::string all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t at = all.find(text);
  EXPECT_NE(at, std::string::npos) << text;
  all.replace(at, text.size(), other);
  const auto* begin = reinterpret_cast<const std::byte*>(all.data());
  return unchecked({begin, begin + all.size()});
}

class ExportedArchive : public testing::TestWithParam<const char*> {
 protected:
  std::vector<std::byte> bytes() const { return bytes_of(folder() / (std::string("torch-") + GetParam() + ".pt2")); }
};

TEST_P(ExportedArchive, HasItsWeightsInputsAndOutputs) {
  const ir::RawProgram program = import(bytes());
  std::vector<std::string> weights;
  for (const ir::Value* weight : program.graph->weights()) weights.push_back(weight->name());
  EXPECT_THAT(weights, ElementsAre("conv.weight", "conv.bias", "fc.weight", "fc.bias", "hidden", "one"));
  EXPECT_EQ(program.graph->weights()[4]->weight()->to_doubles(), (std::vector<double>{0, 1}));
  ASSERT_EQ(program.graph->inputs().size(), 1U);
  const ir::Value& input = *program.graph->inputs()[0];
  EXPECT_EQ(input.name(), "x");
  EXPECT_TRUE((*input.facts().dims)[0].is_symbolic());
  EXPECT_EQ((*input.facts().dims)[1].size(), 2);
  EXPECT_THAT(program.output_names, ElementsAre("a", "b.0", "b.2"));
}

TEST_P(ExportedArchive, HoldsTheInputsThatItWasExportedWith) {
  const auto archive = Archive::open(archive::ArchiveFile::from_bytes(bytes()));
  const ir::Arguments examples = archive->examples("model");
  ASSERT_EQ(examples.positional.size(), 1U);
  const ir::RawProgram program = archive->import("model", examples);
  ASSERT_EQ(program.inputs.size(), 1U);
  EXPECT_THAT(program.inputs[0].dims, ElementsAre(3, 2, 4, 4));
  ASSERT_EQ(program.ranges.size(), 1U);
  EXPECT_EQ(program.ranges.begin()->second, (ir::SizeRange{2, 64}));
}

TEST_P(ExportedArchive, InputsThatDoNotFitAreRefused) {
  const auto archive = Archive::open(archive::ArchiveFile::from_bytes(bytes()));
  const auto import = [&](const ir::Arguments& given) { return archive->import("model", given).inputs.size(); };
  const auto tensor = [](ir::DType dtype, std::vector<std::int64_t> dims) {
    ir::Tensor made;
    made.dtype = dtype;
    made.strides = ir::contiguous_strides(dims);
    made.dims = std::move(dims);
    made.storage = ir::Storage::own(std::vector<std::byte>(made.bytes()));
    return ir::Constant{made};
  };
  const ir::Constant right = tensor(ir::DType::Float32, {5, 2, 4, 4});
  EXPECT_EQ(import({{right}, {}}), 1U);
  EXPECT_EQ(import({{}, {{"x", right}}}), 1U);
  EXPECT_THROW(import({{}, {}}), ir::Error);
  EXPECT_THROW(import({{right, right}, {}}), ir::Error);
  EXPECT_THROW(import({{}, {{"y", right}}}), ir::Error);
  EXPECT_THROW(import({{tensor(ir::DType::Float64, {5, 2, 4, 4})}, {}}), ir::Error);
  EXPECT_THROW(import({{tensor(ir::DType::Float32, {5, 2, 4, 5})}, {}}), ir::Error);
  EXPECT_THROW(import({{tensor(ir::DType::Float32, {5, 2, 4})}, {}}), ir::Error);
  EXPECT_THROW(import({{{ir::Constant::List{{right}}}}, {}}), ir::Error);
  EXPECT_THROW(import({{{std::int64_t{3}}}, {}}), ir::Error);
}

TEST_P(ExportedArchive, CutShortIsAnError) {
  const std::vector<std::byte> whole = bytes();
  for (std::size_t end = 0; end < whole.size(); end += 301)
    EXPECT_THROW(import({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(end)}), ir::Error) << end;
}

TEST_P(ExportedArchive, ContentOfAnotherChecksumIsAnError) {
  const std::vector<std::byte> whole = bytes();
  const auto file = archive::ArchiveFile::from_bytes(whole);
  for (const archive::ZipEntry& entry : file->entries()) {
    const std::string name = archive::ArchiveFile::record_name(entry.name);
    if (!name.ends_with(".json") && !name.starts_with("data/weights/")) continue;
    std::vector<std::byte> damaged = whole;
    damaged[static_cast<std::size_t>(entry.offset + entry.size / 2)] ^= std::byte{0x01};
    EXPECT_THAT(error_of(std::move(damaged)),
                HasSubstr("is damaged: the checksum of entry '" + entry.name + "' is wrong"));
  }
  EXPECT_EQ(error_of(unchecked(whole)), "");
}

TEST_P(ExportedArchive, OneByteThatIsAnotherNeverEndsTheProcess) {
  const std::vector<std::byte> whole = unchecked(bytes());
  for (std::size_t at = 0; at < whole.size(); at += 61) {
    std::vector<std::byte> damaged = whole;
    damaged[at] ^= std::byte{0x15};
    try {
      const auto archive = Archive::open(archive::ArchiveFile::from_bytes(std::move(damaged)));
      if (archive) archive->import(archive->models().front());
    } catch (const ir::Error&) {
    }
  }
}

TEST_P(ExportedArchive, NewerFormsAreRefused) {
  const std::string major = std::string(GetParam()) == "2.5.1" ? "\"major\": 7" : "\"major\": 8";
  EXPECT_THAT(error_of(with(bytes(), major, "\"major\": 9")), HasSubstr("version 9."));
  EXPECT_THAT(error_of(with(bytes(), major, "\"major\": 9")), HasSubstr(std::string("by PyTorch ") + GetParam()));
}

TEST_P(ExportedArchive, UnknownOperatorsAreLeftToSymbolics) {
  const ir::RawProgram program =
      import(with(bytes(), "torch.ops.aten.argmax.default", "torch.ops.aten.argmix.default"));
  int found = 0;
  ir::for_each_node(program.graph->block(), [&](const ir::Node* node) { found += node->is("aten::argmix"); });
  EXPECT_EQ(found, 1);
  const ir::RawProgram writing =
      import(with(bytes(), "torch.ops.aten.argmax.default", "torch.ops.aten.argmax_.defaul"));
  std::string why;
  ir::for_each_node(writing.graph->block(), [&](const ir::Node* node) {
    if (const std::string* refused = ir::why_refused(*node)) why = *refused;
  });
  EXPECT_THAT(why, HasSubstr("its name says that it writes to an argument"));
}

// A layout in which state dict and constants are torch.save archives.
TEST(ExportedArchives, ContentOfAnotherChecksumIsAnErrorInSavedFiles) {
  const std::vector<std::byte> whole = bytes_of(folder() / "torch-2.5.1.pt2");
  const float first[] = {0, 1};  // the buffer 'hidden'
  const auto* begin = reinterpret_cast<const std::byte*>(first);
  const auto at = std::search(whole.begin(), whole.end(), begin, begin + sizeof first);
  ASSERT_NE(at, whole.end());
  std::vector<std::byte> damaged = whole;
  damaged[static_cast<std::size_t>(at - whole.begin())] ^= std::byte{0x01};
  EXPECT_THAT(error_of(std::move(damaged)), HasSubstr("the checksum of entry"));
}

TEST(ExportedArchives, ModelsThatAreNotThereAreNamed) {
  try {
    import(bytes_of(folder() / "torch-2.9.1.pt2"), "other");
    FAIL();
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::Argument);
    EXPECT_THAT(error.what(), HasSubstr("the archive has 'model'"));
  }
}

INSTANTIATE_TEST_SUITE_P(Versions, ExportedArchive, testing::Values("2.5.1", "2.7.1", "2.9.1", "2.11.0", "2.15.0"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '.', '_');
                           return name;
                         });

}  // namespace
}  // namespace tonnx::exported
