#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <torch/csrc/jit/api/function_impl.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/ir/ir.h>

#include "ir/raw_program.h"
#include "ir/source_line.h"
#include "ir/state_write.h"
#include "torch/gradient_answers.h"
#include "torch/imported.h"
#include "torch/object_forms.h"
#include "torch/weight_table.h"

// Converts a TorchScript program to the raw program. Internal: includes LibTorch.
namespace tonnx::torch {

// One import. Inlines calls; attributes of modules become weights and constants; values known before the program runs
// are computed; branches that are never taken and those that only raise are removed. Does not change the program that
// it reads.
class GraphImport {
 public:
  using JitNode = ::torch::jit::Node;

  // `gradients`: whether gradients are enabled at the start of the program.
  GraphImport(ir::Graph& graph, WeightTable& weights, ir::Training training, bool gradients,
              std::vector<std::string>& warnings);

  // Thrown if the import must start again with more information for set_root() and make_changed(): the program changes
  // these lists or dicts in attributes, which were constants so far; or chooses among these objects in attributes; or
  // stores objects of these classes where only values can be stored.
  struct Anew {
    std::set<const void*> identities;
    ObjectForms forms;
  };

  // Names the module's objects by their paths. Objects of the classes in `forms` are values.
  void set_root(const ::torch::jit::Module& module, ObjectForms forms);
  // Turns these lists and dicts of attributes, and all that contain or are contained in them, into values at the start
  // of the program, and the attributes of these objects into known values. Call after set_root().
  void make_changed(const std::set<const void*>& contents);
  // Creates the lists of attributes of objects that are numbers, at the start of the program. Call after set_root().
  void make_heaps();
  // Sets the types of objects that are values. Call after everything is imported.
  void set_form_types();
  // Throws Anew if the program may change a fresh copy of an attribute that it reads, and stores changes of containers.
  // Call after everything is imported.
  void require_unchanged();
  // Declares that the list or dict belongs to the caller.
  void note_argument(const ir::Value* container, const std::string& name) {
    argument_containers_.emplace_back(container, name);
  }
  // Appends the body of `function`, called with `arguments`, and returns its results.
  std::vector<Imported> call(::torch::jit::Function& function, std::vector<Imported> arguments);
  // Same, for a graph that is not a function. Constants among its tensors are called `constant_name`.
  std::vector<Imported> body(const ::torch::jit::Graph& graph, std::vector<Imported> arguments);

  // Returns the value in the current block; adds constants and constructors if it has none yet.
  ir::Value* materialise(const Imported& known, const ir::Location& location = {});
  // Adds outputs for a returned value: tuples, and lists and dicts that nothing else can write to, have one per item.
  // Appends to the output_names and output_lists of `program`. `path` is that of ir::kResultPath; none inside of lists
  // and dicts.
  void add_outputs(const Imported& known, const std::string& name, ir::RawProgram& program,
                   const std::optional<std::string>& path = std::string());
  // Adds a node to the current block.
  ir::Node* emit(std::string kind, std::span<ir::Value* const> inputs, std::size_t outputs,
                 const ir::Location& location = {});
  ir::Value* constant(ir::Constant constant, const ir::Location& location = {});

  // Adds an input to the graph with the facts of an example.
  ir::Value* add_input(const ir::Tensor& example, ir::Type::Kind type, const std::string& name);
  // Adds inputs NAME, NAME_scale and NAME_zero_point, and returns the quantised value. Appends the parts of the example
  // (ir/quantised_tensor.h) to `examples`.
  ir::Value* add_quantised_input(const ir::Tensor& example, const std::string& name, std::vector<ir::Tensor>& examples);
  // Returns a weight for a tensor that the program captures. Without a name it gets that of the weight whose storage it
  // views, or a new one.
  ir::Value* captured(const at::Tensor& tensor, const std::string& name);

  // Questions about gradients that the import answered, in program order. Questions of a context manager that restores
  // the mode are omitted.
  const std::vector<GradientQuestion>& gradient_questions() const { return gradient_questions_; }

  // Adds a warning, without duplicates.
  void warn(const std::string& text);
  // Stores that the program sets an attribute, or changes the container in it.
  void note_change(const std::string& attribute, const JitNode* writer);
  // Adds outputs for the tensors and numbers that attributes are set to, and removes these from changes().
  void add_changed(std::vector<ir::StateWrite>& outputs, std::vector<std::string>& output_names);
  // After require_unchanged(): changes of attributes and of the caller's containers.
  const std::vector<ir::StateWrite>& changes() const { return changes_; }
  // Makes the constant a weight, even if it is small.
  void keep_as_weight(const at::Tensor& constant) { kept_weights_.insert(constant.storage().unsafeGetStorageImpl()); }

