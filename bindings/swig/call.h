// Calls from native to managed code, all through one object.
#ifndef TONNX_SWIG_CALL_H
#define TONNX_SWIG_CALL_H

#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <stdint.h>
#include <string>
#include <vector>

#include "tonnx.hpp"
#include "values.h"

namespace tonnx::managed {

class Call;
class Event;
class Resize;

#ifndef SWIG
// A number of the managed side, released with its last owner.
class Owned {
 public:
  explicit Owned(int64_t number) : number_(number) {}
  Owned(const Owned&) = delete;
  ~Owned();
  int64_t number() const { return number_; }

 private:
  const int64_t number_;
};

// A failed call of managed code: its message and, if reported, the number of the managed exception.
class Failure : public std::runtime_error {
 public:
  Failure(const std::string& message, std::shared_ptr<const Owned> cause)
      : std::runtime_error(message), cause_(std::move(cause)) {}
  int64_t cause() const { return cause_ ? cause_->number() : -1; }

 private:
  std::shared_ptr<const Owned> cause_;
};
#endif

// Bytes of a model that is being written; valid until Host::receive returns.
class Chunk {
 public:
  int64_t size() const { return size_; }
  // Copies from `offset` on; `size` bytes.
  void read(int64_t offset, void* into, int64_t size) const {
    if (offset < 0 || size < 0 || offset > size_ - size)
      throw tonnx::Error(TONNX_STATUS_ARGUMENT, "the requested bytes are outside of the chunk");
    if (size > 0) std::memcpy(into, static_cast<const char*>(data_) + offset, static_cast<std::size_t>(size));
  }
  // See Call::fail_with.
  void fail_with(const std::string& message, int64_t cause) {
    cause_ = std::make_shared<const Owned>(cause);
    message_ = message;
  }

#ifndef SWIG
  Chunk(const void* data, std::size_t size) : data_(data), size_(static_cast<int64_t>(size)) {}
  Chunk(const Chunk&) = delete;
  Failure failure() const { return Failure(message_, cause_); }
#endif

 private:
  const void* data_;
  int64_t size_;
  std::string message_;
  std::shared_ptr<const Owned> cause_;
};

// The managed side, overridden there; one object per process, never freed. Symbolics, resize callbacks, causes and
// sinks are numbers that it assigns. Overrides must not throw; an exception counts as a failure.
class Host {
 public:
  virtual ~Host() = default;
  // Runs a symbolic; returns a code of tonnx_symbolic_fn.
  virtual int32_t apply(int64_t symbolic, Call* call) = 0;
  // Creates inputs of other sizes for a trace; returns 0, or another value on failure.
  virtual int32_t resize(int64_t maker, Resize* call) = 0;
  // Passes an event to an observer; returns 0, or another value to cancel the call.
  virtual int32_t observe(int64_t, Event*) { return 1; }
  // Releases a symbolic, resize callback, observer or cause of a failure after its last use. May be called on any
  // thread.
  virtual void release(int64_t number) = 0;
  // Receives bytes of a model; returns 0, or another value to stop.
  virtual int32_t receive(int64_t sink, Chunk* chunk) = 0;

  static void set(Host* host) { current().store(host); }

#ifndef SWIG
  static Host& get() {
    Host* host = current().load();
    if (!host) throw tonnx::Error(TONNX_STATUS_INTERNAL, "the managed side has not set its host");
    return *host;
  }
#endif

 private:
  static std::atomic<Host*>& current() {
    static std::atomic<Host*> host{nullptr};
    return host;
  }
};

#ifndef SWIG
inline Owned::~Owned() {
  try {
    Host::get().release(number_);
  } catch (...) {
  }
}
#endif

// One call of Host::resize: the sizes of the inputs, and the result of the managed side.
class Resize {
 public:
  std::vector<std::string> symbols() const {
    std::vector<std::string> all;
    for (const auto& [symbol, size] : sizes_) all.push_back(symbol);
    return all;
  }
  int64_t size(const std::string& symbol) const { return sizes_.at(symbol); }

  // Sets the result: the inputs.
  void give(const Args& args) { args_.extend(args.get()); }
  // See Call::fail_with.
  void fail_with(const std::string& message, int64_t cause) {
    cause_ = std::make_shared<const Owned>(cause);
    message_ = message;
  }

#ifndef SWIG
  explicit Resize(const std::map<std::string, int64_t>& sizes) : sizes_(sizes) {}
  Resize(const Resize&) = delete;
  tonnx::Args take() { return std::move(args_); }
  Failure failure() const { return Failure(message_, cause_); }
#endif

