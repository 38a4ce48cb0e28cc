#include "torch/result_memo.h"

#include <string_view>
#include <type_traits>
#include <utility>

#include "aten/meaning.h"

namespace tonnx::torch {

namespace {

// Builds a key of values that differs if one of them does.
class KeyBuilder {
 public:
  template <class Number>
  void add(Number number) {
    static_assert(std::is_trivially_copyable_v<Number>);
    key_.append(reinterpret_cast<const char*>(&number), sizeof(Number));
  }
  void add_text(std::string_view text) {
    add(text.size());
    key_ += text;
  }
  void add_sizes(std::span<const std::int64_t> sizes) {
    add(sizes.size());
    for (const std::int64_t size : sizes) add(size);
  }
  void add_tensor(const ir::Tensor& tensor) {
    add(tensor.storage.get());
    add(tensor.dtype);
    add(tensor.offset);
    add_sizes(tensor.dims);
    add_sizes(tensor.strides);
  }

  // False for values that are not shared: those that contain tensors or are rare.
  bool add_plain(const ir::Constant& constant) {
    add(constant.value.index());
    if (constant.is_none()) return true;
    if (const auto* number = constant.get<bool>()) return add(*number), true;
    if (const auto* number = constant.get<std::int64_t>()) return add(*number), true;
    if (const auto* number = constant.get<double>()) return add(*number), true;
    if (const auto* text = constant.get<std::string>()) return add_text(*text), true;
    if (const auto* device = constant.get<ir::Constant::Device>()) return add_text(device->name), true;
    const auto* list = constant.get<ir::Constant::List>();
    if (!list || list->items.empty()) return false;
    add(list->items.size());
    for (const ir::Constant& item : list->items)
      if (!add_plain(item)) return false;
    return true;
  }

  std::string take() { return std::move(key_); }

 private:
  std::string key_;
};

}  // namespace

std::size_t ResultMemo::Hash::operator()(const Call& call) const {
  std::size_t hash = reinterpret_cast<std::uintptr_t>(call.operation);
  const auto mix = [&](std::size_t part) { hash = (hash ^ part) * 0x9E3779B97F4A7C15u + (hash >> 29); };
  mix(reinterpret_cast<std::uintptr_t>(call.type));
  mix(call.outputs);
  mix(static_cast<std::size_t>(call.wanted));
  for (const ir::DatumPtr& input : call.inputs) mix(reinterpret_cast<std::uintptr_t>(input.get()));
  return hash;
}

void ResultMemo::start(bool may_share) {
  may_share_ = may_share;
  if (!may_share) return;
  const auto is_old = [&](const auto& entry) { return entry.second.last_use < generation_; };
  std::erase_if(calls_, is_old);
  std::erase_if(values_, is_old);
  ++generation_;
}

std::optional<ResultMemo::Call> ResultMemo::call_of(const ir::Node& node, std::span<const ir::DatumPtr> inputs,
                                                    ir::Evaluator::Wanted wanted) {
  if (!may_share_ || inputs.empty() || !node.attributes().empty()) return std::nullopt;
  Call call{.operation = aten::meaning_of(node), .outputs = node.output_count(), .wanted = wanted};
  const bool is_form = !node.schema() || node.domain() == "prim";
  if (is_form && call.outputs > 0) call.type = &*types_.insert(ir::to_string(node.output()->type())).first;
  call.inputs.assign(inputs.begin(), inputs.end());
  return call;
}

const ResultMemo::Result* ResultMemo::find(const Call& call) {
  const auto found = calls_.find(call);
  if (found == calls_.end()) return nullptr;
  found->second.last_use = generation_;
  return &found->second.result;
}

void ResultMemo::add(Call call, Result result) {
  calls_.insert_or_assign(std::move(call), Known{std::move(result), generation_});
}

ir::DatumPtr ResultMemo::shared(const ir::Constant& constant, const std::function<ir::DatumPtr()>& make) {
  if (const auto* tensor = constant.get<ir::Tensor>()) {
    KeyBuilder key;
    key.add('c');
    key.add_tensor(*tensor);
    return shared(key.take(), tensor->storage, make);
  }
  KeyBuilder key;
  key.add('v');
  return may_share_ && key.add_plain(constant) ? shared(key.take(), nullptr, make) : make();
}

ir::DatumPtr ResultMemo::shared(ir::DType dtype, std::span<const std::int64_t> dims,
                                const std::function<ir::DatumPtr()>& make) {
  if (!may_share_) return make();
  KeyBuilder key;
  key.add('m');
  key.add(dtype);
  key.add_sizes(dims);
  return shared(key.take(), nullptr, make);
}

ir::DatumPtr ResultMemo::shared(const ir::Tensor& tensor, const std::function<ir::DatumPtr()>& make) {
  if (!may_share_) return make();
  KeyBuilder key;
  key.add('t');
  key.add_tensor(tensor);
  return shared(key.take(), tensor.storage, make);
}

ir::DatumPtr ResultMemo::shared(std::string key, std::shared_ptr<const ir::Storage> storage,
                                const std::function<ir::DatumPtr()>& make) {
  if (!may_share_) return make();
  auto found = values_.find(key);
  if (found == values_.end())
    found = values_.emplace(std::move(key), Value{make(), std::move(storage), generation_}).first;
  found->second.last_use = generation_;
  return found->second.datum;
}

}  // namespace tonnx::torch
