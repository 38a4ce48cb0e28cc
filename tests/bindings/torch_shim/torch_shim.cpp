#include "torch_shim.h"

#include <atomic>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <vector>

#include <ATen/ATen.h>

namespace {

using Tensors = std::vector<at::Tensor>;
using Numbers = std::vector<std::int64_t>;
using Operator = std::function<Tensors(const Tensors&, const Numbers&)>;

std::atomic<std::int64_t> count{0};
thread_local std::string error;

Tensors results(const std::tuple<at::Tensor, at::Tensor, at::Tensor>& of) {
  return {std::get<0>(of), std::get<1>(of), std::get<2>(of)};
}

const std::unordered_map<std::string, Operator>& operators() {
  static const std::unordered_map<std::string, Operator> all = {
      {"add", [](const Tensors& t, const Numbers&) { return Tensors{t.at(0) + t.at(1)}; }},
      {"arange", [](const Tensors&, const Numbers& n) { return Tensors{at::arange(n.at(0), at::kLong)}; }},
      {"chunk", [](const Tensors& t, const Numbers& n) { return t.at(0).chunk(n.at(0), n.at(1)); }},
      {"divide", [](const Tensors& t, const Numbers& n) { return Tensors{t.at(0) / n.at(0)}; }},
      {"embedding", [](const Tensors& t, const Numbers&) { return Tensors{at::embedding(t.at(0), t.at(1))}; }},
      {"fill_", [](const Tensors& t, const Numbers& n) { return Tensors{at::Tensor(t.at(0)).fill_(n.at(0))}; }},
      {"gelu", [](const Tensors& t, const Numbers&) { return Tensors{at::gelu(t.at(0))}; }},
      {"gru",  // x, h, four weights; batch first
       [](const Tensors& t, const Numbers&) {
         const auto made =
             at::gru(t.at(0), t.at(1), {t.at(2), t.at(3), t.at(4), t.at(5)}, true, 1, 0., false, false, true);
         return Tensors{std::get<0>(made), std::get<1>(made)};
       }},
      {"layer_norm",
       [](const Tensors& t, const Numbers&) {
         return Tensors{at::layer_norm(t.at(0), t.at(1).sizes(), t.at(1), t.at(2))};
       }},
      {"linear", [](const Tensors& t, const Numbers&) { return Tensors{at::linear(t.at(0), t.at(1), t.at(2))}; }},
      {"lstm",  // x, h, c, four weights; batch first
       [](const Tensors& t, const Numbers&) {
         return results(at::lstm(t.at(0), {t.at(1), t.at(2)}, {t.at(3), t.at(4), t.at(5), t.at(6)}, true, 1, 0., false,
                                 false, true));
       }},
      {"masked",  // minus infinity where the mask is 0
       [](const Tensors& t, const Numbers&) { return Tensors{t.at(0).masked_fill(t.at(1) == 0, -INFINITY)}; }},
      {"matmul", [](const Tensors& t, const Numbers&) { return Tensors{at::matmul(t.at(0), t.at(1))}; }},
      {"mul", [](const Tensors& t, const Numbers&) { return Tensors{t.at(0) * t.at(1)}; }},
      {"ones", [](const Tensors&, const Numbers& n) { return Tensors{at::ones(n)}; }},
      {"randn", [](const Tensors&, const Numbers& n) { return Tensors{at::randn(n)}; }},
      {"relu", [](const Tensors& t, const Numbers&) { return Tensors{t.at(0).relu()}; }},
      {"reshape", [](const Tensors& t, const Numbers& n) { return Tensors{t.at(0).reshape(n)}; }},
      {"sigmoid", [](const Tensors& t, const Numbers&) { return Tensors{t.at(0).sigmoid()}; }},
      {"softmax", [](const Tensors& t, const Numbers& n) { return Tensors{t.at(0).softmax(n.at(0))}; }},
      {"tanh", [](const Tensors& t, const Numbers&) { return Tensors{t.at(0).tanh()}; }},
      {"transpose", [](const Tensors& t, const Numbers& n) { return Tensors{t.at(0).transpose(n.at(0), n.at(1))}; }},
      {"tril", [](const Tensors& t, const Numbers&) { return Tensors{t.at(0).tril()}; }},
      {"zeros", [](const Tensors&, const Numbers& n) { return Tensors{at::zeros(n)}; }},
  };
  return all;
}

}  // namespace

int32_t torch_shim_run(const char* name, void* const* tensors, size_t tensor_count, const int64_t* numbers,
                       size_t number_count, void* out[TORCH_SHIM_RESULTS]) try {
  Tensors given;
  for (std::size_t i = 0; i < tensor_count; ++i) given.push_back(*static_cast<const at::Tensor*>(tensors[i]));
  const Tensors made = operators().at(name)(given, Numbers(numbers, numbers + number_count));
  for (std::size_t i = 0; i < made.size(); ++i) out[i] = new at::Tensor(made[i]);
  count += static_cast<std::int64_t>(made.size());
  return static_cast<int32_t>(made.size());
} catch (const std::exception& e) {
  error = std::string(name) + ": " + e.what();
  return -1;
}

const char* torch_shim_error(void) { return error.c_str(); }

int64_t torch_shim_size(const void* tensor, int64_t dim) { return static_cast<const at::Tensor*>(tensor)->size(dim); }

void torch_shim_delete(void* tensor) {
  if (!tensor) return;
  delete static_cast<at::Tensor*>(tensor);
  --count;
}

int64_t torch_shim_count(void) { return count; }
