#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/types.h>

// A host's code that touches tensors in one particular way, and what becomes of its recording.
namespace callbacks {

using Tensors = std::vector<at::Tensor>;
// Runs on the inputs and gives the results. May write to the inputs.
using Code = std::function<Tensors(Tensors& x)>;

struct Callback {
  std::string name;
  // The code with whatever it captured, made anew for each recording.
  std::function<Code()> make;
  // The inputs of one run; the seed is LibTorch's own.
  std::function<Tensors()> inputs;
  // Part of the message that refuses it; empty: the model is right, also on other values.
  std::string refusal = {};
  // Part of a warning; such a model is right on the example's values alone. Empty: none of this kind.
  std::string warning = {};
  // The trace's option; absent: its default.
  std::optional<bool> other_values = true;
};

// Parts of messages that refuse a callback.
inline constexpr const char* kOnTheHost = "outside of the recorded operators (item(), an accessor";
inline constexpr const char* kEachTime = "behaves differently in each run";
inline constexpr const char* kPath = "another path";

// Tensors of these sizes, at random.
std::function<Tensors()> floats(std::vector<std::vector<std::int64_t>> sizes);

// The same code for each recording.
Callback equal(std::string name, Code code, std::function<Tensors()> inputs = floats({{2, 3}}));
Callback fresh(std::string name, std::function<Code()> make, std::function<Tensors()> inputs = floats({{2, 3}}));
Callback refused(std::string name, std::string refusal, std::function<Code()> make,
                 std::function<Tensors()> inputs = floats({{2, 3}}));
// Traced with the default options: a model, and a warning.
Callback warned(std::string name, std::string warning, Code code, std::function<Tensors()> inputs = floats({{2, 3}}));
// Runs once.
Callback told(std::string name, std::string warning, Code code, std::function<Tensors()> inputs = floats({{2, 3}}));
Callback refused_at_once(std::string name, std::string refusal, Code code,
                         std::function<Tensors()> inputs = floats({{2, 3}}));
Callback run_once(Callback callback);

// Code as users write networks, which also runs with another number of rows.
struct Network {
  std::string name;
  std::function<Code()> make;
  // Of one run; the first axis of the first input has so many rows.
  std::function<Tensors(std::int64_t rows)> inputs;
  // Parts of the messages that refuse it as it is and with rows that are dynamic; empty: the model is right.
  std::string refusal = {};
  std::string refusal_at_sizes = {};
  std::vector<std::int64_t> sizes = {1, 3, 5, 8};  // numbers of rows at which the model is compared
};

// The same code for each recording, refused for the same reason at one size and at several.
Network network(std::string name, Code code, std::function<Tensors(std::int64_t rows)> inputs,
                std::string refusal = {});
// Refused where the rows are dynamic.
Network network_of_fixed_size(std::string name, std::string refusal, Code code,
                              std::function<Tensors(std::int64_t rows)> inputs);
// Right at these numbers of rows.
Network network_at(std::string name, std::vector<std::int64_t> sizes, Code code,
                   std::function<Tensors(std::int64_t rows)> inputs);
// Made anew for each recording.
Network made(std::string name, std::function<Code()> make, std::function<Tensors(std::int64_t rows)> inputs,
             std::string refusal = {});
// Random tensors, whose first one has that many rows before the sizes given.
std::function<Tensors(std::int64_t rows)> with_rows(std::vector<std::int64_t> sizes);
inline const auto kRows = with_rows({3});

// Of each file beside this one.
std::vector<Callback> literals();
std::vector<Callback> indexing();
std::vector<Callback> captured();
std::vector<Callback> host_memory();
std::vector<Callback> writes();
std::vector<Callback> views();
std::vector<Callback> networks();
std::vector<Callback> values();
std::vector<Callback> plain_values();
std::vector<Callback> threads();
std::vector<Callback> devices();

std::vector<Network> branches();
std::vector<Network> habits();
std::vector<Network> images();
std::vector<Network> layers();
std::vector<Network> results();
std::vector<Network> sequences();
std::vector<Network> thresholds();
std::vector<Network> training();

// What came of one callback; both empty: a model that is right.
struct Outcome {
  std::string refusal;  // of the recording or the export, as unsupported
  std::string fault;    // anything else
};

// Records the code on inputs of the seed, exports, and compares the model with the code at these values and at others.
Outcome outcome_of(const Callback& callback, std::uint64_t seed);

// Records the code of `of` with the first axis of its first input told to be dynamic, exports, and compares the model
// with the code at its own sizes and at these of that axis. Sizes at which the code does not run are left out.
Outcome outcome_at_sizes(const std::function<Callback(std::int64_t rows)>& of, std::uint64_t seed,
                         const std::vector<std::int64_t>& sizes = {1, 3, 5, 8});

// Code made of steps at random: arithmetic with literals, captured tensors and buffers of the host, indices, views,
// sizes, data() and writes in place, on two inputs, of which the first has so many rows.
Callback random_callback(std::uint64_t seed, std::int64_t rows = 2);

}  // namespace callbacks