  // Uses the dims of results that were recorded as facts; they hold only for that run.
  void keep_recorded_dims() { keep_recorded_dims_ = true; }

  // Tensor constants with more elements become weights; rank-0 numbers never do.
  void set_largest_constant(std::int64_t floating, std::int64_t integral) {
    largest_floating_ = floating;
    largest_integral_ = integral;
  }
  // Declares that numbers used as tensors are marked; a rank-0 constant without the mark is a tensor.
  void set_marked_numbers() { marked_numbers_ = true; }

 private:
  using JitBlock = ::torch::jit::Block;
  using JitValue = ::torch::jit::Value;

  // One of several modules that is selected at run time, by index.
  struct Choice {
    std::vector<c10::IValue> modules;
    ir::Value* number;
  };

  // State of the walk through a function body.
  struct Frame {
    std::unordered_map<const JitValue*, Imported> values;
    std::shared_ptr<const ir::Scope> scope;
    const c10::ivalue::Object* self = nullptr;
    std::shared_ptr<const ir::SourceLine> line;  // of the call, for nodes without their own line
    std::map<std::string, std::shared_ptr<const ir::Scope>> containers;  // scopes of the enclosing modules, by path
    std::unordered_map<const JitValue*, Choice> choices;
  };

  // Values that the program has set, at one point of the walk.
  struct State {
    std::vector<std::unordered_map<std::string, Imported>> attributes;  // by object that the program created
    std::map<std::pair<const c10::ivalue::Object*, std::string>, Imported> written;
    std::set<std::shared_ptr<LocalObject>> moved;
    bool grad = false;
  };
  // A value in an object, and its declared type.
  struct Leaf {
    Imported known;
    c10::TypePtr type;
  };
  struct Slot {
    const c10::ivalue::Object* object;  // null: the program created the object
    std::size_t local;                  // index of that object
    std::string name;
    c10::TypePtr type;
    bool is(const Slot& other) const { return object == other.object && local == other.local && name == other.name; }
  };

  // A quantised tensor and its parts; stored, so that each becomes one weight even if it is read several times.
  struct PlainTensors {
    at::Tensor quantised;
    at::Tensor integers;
    at::Tensor scales;  // per channel; else undefined
    at::Tensor zero_points;
  };

  // Thrown if the program always raises an exception; in a dynamic branch, only the raising path is removed.
  struct Raised {
    std::string message;
    std::string text;  // text of the exception; "" if it is not constant
    ir::Location location;
  };

