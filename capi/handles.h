#pragma once

#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "backend/running_call.h"
#include "export/exporter.h"
#include "export/loaded_program.h"
#include "export/model_file.h"
#include "export/operator_list.h"
#include "export/report.h"
#include "export/trace_runs.h"
#include "export/verify_model.h"
#include "exporting.h"
#include "ir/error.h"
#include "ir/observer.h"
#include "lower/op.h"
#include "lower/registry.h"
#include "tonnx.h"

// The definitions of the opaque types. Children share what they need of their parents, so that handles may be freed in
// any order.

struct tonnx_error {
  tonnx_status status = TONNX_STATUS_OK;
  std::string message;
  std::string class_name;
  std::vector<tonnx::ir::Reason> reasons;
  std::shared_ptr<void> cause;
  tonnx::exporting::Report report;
  mutable std::once_flag serialized;  // guards `json`, the serialized report
  mutable std::string json;
};

struct tonnx_buffer {
  std::vector<std::byte> bytes;  // one NUL more than size
  std::size_t size = 0;
};

struct tonnx_tensor {
  explicit tonnx_tensor(tonnx::ir::Tensor t) : tensor(std::move(t)) {}
  tonnx::ir::Tensor tensor;
  tonnx::ir::Tensor dense;  // row-major elements, computed on first use
  std::once_flag gathered;
};

struct tonnx_args {
  tonnx::ir::Arguments arguments;
  struct Level {
    tonnx::ir::Constant container;
    std::string key;  // of this container in its parent
    bool has_key = false;
  };
  std::vector<Level> open;  // containers that are begun and not ended
  std::string key;          // key of the next value
  bool has_key = false;
  std::string failure;          // why the callback that fills them failed
  std::shared_ptr<void> cause;  // the object passed with the failure

  // Returns the finished arguments of a handle that may be null. Throws Error(Code::Argument) if a container or a key
  // is still open.
  static const tonnx::ir::Arguments& finished(const tonnx_args* args);
};

struct tonnx_program {
  std::shared_ptr<const tonnx::exporting::LoadedProgram> source;
  std::vector<std::string> methods;
};

struct tonnx_verify_options {
  tonnx::exporting::VerifyOptions options;
};

struct tonnx_save_options {
  tonnx::exporting::SaveOptions options;
};

struct tonnx_trace_options {
  tonnx::exporting::TraceOptions options;
};

struct tonnx_trace {
  struct Progress {
    tonnx::capi::Exporting exporting;
    tonnx::backend::RunningTrace running;
  };

  tonnx_trace(const tonnx::ir::Arguments& arguments, const tonnx_trace_options* options)
      : observer(options ? options->options.observer : nullptr),
        runs(arguments, options ? options->options : tonnx::exporting::TraceOptions()) {}
  std::shared_ptr<tonnx::ir::Observer> observer;
  std::unique_ptr<Progress> progress = std::make_unique<Progress>();  // until its end
  tonnx::exporting::TraceRuns runs;
  std::int64_t run_count = 0;   // runs that have ended
  int depth = 0;                // modules entered and not left
  std::vector<int> functions;   // the depths at which the open functions were begun
  bool borrowed = false;        // inside a callback; ends when the callback returns
  std::string failure;          // of the run in progress
  std::shared_ptr<void> cause;  // the object passed with the failure
};

namespace tonnx::capi {

// An observer that calls a function of the caller.
class Callback final : public ir::Observer {
 public:
  Callback(tonnx_observer_fn function, std::shared_ptr<void> user_data);
  ir::Level level() const noexcept override { return level_; }
  void receive(const ir::Event& event) override;
  void set_level(ir::Level level) { level_ = level; }

 private:
  const tonnx_observer_fn function_;
  const std::shared_ptr<void> user_data_;
  ir::Level level_ = ir::Level::Info;
};

}  // namespace tonnx::capi

struct tonnx_observer {
  std::shared_ptr<tonnx::capi::Callback> callback;
};

struct tonnx_options {
  tonnx::exporting::Options options;
};

struct tonnx_registry {
  tonnx::lower::Registry registry;
  mutable std::mutex mutex;  // guards the registry, and `listed`, which const calls fill
  mutable std::unique_ptr<std::vector<tonnx::exporting::Conversion>> listed;
  // The caller holds the mutex while it reads them.
  const std::vector<tonnx::exporting::Conversion>& entries() const;
  // The registrations for one call: those at its start, or the built-in ones if `registry` is null.
  static tonnx::lower::Registry snapshot(const tonnx_registry* registry);
};

