#include "samples/samples.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <optional>
#include <string_view>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tonnx.hpp"

namespace samples {
namespace {

constexpr double kAnyDifference = 1e30;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

nlohmann::json manifest(const std::string& folder) {
  std::ifstream file(folder + "/manifest.json");
  if (!file) throw std::runtime_error("no manifest.json in " + folder + "; tests/python/make_samples.py writes it");
  return nlohmann::json::parse(file);
}

constexpr const char* kModes[] = {"static", "dynamic"};

// "NAME\tMODE" and the reason.
const std::map<std::string, std::string>& known_gaps() {
  static const auto gaps = [] {
    std::map<std::string, std::string> read;
    std::ifstream file(environment("TONNX_SOURCE_ROOT") + "/tests/known_gaps.txt");
    for (std::string line; std::getline(file, line);)
      if (!line.empty() && line[0] != '#') read[line.substr(0, line.rfind('\t'))] = line.substr(line.rfind('\t') + 1);
    return read;
  }();
  return gaps;
}

// A number that depends on the name alone, on every machine (FNV-1a).
std::uint32_t hash_of(std::string_view name) {
  std::uint32_t hash = 2166136261u;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619u;
  return hash;
}

// The exports of one run of the tests: (opset, dynamic).
struct Cell {
  std::int32_t opset;
  bool dynamic;
};

// With $TONNX_SLICE, a number: one mode of the opset near 17, and one mode of another opset. Which ones depends on the
// sample's name and on the slice, so that a few slices cover all cells. Otherwise, and for known gaps, all cells.
std::vector<Cell> cells_of(const Sample& sample, bool can_move, bool every_dynamic) {
  const std::int32_t middle = sample.opsets[sample.opsets.size() / 2];
  std::vector<Cell> first, others;
  for (const std::int32_t opset : sample.opsets)
    for (const bool dynamic : {false, true})
      if (!dynamic || (can_move && (every_dynamic || opset == middle)))
        (opset == middle ? first : others).push_back({opset, dynamic});
  const std::string slice = environment("TONNX_SLICE");
  const bool gap = known_gaps().contains(sample.name + "\tstatic") || known_gaps().contains(sample.name + "\tdynamic");
  if (!slice.empty() && !gap) {
    const std::size_t turn = hash_of(sample.name) + std::stoul(slice);
    for (std::vector<Cell>* cells : {&first, &others})
      if (!cells->empty()) *cells = {(*cells)[turn % cells->size()]};
  }
  first.insert(first.end(), others.begin(), others.end());
  return first;
}

// One sample's program and arguments, exported again and again.
class Runner {
 public:
  explicit Runner(const Sample& sample)
      : sample_(sample), program_(tonnx::Program::load(sample.archive)), args_(tonnx::Args::load(sample.args)) {
    if (!sample.second_args.empty()) second_ = tonnx::Args::load(sample.second_args);
    for (const std::string& path : sample.further_args) further_.push_back(tonnx::Args::load(path));
  }

  bool can_move() const { return !sample_.dynamic.empty(); }

  // The failure, if any.
  std::optional<std::string> run(std::int32_t opset, bool dynamic) {
    std::string stage = "export";
    bool warned_of_kernel = false;
    try {
      tonnx::Options options;
      options.opset(opset).sequence_inputs(sample_.sequences);
      if (dynamic)
        for (const DynamicAxis& axis : sample_.dynamic) options.dynamic_axis(axis.input, axis.axis, axis.symbol);
      const tonnx::Model model = tonnx::export_program(program_, args_, options);
      for (const std::string& warning : model.warnings())
        warned_of_kernel = warned_of_kernel || warning.find("no CPU kernel") != std::string::npos;
      stage = "check";
      model.check();
      if (const auto wrong = wrong_inputs(model)) return wrong;
      stage = "verify";
      verify(model, args_);
      stage = "verify at the other size";
      if (dynamic && second_) verify(model, *second_);
      stage = "verify another run";
      // They may be of other sizes where axes can move.
      if (dynamic || !can_move())
        for (const tonnx::Args& args : further_) verify_further(model, args);
      ++ran_;
      if (warned_of_kernel)
        return "a warning says that ONNX Runtime has no kernel, at opset " + std::to_string(opset) +
               ", where the model runs";
      return std::nullopt;
    } catch (const tonnx::Error& error) {
      if (error.status() == TONNX_STATUS_UNSUPPORTED && opset < sample_.opset) return std::nullopt;
      // The values cannot be compared then.
      if (error.class_name() == "MissingKernelError" && warned_of_kernel) {
        ++without_kernel_;
        return std::nullopt;
      }
      return stage + " at opset " + std::to_string(opset) + (dynamic ? ", dynamic" : "") + ": " + error.what();
    }
  }

  int ran() const { return ran_; }
  int without_kernel() const { return without_kernel_; }

 private:
  void verify(const tonnx::Model& model, const tonnx::Args& args) const {
    tonnx::VerifyOptions options;
    options.rtol(sample_.rtol).atol(sample_.compare_values ? sample_.atol : kAnyDifference).other_sizes(false);
    model.verify(program_, args, options);
  }

