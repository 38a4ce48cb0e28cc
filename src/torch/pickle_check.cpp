#include "torch/pickle_check.h"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <c10/core/QScheme.h>
#include <c10/core/ScalarType.h>
#include <caffe2/serialize/inline_container.h>

#include "ir/error.h"
#include "torch/guard.h"
#include "torch/pickled_functions.h"
#include "torch/pickled_values.h"
#include "torch/skipping_reader.h"
#include "torch/tensor_bounds.h"

namespace tonnx::torch {

namespace pickled {

namespace {

using ir::Code;
using ir::Error;

constexpr std::ptrdiff_t kDeepestType = 100;
// Values of a pickle, with shared ones counted at each use, beyond those that it has space for.
constexpr std::uint64_t kMostShared = std::uint64_t{1} << 22;
// Bytes that LibTorch reads of records, which it does again for each storage that names one.
constexpr std::uint64_t kMostRead = std::uint64_t{1} << 34;
constexpr std::uint64_t kFactor = 16;  // of the size of the pickle, or of the archive

constexpr const char* kTooLarge = "a tensor is larger than its content";
constexpr const char* kReadOften =
    "its tensors are views of storages that LibTorch would read more than 16 GiB of; store copies of them (clone())";

enum class Purpose { Program, Arguments, Locations };

// Returns the size of a storage's record; nullopt if there is none.
using RecordSize = std::function<std::optional<std::uint64_t>(const std::string& key)>;

// Runs a pickle as LibTorch's unpickler does, on kinds instead of values.
class PickleCheck {
 public:
  PickleCheck(std::string_view bytes, Purpose purpose, std::uint64_t archive_size, const RecordSize& record_size)
      : bytes_(bytes), purpose_(purpose), archive_size_(archive_size), record_size_(record_size) {}

  void run() {
    if (!bytes_.starts_with("\x80\x02")) return;  // another protocol, which LibTorch refuses
    at_ = 2;
    while (step(static_cast<char>(integer<std::uint8_t>()))) {
    }
  }
  // The offset of the next operator.
  std::size_t at() const { return at_; }

