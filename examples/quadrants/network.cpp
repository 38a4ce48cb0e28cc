#include "network.h"

#include <exception>

#include "quadrants.h"

struct network {
  Quadrants module;
  std::vector<std::pair<std::string, at::Tensor>> weights;
};

network* network_new(int64_t seed) {
  torch::manual_seed(static_cast<uint64_t>(seed));
  auto* made = new network;
  for (const auto& item : made->module->named_parameters()) made->weights.emplace_back(item.key(), item.value());
  for (const auto& item : made->module->named_buffers()) made->weights.emplace_back(item.key(), item.value());
  return made;
}

double network_train(network* network, int64_t steps) { return train(network->module, steps); }

size_t network_weight_count(const network* network) { return network->weights.size(); }

const char* network_weight_name(const network* network, size_t index) {
  return network->weights.at(index).first.c_str();
}

const void* network_weight(const network* network, size_t index) { return &network->weights.at(index).second; }

void* network_forward(network* network, const void* images) {
  try {
    const torch::NoGradGuard no_grad;
    return new at::Tensor(network->module(*static_cast<const at::Tensor*>(images)));
  } catch (const std::exception&) {
    return nullptr;
  }
}

void network_delete_tensor(void* tensor) { delete static_cast<at::Tensor*>(tensor); }

void network_free(network* network) { delete network; }
