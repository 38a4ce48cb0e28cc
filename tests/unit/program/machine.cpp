#include "machine.h"

#include <algorithm>
#include <functional>
#include <sstream>
#include <unordered_map>

#include "block_runner.h"
#include "ir/error.h"

namespace tonnx::program::test {

using ir::Constant;
using ir::DType;
using ir::Node;
using Dims = std::vector<std::int64_t>;

std::int64_t Array::numel() const {
  std::int64_t n = 1;
  for (const std::int64_t d : dims) n *= d;
  return n;
}

double& Array::at(std::int64_t i) const {
  std::int64_t place = offset;
  for (std::size_t d = dims.size(); d-- > 0;) {
    place += i % dims[d] * strides[d];
    i /= dims[d];
  }
  return storage->at(static_cast<std::size_t>(place));
}

bool Array::contiguous() const {
  std::int64_t expected = 1;
  for (std::size_t d = dims.size(); d-- > 0;) {
    if (dims[d] != 1 && strides[d] != expected) return false;
    expected *= dims[d];
  }
  return true;
}

Ref make(Array array) {
  auto d = std::make_shared<Datum>();
  d->value = std::move(array);
  return d;
}

Ref make(Constant constant) {
  auto d = std::make_shared<Datum>();
  if (const auto* list = constant.get<Constant::List>()) {
    Items items;
    for (const Constant& item : list->items) items.items.push_back(make(item));
    d->value = std::move(items);
  } else if (const auto* tensor = constant.get<ir::Tensor>()) {
    Array a = array_of(tensor->dims, tensor->to_doubles());
    a.dtype = tensor->dtype;
    d->value = std::move(a);
  } else {
    d->value = std::move(constant);
  }
  return d;
}

Array array_of(Dims dims, std::vector<double> data) {
  Array a;
  a.strides = ir::contiguous_strides(dims);
  a.dims = std::move(dims);
  a.storage = std::make_shared<std::vector<double>>(std::move(data));
  return a;
}

namespace {

[[noreturn]] void fail(const std::string& text) { throw ir::Error(ir::Code::Program, text); }

Array fresh(Dims dims, DType dtype, bool meta) {
  std::int64_t n = 1;
  for (const std::int64_t d : dims) n *= d;
  Array a = array_of(std::move(dims), std::vector<double>(static_cast<std::size_t>(n)));
  a.dtype = dtype;
  a.meta = meta;
  return a;
}

Dims broadcast(const Dims& a, const Dims& b) {
  Dims out(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) fail("sizes do not match: " + std::to_string(x) + " and " + std::to_string(y));
    out[out.size() - 1 - i] = x == 1 ? y : x;
  }
  return out;
}

Array expanded(Array a, const Dims& dims) {
  Dims strides(dims.size(), 0);
  if (dims.size() < a.dims.size()) fail("cannot expand to fewer dims");
  Dims full = dims;
  for (std::size_t i = 0; i < a.dims.size(); ++i) {
    const std::size_t to = dims.size() - a.dims.size() + i;
    if (full[to] == -1) full[to] = a.dims[i];
    if (a.dims[i] != full[to] && a.dims[i] != 1) fail("cannot expand");
    strides[to] = a.dims[i] == 1 && full[to] != 1 ? 0 : a.strides[i];
  }
  a.dims = full;
  a.strides = strides;
  return a;
}

Array elementwise(const Array& a, const Array& b, const std::function<double(double, double)>& f) {
  const Dims dims = broadcast(a.dims, b.dims);
  Array out = fresh(dims, a.dtype, a.meta || b.meta);
  const Array x = expanded(a, dims);
  const Array y = expanded(b, dims);
  for (std::int64_t i = 0; i < out.numel(); ++i) out.at(i) = f(x.at(i), y.at(i));
  return out;
}

void assign(const Array& to, const Array& from) {
  const Array source = expanded(from, to.dims);
  std::vector<double> values;
  for (std::int64_t i = 0; i < to.numel(); ++i) values.push_back(source.at(i));
  for (std::int64_t i = 0; i < to.numel(); ++i) to.at(i) = values[static_cast<std::size_t>(i)];
}

Array copy(const Array& a) {
  Array out = fresh(a.dims, a.dtype, a.meta);
  assign(out, a);
  return out;
}

Array scalar(double v, DType dtype = DType::Float32) {
  Array a = array_of({}, {v});
  a.dtype = dtype;
  return a;
}

std::size_t axis(std::int64_t d, std::size_t rank) {
  if (d < 0) d += static_cast<std::int64_t>(rank);
  if (d < 0 || d >= static_cast<std::int64_t>(rank)) fail("no such axis");
  return static_cast<std::size_t>(d);
}

// The operands of a node by position, as C++ values.
class Operands {
 public:
  explicit Operands(const std::vector<Ref>& inputs) : inputs_(inputs) {}
  const Array& tensor(std::size_t i) const { return std::get<Array>(inputs_.at(i)->value); }
  bool is_tensor(std::size_t i) const { return std::holds_alternative<Array>(inputs_.at(i)->value); }
  Items& items(std::size_t i) const { return std::get<Items>(inputs_.at(i)->value); }
  bool is_items(std::size_t i) const { return std::holds_alternative<Items>(inputs_.at(i)->value); }
  const Constant& constant(std::size_t i) const { return std::get<Constant>(inputs_.at(i)->value); }
  double number(std::size_t i) const { return constant(i).as_double(); }
  std::int64_t integer(std::size_t i) const { return constant(i).as_int64(); }
  std::int64_t integer(std::size_t i, std::int64_t otherwise) const {
    return constant(i).is_none() ? otherwise : integer(i);
  }
  Dims integers(std::size_t i) const {
    Dims out;
    for (const Ref& item : items(i).items) out.push_back(std::get<Constant>(item->value).as_int64());
    return out;
  }
  Array operand(std::size_t i) const { return is_tensor(i) ? tensor(i) : scalar(number(i)); }

