#include "exported/unpickler.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <unordered_map>

#include "exported/document_error.h"
#include "exported/package.h"
#include "ir/error.h"

namespace tonnx::exported {

namespace {

using ir::Code;
using ir::Error;

constexpr std::size_t kLargest = std::size_t{1} << 24;  // memo and stack
// Limits of a value for recursive readers: nesting depth, and size with shared parts counted at each use.
constexpr std::size_t kDeepestPickle = 500;
constexpr std::size_t kMost = std::size_t{1} << 22;

template <class T>
PickledPtr make(T value) {
  return std::make_shared<Pickled>(Pickled{std::move(value)});
}

struct StorageClass {
  std::string_view name;
  ir::DType dtype;
};

constexpr StorageClass kStorages[] = {
    {"torch.FloatStorage", ir::DType::Float32},
    {"torch.DoubleStorage", ir::DType::Float64},
    {"torch.HalfStorage", ir::DType::Float16},
    {"torch.BFloat16Storage", ir::DType::BFloat16},
    {"torch.LongStorage", ir::DType::Int64},
    {"torch.IntStorage", ir::DType::Int32},
    {"torch.ShortStorage", ir::DType::Int16},
    {"torch.CharStorage", ir::DType::Int8},
    {"torch.ByteStorage", ir::DType::UInt8},
    {"torch.BoolStorage", ir::DType::Bool},
    {"torch.ComplexFloatStorage", ir::DType::Complex64},
    {"torch.ComplexDoubleStorage", ir::DType::Complex128},
};

class Unpickler {
 public:
  Unpickler(std::string_view bytes,
            const std::function<std::shared_ptr<const ir::Storage>(const std::string&)>& storage)
      : bytes_(bytes), storage_(storage) {}
  Unpickler(const Unpickler&) = delete;
  Unpickler& operator=(const Unpickler&) = delete;

  // Cyclic values would never be freed, and deep nesting would overflow the stack in their destructors.
  ~Unpickler() {
    for (const PickledPtr& value : containers_)
      if (!kept_.contains(value.get())) value->value = Pickled::None{};
  }

  PickledPtr run() {
    for (;;) {
      const char op = static_cast<char>(integer<std::uint8_t>());
      if (op != '.') {
        step(op);
        continue;
      }
      PickledPtr value = pop();
      std::unordered_map<const Pickled*, Extent> extents;
      extent(*value, extents, 0);
      kept_ = std::move(extents);
      return value;
    }
  }

 private:
  static constexpr std::string_view kRebuildFromType = "torch._tensor._rebuild_from_type_v2";

  [[noreturn]] void damaged() const { throw DocumentError("its pickle is broken at byte " + std::to_string(at_)); }
  [[noreturn]] static void excessive() {
    throw DocumentError("its pickle has a value with more than " + std::to_string(kDeepestPickle) + " levels or " +
                        std::to_string(kMost) + " items");
  }

  std::string_view take(std::size_t size) {
    if (size > bytes_.size() - at_) damaged();
    const std::string_view out = bytes_.substr(at_, size);
    at_ += size;
    return out;
  }
  template <class T>
  T integer() {
    static_assert(std::endian::native == std::endian::little);
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) damaged();
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  struct Extent {
    std::size_t depth = kDeepestPickle;  // limit while measuring, which also ends cycles
    std::size_t count = 1;
  };

  static Extent extent(const Pickled& value, std::unordered_map<const Pickled*, Extent>& known, std::size_t level) {
    const auto* list = value.get<Pickled::List>();
    const auto* dict = value.get<Pickled::Dict>();
    if (!list && !dict) return {0, 1};
    const auto [place, is_new] = known.try_emplace(&value);
    if (!is_new && place->second.depth + level < kDeepestPickle) return place->second;
    if (!is_new || level == kDeepestPickle) excessive();
    Extent all{0, 1};
    const auto add = [&](const PickledPtr& item) {
      const Extent one = extent(*item, known, level + 1);
      all.depth = std::max(all.depth, one.depth + 1);
      all.count += one.count;
      if (all.count > kMost) excessive();
    };
    if (list) std::ranges::for_each(*list, add);
    if (dict)
      for (const auto& [key, item] : *dict) add(key), add(item);
    return known[&value] = all;
  }

  template <class T>
  PickledPtr container(T value) {
    if (containers_.size() >= kLargest) damaged();
    return containers_.emplace_back(make(std::move(value)));
  }

