#include <cmath>
#include <limits>
#include <map>
#include <random>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "exported/json.h"
#include "exported/json_writer.h"

namespace tonnx::exported {
namespace {

using Made = nlohmann::json;

std::string written(const std::string& text) { return JsonDocument(text).root().dump(); }

std::string complaint(const std::string& text) {
  try {
    JsonDocument document(text);
  } catch (const JsonError& error) {
    return error.what();
  }
  return "none";
}

TEST(Json, ValuesAreRead) {
  const JsonDocument document(
      R"( {"b": [1, -2, 0.5, 1e3, 9223372036854775807], "a": "x\n\"\\\/\u00e9\ud83d\ude00", "c": null, "d": {}, "e": [], "f": true} )");
  const Json& root = document.root();
  EXPECT_EQ(root.size(), 6u);
  EXPECT_EQ(root.members()[0].key, "a");
  EXPECT_EQ(root.at("a").string(), "x\n\"\\/\xC3\xA9\xF0\x9F\x98\x80");
  EXPECT_EQ(root.at("b").at(1).get<std::int64_t>(), -2);
  EXPECT_EQ(root.at("b").get<std::vector<double>>(), (std::vector<double>{1, -2, 0.5, 1000, 9223372036854775807.0}));
  EXPECT_EQ(root.at("b")[4].get<std::int64_t>(), INT64_MAX);
  EXPECT_TRUE(root.at("c").is_null());
  EXPECT_TRUE(root.at("d").empty() && root.at("e").empty() && root.at("c").empty());
  EXPECT_TRUE(root.at("f").get<bool>());
  EXPECT_EQ(root.find("none"), nullptr);
  EXPECT_EQ(root.at("b").find("none"), nullptr);
}

TEST(Json, WhatIsOfAnotherKindIsRefused) {
  const JsonDocument document(R"({"a": [1, "x", 1.5, 18446744073709551616]})");
  const Json& root = document.root();
  const Json& list = root.at("a");
  EXPECT_THROW(root.at("b"), JsonError);
  EXPECT_THROW(list.at("b"), JsonError);
  EXPECT_THROW(list.at(4), JsonError);
  EXPECT_THROW(root.at(0), JsonError);
  EXPECT_THROW(list[0].get<std::string>(), JsonError);
  EXPECT_THROW(list[0].get<bool>(), JsonError);
  EXPECT_THROW(list[1].get<std::int64_t>(), JsonError);
  EXPECT_THROW(list[2].get<std::int64_t>(), JsonError);
  EXPECT_THROW(list[3].get<std::int64_t>(), JsonError);
  EXPECT_THROW(list[1].items(), JsonError);
  EXPECT_THROW(list[0].size(), JsonError);
  EXPECT_THROW(list.members(), JsonError);
}

TEST(Json, TheLastMemberOfAKeyStays) {
  EXPECT_EQ(written(R"({"b": 1, "a": 2, "b": 3, "a": 4, "c": 5})"), R"({"a":4,"b":3,"c":5})");
  EXPECT_EQ(written(R"({"a": 1, "a": 2})"), R"({"a":2})");
}

TEST(Json, ACopyLivesOnItsOwn) {
  JsonDocument copy;
  {
    const JsonDocument document(R"({"a": {"b": ["x\t\u0001", 1.0, -0.0, 1e300]}})");
    copy = JsonDocument(document.root().at("a"));
  }
  EXPECT_EQ(copy.root().dump(), R"({"b":["x\t\u0001",1.0,-0.0,1e+300]})");
  EXPECT_TRUE(JsonDocument(std::string_view("[1, {\"a\": 2}]")).root() ==
              JsonDocument(std::string_view("[1.0, {\"a\": 2}]")).root());
  EXPECT_FALSE(JsonDocument(std::string_view("[1]")).root() == JsonDocument(std::string_view("[1, 2]")).root());
}

TEST(Json, DamagedTextsAreRefusedWithTheirPlace) {
  EXPECT_EQ(complaint(""), "at byte 1: syntax error while parsing value - unexpected end of input");
  EXPECT_EQ(complaint("[1"), "at byte 3: syntax error while parsing array - unexpected end of input");
  EXPECT_EQ(complaint("[1,]"), "at byte 4: syntax error while parsing value - unexpected ']'");
  EXPECT_EQ(complaint("{\"a\": 1} x"), "at byte 10: syntax error while parsing value - invalid literal");
  EXPECT_EQ(complaint("[NaN]"), "at byte 2: syntax error while parsing value - invalid literal");
  EXPECT_EQ(complaint("[1e999]"), "at byte 6: number overflow");
  EXPECT_EQ(complaint("\"\xC0\x80\""),
            "at byte 2: syntax error while parsing value - invalid string: ill-formed UTF-8 byte");
  for (const char* text :
       {"01",      "-",           "1.",  ".5",     "1e",  "+1",  "[",     "{",           "{\"a\"}", "{1: 2}",
        "\"\\x\"", "\"\\u12g4\"", "\"a", "\"\n\"", "nul", "tru", "[1 2]", "{\"a\": 1,}", "\"\\",    "\"\\u12"})
    EXPECT_NE(complaint(text), "none") << text;
}

TEST(Json, DepthHasABound) {
  EXPECT_EQ(complaint(std::string(1000, '[') + std::string(1000, ']')), "none");
  EXPECT_EQ(complaint(std::string(1000000, '[')), "it is nested deeper than 1000 levels");
}

TEST(Json, ManyMembersAndLongTexts) {
  std::string text = "{";
  for (int i = 5000; i > 0; --i) text += "\"k" + std::to_string(i) + "\": " + std::to_string(i) + ", ";
  text += "\"long\": \"" + std::string(1 << 20, 'x') + "\"}";
  const JsonDocument document(text);
  EXPECT_EQ(document.root().size(), 5001u);
  for (int i = 1; i <= 5000; ++i) ASSERT_EQ(document.root().at("k" + std::to_string(i)).get<std::int64_t>(), i);
  EXPECT_EQ(document.root().at("long").string().size(), std::size_t{1} << 20);
}

// JSON with a few changed bytes parses to the same values as in nlohmann's own tree, or both refuse it.
TEST(Json, AgreesWithATreeOfTheSameText) {
  const std::string whole =
      R"({"name": "a\u00e9\ud83d\ude00\n", "n": [0, -1, 2.5e-3, 1E+2, true, false, null], "o": {"x": {}, "y": [[], "é"]}})";
  std::mt19937 random(7);
  const std::string alphabet = "\"\\{}[],:0123456789.eE+-untrfalsxd \n\x01\x80\xC3\xA9\xE2\xED\xF4";
  int read = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    std::string text = whole;
    for (unsigned changes = random() % 4; changes > 0; --changes) {
      const std::size_t at = random() % text.size();
      const char byte = alphabet[random() % alphabet.size()];
      if (random() % 3 == 0)
        text.erase(at, 1 + random() % 3);
      else if (random() % 2 == 0)
        text.insert(at, 1, byte);
      else
        text[at] = byte;
    }
    const Made other = Made::parse(text, nullptr, false);
    if (other.is_discarded()) {
      EXPECT_NE(complaint(text), "none") << text;
    } else {
      ASSERT_EQ(complaint(text), "none") << text;
      EXPECT_EQ(Made::parse(written(text)), other) << text;
      ++read;
    }
  }
  EXPECT_GT(read, 1000);
}

