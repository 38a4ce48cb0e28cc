//! Graphs, nodes and values: those that a symbolic uses, and those of contents.
use std::cell::Cell;
use std::fmt;
use std::marker::PhantomData;
use std::ptr::{null, null_mut, NonNull};

use tonnx_sys as sys;

use crate::attributes::Attributes;
use crate::contents::Kind;
use crate::dtype::Dtype;
use crate::error::{call, Error, Result};
use crate::handle::{borrowed_items, borrowed_text, c_text, copied_text};
use crate::tensor::Tensor;

/// Binds a type to one call of a symbolic, or to the contents that it is from: the lifetime is invariant.
type Call<'a> = PhantomData<Cell<&'a ()>>;

/// The ONNX graph under construction, where values are valid only during the symbolic's call; or a graph or block of
/// [`Contents`](crate::Contents), which can only be read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Graph<'a> {
    raw: *mut sys::tonnx_graph,
    call: Call<'a>,
}

/// The source operator of a symbolic, or a node of [`Contents`](crate::Contents).
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Node<'a> {
    raw: *const sys::tonnx_node,
    call: Call<'a>,
}

/// A value, with the properties that hold in every run of the model. One of [`Contents`](crate::Contents) or of an
/// attribute can only be read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Value<'a> {
    raw: NonNull<sys::tonnx_value>,
    call: Call<'a>,
}

/// A use of a value of [`Contents`](crate::Contents).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Use<'a> {
    /// The user. A graph or block that returns the value uses it as an input of a node "prim::Return", which is not one
    /// of its nodes; [`Node::parent`] returns the graph.
    pub node: Node<'a>,
    /// Which input of the node the value is.
    pub index: usize,
}

/// Result of a symbolic.
pub enum Outcome<'a> {
    /// One result per output of the source operator; None if an output has no ONNX counterpart. If the only output of
    /// the operator is a list of tensors, the results are its items.
    Done(Vec<Option<Value<'a>>>),
    /// Not handled here: the next registration is called.
    Decline,
}

impl<'a> Graph<'a> {
    /// # Safety
    /// The graph lives as long as `'a`, which is the call of one symbolic or borrows the contents.
    pub(crate) unsafe fn new(raw: *mut sys::tonnx_graph) -> Self {
        Graph { raw, call: PhantomData }
    }

