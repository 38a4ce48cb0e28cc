#include "pieces.h"

#include <cstdint>
#include <cstring>

namespace tonnx::fuzz {

namespace {

template <class T>
T number_at(std::string_view text, std::size_t at) {
  T number = 0;
  if (at + sizeof number <= text.size()) std::memcpy(&number, text.data() + at, sizeof number);
  return number;
}

template <class T>
std::string bytes_of(std::size_t number) {
  const T value = static_cast<T>(number);
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

std::uint32_t checksum(std::string_view bytes) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) ? 0xedb88320U : 0);
  }
  return ~crc;
}

// Splits a zip file into its entries, in the order of the directory; nullopt if one is compressed.
std::optional<std::vector<Piece>> split_zip(std::string_view text) {
  std::vector<Piece> pieces;
  const std::size_t end = text.rfind("PK\x05\x06");
  if (end == std::string_view::npos) return std::nullopt;
  std::size_t at = number_at<std::uint32_t>(text, end + 16);
  while (at + 46 <= text.size() && text.substr(at, 4) == "PK\x01\x02") {
    const std::size_t size = number_at<std::uint32_t>(text, at + 24), local = number_at<std::uint32_t>(text, at + 42);
    const std::size_t name = number_at<std::uint16_t>(text, at + 28);
    const std::size_t from =
        local + 30 + number_at<std::uint16_t>(text, local + 26) + number_at<std::uint16_t>(text, local + 28);
    if (number_at<std::uint16_t>(text, at + 10) != 0 || from > text.size() || size > text.size() - from)
      return std::nullopt;
    pieces.push_back({std::string(text.substr(at + 46, name)), std::string(text.substr(from, size))});
    at += 46 + name + number_at<std::uint16_t>(text, at + 30) + number_at<std::uint16_t>(text, at + 32);
  }
  return pieces;
}

std::string join_zip(const std::vector<Piece>& pieces, bool checksums) {
  std::string out, directory;
  for (const Piece& piece : pieces) {
    const std::string sizes = bytes_of<std::uint32_t>(checksums ? checksum(piece.content) : 0) +
                              bytes_of<std::uint32_t>(piece.content.size()) +
                              bytes_of<std::uint32_t>(piece.content.size()) +
                              bytes_of<std::uint16_t>(piece.head.size()) + bytes_of<std::uint16_t>(0);
    directory += std::string("PK\x01\x02\0\0\0\0\0\0\0\0\0\0\0\0", 16) + sizes + std::string(10, '\0') +
                 bytes_of<std::uint32_t>(out.size()) + piece.head;
    out += std::string("PK\x03\x04\0\0\0\0\0\0\0\0\0\0", 14) + sizes + piece.head + piece.content;
  }
  return out + directory + std::string("PK\x05\x06\0\0\0\0", 8) + bytes_of<std::uint16_t>(pieces.size()) +
         bytes_of<std::uint16_t>(pieces.size()) + bytes_of<std::uint32_t>(directory.size()) +
         bytes_of<std::uint32_t>(out.size()) + bytes_of<std::uint16_t>(0);
}

struct Argument {
  std::size_t length_size, size;
};
// Sizes in bytes of an opcode's length field and of its argument; nullopt if the pickle is damaged.
std::optional<Argument> argument_of(std::string_view text, std::size_t at) {
  const std::string_view rest = text.substr(at + 1);
  const auto lines = [&](int count) -> std::optional<Argument> {
    std::size_t end = 0;
    for (; count > 0; --count) {
      end = rest.find('\n', end);
      if (end++ == std::string_view::npos) return std::nullopt;
    }
    return Argument{0, end};
  };
  switch (text[at]) {
    case 'K':
    case 'h':
    case 'q':
    case '\x80':
    case '\x82': return Argument{0, 1};
    case 'M':
    case '\x83': return Argument{0, 2};
    case 'J':
    case 'j':
    case 'r':
    case '\x84': return Argument{0, 4};
    case 'G':
    case '\x95': return Argument{0, 8};
    case 'U':
    case 'C':
    case '\x8a':
    case '\x8c': return Argument{1, number_at<std::uint8_t>(rest, 0)};
    case 'X':
    case 'B':
    case 'T':
    case '\x8b': return Argument{4, number_at<std::uint32_t>(rest, 0)};
    case '\x8d':
    case '\x8e':
    case '\x96': return Argument{8, number_at<std::uint64_t>(rest, 0)};
    case 'c':
    case 'i': return lines(2);
    case 'I':
    case 'L':
    case 'F':
    case 'S':
    case 'V':
    case 'P':
    case 'g':
    case 'p': return lines(1);
    default: return Argument{0, 0};
  }
}