  // A result may be an empty list. The test list_inputs compares those.
  void verify_further(const tonnx::Model& model, const tonnx::Args& args) const {
    try {
      verify(model, args);
    } catch (const tonnx::Error& error) {
      if (std::string_view(error.what()).find("cannot create an empty sequence") == std::string_view::npos) throw;
    }
  }

  std::optional<std::string> wrong_inputs(const tonnx::Model& model) const {
    std::string names, wanted;
    for (const std::string& name : model.input_names()) names += name + " ";
    for (const std::string& name : sample_.inputs) wanted += name + " ";
    // Below opset 9 the weights follow as inputs.
    if (names.compare(0, wanted.size(), wanted) == 0) return std::nullopt;
    return "the inputs are " + names + "instead of " + wanted;
  }

  const Sample& sample_;
  tonnx::Program program_;
  tonnx::Args args_;
  std::optional<tonnx::Args> second_;
  std::vector<tonnx::Args> further_;
  int ran_ = 0;
  int without_kernel_ = 0;
};

// Fails if a mode fails without a known gap, or passes with one. Returns true if there is a known gap.
bool judge(const std::string& sample, bool dynamic, const std::vector<std::string>& failures) {
  const auto gap = known_gaps().find(sample + "\t" + kModes[dynamic]);
  if (gap == known_gaps().end()) {
    for (const std::string& failure : failures) ADD_FAILURE() << sample << ": " << failure;
    return false;
  }
  if (failures.empty())
    ADD_FAILURE() << sample << " passes, " << kModes[dynamic] << ", and is listed as a known gap: " << gap->second;
  return true;
}

}  // namespace

void PrintTo(const Sample& sample, std::ostream* out) { *out << sample.name; }

std::string test_name(const Sample& sample) {
  std::string name = sample.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}

std::vector<Sample> of_suite(const std::string& suite) {
  const std::string folder = environment("TONNX_SAMPLES");
  if (folder.empty()) return {};
  const nlohmann::json read = manifest(folder);
  const auto newest = read.at("newest_opset").get<std::int32_t>();
  const bool every_opset = environment("TONNX_OPSETS") == "all";
  std::vector<Sample> samples;
  for (const auto& entry : read.at("cases")) {
    if (entry.at("suite") != suite) continue;
    Sample sample;
    const auto path = [&](const nlohmann::json& name) { return folder + "/" + name.get<std::string>(); };
    sample.name = entry.at("name");
    sample.archive = path(entry.at("archive"));
    sample.args = path(entry.at("args"));
    if (!entry.at("second").is_null()) sample.second_args = path(entry.at("second").at("args"));
    for (const auto& more : entry.value("more", nlohmann::json::array()))
      sample.further_args.push_back(path(more.at("args")));
    sample.inputs = entry.at("inputs");
    for (const auto& axis : entry.at("dynamic"))
      sample.dynamic.push_back({axis.at("input"), axis.at("axis"), axis.at("dim")});
    sample.opset = entry.at("opset");
    sample.opsets = entry.at("opsets").get<std::vector<std::int32_t>>();
    if (every_opset) {
      sample.opsets.resize(static_cast<std::size_t>(newest - tonnx_opset_oldest() + 1));
      std::iota(sample.opsets.begin(), sample.opsets.end(), tonnx_opset_oldest());
    }
    sample.rtol = entry.at("rtol");
    sample.atol = entry.at("atol");
    sample.sequences = entry.value("sequences", false);
    sample.compare_values = entry.at("compare") == "values";
    samples.push_back(std::move(sample));
  }
  return samples;
}

std::vector<std::string> not_made() {
  const std::string folder = environment("TONNX_SAMPLES");
  std::vector<std::string> lines;
  if (folder.empty()) return lines;
  const auto list = manifest(folder);  // must outlive the loop over its part
  for (const auto& entry : list.at("not_made"))
    lines.push_back(entry.at("name").get<std::string>() + ": " + entry.at("error").get<std::string>());
  return lines;
}

void run(const Sample& sample, bool every_dynamic) {
  std::vector<std::string> failures[2];  // static, dynamic
  int ran = 0, without_kernel = 0;
  bool can_move = false;
  try {
    Runner runner(sample);
    can_move = runner.can_move();
    const auto once = [&](std::int32_t opset, bool dynamic) {
      if (auto failure = runner.run(opset, dynamic)) failures[dynamic].push_back(std::move(*failure));
    };
    for (const Cell& cell : cells_of(sample, can_move, every_dynamic)) once(cell.opset, cell.dynamic);
    ran = runner.ran();
    without_kernel = runner.without_kernel();
  } catch (const tonnx::Error& error) {
    failures[false].push_back(std::string("load: ") + error.what());
  }
  if (without_kernel > 0) testing::Test::RecordProperty("runs_without_kernel", without_kernel);
  const bool gap = judge(sample.name, false, failures[false]);
  if ((can_move && judge(sample.name, true, failures[true])) || gap) GTEST_SKIP() << "a known gap";
  if (failures[false].empty() && failures[true].empty() && ran == 0)
    GTEST_SKIP() << "ONNX Runtime has no kernel for it at any of these opsets";
}

}  // namespace samples