// As nlohmann's library writes the same values.
TEST(JsonWriter, WritesWhatALibraryWrites) {
  for (const int indent : {0, 2}) {
    JsonWriter writer(static_cast<std::size_t>(indent));
    writer.begin_object().member("text", "a\"\\\b\f\n\r\t\x01\x7f\u00e9").member("none", nullptr).member("yes", true);
    writer.member("least", INT64_MIN).member("half", 0.5).member("whole", -3.0);
    writer.key("empty").begin_object().end_object().key("items").begin_array().end_array();
    writer.member("list", std::vector<std::string>{"", "b"});
    writer.member("map", std::map<std::string, std::vector<std::int64_t>>{{"a", {}}, {"b", {1, 2}}});
    writer.key("nested").begin_array().begin_object().member("x", 1).end_object().value(2).end_array().end_object();
    const nlohmann::ordered_json same = {{"text", "a\"\\\b\f\n\r\t\x01\x7f\u00e9"},
                                         {"none", nullptr},
                                         {"yes", true},
                                         {"least", INT64_MIN},
                                         {"half", 0.5},
                                         {"whole", -3.0},
                                         {"empty", nlohmann::ordered_json::object()},
                                         {"items", nlohmann::ordered_json::array()},
                                         {"list", {"", "b"}},
                                         {"map", {{"a", nlohmann::ordered_json::array()}, {"b", {1, 2}}}},
                                         {"nested", nlohmann::ordered_json::array({{{"x", 1}}, 2})}};
    EXPECT_EQ(writer.text(), same.dump(indent == 0 ? -1 : indent));
  }
}

TEST(JsonWriter, WritesJsonWhateverTheValuesAre) {
  JsonWriter writer;
  writer.begin_array().value(std::numeric_limits<double>::infinity()).value(std::nan(""));
  writer.value("a\xff\xc3").value("\xed\xa0\x80").end_array();
  EXPECT_EQ(writer.text(), "[null,null,\"a\uFFFD\uFFFD\",\"\uFFFD\uFFFD\uFFFD\"]");
  EXPECT_TRUE(nlohmann::json::accept(writer.text()));
}

}  // namespace
}  // namespace tonnx::exported