 private:
  const std::map<std::string, int64_t>& sizes_;
  tonnx::Args args_;
  std::string message_;
  std::shared_ptr<const Owned> cause_;
};

// An event; valid until Host::observe returns.
class Event {
 public:
  int32_t kind() const { return event_.kind(); }
  int32_t level() const { return event_.level(); }
  int32_t category() const { return event_.category(); }
  std::string stage() const { return event_.stage(); }
  int64_t done() const { return event_.done(); }
  int64_t total() const { return event_.total(); }
  bool is_bytes() const { return event_.is_bytes(); }
  std::string text() const { return event_.text(); }
  std::string module_path() const { return event_.module(); }
  std::string source() const { return event_.source(); }
  // See Call::fail_with.
  void fail_with(const std::string& message, int64_t cause) {
    cause_ = std::make_shared<const Owned>(cause);
    message_ = message;
  }

#ifndef SWIG
  explicit Event(const tonnx::Event& event) : event_(event) {}
  Event(const Event&) = delete;
  bool has_failed() const { return cause_ != nullptr; }
  Failure failure() const { return Failure(message_, cause_); }
#endif

 private:
  const tonnx::Event& event_;
  std::string message_;
  std::shared_ptr<const Owned> cause_;
};

class Observer {
 public:
  // Host::release(observer) is called after its last use, also if this fails.
  Observer(int64_t observer, int32_t level) : Observer(std::make_shared<const Owned>(observer)) {
    observer_.level(level);
  }

#ifndef SWIG
  const tonnx::Observer& get() const { return observer_; }
#endif

 private:
  explicit Observer(const std::shared_ptr<const Owned>& owner)
      : observer_([owner](const tonnx::Event& event) {
          Event given(event);
          const bool goes_on = Host::get().observe(owner->number(), &given) == 0;
          if (given.has_failed()) throw given.failure();
          return goes_on;
        }) {}

  tonnx::Observer observer_;
};

inline void Options::observer(const Observer& v) { options_.observer(v.get()); }

// One run of a symbolic, on its thread. Values are numbers: the inputs are 0, 1, ...; later ones are results of its
// calls; -1 is an absent value. A managed wrapper must drop this object when Host::apply returns.
class Call {
 public:
  // Graphs are numbers as well: 0 is that of the symbolic, others are its sub-graphs.
  int32_t opset() const { return graphs_.front().opset(); }
  bool is_training() const { return graphs_.front().is_training(); }
  std::vector<int32_t> op(int32_t graph, const std::string& name, const std::vector<int32_t>& inputs,
                          const Attributes* attributes, int32_t outputs) {
    return keep(graph_at(graph).op(name, at(inputs), attributes ? &attributes->get() : nullptr, count(outputs)));
  }
  std::vector<int32_t> call(int32_t graph, const std::string& name, const std::vector<int32_t>& inputs,
                            const Attributes* arguments, int32_t outputs) {
    const tonnx::Attributes none;  // not static: threads may still export while the process exits
    return keep(graph_at(graph).call(name, at(inputs), arguments ? arguments->get() : none, count(outputs)));
  }
  int32_t list(int32_t graph, const std::vector<int32_t>& values) { return keep(graph_at(graph).list(at(values))); }
  int32_t constant(int32_t graph, const Tensor& tensor) { return keep(graph_at(graph).constant(tensor.get())); }
  int32_t cast(int32_t graph, int32_t value, int32_t dtype) { return keep(graph_at(graph).cast(at(value), dtype)); }
  int32_t subgraph(int32_t graph) {
    graphs_.push_back(graph_at(graph).subgraph());
    return static_cast<int32_t>(graphs_.size() - 1);
  }
  int32_t input(int32_t graph) { return keep(graph_at(graph).input()); }
  void set_results(int32_t graph, const std::vector<int32_t>& values) { graph_at(graph).set_results(at(values)); }
  void set_graph(Attributes& attributes, const std::string& name, int32_t graph) {
    attributes.set_graph(name, graph_at(graph));
  }

  // The source operator.
  std::string node_name() const { return node_.name(); }
  std::string node_overload() const { return node_.overload(); }
  std::string node_module() const { return node_.module(); }
  std::string node_source() const { return node_.source(); }
  int32_t node_argument(const std::string& name) const { return node_.argument(name); }
  int32_t node_output_count() const { return static_cast<int32_t>(node_.output_count()); }
  int32_t node_output(int32_t index) {
    if (index < 0 || index >= node_output_count())
      throw tonnx::Error(TONNX_STATUS_ARGUMENT, "the node has no such output");
    return keep(node_.output(static_cast<std::size_t>(index)));
  }
  int32_t input_count() const { return input_count_; }

