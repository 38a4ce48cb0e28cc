#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

// The documents of an archive. Readers do not trust them: a member that is missing or of another kind throws JsonError,
// which Archive reports as a damaged file.
namespace tonnx::exported {

class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Measured on a model.json of 50 MB: this takes 1.9 s and 100 MB, nlohmann's own DOM 3.3 s and 264 MB, simdjson's 0.5 s
// and 161 MB. simdjson finds a key by a linear search, and a graph has one object with all its values.
//
// A value of a document, which owns its content; cheap to copy. Members are sorted by key.
class Json {
 public:
  struct Member;

  Json() = default;

  bool is_null() const { return kind_ == Kind::Null; }
  bool is_boolean() const { return kind_ == Kind::Boolean; }
  bool is_integer() const { return kind_ == Kind::Integer; }
  bool is_number() const { return kind_ == Kind::Integer || kind_ == Kind::Real; }
  bool is_string() const { return kind_ == Kind::String; }
  bool is_array() const { return kind_ == Kind::Array; }
  bool is_object() const { return kind_ == Kind::Object; }

  // The member of an object with this key.
  const Json& at(std::string_view key) const;
  // Null if there is no such member, or this is not an object.
  const Json* find(std::string_view key) const;
  bool contains(std::string_view key) const { return find(key); }
  std::span<const Member> members() const;

  // The item of an array. null can be iterated like an empty array or object.
  const Json& at(std::size_t index) const;
  const Json& operator[](std::size_t index) const { return at(index); }
  std::span<const Json> items() const;
  auto begin() const { return items().begin(); }
  auto end() const { return items().end(); }
  // Size of an array or an object.
  std::size_t size() const;
  bool empty() const { return size() == 0; }

  std::string_view string() const;
  // Converts to std::string, bool, std::int64_t, double (also from integers), or a vector of these.
  template <class T>
  T get() const {
    if constexpr (std::is_same_v<T, std::string>)
      return std::string(string());
    else if constexpr (std::is_same_v<T, bool>)
      return boolean();
    else if constexpr (std::is_same_v<T, std::int64_t>)
      return integer();
    else if constexpr (std::is_same_v<T, double>)
      return real();
    else
      return list<typename T::value_type>();
  }

  // Text of the value, without spaces.
  std::string dump() const;

  friend bool operator==(const Json& a, const Json& b);
  friend bool operator==(const Json& json, std::string_view text) { return json.is_string() && json.string() == text; }

 private:
  friend class JsonDocument;
  friend class JsonBuilder;
  enum class Kind : std::uint8_t { Null, Boolean, Integer, Real, String, Array, Object };

  template <class T>
  std::vector<T> list() const {
    std::vector<T> out;
    for (const Json& item : items()) out.push_back(item.get<T>());
    return out;
  }
  bool boolean() const;
  std::int64_t integer() const;
  double real() const;

  Kind kind_ = Kind::Null;
  std::uint32_t size_ = 0;  // number of bytes, items or members
  union {
    bool boolean_;
    std::int64_t integer_ = 0;
    double real_;
    const char* text_;
    const Json* items_;
    const Member* members_;
  };
};

struct Json::Member {
  std::string_view key;
  Json value;
};

// Owns the values of a document. Immutable.
class JsonDocument {
 public:
  JsonDocument() = default;
  // Throws JsonError if the text is not JSON in UTF-8, or is nested deeper than any program.
  explicit JsonDocument(std::string_view text);
  // An independent copy.
  explicit JsonDocument(const Json& json) : JsonDocument(json.dump()) {}

  const Json& root() const { return root_; }

 private:
  friend class JsonBuilder;
  void* take(std::size_t bytes);

  std::vector<std::unique_ptr<std::byte[]>> blocks_;
  std::byte* free_ = nullptr;
  std::size_t left_ = 0;
  Json root_;
};

// A value with its kind: {"as_int": 3}.
struct Tagged {
  std::string_view kind;  // "as_int"
  const Json* value;

  Tagged(std::string_view its_kind, const Json* its_value) : kind(its_kind), value(its_value) {}
  // Members that are null are not tags.
  Tagged(const Json& json) : kind("as_none"), value(&json) {
    for (const auto& [key, member] : json.members())
      if (!member.is_null()) {
        kind = key;
        value = &member;
        return;
      }
  }

  bool is(std::string_view other) const { return kind == other; }
  // The kind for messages: "int" for "as_int".
  std::string name() const { return std::string(kind.starts_with("as_") ? kind.substr(3) : kind); }
};

inline Tagged tagged(const Json& json) { return json; }

}  // namespace tonnx::exported
