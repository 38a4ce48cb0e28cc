#include <functional>
#include <sstream>

#include <ATen/ATen.h>
#include <caffe2/serialize/inline_container.h>
#include <caffe2/serialize/istream_adapter.h>
#include <gtest/gtest.h>
#include <torch/csrc/jit/api/compilation_unit.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/frontend/resolver.h>
#include <torch/csrc/jit/serialization/import.h>
#include <torch/csrc/jit/serialization/pickle.h>

#include "torch/libtorch_texts.h"

// The words of a LibTorch, as it says them. Nothing of tonnx's but these texts is here, so that the oldest LibTorch is
// asked, too.
namespace tonnx::torch {
namespace {

using ::torch::jit::Module;

std::string said(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::exception& e) {
    return e.what();
  }
  ADD_FAILURE() << "nothing is thrown";
  return {};
}

Module net_of(const std::string& body) {
  Module net("Net");
  net.define("def forward(self, x):\n    " + body + "\n");
  return net;
}

std::string said_by(const std::string& body) {
  Module net = net_of(body);
  return said([&] { net.forward({at::ones({2, 3})}); });
}

std::string said_of_source(const std::string& text) {
  return said(
      [&] { ::torch::jit::CompilationUnit().define(std::nullopt, text, ::torch::jit::nativeResolver(), nullptr); });
}

// The error of loading an archive in whose code `other` replaces `text`.
std::string said_of_code(const std::string& text, const std::string& other) {
  std::stringstream saved, changed;
  net_of("return torch.relu(x)").save(saved);
  caffe2::serialize::PyTorchStreamReader reader(std::make_unique<caffe2::serialize::IStreamAdapter>(&saved));
  caffe2::serialize::PyTorchStreamWriter writer([&](const void* data, std::size_t size) {
    changed.write(static_cast<const char*>(data), static_cast<std::streamsize>(size));
    return size;
  });
  bool found = false;
  for (const std::string& name : reader.getAllRecords()) {
    if (name == ".data/serialization_id" || name == "version") continue;
    const auto [data, size] = reader.getRecord(name);
    std::string content(static_cast<const char*>(data.get()), size);
    if (const std::size_t at = content.find(text); name.ends_with(".py") && at != content.npos) {
      content.replace(at, text.size(), other);
      found = true;
    }
    writer.writeRecord(name, content.data(), content.size());
  }
  writer.writeEndOfFile();
  EXPECT_TRUE(found) << text;
  return said([&] { ::torch::jit::load(changed); });
}

TEST(LibTorchTexts, AnOperatorIsUnknown) {
  const std::string loaded = said_of_code("torch.relu(x)", "ops.gone.twice(x)");
  EXPECT_EQ(texts::unknown_operator(loaded), "gone::twice") << loaded;
  const std::string compiled = said_of_source("def forward(x):\n    return torch.gone(x)\n");
  EXPECT_EQ(texts::unknown_operator(texts::source_fault(compiled).text), "aten::gone") << compiled;
  EXPECT_EQ(texts::unknown_operator(said_of_code("torch.relu(x)", "torch.relu(y)")), "");
}

TEST(LibTorchTexts, AnOperatorHasNoKernel) {
  const std::string text = said([] { at::_sparse_softmax(at::ones({2}), 0, false); });
  EXPECT_EQ(texts::operator_without_kernel(text), "aten::_sparse_softmax") << text;
  EXPECT_EQ(texts::operator_without_kernel(said([] { at::matmul(at::ones({2}), at::ones({3})); })), "");
}

TEST(LibTorchTexts, AClassIsUnknown) {
  const std::string text = said_of_code(") -> Tensor", ",\n    thing: __torch__.torch.classes.gone.Thing) -> Tensor");
  EXPECT_TRUE(texts::is_unknown_class(text)) << text;
  EXPECT_FALSE(texts::is_unknown_class(said_of_code(") -> Tensor", ") -> Thing")));
}

TEST(LibTorchTexts, AConstantHasNoValue) {
  const std::string text = said_of_code("torch.relu(x)", "torch.to_dense(ops.prim.ConstantMKLDNNTensor())");
  EXPECT_TRUE(texts::is_constant_without_value(text)) << text;
  EXPECT_FALSE(texts::is_constant_without_value(said_of_code("torch.relu(x)", "torch.relu(y)")));
}

TEST(LibTorchTexts, ANameIsOutsideAscii) {
  for (const char* other : {"torch.relu(\xc3\xa9)", "getattr(self, \"\\0)+\")"}) {
    const std::string text = said_of_code("torch.relu(x)", other);
    EXPECT_TRUE(texts::is_name_outside_ascii(text)) << text;
  }
  EXPECT_FALSE(texts::is_name_outside_ascii(said_of_code("torch.relu(x)", "torch.relu(?)")));
}

TEST(LibTorchTexts, APickleHoldsAnOrderedDict) {
  const auto read = [](const std::string& pickle) {
    return said([&] { ::torch::jit::unpickle(pickle.data(), pickle.size()); });
  };
  const std::string begun =
      "\x80\x02"
      "ccollections\nOrderedDict\n)R";
  const std::string text = read(begun + std::string("X\x01\0\0\0aK\x01s.", 10));
  EXPECT_TRUE(texts::is_ordered_dict(text)) << text;
  EXPECT_FALSE(texts::is_ordered_dict(read("\x80\x02K\x01")));
}

TEST(LibTorchTexts, APickleHoldsAClassOfPython) {
  const std::string pickle =
      "\x80\x02"
      "cnets\nPair\nK\x01\x85\x81.";
  const std::string text = said([&] { ::torch::jit::unpickle(pickle.data(), pickle.size()); });
  EXPECT_EQ(texts::unknown_pickled_class(text), "nets.Pair") << text;
  EXPECT_EQ(texts::unknown_pickled_class("no such class"), "");
}

TEST(LibTorchTexts, AFaultOfSourceHasAnOriginAndAPlace) {
  const std::string text = said_of_source("def forward(x):\n    y = 2\n    return x + undefined\n");
  const texts::SourceFault fault = texts::source_fault(text);
  EXPECT_EQ(fault.text, "undefined value undefined") << text;
  EXPECT_EQ(fault.line, 3U) << text;
  EXPECT_EQ(fault.column, 16U) << text;
}

TEST(LibTorchTexts, AnAttributeIsMissing) {
  const std::string text = said([] { net_of("return x").define("def other(self, x):\n    return x + self.weight\n"); });
  EXPECT_EQ(texts::missing_attribute(texts::source_fault(text).text), "weight") << text;
  EXPECT_EQ(texts::missing_attribute(said_of_source("def forward(x):\n    return y\n")), "");
}

TEST(LibTorchTexts, TheParserItselfFails) {
  const std::string text = said_of_source("def forward(x):\n    retrun x\n");
  EXPECT_TRUE(texts::is_internal_failure(text)) << text;
  EXPECT_FALSE(texts::is_internal_failure(said_of_source("def forward(x):\n    return y\n")));
}

TEST(LibTorchTexts, AnErrorOfTheInterpreterFollowsTheProgramsLines) {
  const std::string text = said_by("return torch.matmul(x, x)");
  const std::string why = texts::without_program_trace(text);
  EXPECT_LT(why.size(), text.size()) << text;
  EXPECT_TRUE(why.starts_with("mat1 and mat2")) << why;
  EXPECT_EQ(texts::without_program_trace(why), why);
}

TEST(LibTorchTexts, ABackTraceBeginsWithItsOrigin) {
  const std::string text = said([] { at::matmul(at::ones({2}), at::ones({3})); });
  const std::string why = texts::without_back_trace(text);
  EXPECT_LT(why.size(), text.size()) << text;
  EXPECT_EQ(why.find("frame #"), std::string::npos) << why;
  EXPECT_EQ(why.find("raised from"), std::string::npos) << why;
  EXPECT_EQ(texts::without_back_trace(why), why);
}

}  // namespace
}  // namespace tonnx::torch
