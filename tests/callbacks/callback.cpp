#include "callback.h"

#include <optional>

#include <gtest/gtest.h>

#include "../capi/host.h"

namespace callbacks {

std::function<Tensors()> floats(std::vector<std::vector<std::int64_t>> sizes) {
  return [=] {
    Tensors result;
    for (const auto& each : sizes) result.push_back(at::randn(each));
    return result;
  };
}

Callback equal(std::string name, Code code, std::function<Tensors()> inputs) {
  return {std::move(name), [=] { return code; }, std::move(inputs)};
}

Callback fresh(std::string name, std::function<Code()> make, std::function<Tensors()> inputs) {
  return {std::move(name), std::move(make), std::move(inputs)};
}

Callback refused(std::string name, std::string refusal, std::function<Code()> make, std::function<Tensors()> inputs) {
  return {std::move(name), std::move(make), std::move(inputs), std::move(refusal)};
}

Callback warned(std::string name, std::string warning, Code code, std::function<Tensors()> inputs) {
  return {std::move(name), [=] { return code; }, std::move(inputs), {}, std::move(warning), std::nullopt};
}

Callback warned_in_single_run(std::string name, std::string warning, Code code, std::function<Tensors()> inputs) {
  return {std::move(name), [=] { return code; }, std::move(inputs), {}, std::move(warning), false};
}

Callback refused_at_once(std::string name, std::string refusal, Code code, std::function<Tensors()> inputs) {
  return {std::move(name), [=] { return code; }, std::move(inputs), std::move(refusal), {}, false};
}

Callback taking_pointers(Callback callback) {
  callback.takes_pointers = true;
  return callback;
}

Callback run_once(Callback callback) {
  callback.other_values = false;
  return callback;
}

Network network(std::string name, Code code, std::function<Tensors(std::int64_t)> inputs, std::string refusal) {
  return {std::move(name), [=] { return code; }, std::move(inputs), refusal, refusal};
}

Network network_of_fixed_size(std::string name, std::string refusal, Code code,
                              std::function<Tensors(std::int64_t)> inputs) {
  return {std::move(name), [=] { return code; }, std::move(inputs), {}, std::move(refusal)};
}

Network network_at(std::string name, std::vector<std::int64_t> sizes, Code code,
                   std::function<Tensors(std::int64_t)> inputs) {
  return {std::move(name), [=] { return code; }, std::move(inputs), {}, {}, std::move(sizes)};
}

Network made(std::string name, std::function<Code()> make, std::function<Tensors(std::int64_t)> inputs,
             std::string refusal) {
  return {std::move(name), std::move(make), std::move(inputs), refusal, refusal};
}

std::function<Tensors(std::int64_t)> with_rows(std::vector<std::int64_t> sizes) {
  return [=](std::int64_t rows) {
    std::vector<std::int64_t> all = {rows};
    all.insert(all.end(), sizes.begin(), sizes.end());
    return Tensors{at::randn(all)};
  };
}

namespace {

std::pair<Code, Tensors> seeded(const Callback& callback, std::uint64_t seed) {
  at::manual_seed(0);
  Code code = callback.make();
  at::manual_seed(seed);
  return {std::move(code), callback.inputs()};
}

tonnx::Program record(const Callback& callback, std::uint64_t seed, const tonnx::TraceOptions& options) {
  const auto made = seeded(callback, seed);
  const Code& code = made.first;
  const Tensors& inputs = made.second;
  return tonnx::Program::trace(
      [&](tonnx::Trace& trace) {
        Tensors x;
        for (std::size_t i = 0; i < trace.input_count(); ++i) x.push_back(host::tensor(trace.input(i)));
        const Tensors results = code(x);
        for (const at::Tensor& result : results) trace.output(&result);
      },
      host::args(inputs), options);
}

constexpr std::int64_t kTriedFirst = 7;  // the tracer's first other size if the example has two rows

bool runs(const Callback& callback, std::uint64_t seed) {
  auto [code, inputs] = seeded(callback, seed);
  try {
    code(inputs);
  } catch (const c10::Error&) {
    return false;
  }
  return true;
}

std::string fault_at_sizes(const std::function<Callback(std::int64_t)>& of, std::uint64_t seed,
                           const std::vector<std::int64_t>& sizes) {
  tonnx::TraceOptions options;
  options.dynamic_axis(0, 0, "rows");
  const tonnx::Program program = record(of(2), seed, options);
  const auto model = tonnx::export_program(program, tonnx::Args());
  model.verify(program, tonnx::Args());
  for (const std::int64_t rows : sizes) {
    std::optional<tonnx::Program> other;
    try {
      other.emplace(record(of(rows), seed + 1, {}));
    } catch (const c10::Error&) {
      continue;
    }
    try {
      model.verify(*other, tonnx::Args());
    } catch (const tonnx::Error& e) {
      return "with " + std::to_string(rows) + " rows: " + e.what();
    }
  }
  return {};
}

Outcome outcome_of(const std::function<std::string()>& fault) {
  try {
    return {{}, fault()};
  } catch (const tonnx::Error& e) {
    if (e.status() == TONNX_STATUS_UNSUPPORTED) return {e.what(), {}};
    return {{}, e.what()};
  } catch (const std::exception& e) {
    return {{}, e.what()};
  }
}

std::string fault_of_model(const Callback& callback, std::uint64_t seed) {
  tonnx::TraceOptions options;
  if (callback.other_values) options.other_values(*callback.other_values);
  const tonnx::Program program = record(callback, seed, options);
  const auto model = tonnx::export_program(program, tonnx::Args());
  bool warned = callback.warning.empty();
  for (const std::string& warning : model.warnings()) {
    if (!callback.warning.empty() && warning.find(callback.warning) != std::string::npos) warned = true;
    if (!callback.warning.empty()) continue;
    // If other values were not tried, a warning on dynamic sizes is expected.
    const bool sizes =
        warning.find("sizes that depend on data") != std::string::npos && !callback.other_values.value_or(false);
    const bool reads = warning.find("read as a number") != std::string::npos ||
                       warning.find("outside of the recorded operators") != std::string::npos;
    if (sizes || reads) return "warned: " + warning;
  }
  if (!warned) return "no warning with '" + callback.warning + "'";
  model.verify(program, tonnx::Args());
  if (!callback.warning.empty()) return {};
  const tonnx::Program other = record(callback, seed + 1, {});
  model.verify(other, tonnx::Args());
  bool takes_pointers = false;
  for (const std::string& warning : tonnx::export_program(other, tonnx::Args()).warnings())
    takes_pointers |= warning.find("a pointer to the elements") != std::string::npos;
  if (takes_pointers != callback.takes_pointers)
    return takes_pointers ? "a warning about a pointer" : "no warning about a pointer";
  return {};
}

}  // namespace

Outcome outcome_of(const Callback& callback, std::uint64_t seed) {
  return outcome_of([&] { return fault_of_model(callback, seed); });
}

Outcome outcome_at_sizes(const std::function<Callback(std::int64_t rows)>& of, std::uint64_t seed,
                         const std::vector<std::int64_t>& sizes) {
  Outcome outcome = outcome_of([&] { return fault_at_sizes(of, seed, sizes); });
  // The tracer refuses code that raises at larger sizes.
  if (outcome.fault.starts_with("the code runs at") && !runs(of(kTriedFirst), seed))
    std::swap(outcome.refusal, outcome.fault);
  return outcome;
}

}  // namespace callbacks