    /// The name of a graph of contents; for a block that of the attribute, such as "then_branch".
    pub fn name(&self) -> &'a str {
        // SAFETY: the graph lives, and what these calls return lives as long; the same for the four below.
        unsafe { borrowed_text(sys::tonnx_graph_name(self.raw)) }
    }

    /// The node of a block of contents, such as an If or an operator of another domain; None for the outermost graph.
    pub fn owner(&self) -> Option<Node<'a>> {
        unsafe { Node::from_raw(sys::tonnx_graph_owner(self.raw)) }
    }

    /// The nodes of a graph of contents in the order in which they run, without those of blocks.
    pub fn nodes(&self) -> Vec<Node<'a>> {
        let count = unsafe { sys::tonnx_graph_node_count(self.raw) };
        (0..count).filter_map(|i| unsafe { Node::from_raw(sys::tonnx_graph_node(self.raw, i)) }).collect()
    }

    /// The inputs of a graph of contents; weights are not among them.
    pub fn inputs(&self) -> Vec<Value<'a>> {
        let count = unsafe { sys::tonnx_graph_input_count(self.raw) };
        (0..count).filter_map(|i| unsafe { Value::from_raw(sys::tonnx_graph_input(self.raw, i).cast_mut()) }).collect()
    }

    /// The outputs of a graph of contents.
    pub fn outputs(&self) -> Vec<Value<'a>> {
        let count = unsafe { sys::tonnx_graph_output_count(self.raw) };
        (0..count).filter_map(|i| unsafe { Value::from_raw(sys::tonnx_graph_output(self.raw, i).cast_mut()) }).collect()
    }

    /// Appends a node with one output. `name` is an operator of the default domain ("Conv") or "domain::Op". Inputs are
    /// `Value`s, or `Option`s of them: None is an omitted optional input. A constant argument used as an input becomes
    /// a Constant node.
    pub fn op<'b, I>(
        &self,
        name: &str,
        inputs: &[I],
        attributes: impl Into<Option<&'b Attributes>>,
    ) -> Result<Value<'a>>
    where
        I: Copy + Into<Option<Value<'a>>>,
    {
        Ok(self.op_with_outputs(name, inputs, attributes, 1)?[0])
    }

    /// Appends a node with several outputs.
    pub fn op_with_outputs<'b, I>(
        &self,
        name: &str,
        inputs: &[I],
        attributes: impl Into<Option<&'b Attributes>>,
        outputs: usize,
    ) -> Result<Vec<Value<'a>>>
    where
        I: Copy + Into<Option<Value<'a>>>,
    {
        let name = c_text(name)?;
        let inputs: Vec<_> = inputs.iter().map(|input| raw_value((*input).into())).collect();
        let attributes = attributes.into().map_or(null_mut(), |attributes| attributes.as_ptr());
        let mut made = vec![null_mut(); outputs];
        // SAFETY: the lists are as long as their counts, and everything lives during the call.
        call(|error| unsafe {
            let (count, first) = (inputs.len(), inputs.as_ptr());
            sys::tonnx_graph_op(made.as_mut_ptr(), outputs, self.raw, name.as_ptr(), first, count, attributes, error)
        })?;
        // SAFETY: they are values of this graph.
        made.into_iter().map(|raw| unsafe { Value::made(raw) }).collect()
    }

    /// Appends a Constant node; the tensor is shared.
    pub fn constant(&self, tensor: &Tensor) -> Result<Value<'a>> {
        let mut made = null_mut();
        // SAFETY: the handles live during the call, and the answer is a value of this graph.
        unsafe {
            call(|error| sys::tonnx_graph_constant(&mut made, self.raw, tensor.as_ptr(), error))?;
            Value::made(made)
        }
    }

    /// Appends a Cast, or returns the value itself if it is known to have this dtype.
    pub fn cast(&self, value: Value<'a>, dtype: Dtype) -> Result<Value<'a>> {
        let mut made = null_mut();
        // SAFETY: the handles live during the call, and the answer is a value of this graph.
        unsafe {
            call(|error| sys::tonnx_graph_cast(&mut made, self.raw, value.raw.as_ptr(), dtype.raw(), error))?;
            Value::made(made)
        }
    }

    /// The opset of the default domain that the export targets, or that a model has; 0 for a program.
    pub fn opset(&self) -> i32 {
        // SAFETY: the graph lives.
        unsafe { sys::tonnx_graph_opset(self.raw) }
    }

    /// True if the export is in training mode.
    pub fn is_training(&self) -> bool {
        // SAFETY: the graph lives.
        unsafe { sys::tonnx_graph_is_training(self.raw) != 0 }
    }

    /// Converts another operator of LibTorch as tonnx itself does, `"aten::gelu"` or `"aten::add.Tensor"`, with one
    /// output. `inputs` are its first arguments; None is None. `arguments` has further ones by name: integers (0 and 1
    /// are bools where the operator has a bool), floats, strings, tensors and lists of these. Symbolics are not called.
    pub fn call<'b, I>(
        &self,
        name: &str,
        inputs: &[I],
        arguments: impl Into<Option<&'b Attributes>>,
    ) -> Result<Value<'a>>
    where
        I: Copy + Into<Option<Value<'a>>>,
    {
        let made = self.call_with_outputs(name, inputs, arguments, 1)?;
        made[0].ok_or_else(|| Error::argument("the operator has no such output"))
    }

    /// The same for an operator with several outputs; None if an output has no ONNX counterpart.
    pub fn call_with_outputs<'b, I>(
        &self,
        name: &str,
        inputs: &[I],
        arguments: impl Into<Option<&'b Attributes>>,
        outputs: usize,
    ) -> Result<Vec<Option<Value<'a>>>>
    where
        I: Copy + Into<Option<Value<'a>>>,
    {
        let name = c_text(name)?;
        let inputs: Vec<_> = inputs.iter().map(|input| raw_value((*input).into())).collect();
        let arguments = arguments.into().map_or(null_mut(), |arguments| arguments.as_ptr());
        let mut made = vec![null_mut(); outputs];
        // SAFETY: the lists are as long as their counts, and everything lives during the call.
        call(|error| unsafe {
            let (count, first) = (inputs.len(), inputs.as_ptr());
            sys::tonnx_graph_call(made.as_mut_ptr(), outputs, self.raw, name.as_ptr(), first, count, arguments, error)
        })?;
        // SAFETY: they are values of this graph, or null.
        Ok(made.into_iter().map(|raw| unsafe { Value::from_raw(raw) }).collect())
    }

    /// A list of tensors, as an argument of [`call`](Self::call); None is None.
    pub fn list<I>(&self, values: &[I]) -> Result<Value<'a>>
    where
        I: Copy + Into<Option<Value<'a>>>,
    {
        let values: Vec<_> = values.iter().map(|value| raw_value((*value).into())).collect();
        let mut made = null_mut();
        // SAFETY: the list lives during the call, and the answer is a value of this graph.
        unsafe {
            call(|error| sys::tonnx_graph_list(&mut made, self.raw, values.as_ptr(), values.len(), error))?;
            Value::made(made)
        }
    }

    /// Adds a sub-graph: a branch of an If (`"then_branch"`, `"else_branch"`), the body of a Loop, Scan or
    /// SequenceMap (`"body"`), or any attribute of an operator of another domain. Add its nodes, call
    /// [`set_results`](Self::set_results), then pass it to [`Attributes::graph`] and [`op`](Self::op). Its nodes may
    /// use the values of the graphs around it.
    pub fn add_subgraph(&self) -> Result<Graph<'a>> {
        let mut raw = null_mut();
        // SAFETY: the graph lives.
        call(|error| unsafe { sys::tonnx_graph_add_subgraph(&mut raw, self.raw, error) })?;
        Ok(Graph { raw, call: PhantomData })
    }

    /// Adds an input to a sub-graph.
    pub fn add_input(&self) -> Result<Value<'a>> {
        let mut made = null_mut();
        // SAFETY: the graph lives, and the answer is a value of it.
        unsafe {
            call(|error| sys::tonnx_graph_add_input(&mut made, self.raw, error))?;
            Value::made(made)
        }
    }

    /// Ends a sub-graph. A symbolic returns its own results instead.
    pub fn set_results<I>(&self, values: &[I]) -> Result<()>
    where
        I: Copy + Into<Option<Value<'a>>>,
    {
        let values: Vec<_> = values.iter().map(|value| raw_value((*value).into())).collect();
        // SAFETY: the list lives during the call.
        call(|error| unsafe { sys::tonnx_graph_set_results(self.raw, values.as_ptr(), values.len(), error) })
    }

    pub(crate) fn as_ptr(&self) -> *mut sys::tonnx_graph {
        self.raw
    }
}