 private:
  std::string_view take(std::size_t size) {
    if (size > bytes_.size() - at_) broken();
    const std::string_view out = bytes_.substr(at_, size);
    at_ += size;
    return out;
  }
  template <class T>
  T integer() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  std::string_view line() {
    const std::size_t end = bytes_.find('\n', at_);
    if (end == std::string_view::npos) broken();
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

  void push(Kind kind, std::int64_t number = -1) { stack_.push_back({kind, number}); }
  std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
  Item pop() {
    if (stack_.size() <= floor()) broken();
    const Item item = stack_.back();
    stack_.pop_back();
    return item;
  }
  // The values above the last mark, which ends with the result of `use`.
  template <class Use>
  void above_mark(const Use& use) {
    if (marks_.empty()) broken();
    const std::size_t begin = marks_.back();
    marks_.pop_back();
    const auto result = use(std::span<const Item>(stack_).subspan(begin));
    stack_.resize(begin);
    if (result.kind != Kind::Undefined) stack_.push_back(result);
  }

  void push_tuple(std::size_t size) {
    if (stack_.size() - floor() < size) broken();
    const Item tuple = values_.make_tuple(std::span<const Item>(stack_).last(size));
    stack_.resize(stack_.size() - size);
    stack_.push_back(tuple);
  }

  // LibTorch grows its memo to the index.
  void memoize(std::size_t index) {
    if (stack_.empty() || index >= bytes_.size()) broken();
    if (index >= memo_.size()) memo_.resize(index + 1);
    memo_[index] = stack_.back();
  }
  void recall(std::size_t index) {
    if (index >= memo_.size() || memo_[index].kind == Kind::Undefined) broken();
    stack_.push_back(memo_[index]);
  }

  // Runs an operator. Returns false at the end, or where LibTorch refuses the pickle.
  bool step(char op) {
    switch (op) {
      case ']': stack_.push_back(values_.make(Kind::List, {})); break;
      case '}': stack_.push_back(values_.make(Kind::Dict, {})); break;
      case ')': push_tuple(0); break;
      case '\x85': push_tuple(1); break;
      case '\x86': push_tuple(2); break;
      case '\x87': push_tuple(3); break;
      case 't': above_mark([this](auto values) { return values_.make_tuple(values); }); break;
      case 'l': above_mark([this](auto values) { return values_.make(Kind::List, values); }); break;
      case 'd': above_mark([this](auto values) { return values_.make(Kind::Dict, pairs(values)); }); break;
      case 'e': return append();
      case 'u': return set_items();
      case 'a': mark_last(1); return append();
      case 's': mark_last(2); return set_items();
      case '(': marks_.push_back(stack_.size()); break;
      case 'N':
      case '\x88':
      case '\x89': push(Kind::Other); break;
      case 'K': push(Kind::Number, integer<std::uint8_t>()); break;
      case 'M': push(Kind::Number, integer<std::uint16_t>()); break;
      case 'J': push(Kind::Number, integer<std::int32_t>()); break;
      case '\x8a':
        if (integer<std::uint8_t>() != sizeof(std::int64_t)) return false;
        push(Kind::Number, integer<std::int64_t>());
        break;
      case 'G': take(sizeof(double)), push(Kind::Other); break;
      case 'X':
        push(Kind::Text, static_cast<std::int64_t>(at_));
        take(integer<std::uint32_t>());
        break;
      case 'q': memoize(integer<std::uint8_t>()); break;
      case 'r': memoize(integer<std::uint32_t>()); break;
      case 'h': recall(integer<std::uint8_t>()); break;
      case 'j': recall(integer<std::uint32_t>()); break;
      case 'c': return push_global();
      case '\x81': pop(); break;
      case 'R':
      case 'b': return reduce();
      case 'Q': return push_storage();
      case '.':
        if (purpose_ == Purpose::Locations) check_locations();
        return false;
      default: broken();
    }
    return true;
  }

  std::span<const Item> pairs(std::span<const Item> values) const {
    if (values.size() % 2 != 0) broken();
    return values;
  }
  // Adds the values above the last mark to the container below it. LibTorch refuses other values there, such as the
  // None that it has for an OrderedDict.
  bool extend(Kind kind, bool in_pairs) {
    if (marks_.empty() || marks_.back() == 0) broken();
    const Item container = stack_[marks_.back() - 1];
    if (container.kind != kind) return false;
    above_mark([&](auto values) {
      values_.add(container, in_pairs ? pairs(values) : values);
      return Item{};
    });
    return true;
  }
  void mark_last(std::size_t count) {
    if (stack_.size() - floor() <= count) broken();
    marks_.push_back(stack_.size() - count);
  }
  bool append() { return extend(Kind::List, false); }
  bool set_items() { return extend(Kind::Dict, true); }

  bool push_global() {
    const std::string_view module = line(), name = line();
    if (type_names_ == 1) {  // the class of a tensor, for Function::TensorOfType
      type_names_ = 0;
      push(Kind::Other);
      return true;
    }
    const auto* known = std::ranges::find_if(
        kFunctions, [&](const NamedFunction& each) { return each.module == module && each.name == name; });
    if (type_names_ == 2) type_names_ = 1;
    if (known != std::end(kFunctions)) {
      if (known->function == Function::TensorOfType) type_names_ = 2;
      return push_function(known->function);
    }
    if (module == "torch.distributed.rpc") broken();  // would wait for other processes
    if (module == "torch") {
      const auto* storage = std::ranges::find(kStorages, name, &StorageClass::name);
      if (storage != std::end(kStorages)) {
        push(Kind::Dtype, static_cast<std::int64_t>(storage->dtype));
        return true;
      }
      for (int i = 0; i < c10::COMPILE_TIME_NUM_QSCHEMES; ++i) {
        if (name != c10::toString(static_cast<c10::QScheme>(i))) continue;
        push(Kind::Scheme, i);
        return true;
      }
      return false;
    }
    if (module == "__main__") return push_function(name == "IntList" ? Function::First : Function::Object);
    return purpose_ == Purpose::Program && push_function(Function::Object);
  }
  bool push_function(Function function) {
    push(Kind::Function, static_cast<std::int64_t>(functions_.size()));
    functions_.push_back(function);
    return true;
  }

  std::string_view text(const Item& item) const {
    if (item.kind != Kind::Text) broken();
    const auto at = static_cast<std::size_t>(item.number);
    std::uint32_t size;
    std::memcpy(&size, bytes_.data() + at, sizeof size);
    return bytes_.substr(at + sizeof size, size);
  }

  // ('storage', torch.FloatStorage, '0', 'cpu', 12)
  bool push_storage() {
    const Item id = pop();
    const auto parts = values_.items(id, 5);
    if (text(parts[0]) != "storage" || parts[1].kind != Kind::Dtype) broken();
    const auto dtype = static_cast<c10::ScalarType>(parts[1].number);
    const std::int64_t length = number(parts[4]);
    const std::uint64_t item_size = c10::elementSize(dtype);
    if (length != 0) {
      const auto size = record_size_(std::string(text(parts[2])));
      if (!size) return false;
      if (length < 0 || static_cast<std::uint64_t>(length) > *size / item_size) throw Fault{kTooLarge};
      read_ += *size;
      if (read_ > kMostRead + kFactor * archive_size_) throw Fault{kReadOften};
    }
    stack_.push_back(
        values_.make(Kind::Storage, {}, {.dtype = dtype, .bytes = static_cast<std::uint64_t>(length) * item_size}));
    return true;
  }

  bool reduce() {
    const Item arguments = pop(), function = pop();
    if (function.kind != Kind::Function) broken();
    const auto index = static_cast<std::size_t>(function.number);
    if (functions_[index] != Function::TensorOfType) {
      stack_.push_back(result(functions_[index], arguments));
      return true;
    }
    // Arguments: (function, class, its arguments, Python attributes). LibTorch calls the function that it read next.
    const bool has_function = index + 1 < functions_.size() && functions_[index + 1] <= Function::SparseTensor;
    const auto parts = values_.items(arguments, 4);
    if (!has_function) broken();
    if (parts[3].kind != Kind::Dict) return false;
    stack_.push_back(result(functions_[index + 1], parts[2]));
    return true;
  }

  Item result(Function function, const Item& arguments) {
    switch (function) {
      case Function::Tensor: return tensor(arguments, false);
      case Function::QuantisedTensor: return tensor(arguments, true);
      case Function::First: return arguments.kind == Kind::Tuple ? values_.items(arguments, 1)[0] : arguments;
      case Function::Typed: return typed(arguments);
      case Function::None: return {Kind::Other};
      default: return values_.make(Kind::Other, {&arguments, 1});
    }
  }

  // (value, 'Dict[str, Tensor]')
  Item typed(const Item& arguments) {
    const auto parts = values_.items(arguments, 2);
    std::ptrdiff_t depth = 0;
    for (const char c : text(parts[1])) {
      depth += c == '[' || c == '(' ? 1 : c == ']' || c == ')' ? -1 : 0;
      if (depth > kDeepestType) throw Fault{"a type is nested too deeply"};
    }
    return parts[0];
  }

  // (storage, offset, sizes, strides, ...), followed by the quantisation of a quantised tensor
  Item tensor(const Item& arguments, bool is_quantised) {
    const auto parts = values_.items(arguments, is_quantised ? 5 : 4);
    const Part& storage = values_.part(parts[0], Kind::Storage);
    const Part& shape = values_.part(parts[2], Kind::Tuple);
    const std::vector<std::int64_t> sizes = values_.numbers(parts[2]);
    if (is_quantised) check_quantisation(values_.items(parts[4], 1), sizes);
    if (!is_inside(sizes, values_.numbers(parts[3]), number(parts[1]), storage.dtype, storage.bytes))
      throw Fault{kTooLarge};
    return values_.make(Kind::Tensor, {}, {.first = shape.first, .size = shape.size});
  }

  // Scales and zero points of channels are (scheme, scales, zero points, axis). LibTorch does not compare their number
  // with the sizes of the tensor.
  void check_quantisation(std::span<const Item> parts, const std::vector<std::int64_t>& sizes) {
    if (parts[0].kind != Kind::Scheme) broken();
    const auto scheme = static_cast<c10::QScheme>(parts[0].number);
    if (scheme != c10::kPerChannelAffine && scheme != c10::kPerChannelAffineFloatQParams) return;
    if (parts.size() < 4) broken();
    const std::int64_t axis = number(parts[3]);
    if (axis < 0 || static_cast<std::size_t>(axis) >= sizes.size()) broken();
    for (const Item& each : {parts[1], parts[2]}) {
      const auto channels = values_.items(each, 0, Kind::Tensor);
      if (channels.size() != 1 || channels[0].number != sizes[static_cast<std::size_t>(axis)]) broken();
    }
  }

  // (format, strings, locations), where lists hold indices of strings. LibTorch does not check them.
  void check_locations() {
    if (stack_.size() != 1 || stack_[0].kind != Kind::Tuple) return;
    const auto parts = values_.items(stack_[0], 0);
    const bool has_strings = parts.size() == 3 && parts[0].kind == Kind::Text && parts[1].kind == Kind::Tuple;
    const auto count = static_cast<std::int64_t>(has_strings ? values_.items(parts[1], 0).size() : 0);
    if (values_.least_listed() < 0 || values_.largest_listed() > std::max<std::int64_t>(count - 1, 0)) broken();
  }

  const std::string_view bytes_;
  const Purpose purpose_;
  const std::uint64_t archive_size_;
  const RecordSize& record_size_;
  std::size_t at_ = 0;
  std::vector<Item> stack_, memo_;
  std::vector<std::size_t> marks_;
  // LibTorch reads source locations without following shared values.
  Values values_{purpose_ == Purpose::Locations ? ~std::uint64_t{0} : kMostShared + kFactor * bytes_.size()};
  std::vector<Function> functions_;  // by their order in the pickle
  int type_names_ = 0;               // 2: a tensor's function and class follow; 1: only the class
  std::uint64_t read_ = 0;           // bytes of records
};

// Checks a record if it exists. Its storages are records in `folder`.
void check(caffe2::serialize::PyTorchStreamReader& reader, const archive::ArchiveFile& file, const std::string& record,
           const std::string& folder, Purpose purpose) {
  if (!reader.hasRecord(record)) return;
  const auto [data, size] = reader.getRecord(record);
  const RecordSize record_size = [&](const std::string& key) -> std::optional<std::uint64_t> {
    if (!reader.hasRecord(folder + key)) return std::nullopt;
    return reader.getRecordSize(folder + key);
  };
  PickleCheck pickle({static_cast<const char*>(data.get()), size}, purpose, file.size(), record_size);
  try {
    pickle.run();
  } catch (const Fault& fault) {
    throw Error(Code::File, file.what() + " is damaged: " + fault.reason + " ('" + record + "', before byte " +
                                std::to_string(pickle.at()) + ")");
  }
}

template <class Action>
void with_reader(const std::shared_ptr<const archive::ArchiveFile>& file, const Action& action) {
  guarded(Code::File, file->what() + " is damaged or of an unknown format", [&] {
    caffe2::serialize::PyTorchStreamReader reader(std::make_shared<SkippingReader>(file, Skip::DataAndConstants));
    action(reader);
  });
}

// LibTorch's record names are case-insensitive.
bool is_debug_record(const std::string& record) {
  constexpr std::string_view kSuffix = ".debug_pkl";
  return record.size() >= kSuffix.size() &&
         std::equal(kSuffix.begin(), kSuffix.end(), record.end() - kSuffix.size(),
                    [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

}  // namespace

}  // namespace pickled

void check_program_pickles(const std::shared_ptr<const archive::ArchiveFile>& file) {
  pickled::with_reader(file, [&](caffe2::serialize::PyTorchStreamReader& reader) {
    for (const std::string name : {"attributes", "constants", "data"})
      pickled::check(reader, *file, name + ".pkl", name + "/", pickled::Purpose::Program);
    for (const std::string& record : reader.getAllRecords())
      if (pickled::is_debug_record(record)) pickled::check(reader, *file, record, "", pickled::Purpose::Locations);
  });
}

void check_saved_pickle(const std::shared_ptr<const archive::ArchiveFile>& file) {
  pickled::with_reader(file, [&](caffe2::serialize::PyTorchStreamReader& reader) {
    pickled::check(reader, *file, "data.pkl", "data/", pickled::Purpose::Arguments);
  });
}

}  // namespace tonnx::torch