 private:
  const std::vector<Ref>& inputs_;
};

struct Bounds {
  std::int64_t begin, count, step;
};

Bounds bounds(const Operands& in, std::size_t first, std::int64_t size) {
  const auto clamp = [&](std::int64_t v) { return std::clamp<std::int64_t>(v < 0 ? v + size : v, 0, size); };
  const std::int64_t begin = clamp(in.integer(first, 0));
  const std::int64_t end = clamp(in.integer(first + 1, size));
  const std::int64_t step = in.integer(first + 2, 1);
  return {begin, std::max<std::int64_t>(0, (end - begin + step - 1) / step), step};
}

Array slice(Array a, const Operands& in, std::size_t first) {
  const std::size_t d = axis(in.integer(first), a.dims.size());
  const Bounds b = bounds(in, first + 1, a.dims[d]);
  a.offset += b.begin * a.strides[d];
  a.strides[d] *= b.step;
  a.dims[d] = b.count;
  return a;
}

Array select(Array a, std::int64_t dim, std::int64_t index) {
  const std::size_t d = axis(dim, a.dims.size());
  if (index < 0) index += a.dims[d];
  if (index < 0 || index >= a.dims[d]) fail("index out of range");
  a.offset += index * a.strides[d];
  a.dims.erase(a.dims.begin() + static_cast<std::ptrdiff_t>(d));
  a.strides.erase(a.strides.begin() + static_cast<std::ptrdiff_t>(d));
  return a;
}

// The strides of a view of `a` with these sizes; empty if there is none. Adjacent axes that are contiguous in memory
// form one run, which whole axes of the new sizes must cover.
std::optional<Dims> strides_as(const Array& a, const Dims& dims) {
  if (a.contiguous()) return ir::contiguous_strides(dims);
  Dims strides(dims.size());
  std::size_t next = dims.size();
  for (std::size_t end = a.dims.size(); end > 0;) {
    const std::int64_t step = a.strides[end - 1];
    std::int64_t run = a.dims[--end];
    for (; end > 0 && (a.dims[end - 1] == 1 || a.strides[end - 1] == run * step); --end) run *= a.dims[end - 1];
    std::int64_t covered = 1;
    for (; next > 0 && (covered < run || dims[next - 1] == 1); --next) {
      strides[next - 1] = covered * step;
      covered *= dims[next - 1];
    }
    if (covered != run) return std::nullopt;
  }
  return strides;
}

Array reshaped(Array a, Dims dims, bool must_view) {
  std::int64_t known = 1;
  std::int64_t* open = nullptr;
  for (std::int64_t& d : dims) {
    if (d == -1) {
      open = &d;
    } else {
      known *= d;
    }
  }
  if (open) *open = known ? a.numel() / known : 0;
  std::int64_t total = 1;
  for (const std::int64_t d : dims) total *= d;
  if (total != a.numel()) fail("shape is invalid for input of size " + std::to_string(a.numel()));
  auto strides = strides_as(a, dims);
  if (!strides) {
    if (must_view) fail("view of a tensor whose axes do not follow each other");
    a = copy(a);
    strides = ir::contiguous_strides(dims);
  }
  a.strides = std::move(*strides);
  a.dims = std::move(dims);
  return a;
}

Array transposed(Array a, std::int64_t x, std::int64_t y) {
  const std::size_t i = axis(x, a.dims.size());
  const std::size_t j = axis(y, a.dims.size());
  std::swap(a.dims[i], a.dims[j]);
  std::swap(a.strides[i], a.strides[j]);
  return a;
}

Array unsqueezed(Array a, std::int64_t dim) {
  const std::size_t d = axis(dim, a.dims.size() + 1);
  a.dims.insert(a.dims.begin() + static_cast<std::ptrdiff_t>(d), 1);
  a.strides.insert(a.strides.begin() + static_cast<std::ptrdiff_t>(d), 1);
  return a;
}

Array diagonal(const Array& a, std::int64_t dim1, std::int64_t dim2) {
  const std::size_t i = axis(dim1, a.dims.size());
  const std::size_t j = axis(dim2, a.dims.size());
  Array out = a;
  out.dims = {std::min(a.dims[i], a.dims[j])};
  out.strides = {a.strides[i] + a.strides[j]};
  return out;
}

Ref list_of(std::vector<Ref> items, bool is_tuple = false) {
  auto d = std::make_shared<Datum>();
  d->value = Items{std::move(items), is_tuple};
  return d;
}

Ref integer(std::int64_t v) { return make(Constant{v}); }

std::vector<Ref> split(const Array& a, std::int64_t size, std::int64_t dim) {
  if (size <= 0) fail("pieces must have a size");
  const std::size_t d = axis(dim, a.dims.size());
  std::vector<Ref> out;
  for (std::int64_t begin = 0; begin < a.dims[d]; begin += size) {
    Array piece = a;
    piece.offset += begin * a.strides[d];
    piece.dims[d] = std::min(size, a.dims[d] - begin);
    out.push_back(make(piece));
  }
  return out;
}

}  // namespace