impl<'a> Node<'a> {
    /// # Safety
    /// The node lives as long as `'a`, which is the call of one symbolic or borrows the contents.
    pub(crate) unsafe fn new(raw: *const sys::tonnx_node) -> Self {
        Node { raw, call: PhantomData }
    }

    /// # Safety
    /// As for `new`; null is None.
    unsafe fn from_raw(raw: *const sys::tonnx_node) -> Option<Self> {
        (!raw.is_null()).then(|| Node::new(raw))
    }

    /// The name of a node of a model; may be "".
    pub fn name(&self) -> &'a str {
        // SAFETY: borrowed from the node.
        unsafe { borrowed_text(sys::tonnx_node_name(self.raw)) }
    }

    /// "aten::add"; of a model "Add".
    pub fn operator(&self) -> &'a str {
        // SAFETY: borrowed until the symbolic returns; the same for the three below.
        unsafe { borrowed_text(sys::tonnx_node_operator(self.raw)) }
    }

    /// "Tensor"; may be "".
    pub fn overload(&self) -> &'a str {
        unsafe { borrowed_text(sys::tonnx_node_overload(self.raw)) }
    }

    /// "layer1.0"; may be "".
    pub fn module(&self) -> &'a str {
        unsafe { borrowed_text(sys::tonnx_node_module(self.raw)) }
    }

    /// "model.py:12"; may be "".
    pub fn source(&self) -> &'a str {
        unsafe { borrowed_text(sys::tonnx_node_source(self.raw)) }
    }

    /// Index of the schema's argument with this name.
    pub fn argument_index(&self, name: &str) -> Option<usize> {
        let name = c_text(name).ok()?;
        // SAFETY: the name lives during the call.
        usize::try_from(unsafe { sys::tonnx_node_argument_index(self.raw, name.as_ptr()) }).ok()
    }

    /// Name of the schema's argument at an index; "" if there is none.
    pub fn argument_name(&self, index: usize) -> &'a str {
        // SAFETY: borrowed until the symbolic returns.
        unsafe { borrowed_text(sys::tonnx_node_argument_name(self.raw, index)) }
    }

    /// How many results the operator has.
    pub fn output_count(&self) -> usize {
        // SAFETY: the node lives.
        unsafe { sys::tonnx_node_output_count(self.raw) }
    }

    /// An output; in a symbolic as LibTorch computes it: a value with dtype and shape to read, which cannot be an input
    /// of an ONNX node.
    pub fn output(&self, index: usize) -> Option<Value<'a>> {
        // SAFETY: borrowed until the symbolic returns. It is not changed: copy_type and set_type refuse it.
        unsafe { Value::from_raw(sys::tonnx_node_output(self.raw, index).cast_mut()) }
    }

    /// The outputs.
    pub fn outputs(&self) -> Vec<Value<'a>> {
        (0..self.output_count()).filter_map(|index| self.output(index)).collect()
    }

    /// The inputs; None is an omitted one.
    pub fn inputs(&self) -> Vec<Option<Value<'a>>> {
        // SAFETY: borrowed from the node; the same for all below.
        let count = unsafe { sys::tonnx_node_input_count(self.raw) };
        (0..count).map(|i| unsafe { Value::from_raw(sys::tonnx_node_input(self.raw, i)) }).collect()
    }

    /// The indices of the inputs, with tensors and lists of tensors before all others, as in old symbolics of PyTorch.
    pub fn tensors_first(&self) -> Result<Vec<usize>> {
        let (mut order, mut count) = (null(), 0);
        call(|error| unsafe { sys::tonnx_node_get_tensors_first(&mut order, &mut count, self.raw, error) })?;
        // SAFETY: `count` indices, copied at once.
        Ok(unsafe { borrowed_items(order, count) }.to_vec())
    }

    /// The attributes, without graphs, sorted by name: values with name, kind and content.
    pub fn attributes(&self) -> Vec<Value<'a>> {
        let count = unsafe { sys::tonnx_node_attribute_count(self.raw) };
        let attribute = |index| unsafe {
            let name = sys::tonnx_node_attribute_name(self.raw, index);
            Value::from_raw(sys::tonnx_node_attribute(self.raw, name).cast_mut())
        };
        (0..count).filter_map(attribute).collect()
    }

    /// An attribute by its name.
    pub fn attribute(&self, name: &str) -> Option<Value<'a>> {
        let name = c_text(name).ok()?;
        unsafe { Value::from_raw(sys::tonnx_node_attribute(self.raw, name.as_ptr()).cast_mut()) }
    }

    /// The blocks of a node of contents: the branches of an If, the body of a Loop, or any attributes of an operator of
    /// another domain.
    pub fn graphs(&self) -> Vec<Graph<'a>> {
        let count = unsafe { sys::tonnx_node_graph_count(self.raw) };
        (0..count).map(|i| unsafe { Graph::new(sys::tonnx_node_graph(self.raw, i).cast_mut()) }).collect()
    }

    /// The graph that contains a node of contents; None in a symbolic.
    pub fn parent(&self) -> Option<Graph<'a>> {
        let raw = unsafe { sys::tonnx_node_parent(self.raw) };
        (!raw.is_null()).then(|| unsafe { Graph::new(raw.cast_mut()) })
    }
}

