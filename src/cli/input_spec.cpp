#include "cli/input_spec.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <new>
#include <random>
#include <stdexcept>

#include "cli/usage.h"

namespace tonnx::cli {
namespace {

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw Error(TONNX_STATUS_ARGUMENT,
              "--input '" + text + "': " + why +
                  "; write NAME=float32[1,3,224,224], NAME=file.npy, a number, NAME=3, a string in quotes, " +
                  "NAME=\"text\", or NAME=none");
}

std::vector<std::int64_t> parse_dims(const std::string& text, std::string_view inside) {
  std::vector<std::int64_t> dims;
  while (!inside.empty()) {
    std::int64_t dim = -1;
    const auto [end, error] = std::from_chars(inside.data(), inside.data() + inside.size(), dim);
    if (error == std::errc::result_out_of_range) refuse(text, "a size does not fit in 64 bits");
    if (error != std::errc()) refuse(text, "a size is not an integer");
    if (dim < 0) refuse(text, "a size is negative");
    inside.remove_prefix(static_cast<std::size_t>(end - inside.data()));
    dims.push_back(dim);
    if (inside.empty()) break;
    if (inside.front() != ',') refuse(text, "separate sizes by commas");
    inside.remove_prefix(1);
  }
  return dims;
}

// The command line sees the public headers only, which convert no elements. These two are for random numbers: they cut
// off the digits that do not fit, and know neither infinity nor NaN.
std::uint16_t to_half(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  const std::uint32_t sign = bits >> 16 & 0x8000, exponent = bits >> 23 & 0xff;
  if (exponent < 113) return static_cast<std::uint16_t>(sign);  // below the smallest normal number
  return static_cast<std::uint16_t>(sign | ((exponent - 112) << 10) | (bits >> 13 & 0x3ff));
}

std::uint16_t to_bfloat16(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return static_cast<std::uint16_t>(bits >> 16);
}

template <class T>
std::vector<std::byte> fill(std::int64_t count, auto draw) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count) * sizeof(T));
  for (std::int64_t i = 0; i < count; ++i) {
    const T value = draw();
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &value, sizeof(T));
  }
  return bytes;
}

Tensor random_tensor(const std::string& text, tonnx_dtype dtype, const std::vector<std::int64_t>& dims,
                     std::uint64_t seed) {
  std::mt19937_64 engine(seed);
  const auto size = byte_count(dims, dtype);
  if (!size) refuse(text, "the sizes are too large: their product does not fit in 64 bits");
  const auto count = static_cast<std::int64_t>(*size / tonnx_dtype_size(dtype));
  // Own Box-Muller transform: std::normal_distribution differs between standard libraries.
  const auto uniform = [&] { return (static_cast<double>(engine() >> 11) + 0.5) * 0x1.0p-53; };
  const auto normal = [&] { return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform()); };
  const auto small = [&] { return static_cast<std::int64_t>(engine() % 10); };
  std::vector<std::byte> bytes;
  switch (dtype) {
    case TONNX_DTYPE_FLOAT32: bytes = fill<float>(count, [&] { return static_cast<float>(normal()); }); break;
    case TONNX_DTYPE_FLOAT64: bytes = fill<double>(count, normal); break;
    case TONNX_DTYPE_FLOAT16:
      bytes = fill<std::uint16_t>(count, [&] { return to_half(static_cast<float>(normal())); });
      break;
    case TONNX_DTYPE_BFLOAT16:
      bytes = fill<std::uint16_t>(count, [&] { return to_bfloat16(static_cast<float>(normal())); });
      break;
    case TONNX_DTYPE_INT64: bytes = fill<std::int64_t>(count, small); break;
    case TONNX_DTYPE_INT32:
      bytes = fill<std::int32_t>(count, [&] { return static_cast<std::int32_t>(small()); });
      break;
    case TONNX_DTYPE_INT16:
      bytes = fill<std::int16_t>(count, [&] { return static_cast<std::int16_t>(small()); });
      break;
    case TONNX_DTYPE_INT8: bytes = fill<std::int8_t>(count, [&] { return static_cast<std::int8_t>(small()); }); break;
    case TONNX_DTYPE_UINT8:
      bytes = fill<std::uint8_t>(count, [&] { return static_cast<std::uint8_t>(small()); });
      break;
    case TONNX_DTYPE_BOOL:
      bytes = fill<std::uint8_t>(count, [&] { return static_cast<std::uint8_t>(engine() & 1); });
      break;
    default: refuse(text, std::string("dtype ") + tonnx_dtype_name(dtype) + " cannot be filled at random");
  }
  return Tensor(dtype, dims, bytes.data(), bytes.size());
}

