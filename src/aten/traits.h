#pragma once

#include <span>
#include <string_view>

#include "ir/graph.h"

// What an operator means beyond its schema: one row an operator, by family, asked by the importer, the program passes,
// the evaluator and the lowering alike. What a schema's alias marks or tags say stands in no row.
namespace tonnx::aten {

// How the memory of a result relates to the arguments'.
enum class Alias {
  Marked,         // as the schema's alias marks say
  Same,           // the first argument itself
  SometimesSame,  // the first argument or a copy of it
  SometimesView,  // a view of the first argument or a copy of its elements
  Unmarked,       // no mark says so: a view of the first argument where there is an inverse, else may share memory with
                  // every one
};

// What the viewed tensor becomes when the view is written: the operator that puts the view's content back.
enum class Inverse {
  None,
  Again,      // the same view, of the content: transpose
  Reshape,    // the sizes of the tensor
  Expand,     // the content itself where nothing was expanded; else none
  Slice,      // slice_scatter
  Narrow,     // slice_scatter
  Select,     // select_scatter
  Diagonal,   // diagonal_scatter
  AsStrided,  // as_strided_scatter
  Permute,    // permute by the inverse order
  Move,       // movedim with source and destination exchanged
  Unsqueeze,  // squeeze
  Dtype,      // none: the bytes are read as another dtype
  AsComplex,  // view_as_real
  AsReal,     // view_as_complex
  Real,       // complex of the content and the imaginary part
  Imaginary,  // complex of the real part and the content
  // Of one piece of a list of views.
  Unbind,    // select_scatter
  Split,     // slice_scatter
  Chunk,     // slice_scatter
  Sections,  // slice_scatter
};

// Operators that build, take apart, read or change a list, tuple or dict.
enum class Container {
  None,
  List,
  Tuple,
  Dict,  // built from the arguments
  ListUnpack,
  TupleUnpack,
  Item,
  TupleSlice,
  Length,  // reads
  Get,
  Contains,
  Keys,
  Values,
  Items,  // reads of a dict
  Concat,
  Part,
  Copy,
  Sorted,  // a new list of the items of others
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
  Update,  // change a dict, as SetItem, Pop, ... may
};

// What an operator that writes to its argument leaves there.
enum class Write {
  Content,     // what the functional form gives
  Copy,        // the second argument's content
  Fill,        // a number everywhere
  Zero,        // zeros
  Shape,       // the same data in other sizes
  Nothing,     // what was there
  Resize,      // other sizes, in memory that may grow
  Memory,      // another tensor's memory
  Layout,      // other strides, or other sizes of a sparse tensor
  Statistics,  // in training, running statistics that the results do not depend on
};

// The dtype of a functional form's result where it serves for a write.
enum class ResultDtype { Promoted, Self, Bool };

// Which dims of the results depend on data where some do.
enum class DataDims {
  All,
  First,
  FirstButInverse,  // the first, but for the second result, which has the argument's sizes
  Indexed,          // those that the indices of aten::index take the place of
};

// Conversions to a number.
enum class Number {
  None,
  Read,  // of a tensor of one element
  Cast,  // of such a tensor or of another number
};

// Whether a result takes part in gradients.
enum class Gradient {
  Computed,  // as its operands do
  None,
  Asked,  // the second argument says so; yes without one
};

enum class Effect {
  None,
  Told,       // a message or a check at run time: a model does without
  Acts,       // on an object or on the course of the program: it stays though nobody reads its results
  Outside,    // on files, processes, threads, devices or state beyond the program: never run and never exported
  Unchecked,  // none; LibTorch reads memory where its arguments say: never run, and refused where the program cannot do
              // without
};

// What a question to a tensor is answered with in every run of a model, wherever the example lies.
enum class Answer {
  Asked,  // what LibTorch says
  No,
  Yes,
};

struct Traits {
  Alias alias = Alias::Marked;
  Inverse inverse = Inverse::None;
  std::int64_t section_axis = 0;  // that Inverse::Sections splits, where no argument names it; 1 is 0 of a vector
  Container container = Container::None;
  Write write = Write::Content;
  std::string_view functional = {};  // of a writing operator: the functional form, where its name does not say it
  ResultDtype dtype = ResultDtype::Promoted;
  DataDims data_dims = DataDims::All;
  Number number = Number::None;
  Gradient gradient = Gradient::Computed;
  Effect effect = Effect::None;
  Answer answer = Answer::Asked;
  std::string_view refusal = {};  // why no model holds it; empty: it is asked for elsewhere
  bool passes = false;            // gives its first argument on, whatever that is
  bool size_blind = false;        // the sizes of its tensors do not change the result
  bool type_only = false;         // dtype, rank and device of its tensors alone make the result
  bool gives_sizes = false;       // the result is the sizes, or a size, of its first argument
  bool spells_sizes = false;      // its arguments after the first are the result's sizes, or factors of them
  bool layout_only = false;       // the result differs from its first argument in strides at most
  bool drops_single = false;      // drops axes of size 1 of its first argument: those that the second names, or all
  bool takes_number = false;      // a number in the place of its tensor operand stays a number in type promotion
  bool reads_memory = false;      // reads its argument's memory by strides of its own, not those of the argument
  bool creates = false;           // takes sizes and dtype at most from its tensors, and no elements
  bool is_undefined = false;      // the content of the result is undefined
};

// The row of an operator's overload, else the row of the operator, else that of its domain, else no traits at all.
// Valid for the life of the program; thread-safe.
const Traits& traits_of(std::string_view name, std::string_view overload = {});
const Traits& traits_of(const ir::Node& node);

// What follows from schemas and tags.

// Draws from a generator: the result has sizes and a dtype, and no value.
bool is_random(const ir::Node& node);
// What a writing operator leaves in its argument.
Write write_of(const ir::Node& node);
// True for operators whose result's memory only a run tells.
bool may_alias(const Traits& traits);
// True for operators whose result is the first argument, in other strides at most.
bool keeps_operand(const Traits& traits);

// Rows. "aten::add" serves every overload without a row of its own; "aten::add.t" just that one; "c10d::*" every
// operator of a domain without a row of its own.
struct Row {
  std::string_view op;
  Traits traits;
};

// One function a family, each in a file of its name.
std::span<const Row> container_traits();
std::span<const Row> creation_traits();
std::span<const Row> data_traits();
std::span<const Row> effect_traits();
std::span<const Row> question_traits();
std::span<const Row> view_traits();
std::span<const Row> write_traits();

}  // namespace tonnx::aten