std::vector<Ref> compute(const Node& node, const std::vector<Ref>& inputs, bool& data_dependent) {
  const Operands in(inputs);
  std::string kind = node.kind();
  const bool writes = kind.ends_with("_") && !kind.ends_with("__") && node.domain() == "aten" && !in.is_items(0);
  // Lists.
  if (kind == "prim::ListConstruct") return {list_of(inputs)};
  if (kind == "prim::TupleConstruct") return {list_of(inputs, true)};
  if (kind == "prim::ListUnpack" || kind == "prim::TupleUnpack") return in.items(0).items;
  if (kind == "prim::NumToTensor") return {make(scalar(in.number(0), DType::Int64))};
  if (!inputs.empty() && in.is_items(0) && node.domain() == "aten") {
    std::vector<Ref>& items = in.items(0).items;
    const auto size = static_cast<std::int64_t>(items.size());
    const auto place = [&](std::int64_t i) {
      if (i < 0) i += size;
      if (i < 0 || i >= size) fail("list index out of range");
      return items.begin() + i;
    };
    if (kind == "aten::append") return items.push_back(inputs[1]), std::vector<Ref>{inputs[0]};
    if (kind == "aten::len") return {integer(size)};
    if (kind == "aten::__getitem__") return {*place(in.integer(1))};
    if (kind == "aten::_set_item") return *place(in.integer(1)) = inputs[2], std::vector<Ref>{inputs[0]};
    if (kind == "aten::clear") return items.clear(), std::vector<Ref>{};
    if (kind == "aten::insert") {
      std::int64_t i = in.integer(1);
      i = std::clamp<std::int64_t>(i < 0 ? i + size : i, 0, size);
      items.insert(items.begin() + i, inputs[2]);
      return {};
    }
    if (kind == "aten::pop") {
      const auto at = place(in.integer(1));
      const Ref item = *at;
      items.erase(at);
      return {item};
    }
    if (kind == "aten::extend" || kind == "aten::add_") {
      const std::vector<Ref> more = in.items(1).items;
      items.insert(items.end(), more.begin(), more.end());
      return kind == "aten::extend" ? std::vector<Ref>{} : std::vector<Ref>{inputs[0]};
    }
    if (kind == "aten::add") {
      std::vector<Ref> all = items;
      all.insert(all.end(), in.items(1).items.begin(), in.items(1).items.end());
      return {list_of(all)};
    }
    if (kind == "aten::slice") {
      const Bounds b = bounds(in, 1, size);
      std::vector<Ref> part;
      for (std::int64_t i = 0; i < b.count; ++i) part.push_back(items[static_cast<std::size_t>(b.begin + i * b.step)]);
      return {list_of(part)};
    }
    if (kind == "aten::stack" || kind == "aten::cat") {
      if (items.empty()) fail("no tensors");
      std::vector<Array> parts;
      for (const Ref& item : items) {
        Array a = std::get<Array>(item->value);
        parts.push_back(kind == "aten::stack" ? unsqueezed(a, in.integer(1)) : a);
      }
      const std::size_t d = axis(in.integer(1), parts[0].dims.size());
      Dims dims = parts[0].dims;
      dims[d] = 0;
      bool meta = false;
      for (const Array& p : parts) {
        Dims other = p.dims;
        dims[d] += other.at(d);
        other[d] = dims[d];
        if (other != dims) fail("sizes of tensors must match");
        meta = meta || p.meta;
      }
      Array out = fresh(dims, parts[0].dtype, meta);
      std::int64_t begin = 0;
      for (const Array& p : parts) {
        Array target = out;
        target.offset += begin * out.strides[d];
        target.dims[d] = p.dims[d];
        assign(target, p);
        begin += p.dims[d];
      }
      return {make(out)};
    }
    if (kind == "aten::zeros") return {make(fresh(in.integers(0), DType::Float32, false))};
    fail("no list operator " + kind);
  }
  // Numbers.
  if (!inputs.empty() && !in.is_tensor(0)) {
    if (kind == "aten::add") return {integer(in.integer(0) + in.integer(1))};
    if (kind == "aten::mul") return {integer(in.integer(0) * in.integer(1))};
    if (kind == "aten::min") return {integer(std::min(in.integer(0), in.integer(1)))};
    if ((kind == "aten::remainder" || kind == "aten::floordiv") && in.integer(1) == 0) fail("division by 0");
    if (kind == "aten::remainder") return {integer((in.integer(0) % in.integer(1) + in.integer(1)) % in.integer(1))};
    if (kind == "aten::floordiv") return {integer(in.integer(0) / in.integer(1))};
    if (kind == "aten::gt") return {make(Constant{in.integer(0) > in.integer(1)})};
    if (kind == "aten::lt") return {make(Constant{in.integer(0) < in.integer(1)})};
    if (kind == "aten::eq") return {make(Constant{in.integer(0) == in.integer(1)})};
    if (kind == "aten::Int") return {inputs[0]};
    if (kind == "aten::warn") return {};
    if (kind == "aten::arange") {
      Array a = fresh({in.integer(0)}, DType::Int64, false);
      for (std::int64_t i = 0; i < a.numel(); ++i) a.at(i) = static_cast<double>(i);
      return {make(a)};
    }
    fail("no operator " + kind);
  }
  // Tensors.
  const Array& self = in.tensor(0);
  const auto result = [&](const Array& a) {
    if (!writes) return std::vector<Ref>{make(a)};
    if (a.dims != self.dims) fail("the result has another size than self");
    assign(self, a);
    return std::vector<Ref>{inputs[0]};
  };
  if (kind == "aten::unsqueeze_") {
    std::get<Array>(inputs[0]->value) = unsqueezed(self, in.integer(1));
    return {inputs[0]};
  }
  if (writes) kind.pop_back();
  if (kind == "aten::mul" && inputs.size() == 3) {
    assign(in.tensor(2), elementwise(self, in.tensor(1), std::multiplies<>()));
    return {inputs[2]};
  }
  if (kind == "aten::add") {
    const double alpha = in.number(2);
    return result(elementwise(self, in.operand(1), [&](double x, double y) { return x + alpha * y; }));
  }
  if (kind == "aten::mul") return result(elementwise(self, in.operand(1), std::multiplies<>()));
  if (kind == "aten::relu")
    return result(elementwise(self, scalar(0), [](double x, double) { return std::max(x, 0.0); }));
  if (kind == "aten::neg") return result(elementwise(self, scalar(0), [](double x, double) { return -x; }));
  if (kind == "aten::zero" || kind == "aten::zeros_like") return result(fresh(self.dims, self.dtype, self.meta));
  if (kind == "aten::fill" || kind == "aten::full_like")
    return result(elementwise(self, in.operand(1), [](double, double y) { return y; }));
  if (kind == "aten::copy") return result(copy(expanded(in.tensor(1), self.dims)));
  if (kind == "aten::gt") {
    Array out = elementwise(self, in.operand(1), [](double x, double y) { return x > y ? 1.0 : 0.0; });
    out.dtype = DType::Bool;
    return {make(out)};
  }
  if (kind == "aten::masked_fill") {
    Array out = copy(self);
    const Array mask = expanded(in.tensor(1), self.dims);
    for (std::int64_t i = 0; i < out.numel(); ++i)
      if (mask.at(i) != 0) out.at(i) = in.number(2);
    return result(out);
  }
  if (kind == "aten::index_put") {
    Array out = copy(self);
    const Array index = std::get<Array>(in.items(1).items.at(0)->value);
    Dims dims = {index.numel()};
    dims.insert(dims.end(), self.dims.begin() + 1, self.dims.end());
    const Array values = expanded(in.tensor(2), dims);
    for (std::int64_t i = 0; i < index.numel(); ++i)
      assign(select(out, 0, static_cast<std::int64_t>(index.at(i))), select(values, 0, i));
    return result(out);
  }
  if (kind == "aten::clone") return {make(copy(self))};
  if (kind == "aten::detach" || kind == "aten::dropout") return {inputs[0]};
  if (kind == "aten::contiguous") return {self.contiguous() ? inputs[0] : make(copy(self))};
  if (kind == "aten::select") return {make(select(self, in.integer(1), in.integer(2)))};
  if (kind == "aten::slice") return {make(slice(self, in, 1))};
  if (kind == "aten::narrow") {
    Array out = self;
    const std::size_t d = axis(in.integer(1), self.dims.size());
    if (in.integer(2) + in.integer(3) > self.dims[d]) fail("narrow goes past the end");
    out.offset += in.integer(2) * self.strides[d];
    out.dims[d] = in.integer(3);
    return {make(out)};
  }
  if (kind == "aten::transpose") return {make(transposed(self, in.integer(1), in.integer(2)))};
  if (kind == "aten::permute") {
    Array out = self;
    const Dims order = in.integers(1);
    for (std::size_t i = 0; i < order.size(); ++i) {
      out.dims[i] = self.dims.at(static_cast<std::size_t>(order[i]));
      out.strides[i] = self.strides.at(static_cast<std::size_t>(order[i]));
    }
    return {make(out)};
  }
  if (kind == "aten::as_strided") {
    Array out = self;
    out.dims = in.integers(1);
    out.strides = in.integers(2);
    return {make(out)};
  }
  if (kind == "aten::view") return {make(reshaped(self, in.integers(1), true))};
  if (kind == "aten::reshape") return {make(reshaped(self, in.integers(1), false))};
  if (kind == "aten::reshape_as") return {make(reshaped(self, in.tensor(1).dims, false))};
  if (kind == "aten::expand") return {make(expanded(self, in.integers(1)))};
  if (kind == "aten::expand_as") return {make(expanded(self, in.tensor(1).dims))};
  if (kind == "aten::to") {
    Array out = self;
    if (in.is_tensor(1)) {
      out = copy(self);
      out.dtype = in.tensor(1).dtype;
    } else if (const auto to = static_cast<DType>(in.integer(1)); to != self.dtype) {
      out = copy(self);
      out.dtype = to;
    }
    return {make(out)};
  }
  if (kind == "aten::unsqueeze") return {make(unsqueezed(self, in.integer(1)))};
  if (kind == "aten::squeeze") {
    Array out = self;
    const std::size_t d = axis(in.integer(1), self.dims.size());
    if (out.dims[d] == 1) {
      out.dims.erase(out.dims.begin() + static_cast<std::ptrdiff_t>(d));
      out.strides.erase(out.strides.begin() + static_cast<std::ptrdiff_t>(d));
    }
    return {make(out)};
  }
  if (kind == "aten::diagonal") return {make(diagonal(self, in.integer(2), in.integer(3)))};
  if (kind == "aten::slice_scatter" || kind == "aten::select_scatter" || kind == "aten::diagonal_scatter") {
    Array out = copy(self);
    assign(kind == "aten::slice_scatter"    ? slice(out, in, 2)
           : kind == "aten::select_scatter" ? select(out, in.integer(2), in.integer(3))
                                            : diagonal(out, in.integer(3), in.integer(4)),
           in.tensor(1));
    return {make(out)};
  }
  if (kind == "aten::unbind") {
    std::vector<Ref> out;
    for (std::int64_t i = 0; i < self.dims[axis(in.integer(1), self.dims.size())]; ++i)
      out.push_back(make(select(self, in.integer(1), i)));
    return {list_of(out)};
  }
  if (kind == "aten::split") return {list_of(split(self, in.integer(1), in.integer(2)))};
  if (kind == "aten::chunk") {
    const std::int64_t size = self.dims[axis(in.integer(2), self.dims.size())];
    if (in.integer(1) <= 0) fail("there must be a chunk");
    return {list_of(split(self, (size + in.integer(1) - 1) / in.integer(1), in.integer(2)))};
  }
  if (kind == "aten::sum") {
    double total = 0;
    for (std::int64_t i = 0; i < self.numel(); ++i) total += self.at(i);
    Array out = scalar(total);
    out.meta = self.meta;
    return {make(out)};
  }
  if (kind == "aten::matmul") {
    const Array& b = in.tensor(1);
    if (self.dims.size() != 2 || b.dims.size() != 2 || self.dims[1] != b.dims[0]) fail("matmul sizes do not match");
    return {make(fresh({self.dims[0], b.dims[1]}, self.dtype, self.meta || b.meta))};
  }
  if (kind == "aten::size") {
    if (inputs.size() == 2) return {integer(self.dims[axis(in.integer(1), self.dims.size())])};
    std::vector<Ref> sizes;
    for (const std::int64_t d : self.dims) sizes.push_back(integer(d));
    return {list_of(sizes)};
  }
  if (kind == "aten::dim") return {integer(static_cast<std::int64_t>(self.dims.size()))};
  if (kind == "aten::item" || kind == "aten::Int") {
    data_dependent = self.meta;
    return {integer(self.meta ? 2 : static_cast<std::int64_t>(self.at(0)))};
  }
  if (kind == "aten::Bool") {
    data_dependent = self.meta;
    return {make(Constant{self.at(0) != 0})};
  }
  if (kind == "aten::nonzero") {
    data_dependent = self.meta;
    std::vector<double> found;
    const auto rank = static_cast<std::int64_t>(self.dims.size());
    std::int64_t count = 0;
    for (std::int64_t i = 0; i < self.numel(); ++i) count += self.at(i) != 0;
    Array out = fresh({self.meta ? 5 : count, rank}, DType::Int64, self.meta);
    return {make(out)};
  }
  fail("no operator " + kind);
}