impl<'a> Value<'a> {
    /// # Safety
    /// `raw` is null or lives as long as `'a`: the call of one symbolic, or the [`Contents`](crate::Contents) it is from.
    pub(crate) unsafe fn from_raw(raw: *mut sys::tonnx_value) -> Option<Self> {
        NonNull::new(raw).map(|raw| Value { raw, call: PhantomData })
    }

    /// # Safety
    /// As for `from_raw`.
    unsafe fn made(raw: *mut sys::tonnx_value) -> Result<Self> {
        Self::from_raw(raw).ok_or_else(|| Error::argument("the call returned no value"))
    }

    /// The name of an input, output or weight; "" if it has none yet.
    pub fn name(self) -> String {
        // SAFETY: the value lives, and the name is copied.
        unsafe { copied_text(sys::tonnx_value_name(self.as_ptr())) }
    }

    /// What the value is.
    pub fn kind(self) -> Kind {
        // SAFETY: the value lives.
        Kind::from_raw(unsafe { sys::tonnx_value_kind(self.as_ptr()) })
    }

    /// The type as in a schema, "Tensor" or "int[]"; may be "".
    pub fn type_text(self) -> String {
        // SAFETY: the value lives, and the text is copied.
        unsafe { copied_text(sys::tonnx_value_type(self.as_ptr())) }
    }

