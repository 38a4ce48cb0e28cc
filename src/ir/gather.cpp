#include "ir/gather.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "ir/error.h"

namespace tonnx::ir {
namespace {

struct Axis {
  std::int64_t size;
  std::int64_t from;  // stride in the source, in elements
  std::int64_t to;    // stride in the output, in elements
};
using Axes = std::vector<Axis>;

template <std::size_t Size>
struct Bytes {
  std::array<std::byte, Size> value;
};

// Removes axes of size 1 and merges axes that are contiguous with each other in the source.
Axes simplify(std::span<const std::int64_t> dims, std::span<const std::int64_t> strides) {
  Axes out;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] == 1) continue;
    if (!out.empty() && out.back().from == strides[i] * dims[i]) {
      out.back() = {out.back().size * dims[i], strides[i], 0};
    } else {
      out.push_back({dims[i], strides[i], 0});
    }
  }
  std::int64_t to = 1;
  for (auto axis = out.rbegin(); axis != out.rend(); ++axis) {
    axis->to = to;
    to *= axis->size;
  }
  return out;
}

// Calls body(source offset, output offset) for every index of `axes`.
template <class Body>
void for_each_index(std::span<const Axis> axes, const Body& body) {
  std::vector<std::int64_t> index(axes.size(), 0);
  std::int64_t from = 0, to = 0;
  for (;;) {
    body(from, to);
    std::size_t i = axes.size();
    for (; i > 0; --i) {
      const Axis& axis = axes[i - 1];
      from += axis.from;
      to += axis.to;
      if (++index[i - 1] < axis.size) break;
      from -= axis.from * axis.size;
      to -= axis.to * axis.size;
      index[i - 1] = 0;
    }
    if (i == 0) return;
  }
}

// One plane whose source is dense along `rows` and whose output is dense along `columns`. Each tile is copied through a
// buffer in the first-level cache, so that strides of a power of two do not evict each other.
template <class T>
void transpose(const T* source, const Axis& rows, const Axis& columns, T* out) {
  constexpr std::int64_t kTile = sizeof(T) <= 4 ? 64 : 32;
  std::array<T, kTile * kTile> tile;
  // Along the source, so that it is read once and sequentially.
  for (std::int64_t c = 0; c < columns.size; c += kTile) {
    const std::int64_t width = std::min(kTile, columns.size - c);
    for (std::int64_t r = 0; r < rows.size; r += kTile) {
      const std::int64_t height = std::min(kTile, rows.size - r);
      for (std::int64_t j = 0; j < width; ++j) {
        const T* column = source + r * rows.from + (c + j) * columns.from;
        T* kept = tile.data() + j * kTile;
        if (rows.from == 1) {
          std::memcpy(kept, column, static_cast<std::size_t>(height) * sizeof(T));
        } else {
          for (std::int64_t i = 0; i < height; ++i) kept[i] = column[i * rows.from];
        }
      }
      for (std::int64_t i = 0; i < height; ++i) {
        T* row = out + (r + i) * rows.to + c;
        for (std::int64_t j = 0; j < width; ++j) row[j] = tile[static_cast<std::size_t>(j * kTile + i)];
      }
    }
  }
}

template <class T>
void copy_all(const T* source, const Axes& axes, T* out) {
  if (axes.empty()) {
    *out = *source;
    return;
  }
  const Axis inner = axes.back();
  Axes outer(axes.begin(), axes.end() - 1);
  if (inner.from == 1) {
    const auto run = static_cast<std::size_t>(inner.size) * sizeof(T);
    for_each_index(outer, [&](std::int64_t from, std::int64_t to) { std::memcpy(out + to, source + from, run); });
    return;
  }
  const auto dense = std::ranges::min_element(
      outer, {}, [](const Axis& axis) { return axis.from == 0 ? INT64_MAX : std::abs(axis.from); });
  if (dense != outer.end() && dense->from != 0 && std::abs(dense->from) < std::abs(inner.from)) {
    const Axis rows = *dense;
    outer.erase(dense);
    for_each_index(outer, [&](std::int64_t from, std::int64_t to) { transpose(source + from, rows, inner, out + to); });
    return;
  }
  for_each_index(outer, [&](std::int64_t from, std::int64_t to) {
    const T* in = source + from;
    T* run = out + to;
    for (std::int64_t i = 0; i < inner.size; ++i) run[i] = in[i * inner.from];
  });
}

