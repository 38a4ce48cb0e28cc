#include "network.h"

#include <cstdio>
#include <exception>
#include <memory>

#include "quadrants.h"

struct network {
  Quadrants module;
  std::vector<std::pair<std::string, at::Tensor>> weights;
};

namespace {

// Calls the function. An exception must not reach Go, Java or C#: it is printed, and `failed` returned.
template <class Result, class Body>
Result attempt(const char* name, Result failed, const Body& body) {
  try {
    return body();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "%s: %s\n", name, e.what());
    return failed;
  }
}

}  // namespace

network* network_new(int64_t seed) {
  return attempt<network*>("network_new", nullptr, [&] {
    torch::manual_seed(static_cast<uint64_t>(seed));
    auto made = std::make_unique<network>();
    for (const auto& item : made->module->named_parameters()) made->weights.emplace_back(item.key(), item.value());
    for (const auto& item : made->module->named_buffers()) made->weights.emplace_back(item.key(), item.value());
    return made.release();
  });
}

double network_train(network* network, int64_t steps) {
  return attempt<double>("network_train", -1, [&] { return train(network->module, steps); });
}

size_t network_weight_count(const network* network) { return network->weights.size(); }

const char* network_weight_name(const network* network, size_t index) {
  return attempt<const char*>("network_weight_name", nullptr, [&] { return network->weights.at(index).first.c_str(); });
}

const void* network_weight(const network* network, size_t index) {
  return attempt<const void*>("network_weight", nullptr, [&] { return &network->weights.at(index).second; });
}

void* network_forward(network* network, const void* images) {
  return attempt<void*>("network_forward", nullptr, [&] {
    const torch::NoGradGuard no_grad;
    return new at::Tensor(network->module(*static_cast<const at::Tensor*>(images)));
  });
}

void network_delete_tensor(void* tensor) { delete static_cast<at::Tensor*>(tensor); }

void network_free(network* network) { delete network; }
