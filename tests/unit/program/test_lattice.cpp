// The laws of Lattice::join, on generated abstract values.
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "ir/constant_facts.h"
#include "ir/printer.h"
#include "machine.h"
#include "program/facts/lattice.h"

namespace tonnx::program {
namespace {

using ir::Constant;
using ir::DType;
using ir::Facts;

constexpr std::size_t kDataSamples = 2;

SymbolTable two_symbols() {
  return {.names = {"s", "t"}, .sizes = {{4, 5}, {8, 5}, {3, 5}, {1, 5}, {4, 10}, {4, 3}, {4, 1}, {8, 10}, {3, 11}}};
}

std::string text(const Facts& facts) {
  std::string out(ir::name_of(facts.dtype));
  if (facts.dims) {
    out += "(";
    for (const ir::Dim& dim : *facts.dims) out += text_of(dim) + " ";
    out += ")";
  }
  return facts.constant ? out + " = " + to_string(*facts.constant) : out;
}

// True if `above` claims nothing that `below` does not claim.
bool is_below(const Facts& below, const Facts& above) {
  if (above.dtype != DType::Undefined && above.dtype != below.dtype) return false;
  if (above.constant && !(below.constant && same_constant(*above.constant, *below.constant))) return false;
  if (!above.dims) return true;
  if (!below.dims || below.dims->size() != above.dims->size()) return false;
  for (std::size_t d = 0; d < above.dims->size(); ++d)
    if (!(*above.dims)[d].is_unknown() && !(*above.dims)[d].same((*below.dims)[d])) return false;
  return true;
}

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  // A tensor, a number, a small constant tensor or a list of tensors.
  Sampled value(std::size_t kind) {
    Sampled out;
    switch (kind) {
      case 0: return tensor(one_of<DType>({DType::Float32, DType::Float32, DType::Int64}), below(4));
      case 1: return number();
      case 2: out.samples.assign(count(), machine_.constant({std::int64_t{7}})); return out;
      case 3: {
        const std::vector<Sampled> items(below(3) + 1, tensor(DType::Float32, 1 + below(2)));
        for (std::size_t sample = 0; sample < count(); ++sample) {
          std::vector<ir::DatumPtr> here;
          for (const Sampled& item : items) here.push_back(item.samples[sample]);
          out.samples.push_back(machine_.list(here));
        }
        out.meta = out.varies = true;
        out.fixed_form = true;
        return out;
      }
      default: out.dtype = one_of<DType>({DType::Float32, DType::Undefined}); return out;  // unknown
    }
  }

  // Which samples take the first branch: all, none or some.
  std::vector<bool> branches() {
    std::vector<bool> taken;
    const std::size_t which = below(3);
    for (std::size_t sample = 0; sample < count(); ++sample) taken.push_back(which == 2 ? below(2) == 0 : which == 0);
    return taken;
  }

  std::size_t below(std::size_t limit) { return std::uniform_int_distribution<std::size_t>(0, limit - 1)(random_); }
  Lattice& lattice() { return lattice_; }

 private:
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[below(values.size())];
  }
  std::size_t count() const { return lattice_.count(); }

  // A fixed size, one of the symbols, or one that depends on data.
  std::int64_t size(std::size_t kind, std::size_t sample) const {
    const std::vector<std::int64_t>& sizes = lattice_.table().sizes[sample];
    switch (kind) {
      case 0:
      case 1: return 2 + static_cast<std::int64_t>(kind);
      case 2: return sizes[0];
      case 3: return sizes[1];
      case 4: return 2 * sizes[0] + 1;
      default: return lattice_.is_data_sample(sample) ? 20 + static_cast<std::int64_t>(sample) : 6;
    }
  }