namespace {

struct Steps {
  Ref constant(const Constant& constant) const { return make(constant); }
  bool truth(const Ref& ref) const { return *std::get<Constant>(ref->value).get<bool>(); }
  std::int64_t integer(const Ref& ref) const { return std::get<Constant>(ref->value).as_int64(); }
  std::vector<Ref> compute(const Node& node, const std::vector<Ref>& inputs) const {
    bool data = false;
    return test::compute(node, inputs, data);
  }
};

}  // namespace

std::string text_of(const Datum& datum) {
  std::ostringstream out;
  if (const auto* array = std::get_if<Array>(&datum.value)) {
    out << "[";
    for (std::size_t i = 0; i < array->dims.size(); ++i) out << (i ? "x" : "") << array->dims[i];
    out << ":";
    for (std::int64_t i = 0; i < array->numel(); ++i) out << ' ' << array->at(i);
    out << "]";
  } else if (const auto* items = std::get_if<Items>(&datum.value)) {
    out << "(";
    for (const Ref& item : items->items) out << text_of(*item) << ";";
    out << ")";
  } else {
    out << to_string(std::get<Constant>(datum.value));
  }
  return out.str();
}

std::string run(const ir::Graph& graph, const std::vector<Ref>& inputs) {
  std::string out;
  for (const Ref& ref : BlockRunner<Ref, Steps>({}).run(graph, inputs)) out += text_of(*ref) + "\n";
  return out;
}