// The distance between the first and the last element in the source.
std::int64_t reach(const Axes& axes) {
  std::int64_t out = 0;
  for (const Axis& axis : axes) out += (axis.size - 1) * std::abs(axis.from);
  return out;
}

// copy_all() in parts that each read a few MB of the source.
template <class T>
void copy_parts(const T* source, const Axes& axes, T* out, const Done& done) {
  constexpr auto kPart = static_cast<std::int64_t>((std::size_t{8} << 20) / sizeof(T));
  if (!done) return copy_all(source, axes, out);
  const std::int64_t whole = reach(axes);
  if (whole < kPart) {
    copy_all(source, axes, out);
    const T* first = source;
    for (const Axis& axis : axes) first += std::min<std::int64_t>(axis.from, 0) * (axis.size - 1);
    done(reinterpret_cast<const std::byte*>(first), reinterpret_cast<const std::byte*>(first + whole + 1));
    return;
  }
  const auto widest = std::ranges::max_element(axes, {}, [](const Axis& axis) { return std::abs(axis.from); });
  const Axis cut = *widest;
  const std::int64_t step =
      std::max<std::int64_t>((kPart - (whole - (cut.size - 1) * std::abs(cut.from))) / std::abs(cut.from), 1);
  const auto at = widest - axes.begin();
  for (std::int64_t i = 0; i < cut.size; i += step) {
    Axes part = axes;
    part[static_cast<std::size_t>(at)].size = std::min(step, cut.size - i);
    if (part[static_cast<std::size_t>(at)].size == 1) part.erase(part.begin() + at);
    copy_parts(source + i * cut.from, part, out + i * cut.to, done);
  }
}

// Elements [begin, end) of the array of axes[level..]: full indices of the first axis at once, partial ones at both
// ends separately.
template <class T>
void copy_range(const T* source, std::span<const Axis> axes, std::int64_t begin, std::int64_t end, T* out,
                const Done& done) {
  if (begin >= end) return;
  if (axes.empty()) {
    *out = *source;
    return;
  }
  const Axis first = axes.front();
  const std::span<const Axis> rest = axes.subspan(1);
  std::int64_t i = begin / first.to;
  if (const std::int64_t head = begin % first.to; head != 0) {
    const std::int64_t stop = std::min(first.to, end - i * first.to);
    copy_range(source + i * first.from, rest, head, stop, out, done);
    out += stop - head;
    ++i;
  }
  const std::int64_t whole = end / first.to - i;
  if (whole > 0) {
    Axes part;
    if (whole > 1) part.push_back({whole, first.from, first.to});
    part.insert(part.end(), rest.begin(), rest.end());
    copy_parts(source + i * first.from, part, out, done);
    out += whole * first.to;
    i += whole;
  }
  if (i * first.to < end) copy_range(source + i * first.from, rest, 0, end - i * first.to, out, done);
}

template <std::size_t Size>
void gather_sized(const std::byte* source, const Axes& axes, std::int64_t begin, std::int64_t end, std::byte* out,
                  const Done& done) {
  using T = Bytes<Size>;
  static_assert(sizeof(T) == Size && alignof(T) == 1);
  copy_range(reinterpret_cast<const T*>(source), std::span<const Axis>(axes), begin, end, reinterpret_cast<T*>(out),
             done);
}

}  // namespace

void gather(const std::byte* source, std::size_t element_size, std::span<const std::int64_t> dims,
            std::span<const std::int64_t> strides, std::int64_t begin, std::int64_t end, std::byte* out,
            const Done& done) {
  if (begin >= end) return;
  const Axes axes = simplify(dims, strides);
  switch (element_size) {
    case 1: return gather_sized<1>(source, axes, begin, end, out, done);
    case 2: return gather_sized<2>(source, axes, begin, end, out, done);
    case 4: return gather_sized<4>(source, axes, begin, end, out, done);
    case 8: return gather_sized<8>(source, axes, begin, end, out, done);
    case 16: return gather_sized<16>(source, axes, begin, end, out, done);
    default: throw Error(Code::Internal, "elements of " + std::to_string(element_size) + " bytes cannot be read");
  }
}

}  // namespace tonnx::ir