    /// `Dtype::Undefined` if it is unknown.
    pub fn dtype(self) -> Dtype {
        // SAFETY: the value lives; the same for all getters below.
        Dtype::from_raw(unsafe { sys::tonnx_value_dtype(self.as_ptr()) })
    }

    /// The number of axes; `None` if it is unknown.
    pub fn rank(self) -> Option<usize> {
        unsafe { (sys::tonnx_value_has_rank(self.as_ptr()) != 0).then(|| sys::tonnx_value_rank(self.as_ptr())) }
    }

    /// A dimension's size; None if it is dynamic or unknown.
    pub fn dim(self, axis: usize) -> Option<i64> {
        Some(unsafe { sys::tonnx_value_dim(self.as_ptr(), axis) }).filter(|size| *size >= 0)
    }

    /// The symbol of a dynamic dimension, "batch"; "" if it has none.
    pub fn dim_symbol(self, axis: usize) -> String {
        // SAFETY: copied before a call can change the value's type.
        unsafe { copied_text(sys::tonnx_value_dim_symbol(self.as_ptr(), axis)) }
    }

    /// True for None, also as an argument that was left out.
    pub fn is_none(self) -> bool {
        unsafe { sys::tonnx_value_is_none(self.as_ptr()) != 0 }
    }

    /// True for an argument or an output of a function of a trace whose tensor required gradients when the code ran.
    pub fn requires_grad(self) -> bool {
        unsafe { sys::tonnx_value_requires_grad(self.as_ptr()) != 0 }
    }

    /// True if the value is known at export.
    pub fn is_constant(self) -> bool {
        unsafe { sys::tonnx_value_is_constant(self.as_ptr()) != 0 }
    }

    /// Content of a constant; `Status::Argument` if the value is not a constant of that kind. This applies to all
    /// getters below. A bool can be read as an int.
    pub fn to_int(self) -> Result<i64> {
        let mut number = 0;
        call(|error| unsafe { sys::tonnx_value_get_int(&mut number, self.as_ptr(), error) })?;
        Ok(number)
    }

    /// An int can be read as a float.
    pub fn to_float(self) -> Result<f64> {
        let mut number = 0.0;
        call(|error| unsafe { sys::tonnx_value_get_float(&mut number, self.as_ptr(), error) })?;
        Ok(number)
    }

    /// The value of a constant boolean.
    pub fn to_bool(self) -> Result<bool> {
        let mut truth = 0;
        call(|error| unsafe { sys::tonnx_value_get_bool(&mut truth, self.as_ptr(), error) })?;
        Ok(truth != 0)
    }