ir::DatumPtr Machine::meta(DType dtype, std::span<const std::int64_t> dims) {
  return make(fresh(Dims(dims.begin(), dims.end()), dtype, true));
}

ir::DatumPtr Machine::meta(const ir::Tensor& tensor) { return meta(tensor.dtype, tensor.dims); }

ir::DatumPtr Machine::constant(const Constant& constant) { return make(constant); }

ir::Evaluator::Outcome Machine::evaluate(const Node& node, std::span<const ir::DatumPtr> inputs,
                                         std::vector<ir::DatumPtr>& outputs, Wanted) {
  if (node.domain() == "custom" || node.is("aten::set_") || node.is("prim::CreateObject") || node.is("prim::SetAttr"))
    return Outcome::NoRule;
  std::vector<Ref> operands;
  for (const ir::DatumPtr& in : inputs)
    operands.push_back(std::const_pointer_cast<Datum>(std::static_pointer_cast<const Datum>(in)));
  bool data = false;
  for (const Ref& out : compute(node, operands, data)) outputs.push_back(out);
  return data ? Outcome::DataDependent : Outcome::Done;
}

ir::Facts Machine::describe(const ir::Datum& base, std::int64_t max_elements) {
  const auto& datum = static_cast<const Datum&>(base);
  ir::Facts facts;
  if (const auto* array = std::get_if<Array>(&datum.value)) {
    facts.dtype = array->dtype;
    facts.dims.emplace(array->dims.begin(), array->dims.end());
    if (!array->meta && array->numel() <= max_elements) {
      std::vector<double> data;
      for (std::int64_t i = 0; i < array->numel(); ++i) data.push_back(array->at(i));
      facts.constant = std::make_shared<const Constant>(
          Constant{ir::Tensor::from_bytes(DType::Float64, array->dims, data.data(), data.size() * sizeof(double))});
    }
    return facts;
  }
  if (const auto* items = std::get_if<Items>(&datum.value)) {
    Constant::List list;
    for (const Ref& item : items->items) {
      const auto* constant = std::get_if<Constant>(&item->value);
      if (!constant) return facts;
      list.items.push_back(*constant);
    }
    facts.constant = std::make_shared<const Constant>(Constant{std::move(list)});
    return facts;
  }
  const Constant& constant = std::get<Constant>(datum.value);
  if (constant.is_number()) {
    facts.dtype = constant.get<bool>() ? DType::Bool : constant.get<double>() ? DType::Float64 : DType::Int64;
    facts.dims.emplace();
  }
  facts.constant = std::make_shared<const Constant>(constant);
  return facts;
}

