#include <cstring>
#include <random>

#include "callback.h"

namespace callbacks {

namespace {

using at::indexing::Ellipsis;
using at::indexing::None;
using at::indexing::Slice;

constexpr std::int64_t kCaptured = 16;

// One run of the code. Each draw depends on the seed and the sizes only.
class Run {
 public:
  Run(std::uint64_t seed, const Tensors& captured, const Tensors& x) : random_(seed), captured_(captured), pool_(x) {}

  Tensors results() {
    for (std::int64_t steps = 3 + draw(8); steps > 0; --steps) step();
    const std::size_t first = pool_.size() - std::min<std::size_t>(3, pool_.size());
    return {pool_.begin() + static_cast<std::ptrdiff_t>(first), pool_.end()};
  }

 private:
  std::int64_t draw(std::int64_t below) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
  }
  float number() { return static_cast<float>(draw(9) - 4) / 2; }
  // An index below `rows`, computed from it.
  std::int64_t place(std::int64_t rows) {
    switch (draw(3)) {
      case 0: return 0;
      case 1: return rows - 1;
      default: return rows / 2;
    }
  }
  at::Tensor any() { return pool_[static_cast<std::size_t>(draw(static_cast<std::int64_t>(pool_.size())))]; }
  void keep(at::Tensor tensor) { pool_.push_back(std::move(tensor)); }

  // A vector of the size of the last axis of `like`, created on the host in one of several ways.
  at::Tensor operand(const at::Tensor& like) {
    const std::int64_t size = like.dim() ? like.size(-1) : 1;
    std::vector<float> values;
    for (std::int64_t i = 0; i < kCaptured; ++i) values.push_back(number());
    values.resize(static_cast<std::size_t>(size), 1);
    switch (draw(8)) {
      case 0: return torch::tensor(values);
      case 1: return at::tensor(values);
      case 2: return torch::from_blob(values.data(), {size}).clone();
      case 3: {
        const at::Tensor buffer = at::empty({size});
        std::memcpy(buffer.data_ptr(), values.data(), values.size() * sizeof(float));
        return buffer;
      }
      case 4: {
        const at::Tensor buffer = at::zeros({size}), view = buffer.unsqueeze(0);
        if (size > 0) buffer.data_ptr<float>()[0] = number();
        return view;
      }
      case 5: return torch::tensor(number());
      case 6:
        return captured_[static_cast<std::size_t>(draw(static_cast<std::int64_t>(captured_.size())))].slice(0, 0, size);
      default: return at::arange(size).to(at::kFloat) * number();
    }
  }

  at::Tensor computed(const at::Tensor& a) {
    switch (draw(8)) {
      case 0: return a.tanh();
      case 1: return a.relu() + number();
      case 2: return number() - a;
      case 3: return a.sigmoid() * number();
      case 4: return a / static_cast<double>(std::max<std::int64_t>(a.numel(), 1));
      case 5: return at::where(a > number(), a, number());
      case 6: return a.data() + number();
      default: return (a + operand(a)).to(at::kFloat);
    }
  }

  at::Tensor view(const at::Tensor& a) {
    const std::int64_t rows = a.size(0);
    switch (draw(9)) {
      case 0: return a.transpose(0, -1);
      case 1: return a.reshape({a.numel()});
      case 2: return a.index({None, Ellipsis});
      case 3: return rows > 0 ? a.index({Slice(place(rows), None)}) : a.detach();
      case 4: return rows > 0 && a.dim() > 1 ? a.index({place(rows)}) : a.unsqueeze(-1);
      case 5: return rows > 0 ? a.index({torch::tensor({place(rows), -1 - place(rows)})}) : a.alias();
      case 6: return a.index({Slice(None, None, 2)});
      case 7: return at::cat({a, a * number()}, 0);
      default: return a.dim() < 3 ? a.unsqueeze(0).expand(expanded(a)).contiguous() : a.sum(0);
    }
  }

  static std::vector<std::int64_t> expanded(const at::Tensor& a) {
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(a.dim()) + 1, -1);
    sizes[0] = 2;
    return sizes;
  }

  // Writes to a tensor that owns its storage, so its views change as well.
  void write(at::Tensor a) {
    const std::int64_t rows = a.size(0);
    switch (draw(7)) {
      case 0: a.add_(number()); break;
      case 1: a.mul_(operand(a).reshape({-1}).slice(0, 0, 1)); break;
      case 2:
        if (rows > 0) a.select(0, place(rows)).mul_(number());
        break;
      case 3:
        if (rows > 0) a.index_put_({place(rows)}, number());
        break;
      case 4: a.index_put_({Ellipsis, Slice(0, 1)}, number()); break;
      case 5: a.data().sub_(number()); break;
      default: a.copy_(a.flip({0}).detach() * 0.5); break;
    }
  }

  void step() {
    const at::Tensor a = any();
    if (a.dim() == 0) return keep(a.reshape({1}) + number());
    switch (draw(4)) {
      case 0: return keep(view(a));
      case 1: {
        const at::Tensor own = a.clone(), seen = own.slice(0, 0, 1);
        write(own);
        keep(seen);
        return keep(own);
      }
      default: return keep(computed(a));
    }
  }

  std::mt19937_64 random_;
  const Tensors& captured_;
  Tensors pool_;
};

}  // namespace

Callback random_callback(std::uint64_t seed, std::int64_t rows) {
  const auto make = [seed] {
    const at::Tensor base = at::randint(-3, 4, {2, kCaptured}, at::kFloat);
    const Tensors captured = {base[0],
                              base.t().select(1, 1),
                              base[1].to(at::kInt),
                              base[0].to(at::kHalf),
                              base[1].to(at::kDouble),
                              base[0] > 0,
                              at::ones({1}).expand({kCaptured}),
                              at::rand({kCaptured}).requires_grad_()};
    return Code([=](Tensors& x) { return Run(seed, captured, x).results(); });
  };
  return fresh("Random." + std::to_string(seed), make, floats({{rows, 3}, {4}}));
}

}  // namespace callbacks