    /// The value of a constant string.
    pub fn to_str(self) -> Result<&'a str> {
        let mut text = null();
        call(|error| unsafe { sys::tonnx_value_get_string(&mut text, self.as_ptr(), error) })?;
        // SAFETY: borrowed until the symbolic returns.
        Ok(unsafe { borrowed_text(text) })
    }

    /// The items of a constant list of integers.
    pub fn to_ints(self) -> Result<Vec<i64>> {
        let (mut items, mut count) = (null(), 0);
        call(|error| unsafe { sys::tonnx_value_get_ints(&mut items, &mut count, self.as_ptr(), error) })?;
        // SAFETY: `count` numbers, copied at once.
        Ok(unsafe { borrowed_items(items, count) }.to_vec())
    }

    /// The items of a constant list of floats or integers.
    pub fn to_floats(self) -> Result<Vec<f64>> {
        let (mut items, mut count) = (null(), 0);
        call(|error| unsafe { sys::tonnx_value_get_floats(&mut items, &mut count, self.as_ptr(), error) })?;
        // SAFETY: `count` numbers, copied at once.
        Ok(unsafe { borrowed_items(items, count) }.to_vec())
    }

    /// The items of a constant list of strings.
    pub fn to_strs(self) -> Result<Vec<&'a str>> {
        let (mut items, mut count) = (null(), 0);
        call(|error| unsafe { sys::tonnx_value_get_strings(&mut items, &mut count, self.as_ptr(), error) })?;
        // SAFETY: `count` strings, borrowed until the symbolic returns, or from the contents.
        Ok(unsafe { borrowed_items(items, count).iter().map(|text| borrowed_text(*text)).collect() })
    }

    /// A constant tensor or a weight.
    pub fn to_tensor(self) -> Result<Tensor> {
        Tensor::make(|out, error| unsafe { sys::tonnx_value_get_tensor(out, self.as_ptr(), error) })
    }

    /// The items of a list of tensors.
    pub fn to_list(self) -> Result<Vec<Option<Value<'a>>>> {
        let (mut items, mut count) = (null(), 0);
        call(|error| unsafe { sys::tonnx_value_get_list(&mut items, &mut count, self.as_ptr(), error) })?;
        // SAFETY: `count` values of this call's graph.
        Ok(unsafe { borrowed_items(items, count).iter().map(|raw| Value::from_raw(*raw)).collect() })
    }

    /// The node that computes a value of contents; None for inputs and weights, and in a symbolic.
    pub fn producer(self) -> Option<Node<'a>> {
        unsafe { Node::from_raw(sys::tonnx_value_producer(self.as_ptr())) }
    }

    /// The uses of a value of contents, also those in blocks.
    pub fn uses(self) -> Vec<Use<'a>> {
        let one = |index| unsafe {
            let node = Node::from_raw(sys::tonnx_value_user(self.as_ptr(), index))?;
            Some(Use { node, index: sys::tonnx_value_use_index(self.as_ptr(), index) })
        };
        (0..unsafe { sys::tonnx_value_use_count(self.as_ptr()) }).filter_map(one).collect()
    }

    /// Sets the type of a value that ONNX cannot infer, such as a result of a custom operator; later inference uses it.
    /// A dim of None is unknown.
    pub fn set_type(self, dtype: Dtype, dims: &[Option<i64>]) -> Result<()> {
        let dims = raw_dims(dims);
        call(|error| unsafe {
            sys::tonnx_value_set_type(self.raw.as_ptr(), dtype.raw(), dims.as_ptr(), dims.len(), error)
        })
    }

    /// Same, with the type of another value, such as [`Node::output`].
    pub fn copy_type(self, from: Value<'a>) -> Result<()> {
        call(|error| unsafe { sys::tonnx_value_copy_type(self.raw.as_ptr(), from.as_ptr(), error) })
    }

    pub(crate) fn as_mut_ptr(self) -> *mut sys::tonnx_value {
        self.raw.as_ptr()
    }

    fn as_ptr(self) -> *const sys::tonnx_value {
        self.raw.as_ptr()
    }
}

impl<'a> From<Value<'a>> for Outcome<'a> {
    fn from(result: Value<'a>) -> Self {
        Outcome::Done(vec![Some(result)])
    }
}

impl<'a> From<Vec<Value<'a>>> for Outcome<'a> {
    fn from(results: Vec<Value<'a>>) -> Self {
        Outcome::Done(results.into_iter().map(Some).collect())
    }
}

impl fmt::Debug for Graph<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph").field("opset", &self.opset()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut node = f.debug_struct("Node");
        node.field("operator", &self.operator()).field("module", &self.module()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dims: Option<Vec<_>> = self.rank().map(|rank| (0..rank).map(|axis| self.dim(axis)).collect());
        f.debug_struct("Value").field("dtype", &self.dtype()).field("dims", &dims).finish_non_exhaustive()
    }
}

impl fmt::Debug for Outcome<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Done(results) => f.debug_tuple("Done").field(results).finish(),
            Outcome::Decline => f.write_str("Decline"),
        }
    }
}

fn raw_value(value: Option<Value<'_>>) -> *mut sys::tonnx_value {
    value.map_or(null_mut(), |value| value.raw.as_ptr())
}

/// Dims in C form: -1 is unknown.
pub(crate) fn raw_dims(dims: &[Option<i64>]) -> Vec<i64> {
    dims.iter().map(|dim| dim.unwrap_or(-1)).collect()
}