struct tonnx_attributes {
  tonnx::lower::Attributes attributes;
  std::vector<std::pair<std::string, std::shared_ptr<tonnx_graph>>> graphs;  // sub-graphs
};

namespace tonnx::capi {

class Walk;

// The value of an attribute of a node.
struct AttributeValue {
  std::string name;
  ir::Type type;
  ir::Facts facts;                                  // the content is a constant, but for a type attribute
  std::vector<std::unique_ptr<tonnx_value>> items;  // of a list of tensors
  bool is_type = false;                             // a type attribute
};

}  // namespace tonnx::capi

// A value in a symbolic: a value of the graph under construction, or a source value (a constant, a list). Or a value of
// contents, or an attribute's: they can only be read.
struct tonnx_value {
  const tonnx::ir::Value* source = nullptr;  // null for values made by the symbolic
  tonnx::ir::Value* value = nullptr;         // null until a constant is read as a tensor
  std::vector<tonnx_value*> list;
  bool is_list = false;
  const tonnx::ir::Node* node = nullptr;    // the source node, if the value is one of its arguments
  std::size_t argument = 0;                 // and its index
  const tonnx::capi::Walk* walk = nullptr;  // of contents; null in a symbolic
  std::unique_ptr<tonnx::capi::AttributeValue> attribute;
  // Results of getters of a const value, cached for its lifetime; guarded by a lock.
  mutable std::optional<std::vector<std::int64_t>> ints;
  mutable std::optional<std::vector<double>> floats;
  mutable std::optional<std::vector<const char*>> strings;
  mutable std::set<std::string> texts;

  // Those of a list are empty.
  const tonnx::ir::Facts& facts() const {
    static const tonnx::ir::Facts none;
    return attribute ? attribute->facts : value ? value->facts() : source ? source->facts() : none;
  }
  // Null for a list that a symbolic made.
  const tonnx::ir::Type* type() const {
    const tonnx::ir::Value* known = source ? source : value;
    return attribute ? &attribute->type : known ? &known->type() : nullptr;
  }
};

// The source node of a symbolic, or a node of contents.
struct tonnx_node {
  tonnx_node(const tonnx::ir::Node& of, const tonnx::capi::Walk* within);

  const tonnx::ir::Node* const node;
  const tonnx::capi::Walk* const walk;  // of contents; null in a symbolic
  const std::string module;
  const std::string source;
  std::vector<tonnx_value*> inputs;         // in a symbolic
  std::vector<const tonnx_value*> outputs;  // in a symbolic
  mutable std::once_flag ordered;           // guards `tensors_first`
  mutable std::vector<std::size_t> tensors_first;
  mutable std::once_flag read;                  // guards `attributes`
  mutable std::vector<tonnx_value> attributes;  // sorted by name
};

// The graph of a symbolic, or a sub-graph in it. Values and failures belong to the symbolic's graph, `root`. Or a graph
// or block of contents, which can only be read.
struct tonnx_graph : std::enable_shared_from_this<tonnx_graph> {
  tonnx::lower::Op* op = nullptr;
  tonnx_graph* root = this;  // null for a sub-graph whose symbolic has returned, and for a graph of contents
  tonnx_graph* parent = nullptr;
  tonnx::ir::Block* block = nullptr;
  tonnx::ir::Node* owner = nullptr;     // of a sub-graph that is not part of a node yet
  tonnx::ir::Node* released = nullptr;  // the former owner of a sub-graph that is part of a node
  bool returned = false;

  // Of a graph of contents only.
  const tonnx::capi::Walk* walk = nullptr;
  std::string name;
  std::vector<const tonnx::ir::Node*> nodes;

  // Of the root only.
  std::deque<tonnx_value> values;  // addresses are stable
  std::unordered_map<const tonnx::ir::Value*, tonnx_value*> known;
  std::vector<std::shared_ptr<tonnx_graph>> subgraphs;
  std::vector<tonnx_value*> results;
  std::string failure;
  std::shared_ptr<void> cause;  // the object passed with the failure
};

struct tonnx_report {
  tonnx::exporting::Report report;
  std::string json;
};

struct tonnx_model {
  std::shared_ptr<const tonnx::exporting::Model> model;
  tonnx_report report;
};
