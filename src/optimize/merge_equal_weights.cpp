#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

#include "ir/checksum.h"
#include "ir/error.h"
#include "ir/observer.h"
#include "optimize/passes.h"

namespace tonnx::optimize {
namespace {

using ir::Tensor;
using ir::Value;

constexpr std::int64_t kPiece = std::int64_t{1} << 18;  // elements

// Calls `piece` with the bytes of the tensor in order, until it returns false.
template <class Piece>
bool for_each_piece(const Tensor& tensor, const Piece& piece) {
  const std::int64_t count = tensor.numel();
  std::vector<std::byte> bytes;
  for (std::int64_t begin = 0; begin < count; begin += kPiece) {
    ir::checkpoint();
    const std::int64_t end = std::min(count, begin + kPiece);
    bytes.resize(static_cast<std::size_t>(end - begin) * ir::size_of(tensor.dtype));
    tensor.read(begin, end, bytes.data());
    if (!piece(std::span<const std::byte>(bytes), begin, end)) return false;
  }
  return true;
}

// A checksum of the elements; nullopt if the archive has no weights.
std::optional<std::uint64_t> content_of(const Tensor& tensor) {
  std::vector<std::uint64_t> sums;
  try {
    for_each_piece(tensor, [&](std::span<const std::byte> bytes, std::int64_t, std::int64_t) {
      sums.push_back(ir::checksum(bytes));
      return true;
    });
  } catch (const ir::Error& error) {
    if (error.code() != ir::Code::Unsupported) throw;
    return std::nullopt;
  }
  return ir::checksum(std::as_bytes(std::span(sums)));
}

bool are_equal(const Tensor& a, const Tensor& b) {
  std::vector<std::byte> other;
  return for_each_piece(a, [&](std::span<const std::byte> bytes, std::int64_t begin, std::int64_t end) {
    other.resize(bytes.size());
    b.read(begin, end, other.data());
    return std::ranges::equal(bytes, other);
  });
}

}  // namespace

bool merge_equal_weights(ir::Graph& model) {
  using Form = std::tuple<ir::DType, std::vector<std::int64_t>>;
  std::map<Form, std::vector<Value*>> by_form;
  for (Value* weight : model.weights())
    if (ir::size_of(weight->weight()->dtype) > 0)
      by_form[{weight->weight()->dtype, weight->weight()->dims}].push_back(weight);
  std::vector<std::pair<Value*, Value*>> same;  // a weight, and the earlier one
  for (const auto& [form, weights] : by_form) {
    if (weights.size() < 2) continue;
    std::multimap<std::uint64_t, Value*> kept;
    for (Value* weight : weights) {
      const std::optional<std::uint64_t> content = content_of(*weight->weight());
      if (!content) continue;
      const auto [begin, end] = kept.equal_range(*content);
      const auto first = std::find_if(
          begin, end, [&](const auto& other) { return are_equal(*other.second->weight(), *weight->weight()); });
      if (first == end)
        kept.emplace(*content, weight);
      else
        same.emplace_back(weight, first->second);
    }
  }
  for (const auto& [weight, first] : same) {
    ir::log(ir::Level::Debug, [&, weight = weight, first = first] {
      return "weight " + weight->name() + " equals " + first->name() + " and is stored once";
    });
    weight->replace_uses(first);
    model.remove_weight(weight);
  }
  return !same.empty();
}

}  // namespace tonnx::optimize