  // Values.
  std::string value_name(int32_t value) const { return at(value).name(); }
  int32_t kind(int32_t value) const { return at(value).kind(); }
  int32_t dtype(int32_t value) const { return at(value).dtype(); }
  bool has_rank(int32_t value) const { return at(value).has_rank(); }
  int32_t rank(int32_t value) const { return static_cast<int32_t>(at(value).rank()); }
  int64_t dim(int32_t value, int32_t axis) const { return at(value).dim(checked_axis(value, axis)); }
  std::string dim_symbol(int32_t value, int32_t axis) const { return at(value).dim_symbol(checked_axis(value, axis)); }
  bool is_none(int32_t value) const { return at(value).is_none(); }
  bool is_constant(int32_t value) const { return at(value).is_constant(); }
  bool requires_grad(int32_t value) const { return at(value).requires_grad(); }
  int64_t to_int(int32_t value) const { return at(value).to_int(); }
  double to_float(int32_t value) const { return at(value).to_float(); }
  bool to_bool(int32_t value) const { return at(value).to_bool(); }
  std::string to_string(int32_t value) const { return at(value).to_string(); }
  std::vector<int64_t> to_ints(int32_t value) const { return at(value).to_ints(); }
  std::vector<double> to_floats(int32_t value) const { return at(value).to_floats(); }
  Tensor* to_tensor(int32_t value) const { return new Tensor(at(value).to_tensor()); }
  std::vector<int32_t> to_list(int32_t value) {
    std::vector<int32_t> items;
    for (const Value& item : at(value).to_list()) items.push_back(keep(item));
    return items;
  }
  void set_type(int32_t value, int32_t dtype, const std::vector<int64_t>& dims) { at(value).set_type(dtype, dims); }
  void copy_type(int32_t value, int32_t from) { at(value).copy_type(at(from)); }

  // Sets the results, for DONE.
  void give(const std::vector<int32_t>& results) { results_ = at(results); }
  // `cause` is a number of a managed exception, which Error::cause returns; Host::release(cause) is called at the end.
  void fail_with(const std::string& message, int64_t cause) {
    cause_ = std::make_shared<const Owned>(cause);
    message_ = message;
  }

#ifndef SWIG
  Call(Graph& graph, const Node& node, const std::vector<Value>& inputs)
      : graphs_{graph}, node_(node), values_(inputs), input_count_(static_cast<int32_t>(inputs.size())) {}
  Call(const Call&) = delete;
  const std::vector<Value>& results() const { return results_; }
  Failure failure() const { return Failure(message_, cause_); }
#endif

 private:
  Value at(int32_t id) const {
    if (id == -1) return Value();
    if (id < 0 || static_cast<std::size_t>(id) >= values_.size())
      throw tonnx::Error(TONNX_STATUS_ARGUMENT, "the symbolic has no such value");
    return values_[static_cast<std::size_t>(id)];
  }
  std::vector<Value> at(const std::vector<int32_t>& ids) const {
    std::vector<Value> values;
    for (const int32_t id : ids) values.push_back(at(id));
    return values;
  }
  std::size_t checked_axis(int32_t value, int32_t axis) const {
    if (axis < 0 || axis >= rank(value)) throw tonnx::Error(TONNX_STATUS_ARGUMENT, "the value has no such axis");
    return static_cast<std::size_t>(axis);
  }
  Graph& graph_at(int32_t graph) {
    if (graph < 0 || static_cast<std::size_t>(graph) >= graphs_.size())
      throw tonnx::Error(TONNX_STATUS_ARGUMENT, "the symbolic has no such graph");
    return graphs_[static_cast<std::size_t>(graph)];
  }
  static std::size_t count(int32_t outputs) {
    if (outputs < 0) throw tonnx::Error(TONNX_STATUS_ARGUMENT, "the number of outputs is negative");
    return static_cast<std::size_t>(outputs);
  }
  std::vector<int32_t> keep(const std::vector<Value>& values) {
    std::vector<int32_t> made;
    for (const Value& value : values) made.push_back(keep(value));
    return made;
  }
  int32_t keep(const Value& value) {
    if (!value.get()) return -1;
    values_.push_back(value);
    return static_cast<int32_t>(values_.size() - 1);
  }

  std::vector<Graph> graphs_;
  const Node& node_;
  std::vector<Value> values_;
  int32_t input_count_;
  std::vector<Value> results_;
  std::string message_;
  std::shared_ptr<const Owned> cause_;
};

}  // namespace tonnx::managed

#endif