  void push(PickledPtr value) {
    if (stack_.size() >= kLargest) damaged();
    stack_.push_back(std::move(value));
  }
  PickledPtr pop() {
    if (stack_.empty() || (!marks_.empty() && stack_.size() <= marks_.back())) damaged();
    PickledPtr value = std::move(stack_.back());
    stack_.pop_back();
    return value;
  }
  Pickled& top() {
    if (stack_.empty()) damaged();
    return *stack_.back();
  }
  // Pops everything above the last mark.
  Pickled::List pop_mark() {
    if (marks_.empty()) damaged();
    const auto begin = stack_.begin() + static_cast<std::ptrdiff_t>(marks_.back());
    Pickled::List items(begin, stack_.end());
    stack_.erase(begin, stack_.end());
    marks_.pop_back();
    return items;
  }
  void push_tuple(std::size_t count) {
    Pickled::List items(count);
    for (std::size_t i = count; i-- > 0;) items[i] = pop();
    push(container(std::move(items)));
  }
  void memoize(std::uint32_t key) {
    if (stack_.empty() || memo_.size() >= kLargest) damaged();
    memo_[key] = stack_.back();
  }
  void recall(std::uint32_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) damaged();
    push(found->second);
  }

  void step(char op) {
    switch (op) {
      case '\x80': take(1); return;  // PROTO
      case '\x95': take(8); return;  // FRAME
      case 'N': return push(make(Pickled::None{}));
      case '\x88': return push(make(true));
      case '\x89': return push(make(false));
      case 'K': return push(make<std::int64_t>(integer<std::uint8_t>()));
      case 'M': return push(make<std::int64_t>(integer<std::uint16_t>()));
      case 'J': return push(make<std::int64_t>(integer<std::int32_t>()));
      case '\x8a': return push_long();
      case 'G': return push_double();
      case 'X': return push(make(std::string(take(integer<std::uint32_t>()))));
      case '\x8c': return push(make(std::string(take(integer<std::uint8_t>()))));
      case ']':
      case ')': return push(container(Pickled::List{}));
      case '}': return push(container(Pickled::Dict{}));
      case '(': marks_.push_back(stack_.size()); return;
      case 't': return push(container(pop_mark()));
      case '\x85': return push_tuple(1);
      case '\x86': return push_tuple(2);
      case '\x87': return push_tuple(3);
      case 'q': return memoize(integer<std::uint8_t>());
      case 'r': return memoize(integer<std::uint32_t>());
      case '\x94': return memoize(static_cast<std::uint32_t>(memo_.size()));
      case 'h': return recall(integer<std::uint8_t>());
      case 'j': return recall(integer<std::uint32_t>());
      case 'c': return push_global();
      case '\x93': return push_stack_global();
      case 'Q': return push_storage();
      case 'R':
      case '\x81': return reduce();
      case 'b': pop(); return;  // BUILD: state of an unknown class
      case 'a': return append({pop()});
      case 'e': return append(pop_mark());
      case 's': return set_item();
      case 'u': return set_items(pop_mark());
      case '0': pop(); return;
      default: damaged();
    }
  }

  void push_long() {
    const std::string_view bytes = take(integer<std::uint8_t>());
    if (bytes.size() > 8) damaged();
    std::uint64_t value = !bytes.empty() && (bytes.back() & 0x80) ? ~std::uint64_t{0} : 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      value &= ~(std::uint64_t{0xff} << (8 * i));
      value |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
    }
    push(make(static_cast<std::int64_t>(value)));
  }

  void push_double() {
    std::string bytes(take(8));
    std::reverse(bytes.begin(), bytes.end());
    double value;
    std::memcpy(&value, bytes.data(), sizeof value);
    push(make(value));
  }

  void push_global() {
    const std::string module(line());
    push(make(Pickled::Global{module + "." + std::string(line())}));
  }

  void push_stack_global() {
    const PickledPtr name = pop(), module = pop();
    const auto* n = name->get<std::string>();
    const auto* m = module->get<std::string>();
    if (!n || !m) damaged();
    push(make(Pickled::Global{*m + "." + *n}));
  }

  // A persistent id: ('storage', torch.FloatStorage, '0', 'cpu', 12).
  void push_storage() {
    const PickledPtr id = pop();
    const auto* items = id->get<Pickled::List>();
    if (!items || items->size() < 3) damaged();
    const auto* type = (*items)[1]->get<Pickled::Global>();
    const auto* key = (*items)[2]->get<std::string>();
    if (!type || !key) damaged();
    Pickled::Storage storage{ir::DType::Undefined, *key};
    for (const StorageClass& known : kStorages)
      if (known.name == type->name) storage.dtype = known.dtype;
    push(make(std::move(storage)));
  }

