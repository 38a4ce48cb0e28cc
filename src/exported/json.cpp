#include "exported/json.h"

#include <algorithm>
#include <cstdint>

#include <nlohmann/json.hpp>

#include "exported/json_writer.h"

namespace tonnx::exported {

namespace {

// Programs nest by blocks, ten levels each; every reader needs a stack frame per level.
constexpr std::size_t kDeepestJson = 1000;
constexpr std::size_t kBlock = std::size_t{1} << 18;

constexpr const char* kNames[] = {"null", "a boolean", "a number", "a number", "a string", "an array", "an object"};

[[noreturn]] void mismatch(int kind, const char* wanted) {
  throw JsonError(std::string(kNames[kind]) + " instead of " + wanted);
}

}  // namespace

const Json* Json::find(std::string_view key) const {
  if (!is_object()) return nullptr;
  const Member* end = members_ + size_;
  const Member* found =
      std::lower_bound(members_, end, key, [](const Member& m, std::string_view k) { return m.key < k; });
  return found != end && found->key == key ? &found->value : nullptr;
}

const Json& Json::at(std::string_view key) const {
  if (const Json* found = find(key)) return *found;
  if (!is_object()) mismatch(static_cast<int>(kind_), ("an object with '" + std::string(key) + "'").c_str());
  throw JsonError("an object has no '" + std::string(key) + "'");
}

const Json& Json::at(std::size_t index) const {
  const auto all = items();
  if (index >= all.size())
    throw JsonError("an array of " + std::to_string(all.size()) + " has no item " + std::to_string(index));
  return all[index];
}

std::span<const Json::Member> Json::members() const {
  if (is_null()) return {};
  if (!is_object()) mismatch(static_cast<int>(kind_), "an object");
  return {members_, size_};
}

std::span<const Json> Json::items() const {
  if (is_null()) return {};
  if (!is_array()) mismatch(static_cast<int>(kind_), "an array");
  return {items_, size_};
}

std::size_t Json::size() const { return is_object() ? size_ : items().size(); }

std::string_view Json::string() const {
  if (!is_string()) mismatch(static_cast<int>(kind_), "a string");
  return {text_, size_};
}

bool Json::boolean() const {
  if (!is_boolean()) mismatch(static_cast<int>(kind_), "a boolean");
  return boolean_;
}

std::int64_t Json::integer() const {
  if (!is_integer()) mismatch(static_cast<int>(kind_), "a 64-bit integer");
  return integer_;
}

double Json::real() const {
  if (!is_number()) mismatch(static_cast<int>(kind_), "a number");
  return is_integer() ? static_cast<double>(integer_) : real_;
}

bool operator==(const Json& a, const Json& b) {
  if (a.kind_ != b.kind_) return a.is_number() && b.is_number() && a.real() == b.real();
  switch (a.kind_) {
    case Json::Kind::Null: return true;
    case Json::Kind::Boolean: return a.boolean_ == b.boolean_;
    case Json::Kind::Integer: return a.integer_ == b.integer_;
    case Json::Kind::Real: return a.real_ == b.real_;
    case Json::Kind::String: return a.string() == b.string();
    case Json::Kind::Array: return std::ranges::equal(a.items(), b.items());
    case Json::Kind::Object: break;
  }
  return std::ranges::equal(a.members(), b.members(), [](const Json::Member& x, const Json::Member& y) {
    return x.key == y.key && x.value == y.value;
  });
}

std::string Json::dump() const { return JsonWriter().value(*this).text(); }

// Extracts REASON from "[json.exception.parse_error.101] parse error at line 1, column 3: REASON; last read: BYTES".
// BYTES are untrusted and may not be text.
std::string reason_of(std::string_view message) {
  constexpr std::string_view kPlace = "parse error at line ";
  message.remove_prefix(message.find("] ") + 2);
  if (message.starts_with(kPlace)) message.remove_prefix(message.find(": ") + 2);
  return std::string(message.substr(0, std::min(message.find("; "), message.find(" parsing '"))));
}

// Receives the events of nlohmann's parser, and stores the values in the document's memory.
class JsonBuilder {
 public:
  explicit JsonBuilder(JsonDocument& document) : document_(document) {}

  const Json& root() const { return items_.front(); }