  void convert(const JitBlock& block);
  void convert(const JitNode& node);
  bool convert_structure(const JitNode& node);
  bool convert_shortcut(const JitNode& node);
  bool convert_object_list(const JitNode& node);
  bool convert_object_dict(const JitNode& node);
  bool convert_value_get(const JitNode& node);
  bool convert_value_set(const JitNode& node);
  bool is_value(const c10::Type& type) const;
  bool is_number(const c10::Type& type) const;
  bool holds_value(const c10::Type& type) const;
  void require_moved_only(const JitNode& node) const;
  bool is_optional_object(const c10::Type& type) const;
  void begin_with_values(const c10::ClassType& type) const;
  [[noreturn]] void refuse_object(const c10::ClassType& type, const std::string& reason) const;
  Imported form_of(const Imported& made, const ir::Location& where);
  std::shared_ptr<const Parts> kept_parts(const Imported& known);
  const c10::ClassType* class_in(const c10::Type& type) const;
  bool has_object_list(const JitBlock& block) const;
  bool unroll_loop(const JitNode& node);
  void refuse_outside(const JitNode& node);
  bool fold(const JitNode& node);
  bool convert_enum(const JitNode& node);
  std::optional<c10::IValue> foldable(const JitValue* value) const;
  void convert_operator(const JitNode& node);
  void convert_function_mark(const JitNode& node);
  // Types the results of a node made for `node`, and sets them as the values of its outputs.
  void set_results(const JitNode& node, const ir::Node& made);
  void convert_constant(const JitNode& node);
  void convert_if(const JitNode& node);
  // Imports one path of a branch and returns its results.
  using Path = std::function<std::vector<Imported>()>;
  std::vector<Imported> branch(ir::Value* test, const ir::Location& location, std::span<const c10::TypePtr> types,
                               const Path& yes, const Path& no);
  std::optional<Raised> fill_branch(const Path& way, ir::Block& to, std::vector<Imported>& results);
  Path path_through(const JitBlock& block);
  void guard(ir::Value* test, const Raised& raised, bool when, const ir::Location& location);
  void set_results(const JitNode& node, const std::vector<Imported>& results);
  void convert_loop(const JitNode& node);
  void convert_call(const JitNode& node);
  void convert_method(const JitNode& node, const Imported& receiver, const std::string& name,
                      std::vector<Imported> arguments, bool has_result);
  void convert_get(const JitNode& node);
  void convert_set(const JitNode& node);
  bool convert_is(const JitNode& node);
  bool convert_is_number(const JitNode& node);
  bool convert_unwrapping(const JitNode& node);
  bool convert_tuple_unpack(const JitNode& node);
  bool convert_tuple_index(const JitNode& node);
  bool index_as_list(const JitNode& node);
  bool convert_tuple_slice(const JitNode& node);
  bool convert_isinstance(const JitNode& node);
  bool convert_grad_mode(const JitNode& node);
  bool convert_requires_grad(const JitNode& node);
  bool convert_leaf(const JitNode& node);
  bool takes_part_in_gradients(const ir::Value* value) const;
  void note_gradient_question(const JitNode& node, std::optional<bool> answer);
  ir::Value* negated(ir::Value* truth, const ir::Location& where);
  void convert_raise(const JitNode& node);
  // Known properties of a loop's carried values, from earlier walks through its body.
  struct Carried {
    std::vector<Slot> slots;
    std::map<std::size_t, Imported>
        objects;  // objects like those that the body returns, for carried values that start as None
  };
  bool fill_loop(const JitNode& node, Carried& carried);
  Imported optional_end(const Imported& end, const Imported& start, ir::Block& body, const c10::TypePtr& type);
  ir::Value* schema_call(std::string_view full_name, std::vector<ir::Value*> inputs, const ir::Location& location);
  struct Bounds {
    std::int64_t least, most;
  };
  Bounds bounds_of(const ir::Value* number) const;
  ir::Value* module_place(ir::Value* number, std::int64_t count, const ir::Location& where);
  void convert_module_index(const JitNode& node);
  bool call_chosen(const JitNode& node, const std::string& name, const std::vector<Imported>& arguments);
  State state() const;
  void restore(const State& state);
  static const Imported* find(const State& state, const Slot& slot);
  std::vector<Slot> changed(const State& before, const State& after) const;
  Imported value_in(const State& state, const Slot& slot);
  void set_attribute(const Slot& slot, Imported known);
  Imported join_values(ir::Node& made, const Imported& yes, const Imported& no, const c10::TypePtr& type);
  static bool holds_local(const Imported& known);
  static bool is_never(const Imported& known);
  void require_unmoved(const LocalObject* object) const;
  void require_apart(const std::vector<Imported>& results,
                     const std::vector<std::shared_ptr<LocalObject>>& outside) const;
  void move_objects(const Imported& known);
  Imported snapshot(const Imported& known) const;
  Imported join_objects(ir::Node& made, const Imported& yes, const Imported& no, const c10::TypePtr& type);
  Imported join_with_none(ir::Node& made, const Imported& yes, const Imported& no, const c10::TypePtr& type);
  void add_leaves(const Imported& known, const c10::TypePtr& type, std::vector<Leaf>& leaves) const;
  Imported like_of_nothing(const Imported& like, const c10::TypePtr& type);
  static Imported maybe_there(const Imported& known, Imported is_there);
  Imported with_leaves(const Imported& like, std::span<ir::Value* const>& leaves);
  static bool are_alike(const Imported& a, const Imported& b);
  void join_attributes(ir::Node& made, const State& before, const State& yes, const State& no);
  Imported stored_attribute(const c10::ivalue::Object& object, const std::string& name);

  struct KeptContainer {
    c10::IValue value;
    std::string attribute;  // the attribute that it is, or is contained in
  };