  Sampled tensor(DType dtype, std::size_t rank) {
    Sampled out;
    std::vector<std::size_t> kinds;
    for (std::size_t d = 0; d < rank; ++d) kinds.push_back(below(6));
    for (std::size_t sample = 0; sample < count(); ++sample) {
      std::vector<std::int64_t> dims;
      for (const std::size_t kind : kinds) dims.push_back(size(kind, sample));
      out.samples.push_back(machine_.meta(dtype, dims));
    }
    out.meta = true;
    return out;
  }

  Sampled number() {
    Sampled out;
    const std::size_t kind = below(6);
    for (std::size_t sample = 0; sample < count(); ++sample)
      out.samples.push_back(machine_.constant({size(kind, sample)}));
    out.varies = kind > 1;
    out.depends_on_data = kind == 5;
    return out;
  }

  std::mt19937 random_;
  test::Machine machine_;
  Lattice lattice_{machine_, two_symbols(), kDataSamples, {}, false};
};

class LatticeLaws : public ::testing::TestWithParam<std::uint32_t> {
 protected:
  static constexpr int kRounds = 200;

  // Values of one kind, as the results of two branches are; some are unknown.
  Sampled next() { return generate_.below(8) == 0 ? generate_.value(4) : generate_.value(kind_); }
  void new_round() { kind_ = generate_.below(4); }
  Facts facts(Sampled value) {
    if (value.known()) return lattice_.facts_of(value);
    Facts unknown;
    unknown.dtype = value.dtype;
    return unknown;
  }

  Generator generate_{GetParam()};
  Lattice& lattice_ = generate_.lattice();
  std::size_t kind_ = 0;
};

TEST_P(LatticeLaws, JoinIsCommutative) {
  for (int round = 0; round < kRounds; ++round, new_round()) {
    const Sampled a = next(), b = next();
    const std::vector<bool> taken = generate_.branches();
    std::vector<bool> not_taken = taken;
    not_taken.flip();
    EXPECT_EQ(text(facts(lattice_.join(a, b))), text(facts(lattice_.join(b, a)))) << text(facts(a)) << text(facts(b));
    EXPECT_EQ(text(facts(lattice_.join(a, b, taken))), text(facts(lattice_.join(b, a, not_taken))))
        << text(facts(a)) << " and " << text(facts(b));
  }
}

TEST_P(LatticeLaws, JoinIsIdempotent) {
  for (int round = 0; round < kRounds; ++round, new_round()) {
    const Sampled a = next();
    EXPECT_EQ(text(facts(lattice_.join(a, a, generate_.branches()))), text(facts(a)));
  }
}

TEST_P(LatticeLaws, JoinIsAnUpperBound) {
  for (int round = 0; round < kRounds; ++round, new_round()) {
    const Sampled a = next(), b = next();
    const Facts both = facts(lattice_.join(a, b, generate_.branches()));
    for (const Sampled& one : {a, b})
      EXPECT_TRUE(is_below(facts(one), both)) << text(facts(a)) << " and " << text(facts(b)) << ": " << text(both);
  }
}

TEST_P(LatticeLaws, JoinIsAssociative) {
  for (int round = 0; round < kRounds; ++round, new_round()) {
    const Sampled a = next(), b = next(), c = next();
    EXPECT_EQ(text(facts(lattice_.join(lattice_.join(a, b), c))), text(facts(lattice_.join(a, lattice_.join(b, c)))))
        << text(facts(a)) << " and " << text(facts(b)) << " and " << text(facts(c));
  }
}

TEST_P(LatticeLaws, JoinIsMonotone) {
  for (int round = 0; round < kRounds; ++round, new_round()) {
    const Sampled a = next(), b = next(), above = lattice_.join(a, next());
    const Facts small = facts(lattice_.join(a, b)), large = facts(lattice_.join(above, b));
    EXPECT_TRUE(is_below(small, large)) << text(facts(a)) << " below " << text(facts(above)) << ", joined with "
                                        << text(facts(b)) << ": " << text(small) << " and " << text(large);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LatticeLaws, ::testing::Range(1U, 6U));

}  // namespace
}  // namespace tonnx::program
