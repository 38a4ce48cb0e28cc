// The network of the examples named quadrants: it finds the bright quarter of an image of 8x8 pixels.
#pragma once

#include <torch/torch.h>

class QuadrantsImpl : public torch::nn::Module {
 public:
  QuadrantsImpl() {
    conv_ = register_module("conv", torch::nn::Conv2d(torch::nn::Conv2dOptions(1, 8, 3).padding(1)));
    norm_ = register_module("norm", torch::nn::BatchNorm2d(8));
    classifier_ = register_module("classifier", torch::nn::Linear(8 * 4 * 4, 4));
  }

  torch::Tensor forward(const torch::Tensor& images) {
    const torch::Tensor features = torch::max_pool2d(torch::relu(norm_(conv_(images))), 2);
    return classifier_(features.flatten(1));
  }

 private:
  torch::nn::Conv2d conv_{nullptr};
  torch::nn::BatchNorm2d norm_{nullptr};
  torch::nn::Linear classifier_{nullptr};
};
TORCH_MODULE(Quadrants);

// Noise, with one quarter of each image brighter: images and the indices of the quarters.
inline std::pair<torch::Tensor, torch::Tensor> random_images(int64_t count) {
  torch::Tensor images = torch::randn({count, 1, 8, 8});
  const torch::Tensor quarters = torch::randint(4, {count}, torch::kLong);
  for (int64_t i = 0; i < count; ++i) {
    const int64_t quarter = quarters[i].item<int64_t>(), row = quarter / 2 * 4, column = quarter % 2 * 4;
    images[i][0].slice(0, row, row + 4).slice(1, column, column + 4) += 2;
  }
  return {images, quarters};
}

// Trains the network, and returns the share of new images that it answers correctly. It is in eval mode afterwards.
inline double train(Quadrants& network, int64_t steps) {
  torch::optim::Adam optimizer(network->parameters(), 1e-2);
  network->train();
  for (int64_t step = 0; step < steps; ++step) {
    const auto [images, quarters] = random_images(32);
    optimizer.zero_grad();
    torch::nn::functional::cross_entropy(network(images), quarters).backward();
    optimizer.step();
  }
  network->eval();
  const torch::NoGradGuard no_grad;
  const auto [images, quarters] = random_images(200);
  return network(images).argmax(1).eq(quarters).to(torch::kDouble).mean().item<double>();
}
