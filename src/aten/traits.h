#pragma once

#include <span>
#include <string_view>

#include "ir/graph.h"

// What an operator means beyond its schema: one row for each operator, by family, for the importer, the program passes,
// the evaluator and the lowering. Rows do not repeat alias marks or tags of the schema.
namespace tonnx::aten {

// How the storage of a result relates to the arguments'.
enum class Alias {
  Marked,         // as the schema's alias marks say
  Same,           // the first argument itself
  SometimesSame,  // the first argument or a copy of it
  SometimesView,  // a view of the first argument or a copy of its elements
  Unmarked,       // not marked: a view of the first argument if there is an inverse, else it may alias every argument
};

// The operator that writes the new content of a view back into the viewed tensor.
enum class Inverse {
  None,
  Again,      // the same view, applied to the content: transpose
  Reshape,    // reshape to the sizes of the tensor
  Expand,     // the content itself if nothing was expanded; else none
  Slice,      // slice_scatter
  Narrow,     // slice_scatter
  Select,     // select_scatter
  Diagonal,   // diagonal_scatter
  AsStrided,  // as_strided_scatter
  Permute,    // permute by the inverse order
  Move,       // movedim with source and destination swapped
  Unsqueeze,  // squeeze
  Dtype,      // none: reinterprets the bytes as another dtype
  AsComplex,  // view_as_real
  AsReal,     // view_as_complex
  Real,       // complex of the content and the imaginary part
  Imaginary,  // complex of the real part and the content
  // Inverses of one piece of a list of views:
  Unbind,    // select_scatter
  Split,     // slice_scatter
  Chunk,     // slice_scatter
  Sections,  // slice_scatter
};

// Operators that build, unpack, read or change a list, tuple or dict.
enum class Container {
  None,
  List,
  Tuple,
  Dict,  // built from the arguments
  ListUnpack,
  TupleUnpack,
  Item,
  TupleSlice,
  Length,  // read
  Get,
  Contains,
  Keys,
  Values,
  Items,  // read a dict
  Concat,
  Part,
  Copy,
  Sorted,  // build a new list from the items of others
  Append,
  Extend,
  Insert,
  SetItem,
  Pop,
  Delete,
  Clear,
  Reverse,
  Remove,
  Sort,  // change the list
  SetDefault,
  PopItem,
  Update,  // change a dict, like SetItem, Pop and others
};

// What an operator writes to its argument.
enum class Write {
  Content,     // the result of the functional form
  Copy,        // the content of the second argument
  Fill,        // a scalar
  Zero,        // zeros
  Shape,       // the same data in another shape
  Nothing,     // the old content
  Resize,      // another size, in storage that may grow
  Memory,      // the storage of another tensor
  Layout,      // other strides, or other sizes of a sparse tensor
  Statistics,  // running statistics, in training; the results do not depend on them
};

// The result dtype of a functional form that replaces a write.
enum class ResultDtype { Promoted, Self, Bool };

// The dims of the results that depend on data, if some do.
enum class DataDims {
  All,
  First,
  FirstButInverse,  // the first dim, except for the second result, which has the shape of the argument
  Indexed,          // the dims that replace those indexed by aten::index
};

// Conversions to a scalar.
enum class Number {
  None,
  Read,  // of a tensor with one element
  Cast,  // of such a tensor, or of another scalar
};

// Says if a result takes part in gradients.
enum class Gradient {
  Computed,  // as its operands do
  None,
  Asked,  // the second argument decides; yes if there is none
};

enum class Effect {
  None,
  Diagnostic,  // message or run-time check; not exported
  Acts,        // on an object or on control flow: not dead code even if its results are unused
  Outside,     // on files, processes, threads, devices or global state: never run and never exported
  Unchecked,   // none, but LibTorch reads memory at unchecked positions: never run, and refused unless it is dead
};

// The result of a query of a tensor property in every run of a model, on whatever device the example is.
enum class Answer {
  Asked,  // LibTorch's answer for the example
  No,
  Yes,
};

struct Traits {
  Alias alias = Alias::Marked;
  Inverse inverse = Inverse::None;
  // the axis that Inverse::Sections splits if no argument names it; a vector has axis 0 instead of 1
  std::int64_t section_axis = 0;
  Container container = Container::None;
  Write write = Write::Content;
  std::string_view functional = {};  // for a writing operator: its functional form, if the name does not imply it
  ResultDtype dtype = ResultDtype::Promoted;
  DataDims data_dims = DataDims::All;
  Number number = Number::None;
  Gradient gradient = Gradient::Computed;
  Effect effect = Effect::None;
  Answer answer = Answer::Asked;
  std::string_view refusal = {};  // why it has no ONNX form; empty: checked elsewhere
  bool passes = false;            // returns its first argument unchanged
  bool size_blind = false;        // the result does not depend on the sizes of its tensors
  bool type_only = false;         // the result depends only on dtype, rank and device of its tensors
  bool gives_sizes = false;       // the result is the sizes, or a size, of its first argument
  bool spells_sizes = false;      // its arguments after the first are the result's sizes, or factors of them
  bool layout_only = false;       // the result differs from its first argument at most in strides
  // removes axes of size 1 of its first argument: those that the second argument names, or all
  bool drops_single = false;
  bool takes_number = false;  // a scalar in place of its tensor operand promotes as a scalar
  bool reads_memory = false;  // reads its argument's storage by its own strides
  // Writes to some elements, or is the functional form of such an operator. LibTorch runs it on a tensor that shows an
  // element several times, which elementwise operators refuse.
  bool at_positions = false;
  bool creates = false;       // uses at most shape and dtype of its tensors, not their elements
  bool is_undefined = false;  // the content of the result is undefined
};

// The row of an operator's overload, else the row of the operator, else that of its domain, else empty traits. Valid
// until the process ends; thread-safe.
const Traits& traits_of(std::string_view name, std::string_view overload = {});
const Traits& traits_of(const ir::Node& node);

// Derived from schemas and tags.

// True if it uses a random generator: the result has shape and dtype, but no constant value.
bool is_random(const ir::Node& node);
// What a writing operator writes to its argument.
Write write_of(const ir::Node& node);
// True if aliasing of the operator's result is known only at run time.
bool may_alias(const Traits& traits);
// True if the operator's result is its first argument, at most with other strides.
bool keeps_operand(const Traits& traits);

// A row. "aten::add" applies to every overload without a row of its own; "aten::add.t" only to that one; "c10d::*" to
// every operator of a domain without a row of its own.
struct Row {
  std::string_view op;
  Traits traits;
};

// One function for each family, in the file of its name.
std::span<const Row> container_traits();
std::span<const Row> creation_traits();
std::span<const Row> data_traits();
std::span<const Row> effect_traits();
std::span<const Row> question_traits();
std::span<const Row> view_traits();
std::span<const Row> write_traits();

}  // namespace tonnx::aten
