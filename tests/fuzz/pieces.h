#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

// The structure of an input, so that a change of a part leaves lengths, offsets and checksums right.
namespace tonnx::fuzz {

enum class Format { Zip, Pickle, Protobuf, Safetensors, Npy };

// An entry of a zip file, an opcode of a pickle, a field of a protobuf message, or a part of a file.
struct Piece {
  std::string head;     // name, opcode or tag
  std::string content;  // without its length
};

// An input as a sequence of parts.
struct Pieces {
  Format format;
  std::vector<Piece> all;
};
// Returns nullopt if the input has none of the formats, or is damaged.
std::optional<Pieces> split(std::string_view input);

// The bytes of the pieces. A zip file has checksums of 0, which readers skip, or right ones.
std::string join(const Pieces& pieces, bool checksums);

}  // namespace tonnx::fuzz