std::optional<std::vector<Piece>> split_pickle(std::string_view text) {
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const auto argument = argument_of(text, at);
    const std::size_t left = text.size() - at - 1;
    if (!argument || argument->length_size > left || argument->size > left - argument->length_size) return std::nullopt;
    pieces.push_back(
        {std::string(1, text[at]), std::string(text.substr(at + 1 + argument->length_size, argument->size))});
    at += 1 + argument->length_size + argument->size;
  }
  return pieces;
}

std::string join_pickle(const std::vector<Piece>& pieces) {
  std::string out;
  for (const Piece& piece : pieces) {
    out += piece.head;
    // Only the size of the length field is used; zeros and newlines make every argument complete.
    const std::string probe = piece.head + std::string(8, '\0') + "\n\n";
    const auto argument = piece.head.empty() ? std::nullopt : argument_of(probe, 0);
    const std::size_t length_size = argument ? argument->length_size : 0;
    out += bytes_of<std::uint64_t>(piece.content.size()).substr(0, length_size) + piece.content;
  }
  return out;
}

bool take_varint(std::string_view text, std::size_t& at, std::uint64_t& number) {
  number = 0;
  for (unsigned shift = 0; shift < 64 && at < text.size(); shift += 7) {
    const auto byte = static_cast<unsigned char>(text[at++]);
    number |= std::uint64_t{byte & 0x7fU} << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

std::string varint(std::uint64_t number) {
  std::string out;
  for (; number >= 0x80; number >>= 7) out += static_cast<char>(number | 0x80);
  return out + static_cast<char>(number);
}

// Fields; a varint's content is its bytes.
std::optional<std::vector<Piece>> split_protobuf(std::string_view text) {
  std::vector<Piece> pieces;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    std::uint64_t tag = 0, size = 0;
    if (!take_varint(text, at, tag) || tag < 8 || tag >= 8 * 1000) return std::nullopt;
    const std::size_t tag_end = at;
    std::size_t from = at;
    if (tag % 8 == 0) {
      if (!take_varint(text, at, size)) return std::nullopt;
      size = at - from;
    } else if (tag % 8 == 2) {
      if (!take_varint(text, at, size)) return std::nullopt;
      from = at;
    } else if (tag % 8 == 5 || tag % 8 == 1) {
      size = tag % 8 == 5 ? 4 : 8;
    } else {
      return std::nullopt;
    }
    if (size > text.size() - from) return std::nullopt;
    pieces.push_back({std::string(text.substr(begin, tag_end - begin)), std::string(text.substr(from, size))});
    at = from + size;
  }
  return pieces;
}

std::string join_protobuf(const std::vector<Piece>& pieces) {
  std::string out;
  for (const Piece& piece : pieces) {
    const bool has_length = !piece.head.empty() && piece.head[0] % 8 == 2;
    out += piece.head + (has_length ? varint(piece.content.size()) : "") + piece.content;
  }
  return out;
}

}  // namespace

std::optional<Pieces> split(std::string_view input) {
  const auto made = [](Format format, std::optional<std::vector<Piece>> pieces) -> std::optional<Pieces> {
    if (!pieces || pieces->empty()) return std::nullopt;
    return Pieces{format, std::move(*pieces)};
  };
  if (input.starts_with("PK\x03\x04")) return made(Format::Zip, split_zip(input));
  if (input.starts_with('\x80')) return made(Format::Pickle, split_pickle(input));
  if (input.starts_with("\x93NUMPY") && input.size() >= 12) {
    const std::size_t begin = input[6] == 1 ? 10 : 12;
    return Pieces{Format::Npy, {{std::string(input.substr(0, 8)), std::string(input.substr(begin))}}};
  }
  if (const auto size = number_at<std::uint64_t>(input, 0); input.size() > 8 && size <= input.size() - 8 && size > 1)
    return Pieces{Format::Safetensors,
                  {{"", std::string(input.substr(8, size))}, {"", std::string(input.substr(8 + size))}}};
  return made(Format::Protobuf, split_protobuf(input));
}

std::string join(const Pieces& pieces, bool checksums) {
  switch (pieces.format) {
    case Format::Zip: return join_zip(pieces.all, checksums);
    case Format::Pickle: return join_pickle(pieces.all);
    case Format::Protobuf: return join_protobuf(pieces.all);
    default: break;
  }
  std::string out;
  for (const Piece& piece : pieces.all) {
    if (pieces.format == Format::Npy) {
      const bool is_short = piece.head.size() > 6 && piece.head[6] == 1;
      out += piece.head + bytes_of<std::uint32_t>(piece.content.size()).substr(0, is_short ? 2 : 4);
    } else if (&piece == &pieces.all.front()) {
      out += bytes_of<std::uint64_t>(piece.content.size());
    }
    out += piece.content;
  }
  return out;
}

}  // namespace tonnx::fuzz