  void reduce() {
    const PickledPtr arguments = pop(), function = pop();
    const auto* items = arguments->get<Pickled::List>();
    const auto* global = function->get<Pickled::Global>();
    push(items && global ? made_by(global->name, *items) : make(Pickled::Object{"unknown"}));
  }

  PickledPtr made_by(const std::string& function, const Pickled::List& items) {
    if (function == "collections.OrderedDict" && items.empty()) return container(Pickled::Dict{});
    if (function == "torch._utils._rebuild_tensor_v2") return tensor(items);
    if (function == "torch._utils._rebuild_parameter" && !items.empty()) return items[0];
    if (function == kRebuildFromType && items.size() == 4) return tensor_with_attributes(items);
    if (function == "torch.Size" && items.size() == 1) return items[0];
    return make(Pickled::Object{function});
  }

  // Arguments: (function, class, its arguments, Python attributes). Attributes do not change the elements of a plain
  // tensor.
  PickledPtr tensor_with_attributes(const Pickled::List& items) {
    const auto* function = items[0]->get<Pickled::Global>();
    const auto* type = items[1]->get<Pickled::Global>();
    const auto* arguments = items[2]->get<Pickled::List>();
    // A list may contain itself.
    if (!function || !type || !arguments || function->name == kRebuildFromType) damaged();
    if (type->name != "torch.Tensor" && type->name != "torch.nn.parameter.Parameter")
      return make(Pickled::Object{type->name});
    return made_by(function->name, *arguments);
  }

  PickledPtr tensor(const Pickled::List& items) const {
    if (items.size() < 4) damaged();
    constexpr std::size_t kMetadata = 6;
    if (items.size() > kMetadata)
      if (const auto* lazy = items[kMetadata]->get<Pickled::Dict>(); lazy && !lazy->empty())
        return make(Pickled::Object{"a tensor with a pending conjugation or negation"});
    const auto* storage = items[0]->get<Pickled::Storage>();
    const auto* offset = items[1]->get<std::int64_t>();
    if (!storage || !offset) return make(Pickled::Object{"torch.Tensor without a storage"});
    if (storage->dtype == ir::DType::Undefined) return make(Pickled::Object{"a storage of an unknown dtype"});
    ir::Tensor result;
    result.dtype = storage->dtype;
    result.offset = *offset;
    result.dims = integers(*items[2]);
    result.strides = integers(*items[3]);
    result.storage = storage_(storage->key);
    if (!result.storage) damaged();
    check_bounds(result, result.storage->size());
    return make(std::move(result));
  }

  std::vector<std::int64_t> integers(const Pickled& list) const {
    const auto* items = list.get<Pickled::List>();
    if (!items) damaged();
    std::vector<std::int64_t> out;
    for (const PickledPtr& item : *items) {
      const auto* n = item->get<std::int64_t>();
      if (!n) damaged();
      out.push_back(*n);
    }
    return out;
  }

  void append(const Pickled::List& items) {
    auto* list = std::get_if<Pickled::List>(&top().value);
    if (list) list->insert(list->end(), items.begin(), items.end());
  }

  void set_item() {
    PickledPtr value = pop(), key = pop();
    set_items({std::move(key), std::move(value)});
  }

  void set_items(const Pickled::List& items) {
    auto* dict = std::get_if<Pickled::Dict>(&top().value);
    if (items.size() % 2 != 0) damaged();
    for (std::size_t i = 0; dict && i < items.size(); i += 2) dict->emplace_back(items[i], items[i + 1]);
  }

  std::string_view bytes_;
  const std::function<std::shared_ptr<const ir::Storage>(const std::string&)>& storage_;
  std::size_t at_ = 0;
  std::vector<PickledPtr> stack_;
  std::vector<std::size_t> marks_;
  std::unordered_map<std::uint32_t, PickledPtr> memo_;
  std::vector<PickledPtr> containers_;               // all containers that were created
  std::unordered_map<const Pickled*, Extent> kept_;  // of the values in the result
};

}  // namespace

PickledPtr unpickle(std::string_view bytes,
                    const std::function<std::shared_ptr<const ir::Storage>(const std::string& key)>& storage) {
  return Unpickler(bytes, storage).run();
}

}  // namespace tonnx::exported