  const Imported& get(const JitValue* value) const;
  void set(const JitValue* value, Imported known);
  ir::Value* input(const JitNode& node, std::size_t i);
  ir::Location location(const JitNode& node);
  std::shared_ptr<const ir::Scope> scope_of(const c10::ivalue::Object* object);
  std::shared_ptr<const ir::Scope> traced_scope(const ::torch::jit::ScopePtr& scope);
  std::vector<Imported> enter(const ::torch::jit::Graph& graph, std::vector<Imported> arguments, Frame frame);
  Imported tensor_constant(const at::Tensor& tensor);
  ir::Value* materialise_ivalue(const c10::IValue& value, const std::string& name, const ir::Location& location);
  ir::Value* operator_call(const std::string& name, const std::vector<ir::Value*>& arguments,
                           const ir::Location& location);
  ir::Value* quantised_tensor(const at::Tensor& tensor, const std::string& name, const ir::Location& location);
  ir::Value* packed_part(const c10::IValue& part, const std::string& name, const ir::Location& location);
  ir::Value* packed_linear(const c10::IValue& state, const std::string& name, const ir::Location& location);
  ir::Value* packed_convolution(const c10::IValue& state, const std::string& name, const ir::Location& location);
  ir::Value* packed_cell(const c10::IValue& state, const std::string& name, const ir::Location& location);
  ir::Value* packed_for_mobile(const std::string& kind, const c10::IValue& state, const std::string& name,
                               const ir::Location& location);
  ir::Value* packed_parameters(const c10::IValue& object, const std::string& name, const ir::Location& location);
  std::string path_of(const c10::ivalue::Object* object) const;
  void name_contents(const c10::IValue& value, const std::string& name, const std::string& attribute);
  bool is_kept(const c10::IValue& container) const;
  bool is_kept_object(const Imported& known) const;
  void make_chosen(const std::set<const void*>& objects);
  ir::Value* construct(const c10::IValue& value, const std::string& given, const ir::Location& location);

  ir::Graph& graph_;
  WeightTable& weights_;
  ir::Training training_;
  std::vector<std::string>& warnings_;
  ir::Block* block_;
  Frame* frame_ = nullptr;
  int depth_ = 0;                                     // nesting of calls
  bool grad_;                                         // whether gradients are enabled at this point of the walk
  std::unordered_set<const ir::Node*> without_grad_;  // nodes added while they were disabled
  std::vector<GradientQuestion> gradient_questions_;
  std::int64_t largest_floating_ = 1024;
  std::int64_t largest_integral_ = 1024;
  bool marked_numbers_ = false;
  bool constructs_ = false;  // containers are built item by item, not as one constant
  std::int64_t next_constant_ = 0;
  std::unordered_set<const c10::StorageImpl*> kept_weights_;
  std::vector<ir::StateWrite> changes_;  // of attributes and containers
  std::vector<std::pair<const ir::Value*, std::string>> argument_containers_;
  bool keep_recorded_dims_ = false;
  c10::IValue root_;  // the module; None for code without a module
  ObjectForms forms_;
  std::map<const c10::ClassType*, std::vector<ir::Value*>>
      heaps_;  // for objects that are numbers: one list per attribute
  std::unordered_map<const c10::ivalue::Object*, std::string> paths_;
  std::unordered_map<std::string, const c10::ivalue::Object*> objects_;  // by path
  std::map<std::pair<const c10::ivalue::Object*, std::string>, Imported>
      written_;                                           // attributes that the program has set
  std::vector<std::shared_ptr<LocalObject>> locals_;      // objects that the program has created
  std::set<std::shared_ptr<LocalObject>> moved_;          // objects that a branch or a loop has bound to another name
  std::map<const void*, std::string> content_names_;      // contents of attributes, except objects, by identity
  std::vector<KeptContainer> containers_;                 // the lists, tuples and dicts among them
  std::set<const void*> changed_;                         // those of them that are values from the start of the program
  std::map<const void*, ir::Value*> changed_containers_;  // and their values
  std::map<const void*, std::shared_ptr<LocalObject>>
      chosen_objects_;  // in attributes; the program chooses among them and others
  std::unordered_map<const ir::Value*, const void*> copies_;  // results of reads of the other containers
  std::map<const void*, std::shared_ptr<const ir::Scope>> traced_scopes_;
  std::unordered_map<const c10::TensorImpl*, PlainTensors> plain_tensors_;
  std::unordered_map<const c10::ivalue::Object*, c10::IValue> packed_states_;
};

// True if a value of the type may be or contain a member of an enumeration.
bool holds_enum(const c10::Type& type);
// True if the value is or contains a tensor.
bool holds_tensor(const c10::IValue& value);
// The class of an object in a list, tuple or dict, unless it is a library's; null if there is none.
const c10::ClassType* class_within(const c10::IValue& value);
bool is_container(const c10::IValue& value);
// Visits the items of a list, tuple or dict in order: the key (null except for dicts), the item, and the name of its
// index.
using ItemVisitor = std::function<void(const c10::IValue* key, const c10::IValue& item, const std::string& place)>;
void for_each_item(const c10::IValue& container, const ItemVisitor& visit);
// True if the value contains the packed parameters of a quantised layer.
bool is_packed(const c10::IValue& value);

}  // namespace tonnx::torch
