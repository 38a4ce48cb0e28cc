// The samples that tests/python/make_samples.py wrote, as GoogleTest parameters.
#pragma once

#include <cstdint>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace samples {

struct DynamicAxis {
  std::string input;
  std::int64_t axis;
  std::string symbol;
};

struct Sample {
  std::string name;     // "<family>.<operator>.<case>"
  std::string archive;  // absolute paths from here on
  std::string args;
  std::string second_args;                // of another size; empty if no axis can move
  std::vector<std::string> further_args;  // of programs: other ways through them, of any size
  std::vector<std::string> inputs;
  std::vector<DynamicAxis> dynamic;
  std::int32_t opset;  // the oldest that it must convert at; before it a refusal is right too
  std::vector<std::int32_t> opsets;
  double rtol;
  double atol;
  bool sequences;       // lists among the arguments are sequence inputs of the model
  bool compare_values;  // false: the values are random by intent, only shapes and dtypes count
};

// GoogleTest prints parameters by this function.
void PrintTo(const Sample& sample, std::ostream* out);

// The samples of a suite ("operators", "programs", "models") in $TONNX_SAMPLES/manifest.json; empty if that is not set.
// $TONNX_OPSETS=all asks for every opset that ONNX Runtime runs instead of the sample's few.
std::vector<Sample> of_suite(const std::string& suite);

// Samples that could not be made, each with PyTorch's error.
std::vector<std::string> not_made();

// A sample's name as GoogleTest takes it: letters, digits and underscores.
std::string test_name(const Sample& sample);

// Exports at every opset of the sample, static and with dynamic axes, checks, and compares with LibTorch in ONNX
// Runtime, at the example's size, at the second and with the further arguments. `every_dynamic` false: dynamic at one
// opset only. $TONNX_SLICE=N runs two exports instead of all: one at the same opset always, the other at an opset that,
// like whether axes are dynamic, depends on N and on the sample's name. A listed known gap is skipped if it fails, and
// fails if it passes.
void run(const Sample& sample, bool every_dynamic);

}  // namespace samples
