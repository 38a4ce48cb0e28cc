//! What a program or a model consists of.
use tonnx_sys as sys;

use crate::args::Args;
use crate::error::Result;
use crate::graph::{Graph, Value};
use crate::handle::{copied_text, handle};
use crate::model::Model;
use crate::options::Options;
use crate::program::Program;

handle! {
    /// Inputs, outputs, weights, operators and the graph of a program or a model; see [`Program::contents`] and
    /// [`Model::contents`]. Its graphs, nodes and values can be read, but not used in a symbolic.
    Contents, tonnx_contents, tonnx_contents_free
}

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// None, or no value.
    None,
    /// A tensor.
    Tensor,
    /// An integer.
    Int,
    /// A float.
    Float,
    /// A boolean.
    Bool,
    /// A string.
    String,
    /// A list of numbers, strings or other values.
    List,
    /// A list of tensors: in a model a sequence.
    TensorList,
    /// A dict, tuple, object, device, complex number, or a value of unknown type.
    Other,
    /// An attribute that is the type of a tensor or a sequence, with dtype and dims.
    Type,
}

impl Kind {
    /// Values unknown to this version are `Other`.
    pub(crate) fn from_raw(raw: sys::tonnx_kind) -> Self {
        match raw {
            sys::TONNX_KIND_NONE => Kind::None,
            sys::TONNX_KIND_TENSOR => Kind::Tensor,
            sys::TONNX_KIND_INT => Kind::Int,
            sys::TONNX_KIND_FLOAT => Kind::Float,
            sys::TONNX_KIND_BOOL => Kind::Bool,
            sys::TONNX_KIND_STRING => Kind::String,
            sys::TONNX_KIND_LIST => Kind::List,
            sys::TONNX_KIND_TENSOR_LIST => Kind::TensorList,
            sys::TONNX_KIND_TYPE => Kind::Type,
            _ => Kind::Other,
        }
    }
}

impl Contents {
    /// The inputs, in order.
    pub fn inputs(&self) -> Vec<Value<'_>> {
        // SAFETY: the handle lives during the call, and its values as long as it does; the same for all below.
        unsafe {
            self.values(sys::tonnx_contents_input_count(self.as_ptr()), |all, i| sys::tonnx_contents_input(all, i))
        }
    }

    /// The outputs, in order.
    pub fn outputs(&self) -> Vec<Value<'_>> {
        unsafe {
            self.values(sys::tonnx_contents_output_count(self.as_ptr()), |all, i| sys::tonnx_contents_output(all, i))
        }
    }

    /// The weights, in the order of the state dict; [`Value::to_tensor`] returns their elements.
    pub fn weights(&self) -> Vec<Value<'_>> {
        unsafe {
            self.values(sys::tonnx_contents_weight_count(self.as_ptr()), |all, i| sys::tonnx_contents_weight(all, i))
        }
    }

    /// The outermost graph, to walk. That of a program is unconverted, with its branches and loops.
    pub fn graph(&self) -> Graph<'_> {
        // SAFETY: the graph lives as long as the contents, and cannot be changed.
        unsafe { Graph::new(sys::tonnx_contents_graph(self.as_ptr()).cast_mut()) }
    }

    /// Kinds of operators with the number of their nodes, sorted by name: "aten::add.Tensor" in a program, "Conv" in a
    /// model.
    pub fn operators(&self) -> Vec<(String, usize)> {
        let kind = |index| unsafe {
            let uses = sys::tonnx_contents_operator_uses(self.as_ptr(), index);
            (copied_text(sys::tonnx_contents_operator(self.as_ptr(), index)), uses)
        };
        (0..unsafe { sys::tonnx_contents_operator_count(self.as_ptr()) }).map(kind).collect()
    }

    /// # Safety
    /// `at` returns the values of these contents.
    unsafe fn values(
        &self,
        count: usize,
        at: impl Fn(*const sys::tonnx_contents, usize) -> *const sys::tonnx_value,
    ) -> Vec<Value<'_>> {
        (0..count).filter_map(|index| Value::from_raw(at(self.as_ptr(), index).cast_mut())).collect()
    }
}

impl Model {
    /// Inputs, outputs, weights and operators of the model.
    pub fn contents(&self) -> Result<Contents> {
        // SAFETY: the handle lives during the call.
        Contents::make(|out, error| unsafe { sys::tonnx_model_contents(out, self.as_ptr(), error) })
    }
}

impl Program {
    /// Inputs, outputs, weights and operators of the unconverted program: of the options' method, called with these
    /// args. A trace and a program of torch.export need no args. Fails like [`Program::text`].
    pub fn contents<'s>(&self, args: impl Into<Option<&'s Args>>, options: &Options) -> Result<Contents> {
        let args = args.into().map_or(std::ptr::null_mut(), |args| args.as_ptr());
        // SAFETY: the handles live during the call.
        Contents::make(|out, error| unsafe {
            sys::tonnx_program_contents(out, self.as_ptr(), args, options.as_ptr(), error)
        })
    }
}