// True for a number that does not fit in 64 bits: too large, or too near to 0.
bool is_too_large(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (end != text.data() + text.size()) return false;
  if (error == std::errc::result_out_of_range) return true;
  return error == std::errc() && text.find_first_of(".eEnN") == std::string::npos;
}

// Adds a number that fits in 64 bits, a string in quotes, or none. Returns false if the text is something else.
bool add_plain_value(Args& args, const std::string& text) {
  std::int64_t whole = 0;
  double fraction = 0;
  if (text == "true" || text == "false") {
    args.add_bool(text == "true");
  } else if (read(text, whole)) {
    args.add_int(whole);
  } else if (text.find_first_of(".eEnN") != std::string::npos && read(text, fraction)) {
    args.add_float(fraction);
  } else if (text == "none") {
    args.add_none();
  } else if (text.size() >= 2 && (text.front() == '"' || text.front() == '\'') && text.back() == text.front()) {
    args.add_string(text.substr(1, text.size() - 2));
  } else {
    return false;
  }
  return true;
}

Tensor made_tensor(const std::string& text, const std::string& spec, std::uint64_t seed) {
  const std::size_t open = spec.find('[');
  if (is_too_large(spec)) refuse(text, "the number does not fit in 64 bits");
  if (open == std::string::npos && tonnx_dtype_from_name(spec.c_str()) == TONNX_DTYPE_UNDEFINED)
    refuse(text, "'" + spec + "' is not a value");
  if (open == std::string::npos || !spec.ends_with(']')) refuse(text, "the sizes in [] are missing");
  const tonnx_dtype dtype = tonnx_dtype_from_name(spec.substr(0, open).c_str());
  if (dtype == TONNX_DTYPE_UNDEFINED || tonnx_dtype_bits(dtype) == 0)
    refuse(text, "'" + spec.substr(0, open) + "' is not a dtype");
  if (tonnx_dtype_size(dtype) == 0)
    refuse(text, std::string("dtype ") + tonnx_dtype_name(dtype) + " cannot be filled at random");
  const std::string_view inside = std::string_view(spec).substr(open + 1, spec.size() - open - 2);
  return random_tensor(text, dtype, parse_dims(text, inside), seed);
}

}  // namespace

// Strides are products of sizes, so the product must not overflow, even if another size is 0.
std::optional<std::size_t> byte_count(const std::vector<std::int64_t>& dims, tonnx_dtype dtype) {
  auto reach = static_cast<std::int64_t>(tonnx_dtype_size(dtype));
  for (const std::int64_t dim : dims)
    if (__builtin_mul_overflow(reach, std::max<std::int64_t>(dim, 1), &reach)) return std::nullopt;
  return std::ranges::find(dims, 0) != dims.end() ? 0 : static_cast<std::size_t>(reach);
}

void add_input(Args& args, const std::string& text, std::uint64_t seed) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0) refuse(text, "the name is missing");
  const std::string spec = text.substr(equals + 1);
  args.key(text.substr(0, equals));
  if (add_plain_value(args, spec)) return;
  try {
    args.add(spec.ends_with(".npy") ? read_npy(spec) : made_tensor(text, spec, seed));
    return;
  } catch (const std::bad_alloc&) {
  } catch (const std::length_error&) {
  }
  refuse(text, "not enough memory for a tensor of this size");
}

}  // namespace tonnx::cli