  bool null() { return add(Json()); }
  bool boolean(bool value) {
    Json json = of(Json::Kind::Boolean);
    json.boolean_ = value;
    return add(json);
  }
  bool number_integer(std::int64_t value) {
    Json json = of(Json::Kind::Integer);
    json.integer_ = value;
    return add(json);
  }
  // Integers beyond 64 bits become floats.
  bool number_unsigned(std::uint64_t value) {
    if (value <= static_cast<std::uint64_t>(INT64_MAX)) return number_integer(static_cast<std::int64_t>(value));
    return number_float(static_cast<double>(value), {});
  }
  bool number_float(double value, const std::string&) {
    Json json = of(Json::Kind::Real);
    json.real_ = value;
    return add(json);
  }
  bool string(const std::string& text) {
    const std::string_view kept = copied(text);
    Json json = of(Json::Kind::String, kept.size());
    json.text_ = kept.data();
    return add(json);
  }
  bool binary(const std::vector<std::uint8_t>&) { return false; }  // text has no binary values

  bool start_object(std::size_t) { return open(members_.size()); }
  bool key(const std::string& text) {
    members_.push_back({copied(text), Json()});
    return true;
  }
  bool end_object() {
    const std::size_t first = close();
    sort(first);
    Json json = of(Json::Kind::Object, members_.size() - first);
    json.members_ = moved(members_, first);
    return add(json);
  }
  bool start_array(std::size_t) { return open(items_.size() | kIsArray); }
  bool end_array() {
    const std::size_t first = close();
    Json json = of(Json::Kind::Array, items_.size() - first);
    json.items_ = moved(items_, first);
    return add(json);
  }

  bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception& error) {
    throw JsonError("at byte " + std::to_string(byte) + ": " + reason_of(error.what()));
  }

 private:
  static constexpr std::size_t kIsArray = std::size_t{1} << 63;

  static Json of(Json::Kind kind, std::size_t size = 0) {
    if (size > UINT32_MAX) throw JsonError("it is longer than 4 GiB");
    Json json;
    json.kind_ = kind;
    json.size_ = static_cast<std::uint32_t>(size);
    return json;
  }

  // Adds a value to the innermost open array or object; an object uses the last key.
  bool add(const Json& json) {
    if (open_.empty() || (open_.back() & kIsArray))
      items_.push_back(json);
    else
      members_.back().value = json;
    return true;
  }

  bool open(std::size_t first) {
    if (open_.size() == kDeepestJson)
      throw JsonError("it is nested deeper than " + std::to_string(kDeepestJson) + " levels");
    open_.push_back(first);
    return true;
  }

  std::size_t close() {
    const std::size_t first = open_.back() & ~kIsArray;
    open_.pop_back();
    return first;
  }

  std::string_view copied(std::string_view text) {
    char* out = static_cast<char*>(document_.take(text.size()));
    std::ranges::copy(text, out);
    return {out, text.size()};
  }

  // Sorts by key; of members with the same key the last one is kept.
  void sort(std::size_t first) {
    const auto begin = members_.begin() + static_cast<std::ptrdiff_t>(first);
    const auto less = [](const Json::Member& a, const Json::Member& b) { return a.key < b.key; };
    const auto unordered = [&](const Json::Member& a, const Json::Member& b) { return !less(a, b); };
    if (std::adjacent_find(begin, members_.end(), unordered) == members_.end()) return;
    std::stable_sort(begin, members_.end(), less);
    auto last = begin;
    for (auto it = begin + 1; it != members_.end(); ++it) {
      if (last->key != it->key) ++last;
      *last = *it;
    }
    members_.erase(last + 1, members_.end());
  }

  // Moves the items of a stack from `first` on to the document's memory.
  template <class T>
  const T* moved(std::vector<T>& stack, std::size_t first) {
    const std::size_t count = stack.size() - first;
    T* out = static_cast<T*>(document_.take(count * sizeof(T)));
    std::uninitialized_copy_n(stack.begin() + static_cast<std::ptrdiff_t>(first), count, out);
    stack.erase(stack.end() - static_cast<std::ptrdiff_t>(count), stack.end());
    return out;
  }

  JsonDocument& document_;
  std::vector<std::size_t> open_;      // offsets in items_ or members_ at which open arrays and objects begin
  std::vector<Json> items_;            // items of open arrays
  std::vector<Json::Member> members_;  // members of open objects
};

JsonDocument::JsonDocument(std::string_view text) {
  JsonBuilder builder(*this);
  nlohmann::json::sax_parse(text, &builder);
  root_ = builder.root();
}

void* JsonDocument::take(std::size_t bytes) {
  bytes = (bytes + alignof(Json::Member) - 1) / alignof(Json::Member) * alignof(Json::Member);
  if (bytes > left_) {
    const std::size_t size = std::max(bytes, kBlock);
    blocks_.push_back(std::make_unique_for_overwrite<std::byte[]>(size));
    if (size > kBlock) return blocks_.back().get();
    free_ = blocks_.back().get();
    left_ = size;
  }
  std::byte* taken = free_;
  free_ += bytes;
  left_ -= bytes;
  return taken;
}

}  // namespace tonnx::exported
