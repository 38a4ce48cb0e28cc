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

#include "reader.h"
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
  void complete(const Args& args) { args_.extend(args.get()); }
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

// One run of a symbolic, on its thread. The inputs are the values 0, 1, ...; later ones are results of its calls. A
// managed wrapper must drop this object when Host::apply returns.
class Call : public Reader {
 public:
  bool is_training() const { return graphs_.at(0).is_training(); }
  std::vector<int32_t> op(int32_t graph, const std::string& name, const std::vector<int32_t>& inputs,
                          const Attributes* attributes, int32_t outputs) {
    return values_.keep(
        graphs_.at(graph).op(name, at(inputs), attributes ? &attributes->get() : nullptr, count(outputs)));
  }
  std::vector<int32_t> call(int32_t graph, const std::string& name, const std::vector<int32_t>& inputs,
                            const Attributes* arguments, int32_t outputs) {
    const tonnx::Attributes none;  // not static: threads may still export while the process exits
    return values_.keep(graphs_.at(graph).call(name, at(inputs), arguments ? arguments->get() : none, count(outputs)));
  }
  int32_t list(int32_t graph, const std::vector<int32_t>& values) {
    return values_.keep(graphs_.at(graph).list(at(values)));
  }
  int32_t constant(int32_t graph, const Tensor& tensor) {
    return values_.keep(graphs_.at(graph).constant(tensor.get()));
  }
  int32_t cast(int32_t graph, int32_t value, int32_t dtype) {
    return values_.keep(graphs_.at(graph).cast(at(value), dtype));
  }
  int32_t add_subgraph(int32_t graph) { return graphs_.keep(graphs_.at(graph).add_subgraph()); }
  int32_t add_input(int32_t graph) { return values_.keep(graphs_.at(graph).add_input()); }
  void set_results(int32_t graph, const std::vector<int32_t>& values) { graphs_.at(graph).set_results(at(values)); }
  void set_graph(Attributes& attributes, const std::string& name, int32_t graph) {
    attributes.set_graph(name, graphs_.at(graph));
  }
  void set_suffixed(Attributes& attributes, const std::string& name, int32_t value) {
    attributes.set_suffixed(name, at(value));
  }
  int32_t input_count() const { return input_count_; }
  void set_type(int32_t value, int32_t dtype, const std::vector<int64_t>& dims) { at(value).set_type(dtype, dims); }
  void copy_type(int32_t value, int32_t from) { at(value).copy_type(at(from)); }

  // Sets the results, for DONE.
  void complete(const std::vector<int32_t>& results) { results_ = at(results); }
  // `cause` is a number of a managed exception, which Error::cause returns; Host::release(cause) is called at the end.
  void fail_with(const std::string& message, int64_t cause) {
    cause_ = std::make_shared<const Owned>(cause);
    message_ = message;
  }

#ifndef SWIG
  Call(const Graph& graph, const Node& node, const std::vector<Value>& inputs)
      : Reader(graph, {node}, inputs), input_count_(static_cast<int32_t>(inputs.size())) {}
  const std::vector<Value>& results() const { return results_; }
  Failure failure() const { return Failure(message_, cause_); }
#endif

 private:
  static std::size_t count(int32_t outputs) {
    if (outputs < 0) throw tonnx::Error(TONNX_STATUS_ARGUMENT, "the number of outputs is negative");
    return static_cast<std::size_t>(outputs);
  }

  int32_t input_count_;
  std::vector<Value> results_;
  std::string message_;
  std::shared_ptr<const Owned> cause_;
};

}  // namespace tonnx::managed

#endif
