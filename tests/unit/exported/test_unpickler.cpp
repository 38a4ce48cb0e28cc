#include <gtest/gtest.h>

#include "exported/unpickler.h"
#include "ir/error.h"

namespace tonnx::exported {
namespace {

using namespace std::string_literals;

PickledPtr read(const std::string& bytes) {
  return unpickle(bytes, [](const std::string& key) {
    static const float values[] = {1, 2, 3, 4, 5, 6};
    return key == "0" ? ir::Storage::copy(values, sizeof values) : nullptr;
  });
}

// torch._utils._rebuild_tensor_v2(storage, offset, (2, 2), (3, 1), False, OrderedDict())
std::string tensor(const std::string& key, char offset) {
  return "ctorch._utils\n_rebuild_tensor_v2\n((X\x07\0\0\0storagectorch\nFloatStorage\nX"s + '\x01' + "\0\0\0"s + key +
         "X\x03\0\0\0cpuK\x06tQK"s + offset + "K\x02K\x02\x86K\x03K\x01\x86\x89" + "ccollections\nOrderedDict\n)RtR";
}

TEST(Unpickler, ReadsNumbersTextsAndContainers) {
  const PickledPtr value =
      read("\x80\x02}(X\x01\0\0\0aJ\xff\xff\xff\xffX\x01\0\0\0b]\x88"s + "aX\x01\0\0\0cG\x3f\xf8\0\0\0\0\0\0"s + "u.");
  const auto* dict = value->get<Pickled::Dict>();
  ASSERT_TRUE(dict);
  ASSERT_EQ(dict->size(), 3U);
  EXPECT_EQ(*(*dict)[0].second->get<std::int64_t>(), -1);
  EXPECT_TRUE(*(*dict)[1].second->get<Pickled::List>()->at(0)->get<bool>());
  EXPECT_EQ(*(*dict)[2].second->get<double>(), 1.5);
}

TEST(Unpickler, ReadsTensorsWhereTheyLie) {
  const PickledPtr value = read("\x80\x02" + tensor("0", 1) + ".");
  const auto* found = value->get<ir::Tensor>();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->to_doubles(), (std::vector<double>{2, 3, 5, 6}));
}

TEST(Unpickler, AttributesOfPythonDoNotChangeATensor) {
  const auto with = [](const std::string& type) {
    const std::string whole = tensor("0", 1);
    const std::string arguments = whole.substr(whole.find('('), whole.size() - whole.find('(') - 1);
    return read("\x80\x02"s + "ctorch._tensor\n_rebuild_from_type_v2\n(ctorch._utils\n_rebuild_tensor_v2\nctorch\n" +
                type + "\n" + arguments + "}X\x03\0\0\0fooK\x01stR."s);
  };
  const PickledPtr plain = with("Tensor");
  ASSERT_TRUE(plain->get<ir::Tensor>());
  EXPECT_EQ(plain->get<ir::Tensor>()->to_doubles(), (std::vector<double>{2, 3, 5, 6}));
  const PickledPtr other = with("Masked");
  ASSERT_TRUE(other->get<Pickled::Object>());
  EXPECT_EQ(other->get<Pickled::Object>()->type, "torch.Masked");
}

TEST(Unpickler, AConjugateViewIsNotAPlainTensor) {
  const std::string plain = tensor("0", 1);
  const PickledPtr value = read("\x80\x02"s + plain.substr(0, plain.size() - 2) + "}X\x04\0\0\0conj\x88stR."s);
  EXPECT_FALSE(value->get<ir::Tensor>());
}

TEST(Unpickler, RefusesTensorsBeyondTheirStorage) {
  EXPECT_THROW(read("\x80\x02" + tensor("0", 2) + "."), ir::Error);
  EXPECT_THROW(read("\x80\x02" + tensor("1", 0) + "."), ir::Error);
}

TEST(Unpickler, RunsNothing) {
  const PickledPtr value = read("\x80\x02"s + "cos\nsystem\nX\x04\0\0\0true\x85R."s);
  const auto* object = value->get<Pickled::Object>();
  ASSERT_TRUE(object);
  EXPECT_EQ(object->type, "os.system");
}

TEST(Unpickler, DamagedPicklesAreErrors) {
  const std::string whole = "\x80\x02" + tensor("0", 1) + ".";
  for (std::size_t end = 0; end < whole.size(); ++end) EXPECT_THROW(read(whole.substr(0, end)), ir::Error) << end;
  for (const std::string& bytes :
       {"."s, "h\x05."s, "\x85."s, "t."s, "R."s, "u."s, "(("s, "X\xff\xff\xff\xff."s, "\xfe."s})
    EXPECT_THROW(read(bytes), ir::Error);
}

TEST(Unpickler, ErrorsNameTheByteOrTheLimit) {
  const auto message = [](const std::string& bytes) {
    try {
      read(bytes);
    } catch (const ir::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(message("\x80\x02K\x05\x86."s).find("broken at byte 5"), std::string::npos);
  EXPECT_NE(message("\x80\x02]q\0h\0a."s).find("more than 500 levels"), std::string::npos);
}

TEST(Unpickler, WhatIsInItselfOrNestsWithoutEndIsAnError) {
  const std::string in_itself = "\x80\x02]q\0h\0a."s, through_a_dict = "\x80\x02]q\0}K\x01h\0sa."s;
  const std::string deep(200'000, '\x85');
  std::string wide = "\x80\x02]q\0"s;
  for (char i = 0; i < 12; ++i) {
    const std::string ten(1, i);
    wide += "]("s;
    for (int k = 0; k < 10; ++k) wide += "h" + ten;
    wide += "eq" + std::string(1, static_cast<char>(i + 1));
  }
  for (const std::string& bytes : {in_itself, through_a_dict, "\x80\x02)" + deep + ".", wide + "."})
    EXPECT_THROW(read(bytes), ir::Error);
  EXPECT_TRUE(read("\x80\x02)" + deep + "0]q\x01h\x01h\x01\x86.")->get<Pickled::List>());
}

}  // namespace
}  // namespace tonnx::exported
