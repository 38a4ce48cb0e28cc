#include "random_program.h"

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace tonnx::program::test {
namespace {

// All tensors come from the input.
class Generator {
 public:
  explicit Generator(unsigned seed) : random_(seed) {}

  std::string program() {
    text_ = "graph(%x : Float(3, 4), %n : int, %c : bool)\n";
    tensors_ = {{"%x", {3, 4}}};
    for (int i = 0; i < 2; ++i) add("aten::clone(%x)", {3, 4});
    steps(4 + pick(14), 2);
    std::string outputs;
    for (const auto& t : tensors_) outputs += (outputs.empty() ? "" : ", ") + t.name;
    for (const auto& l : lists_) outputs += ", " + l;
    return text_ + "return " + outputs + "\n";
  }

 private:
  struct Tensor {
    std::string name;
    std::vector<std::int64_t> dims;
  };

  int pick(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  const Tensor& any() { return tensors_[static_cast<std::size_t>(pick(static_cast<int>(tensors_.size())))]; }
  std::string fresh() { return "%v" + std::to_string(++count_); }
  void line(const std::string& s) { text_ += s + "\n"; }
  void add(const std::string& call, std::vector<std::int64_t> dims) {
    const std::string name = fresh();
    line(name + " = " + call);
    tensors_.push_back({name, std::move(dims)});
  }

  void steps(int n, int depth) {
    for (int i = 0; i < n; ++i) step(depth);
  }

  void step(int depth) {
    const Tensor t = any();
    const auto rank = static_cast<int>(t.dims.size());
    const int d = rank ? pick(rank) : 0;
    const auto axis = static_cast<std::size_t>(d);
    std::vector<std::int64_t> dims = t.dims;
    switch (pick(depth > 0 ? 16 : 13)) {
      case 0:
        if (rank == 0) return;
        dims.erase(dims.begin() + d);
        return add("aten::select.int(" + t.name + ", " + std::to_string(d) + ", " +
                       std::to_string(pick(static_cast<int>(t.dims[axis]))) + ")",
                   dims);
      case 1: {
        if (rank == 0 || t.dims[axis] < 2) return;
        const int begin = pick(static_cast<int>(t.dims[axis]));
        const int step = 1 + pick(2);
        dims[axis] = (t.dims[axis] - begin + step - 1) / step;
        return add("aten::slice.Tensor(" + t.name + ", " + std::to_string(d) + ", " + std::to_string(begin) +
                       ", None, " + std::to_string(step) + ")",
                   dims);
      }
      case 2:
        if (rank < 2) return;
        std::swap(dims[0], dims[1]);
        return add("aten::transpose.int(" + t.name + ", 0, 1)", dims);
      case 3:
        dims.insert(dims.begin() + d, 1);
        return add("aten::unsqueeze(" + t.name + ", " + std::to_string(d) + ")", dims);
      case 4: {
        std::int64_t numel = 1;
        for (const auto v : dims) numel *= v;
        return add("aten::reshape(" + t.name + ", [" + std::to_string(numel) + "])", {numel});
      }
      case 5: return add("aten::contiguous(" + t.name + ")", dims);
      case 6: return add("aten::add.Scalar(" + t.name + ", 1, 1)", dims);
      case 7:
      case 8: return add("aten::add_.Scalar(" + t.name + ", " + std::to_string(1 + pick(5)) + ", 1)", dims);
      case 9: return add("aten::mul_.Scalar(" + t.name + ", 2)", dims);
      case 10: {
        for (const Tensor& other : tensors_)
          if (other.dims == t.dims && other.name != t.name && pick(2))
            return add("aten::copy_(" + t.name + ", " + other.name + ", False)", dims);
        return add("aten::zero_(" + t.name + ")", dims);
      }
      case 11: {
        if (!lists_.empty() && pick(2)) {
          const std::string list = lists_[static_cast<std::size_t>(pick(static_cast<int>(lists_.size())))];
          line(fresh() + " = aten::append.t(" + list + ", " + t.name + ")");
        } else if (depth == 2) {
          const std::string name = fresh();
          line(name + " = prim::ListConstruct(" + t.name + ", " + any().name + ")");
          lists_.push_back(name);
        }
        return;
      }
      case 12:
        if (rank == 0) return;
        {
          const std::string list = fresh();
          line(list + " = aten::unbind.int(" + t.name + ", " + std::to_string(d) + ")");
          dims.erase(dims.begin() + d);
          return add("aten::__getitem__.t(" + list + ", " + std::to_string(-1 + pick(2)) + ")", dims);
        }
      case 13:
      case 14: {
        const std::string out = fresh();
        line("if " + out + " = %c");
        const auto outer = tensors_;
        steps(1 + pick(3), depth - 1);
        const std::string a = same(t, outer);
        line("then " + a);
        tensors_ = outer;
        steps(1 + pick(3), depth - 1);
        const std::string b = same(t, outer);
        line("else " + b);
        line("end");
        tensors_ = outer;
        tensors_.push_back({out, t.dims});
        return;
      }
      default: {
        std::string outs, params, starts, ends;
        const auto outer = tensors_;
        auto inner = tensors_, after = tensors_;
        for (int left = 1 + pick(3); left > 0; --left) {
          inner.push_back({fresh(), t.dims});
          after.push_back({fresh(), t.dims});
          const std::string separator = outs.empty() ? "" : ", ";
          params += ", " + inner.back().name;
          outs += separator + after.back().name;
          starts += separator + same(t, outer);
        }
        line("loop " + outs + " = (%n, True) (" + fresh() + params + ") from " + starts);
        tensors_ = inner;
        steps(1 + pick(4), depth - 1);
        for (std::size_t i = outer.size(); i < after.size(); ++i) ends += ", " + same(t, outer);
        line("next True" + ends);
        line("end");
        tensors_ = after;
        return;
      }
    }
  }

  // A visible tensor of the size of `t`.
  std::string same(const Tensor& t, const std::vector<Tensor>& outer) {
    std::vector<std::string> names;
    for (const Tensor& other : tensors_)
      if (other.dims == t.dims) names.push_back(other.name);
    if (outer.size() != tensors_.size() && pick(2) && tensors_.back().dims == t.dims) return tensors_.back().name;
    return names[static_cast<std::size_t>(pick(static_cast<int>(names.size())))];
  }

  std::mt19937 random_;
  std::string text_;
  std::vector<Tensor> tensors_;
  std::vector<std::string> lists_;
  int count_ = 0;
};

}  // namespace

std::string random_program(unsigned seed) { return Generator(seed).program(); }

}  // namespace tonnx::program::test
