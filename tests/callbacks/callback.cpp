#include "callback.h"

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

Callback told(std::string name, std::string warning, Code code, std::function<Tensors()> inputs) {
  return {std::move(name), [=] { return code; }, std::move(inputs), {}, std::move(warning)};
}

namespace {

tonnx::Program record(const Callback& callback, std::uint64_t seed) {
  at::manual_seed(0);
  const Code code = callback.make();
  at::manual_seed(seed);
  const Tensors inputs = callback.inputs();
  return tonnx::Program::trace(
      [&](tonnx::Trace& trace) {
        Tensors x;
        for (std::size_t i = 0; i < trace.input_count(); ++i) x.push_back(host::tensor(trace.input(i)));
        const Tensors results = code(x);
        for (const at::Tensor& result : results) trace.output(&result);
      },
      host::args(inputs));
}

std::string fault_of_model(const Callback& callback, std::uint64_t seed) {
  const tonnx::Program program = record(callback, seed);
  const auto model = tonnx::export_program(program, tonnx::Args());
  bool warned = callback.warning.empty();
  for (const std::string& warning : model.warnings()) {
    if (!callback.warning.empty() && warning.find(callback.warning) != std::string::npos) warned = true;
    if (callback.warning.empty() && warning.find("read as a number") != std::string::npos) return "told: " + warning;
  }
  if (!warned) return "nothing told of '" + callback.warning + "'";
  model.verify(program, tonnx::Args());
  if (callback.warning.empty()) model.verify(record(callback, seed + 1), tonnx::Args());
  return {};
}

}  // namespace

Outcome outcome_of(const Callback& callback, std::uint64_t seed) {
  try {
    return {{}, fault_of_model(callback, seed)};
  } catch (const tonnx::Error& e) {
    if (e.status() == TONNX_UNSUPPORTED) return {e.what(), {}};
    return {{}, e.what()};
  } catch (const std::exception& e) {
    return {{}, e.what()};
  }
}

}  // namespace callbacks
