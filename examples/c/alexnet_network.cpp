#include "alexnet_network.h"

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <torch/torch.h>

// The network of torchvision.models.alexnet, in eval mode, as plain functions on its parameters.
struct alexnet {
  std::vector<std::pair<std::string, torch::Tensor>> parameters;
  torch::Tensor example;
  torch::Tensor result;

  void add(const std::string& name, std::vector<int64_t> shape) {
    int64_t fan_in = 1;
    for (size_t i = 1; i < shape.size(); ++i) fan_in *= shape[i];
    const double scale = std::sqrt(2.0 / static_cast<double>(fan_in));
    parameters.emplace_back(name + ".weight", torch::randn(shape) * scale);
    parameters.emplace_back(name + ".bias", torch::randn({shape[0]}) * 0.1);
  }

  const torch::Tensor& at(size_t i) const { return parameters[i].second; }
};

alexnet* alexnet_new(void) try {
  torch::manual_seed(0);
  torch::NoGradGuard no_grad;
  auto network = std::make_unique<alexnet>();
  network->add("features.0", {64, 3, 11, 11});
  network->add("features.3", {192, 64, 5, 5});
  network->add("features.6", {384, 192, 3, 3});
  network->add("features.8", {256, 384, 3, 3});
  network->add("features.10", {256, 256, 3, 3});
  network->add("classifier.1", {4096, 256 * 6 * 6});
  network->add("classifier.4", {4096, 4096});
  network->add("classifier.6", {1000, 4096});
  network->example = torch::randn({10, 3, 224, 224});
  return network.release();
} catch (...) {
  return nullptr;
}

void alexnet_free(alexnet* network) { delete network; }
const void* alexnet_example(alexnet* network) { return &network->example; }
size_t alexnet_parameter_count(const alexnet* network) { return network->parameters.size(); }

const char* alexnet_parameter_name(const alexnet* network, size_t index) {
  return network->parameters[index].first.c_str();
}

const void* alexnet_parameter(const alexnet* network, size_t index) { return &network->parameters[index].second; }

const void* alexnet_forward(alexnet* network, const void* input) try {
  torch::NoGradGuard no_grad;
  const alexnet& n = *network;
  torch::Tensor x = *static_cast<const torch::Tensor*>(input);
  x = torch::max_pool2d(torch::relu(torch::conv2d(x, n.at(0), n.at(1), 4, 2)), 3, 2);
  x = torch::max_pool2d(torch::relu(torch::conv2d(x, n.at(2), n.at(3), 1, 2)), 3, 2);
  x = torch::relu(torch::conv2d(x, n.at(4), n.at(5), 1, 1));
  x = torch::relu(torch::conv2d(x, n.at(6), n.at(7), 1, 1));
  x = torch::max_pool2d(torch::relu(torch::conv2d(x, n.at(8), n.at(9), 1, 1)), 3, 2);
  x = torch::flatten(torch::adaptive_avg_pool2d(x, {6, 6}), 1);
  x = torch::relu(torch::linear(x, n.at(10), n.at(11)));
  x = torch::relu(torch::linear(x, n.at(12), n.at(13)));
  network->result = torch::linear(x, n.at(14), n.at(15));
  return &network->result;
} catch (...) {
  return nullptr;
}