bool Machine::share_memory(const ir::Datum& a, const ir::Datum& b) {
  const auto* x = std::get_if<Array>(&static_cast<const Datum&>(a).value);
  const auto* y = std::get_if<Array>(&static_cast<const Datum&>(b).value);
  return x && y && x->storage == y->storage;
}

std::optional<std::int64_t> Machine::contiguous_offset(const ir::Datum& datum) {
  const auto* array = std::get_if<Array>(&static_cast<const Datum&>(datum).value);
  return array && array->contiguous() ? std::optional(array->offset) : std::nullopt;
}

std::vector<std::int64_t> Machine::merged_strides(const ir::Datum& datum, std::span<const std::size_t> single) {
  const auto* array = std::get_if<Array>(&static_cast<const Datum&>(datum).value);
  std::vector<std::int64_t> strides;
  for (std::size_t axis = 0; array && axis < array->strides.size(); ++axis)
    if (std::ranges::find(single, axis) == single.end()) strides.push_back(array->strides[axis]);
  return strides;
}

void Machine::forget_content(const ir::Datum& datum) {
  if (auto* array = std::get_if<Array>(&const_cast<Datum&>(static_cast<const Datum&>(datum)).value)) array->meta = true;
}

ir::DatumPtr Machine::never() { return nullptr; }

bool Machine::is_never(const ir::Datum&) { return false; }

ir::DatumPtr Machine::entry(const ir::Datum&, const ir::Datum&) { return nullptr; }

std::vector<ir::DatumPtr> Machine::keys(const ir::Datum&) { return {}; }

ir::DatumPtr Machine::list(std::span<const ir::DatumPtr> items) {
  std::vector<Ref> refs;
  for (const ir::DatumPtr& item : items) {
    if (!item) return nullptr;
    refs.push_back(std::const_pointer_cast<Datum>(std::static_pointer_cast<const Datum>(item)));
  }
  return list_of(std::move(refs));
}

std::vector<ir::DatumPtr> Machine::items(const ir::Datum& datum) {
  const auto* items = std::get_if<Items>(&static_cast<const Datum&>(datum).value);
  if (!items) return {};
  return {items->items.begin(), items->items.end()};
}

}  // namespace tonnx::program::test
