// Pickles that LibTorch's unpickler must not read, beside the ones of the same form that it may read.
#include <chrono>
#include <string>

#include <gtest/gtest.h>

#include "../archive/zip.h"
#include "archive/archive_file.h"
#include "ir/error.h"
#include "torch/archive.h"
#include "torch/pickle_check.h"

namespace tonnx::pickle_check {
namespace {

using namespace std::string_literals;

std::string text(const std::string& content) { return "X" + archive::ZipFile::number(content.size(), 4) + content; }
std::string integer(std::int64_t value) {
  return "\x8a\x08" + archive::ZipFile::number(static_cast<std::uint64_t>(value), 8);
}
std::string tuple(const std::vector<std::int64_t>& values) {
  std::string out = "(";
  for (const std::int64_t value : values) out += integer(value);
  return out + "t";
}
std::string storage(const std::string& dtype, std::int64_t length, const std::string& key = "0") {
  return "(" + text("storage") + "ctorch\n" + dtype + "Storage\n" + text(key) + text("cpu") + integer(length) + "tQ";
}
// A tensor of float32 in a record of 24 bytes.
std::string tensor(std::int64_t offset, const std::vector<std::int64_t>& sizes,
                   const std::vector<std::int64_t>& strides, const std::string& content = storage("Float", 6)) {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + content + integer(offset) + tuple(sizes) + tuple(strides) + "\x89NtR";
}
// Six rows of int8, or 4-bit integers, with scales of float32.
std::string quantised(const std::string& dtype, std::int64_t columns, std::int64_t scales, std::int64_t axis) {
  return "ctorch._utils\n_rebuild_qtensor\n(" + storage(dtype, 24) + integer(0) + tuple({6, columns}) +
         tuple({columns, 1}) + "(ctorch\nper_channel_affine\n" + tensor(0, {scales}, {1}) + tensor(0, {scales}, {1}) +
         integer(axis) + "t\x89NtR";
}
std::string repeated(const std::string& part, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += part;
  return out;
}

std::shared_ptr<const archive::ArchiveFile> archive_of(const std::string& pickle,
                                                       const std::string& record = "data.pkl", std::size_t size = 24) {
  const archive::ZipFile file{{{"net/version", "3\n"},
                               {"net/data/0", std::string(size, '\0')},
                               {"net/" + record, "\x80\x02" + pickle + "."},
                               {"net/code/net.py", ""}}};
  return archive::ArchiveFile::from_bytes(file.bytes());
}

// The message of the refusal; empty if there is none.
std::string refusal(const std::shared_ptr<const archive::ArchiveFile>& file) {
  try {
    torch::check_program_pickles(file);
  } catch (const ir::Error& error) {
    EXPECT_EQ(error.code(), ir::Code::File);
    return error.what();
  }
  return {};
}
std::string refusal(const std::string& pickle) { return refusal(archive_of(pickle)); }

void expect_broken(const std::string& pickle) {
  EXPECT_NE(refusal(pickle).find("a pickle is broken ('data.pkl', before byte "), std::string::npos) << pickle;
}
void expect_too_large(const std::string& pickle) {
  EXPECT_NE(refusal(pickle).find("a tensor is larger than its content"), std::string::npos) << pickle;
}

TEST(PickleCheck, SizesAndIndicesAreInsideOfThePickle) {
  EXPECT_EQ(refusal(")q\0h\0\x86"s), "");
  EXPECT_EQ(refusal(")r\4\0\0\0j\4\0\0\0\x86"s), "");
  expect_broken(")r\xff\xff\xff\x7f"s);
  expect_broken(")q\0h\1\x86"s);
  EXPECT_EQ(refusal(text("abc")), "");
  expect_broken("X\xff\xff\xff\x7f"s);
  expect_broken("X\x10\0\0\0abc"s);
  expect_broken("c__torch__\nNet");
  expect_broken("J\1"s);
  expect_broken("\x8e");
}

TEST(PickleCheck, MarksAreBalanced) {
  EXPECT_EQ(refusal("((NNtt"), "");
  EXPECT_EQ(refusal("}(NNu"), "");
  EXPECT_EQ(refusal("}NNs"), "");
  EXPECT_EQ(refusal("](NNe"), "");
  expect_broken("t");
  expect_broken("N(\x85");
  expect_broken("}(Nu");
  expect_broken("(NNNd");
  expect_broken("(NNu");
  expect_broken("}N(Ns");
  expect_broken("(N0");
}

TEST(PickleCheck, NoValueIsDeepOrContainsItselfOrGrowsByShares) {
  EXPECT_EQ(refusal(")" + repeated("\x85", 500)), "");
  EXPECT_NE(refusal(")" + repeated("\x85", 501)).find("more than 500 levels"), std::string::npos);
  EXPECT_EQ(refusal(")" + repeated("q\0h\0\x86"s, 20)), "");
  EXPECT_NE(refusal(")" + repeated("q\0h\0\x86"s, 40)).find("uses its parts too often"), std::string::npos);
  EXPECT_EQ(refusal("]q\0N\x61\x85"s), "");
  expect_broken("]q\0h\0\x61"s);
  expect_broken("]q\0\x85h\0N\x61"s);
  EXPECT_EQ(refusal("ctorch.jit._pickle\nrestore_type_tag\n]" + text("List[int]") + "\x86R"), "");
  EXPECT_NE(refusal("ctorch.jit._pickle\nrestore_type_tag\n]" + text(repeated("List[", 101)) + "\x86R")
                .find("a type is nested too deeply"),
            std::string::npos);
}

TEST(PickleCheck, TensorsAreInsideOfTheirRecords) {
  EXPECT_EQ(refusal(tensor(0, {2, 3}, {3, 1})), "");
  EXPECT_EQ(refusal(tensor(2, {2, 2}, {2, 1})), "");
  EXPECT_EQ(refusal(tensor(0, {1 << 20, 6}, {0, 1})), "");
  EXPECT_EQ(refusal(tensor(9, {0, 1 << 20}, {1 << 20, 1})), "");
  EXPECT_EQ(refusal(tensor(0, {0}, {1}, storage("Float", 0))), "");
  expect_too_large(tensor(0, {2, 4}, {4, 1}));
  expect_too_large(tensor(1, {2, 3}, {3, 1}));
  expect_too_large(tensor(-1, {2, 3}, {3, 1}));
  expect_too_large(tensor(0, {2, 3}, {-3, 1}));
  expect_too_large(tensor(0, {2, -3}, {3, 1}));
  expect_too_large(tensor(0, {2, 3}, {3}));
  expect_too_large(tensor(0, {std::int64_t{1} << 33, std::int64_t{1} << 33}, {0, 0}));
  expect_too_large(tensor(0, {3, 2}, {std::int64_t{1} << 62, 1}));
  expect_too_large(storage("Float", 7));
  expect_too_large(storage("Float", -1));
  expect_too_large(storage("Float", std::int64_t{1} << 62));
  expect_broken(tensor(0, {1}, {1}, integer(0)));
}

TEST(PickleCheck, QuantisedTensorsHaveAScaleForEachChannel) {
  EXPECT_EQ(refusal(quantised("QInt8", 4, 6, 0)), "");
  EXPECT_EQ(refusal(quantised("QUInt4x2", 7, 6, 0)), "");
  EXPECT_EQ(refusal(quantised("QUInt4x2", 8, 6, 0)), "");
  expect_too_large(quantised("QInt8", 5, 6, 0));
  expect_too_large(quantised("QUInt4x2", 9, 6, 0));
  expect_broken(quantised("QInt8", 4, 5, 0));
  expect_broken(quantised("QInt8", 4, 6, 1));
  expect_broken(quantised("QInt8", 4, 6, 2));
}

TEST(PickleCheck, ARecordIsNotReadWithoutEnd) {
  const std::size_t size = std::size_t{1} << 20;
  EXPECT_EQ(refusal(archive_of("(" + repeated(storage("Byte", 1), 280) + "t", "data.pkl", size)), "");
  EXPECT_NE(refusal(archive_of("(" + repeated(storage("Byte", 1), 17000) + "t", "data.pkl", size)).find("clone()"),
            std::string::npos);
}

TEST(PickleCheck, OnlyFunctionsAreCalled) {
  const std::string arguments = "(NN)}t", rebuild = "ctorch._utils\n_rebuild_tensor_v2\n";
  expect_broken("K\0)R"s);
  expect_broken("c__torch__\nNet\nK\0R"s + ")R");
  expect_broken("ctorch._tensor\n_rebuild_from_type_v2\n" + arguments + "R");
  expect_broken("ctorch._tensor\n_rebuild_from_type_v2\n(" + rebuild + "c__torch__\nNet\n)}tR");
  expect_broken("ctorch.distributed.rpc\nrref\n)R");
  EXPECT_EQ(refusal("c__torch__\nNet\n)\x81}b"), "");
  EXPECT_EQ(refusal("cbuiltins\ncomplex\n(G" + std::string(8, '\0') + "G" + std::string(8, '\0') + "tR"), "");
}

TEST(PickleCheck, LocationsNameStringsOfTheirTable) {
  const auto refusal_of = [](const std::string& index) {
    const std::string pickle =
        "(" + text("FORMAT_WITH_STRING_TABLE") + text("a") + text("b") + "\x86(" + integer(1000) + "]" + index + "att";
    return refusal(archive_of(pickle, "code/net.py.debug_pkl"));
  };
  EXPECT_EQ(refusal_of(integer(1)), "");
  EXPECT_EQ(refusal_of("ctorch\nCharStorage\n"), "");  // 1
  EXPECT_EQ(refusal_of("c__torch__\nNet\n"), "");      // 0
  for (const std::int64_t index : {-1, 2}) EXPECT_NE(refusal_of(integer(index)), "") << index;
  for (const char* index :
       {"ctorch\nFloatStorage\n", "ctorch\nper_channel_symmetric\n", "ctorch\nper_channel_affine_float_qparams\n"})
    EXPECT_NE(refusal_of(index), "") << index;
}

TEST(PickleCheck, RecordsAreFoundAsLibTorchFindsThem) {
  for (const char* name : {"Data.PKL", "constants.pkl", "attributes.pkl", "code/Net.py.Debug_Pkl"})
    EXPECT_NE(refusal(archive_of(")r\xff\xff\xff\x7f"s, name)), "") << name;
  EXPECT_EQ(refusal(archive_of(")r\xff\xff\xff\x7f"s, "extra/data.pkl")), "");
}

TEST(PickleCheck, ALoadEndsBeforeLibTorchReadsThePickle) {
  const archive::ZipFile file{{{"net/version", "3\n"},
                               {"net/data.pkl", "\x80\x02)r\xff\xff\xff\xff."s},
                               {"net/constants.pkl", "\x80\x02)."s},
                               {"net/code/net.py", ""}}};
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW(torch::load_archive(file.bytes()), ir::Error);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(3));
}

}  // namespace
}  // namespace tonnx::pickle_check
