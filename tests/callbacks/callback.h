#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <torch/types.h>

// Cases of host code that uses tensors in one particular way, and the expected result of its recording.
namespace callbacks {

using Tensors = std::vector<at::Tensor>;
// Runs on the inputs and returns the results. May write to the inputs.
using Code = std::function<Tensors(Tensors& x)>;

struct Callback {
  std::string name;
  // Creates the code and the tensors it captures; called for each recording.
  std::function<Code()> make;
  // Creates the inputs of one run, with LibTorch's random generator.
  std::function<Tensors()> inputs;
  // Part of the refusal; empty: the model is correct, also on other values.
  std::string refusal = {};
  // Part of a warning; the model is then correct on the example's values only. Empty: no such warning.
  std::string warning = {};
  // The option `other_values` of the trace; absent: its default.
  std::optional<bool> other_values = true;
  // A single run warns that the code takes pointers to elements that depend on an input. The model is correct.
  bool takes_pointers = false;
};

// Parts of refusals.
inline constexpr const char* kOnTheHost = "outside of the recorded operators (item(), an accessor";
inline constexpr const char* kEachTime = "behaves differently in each run";
inline constexpr const char* kPath = "another path";

// Random tensors of these sizes.
std::function<Tensors()> floats(std::vector<std::vector<std::int64_t>> sizes);

// The same code for each recording.
Callback equal(std::string name, Code code, std::function<Tensors()> inputs = floats({{2, 3}}));
Callback fresh(std::string name, std::function<Code()> make, std::function<Tensors()> inputs = floats({{2, 3}}));
Callback refused(std::string name, std::string refusal, std::function<Code()> make,
                 std::function<Tensors()> inputs = floats({{2, 3}}));
// Traced with the default options: a model with a warning.
Callback warned(std::string name, std::string warning, Code code, std::function<Tensors()> inputs = floats({{2, 3}}));
// Traced in a single run: a model with a warning.
Callback warned_in_single_run(std::string name, std::string warning, Code code,
                              std::function<Tensors()> inputs = floats({{2, 3}}));
Callback refused_at_once(std::string name, std::string refusal, Code code,
                         std::function<Tensors()> inputs = floats({{2, 3}}));
Callback run_once(Callback callback);
Callback taking_pointers(Callback callback);

// Code as users write networks; it also runs with other numbers of rows.
struct Network {
  std::string name;
  std::function<Code()> make;
  // Creates the inputs of one run; the first axis of the first input has size `rows`.
  std::function<Tensors(std::int64_t rows)> inputs;
  // Parts of the refusals with fixed and with dynamic rows; empty: the model is correct.
  std::string refusal = {};
  std::string refusal_at_sizes = {};
  std::vector<std::int64_t> sizes = {1, 3, 5, 8};  // numbers of rows at which the model is compared
};

// The same code for each recording. `refusal`: with fixed and with dynamic rows.
Network network(std::string name, Code code, std::function<Tensors(std::int64_t rows)> inputs,
                std::string refusal = {});
// Refused with dynamic rows.
Network network_of_fixed_size(std::string name, std::string refusal, Code code,
                              std::function<Tensors(std::int64_t rows)> inputs);
// Correct at these numbers of rows.
Network network_at(std::string name, std::vector<std::int64_t> sizes, Code code,
                   std::function<Tensors(std::int64_t rows)> inputs);
// New code for each recording.
Network made(std::string name, std::function<Code()> make, std::function<Tensors(std::int64_t rows)> inputs,
             std::string refusal = {});
// One random tensor of size `rows` followed by the given sizes.
std::function<Tensors(std::int64_t rows)> with_rows(std::vector<std::int64_t> sizes);
inline const auto kRows = with_rows({3});

// The cases of each file in this folder.
std::vector<Callback> literals();
std::vector<Callback> indexing();
std::vector<Callback> captured();
std::vector<Callback> host_memory();
std::vector<Callback> writes();
std::vector<Callback> views();
std::vector<Callback> networks();
std::vector<Callback> values();
std::vector<Callback> plain_values();
std::vector<Callback> pointers();
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

// The result of one callback; both empty: the model is correct.
struct Outcome {
  std::string refusal;  // of the recording or the export, as unsupported
  std::string fault;    // anything else
};

// Records the code on inputs from the seed, exports it, and compares the model with the code on these and other values.
Outcome outcome_of(const Callback& callback, std::uint64_t seed);

// Records the code of `of` with a dynamic first axis of the first input, exports it, and compares the model with the
// code at the example's size and at `sizes` of that axis. Skips sizes at which the code does not run.
Outcome outcome_at_sizes(const std::function<Callback(std::int64_t rows)>& of, std::uint64_t seed,
                         const std::vector<std::int64_t>& sizes = {1, 3, 5, 8});

// Code of random steps on two inputs: arithmetic with literals, captured tensors and host buffers, indices, views,
// sizes, data() and in-place writes. The first axis of the first input has size `rows`.
Callback random_callback(std::uint64_t seed, std::int64_t rows = 2);

}  // namespace callbacks
