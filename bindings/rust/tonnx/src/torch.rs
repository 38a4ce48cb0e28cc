//! Traces closures over tch's tensors.
use std::collections::HashMap;
use std::ffi::c_void;
use std::panic::{catch_unwind, resume_unwind, AssertUnwindSafe};

use crate::args::Args;
use crate::attributes::Attributes;
use crate::error::{BoxError, Error, Result};
use crate::program::Program;
use crate::tensor::Tensor;
use crate::trace::Trace;
use crate::trace_options::TraceOptions;

/// Copies a tch tensor's elements, so that later writes to the tensor have no effect.
impl TryFrom<&tch::Tensor> for Tensor {
    type Error = Error;

    fn try_from(tensor: &tch::Tensor) -> Result<Self> {
        // SAFETY: the pointer is an at::Tensor's, and the shared storage is released before it can be written to.
        let shared = unsafe { Tensor::from_torch(tensor.as_ptr().cast()) }?;
        Tensor::from_bytes(shared.dtype(), shared.dims(), &shared.bytes()?)
    }
}

/// A tch tensor with a copy of the elements.
impl TryFrom<&Tensor> for tch::Tensor {
    type Error = Error;

    fn try_from(tensor: &Tensor) -> Result<Self> {
        // SAFETY: the pointer is a new at::Tensor's of the LibTorch in this process, and tch deletes it.
        Ok(unsafe { tch::Tensor::from_ptr(tensor.to_torch()?.as_ptr().cast()) })
    }
}

/// Tensors that a traced closure reads as named weights.
pub trait Weights {
    /// The weights by state-dict name, "fc1.weight", in the order of the model.
    fn weights(&self) -> Vec<(String, tch::Tensor)>;
}

/// All its variables, by name.
impl Weights for tch::nn::VarStore {
    fn weights(&self) -> Vec<(String, tch::Tensor)> {
        self.variables().weights()
    }
}

/// By name.
impl Weights for HashMap<String, tch::Tensor> {
    fn weights(&self) -> Vec<(String, tch::Tensor)> {
        let mut all: Vec<_> = self.iter().map(|(name, tensor)| (name.clone(), tensor.shallow_clone())).collect();
        all.sort_by(|a, b| a.0.cmp(&b.0));
        all
    }
}

/// In this order.
impl<S: AsRef<str>> Weights for [(S, tch::Tensor)] {
    fn weights(&self) -> Vec<(String, tch::Tensor)> {
        self.iter().map(|(name, tensor)| (name.as_ref().to_owned(), tensor.shallow_clone())).collect()
    }
}

impl<S: AsRef<str>, const N: usize> Weights for [(S, tch::Tensor); N] {
    fn weights(&self) -> Vec<(String, tch::Tensor)> {
        self.as_slice().weights()
    }
}

/// No weights.
impl Weights for () {
    fn weights(&self) -> Vec<(String, tch::Tensor)> {
        Vec::new()
    }
}

/// What a traced closure returns: a tensor, several, or several with names.
pub trait Outputs {
    /// The tensors in order, each with its name if it has one.
    fn outputs(self) -> Vec<(Option<String>, tch::Tensor)>;
}

impl Outputs for tch::Tensor {
    fn outputs(self) -> Vec<(Option<String>, tch::Tensor)> {
        vec![(None, self)]
    }
}

impl Outputs for Vec<tch::Tensor> {
    fn outputs(self) -> Vec<(Option<String>, tch::Tensor)> {
        self.into_iter().map(|tensor| (None, tensor)).collect()
    }
}

impl<const N: usize> Outputs for [tch::Tensor; N] {
    fn outputs(self) -> Vec<(Option<String>, tch::Tensor)> {
        Vec::from(self).outputs()
    }
}

impl<S: Into<String>> Outputs for Vec<(S, tch::Tensor)> {
    fn outputs(self) -> Vec<(Option<String>, tch::Tensor)> {
        self.into_iter().map(|(name, tensor)| (Some(name.into()), tensor)).collect()
    }
}

impl Program {
    /// Records a closure on the tensors of `args`. Needs the feature `tch`.
    ///
    /// Operators on tensors reached from the closure's inputs are recorded. A read of one of `weights` becomes a read
    /// of a weight of that name in the model, with the elements that it has when the closure returns. The results of
    /// the closure are the outputs of the model, and [`verify`](crate::Model::verify) compares with them. The closure
    /// runs on this thread, in this thread's grad mode. Its error is the source of an error with `Status::Callback`
    /// (tch's methods panic if LibTorch throws; the `f_` methods return the error). A nested trace is refused with
    /// `Status::Argument`.
    ///
    /// Sizes that the closure reads are constants of the model, except for axes declared by
    /// [`TraceOptions::dynamic_axis`] ([`trace_with`](Self::trace_with)); so are numbers that it reads from tensors
    /// (`double_value`). Tensors created from Rust data must come from [`Trace::constant`].
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use tch::nn::{self, Module};
    /// use tonnx::{Args, Options, Program, Tensor};
    ///
    /// let store = nn::VarStore::new(tch::Device::Cpu);
    /// let layer = nn::linear(store.root() / "fc", 4, 2, Default::default());
    /// let args = Args::new()?.tensor(&Tensor::new(&[1, 4], &[0.5f32; 4])?)?;
    /// let program = Program::trace(&store, &args, |_, inputs| Ok(layer.forward(&inputs[0]).relu()))?;
    /// let model = program.export(&args, &Options::default(), None)?;
    /// assert!(model.text(Default::default())?.contains("fc.weight"));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    /// If the closure panics.
    pub fn trace<W, F, R>(weights: &W, args: &Args, closure: F) -> Result<Self>
    where
        W: Weights + ?Sized,
        F: for<'a> FnMut(&Trace<'a>, &[tch::Tensor]) -> Result<R, BoxError>,
        R: Outputs,
    {
        Self::trace_with(weights, args, &TraceOptions::default(), closure)
    }

    /// [`trace`](Self::trace) with options. tch panics if LibTorch throws, so a panic in a later run is an error of
    /// that run: another size is tried.
    ///
    /// # Panics
    /// If the closure panics in its first run.
    pub fn trace_with<W, F, R>(weights: &W, args: &Args, options: &TraceOptions, mut closure: F) -> Result<Self>
    where
        W: Weights + ?Sized,
        F: for<'a> FnMut(&Trace<'a>, &[tch::Tensor]) -> Result<R, BoxError>,
        R: Outputs,
    {
        let mut first = true;
        Self::trace_pointers(args, options, |trace| {
            let is_first = std::mem::take(&mut first);
            // SAFETY: the pointers are at::Tensors of the LibTorch in this process; inputs live during the closure, and
            // C copies its arguments.
            unsafe {
                for (name, tensor) in weights.weights() {
                    trace.weight(&name, tensor.as_ptr().cast())?;
                }
                let inputs = (0..trace.input_count()).filter_map(|index| trace.input(index));
                let inputs: Vec<_> = inputs.map(|raw| tch::Tensor::clone_from_ptr(raw.as_ptr().cast())).collect();
                let made = match catch_unwind(AssertUnwindSafe(|| closure(trace, &inputs))) {
                    Ok(made) => made?,
                    Err(payload) if is_first => resume_unwind(payload),
                    Err(payload) => return Err(panic_message(payload.as_ref()).into()),
                };
                for (name, tensor) in made.outputs() {
                    trace.output(name.as_deref(), tensor.as_ptr().cast())?;
                }
            }
            Ok(())
        })
    }
}

fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<String>().map(String::as_str).or_else(|| payload.downcast_ref::<&str>().copied());
    text.unwrap_or("the closure panicked").to_string()
}

impl Trace<'_> {
    /// Operators in `body` are one function, called on these tensors and arguments, which a symbolic
    /// `prim::PythonOp.NAME` or `prim::PythonOp` converts; see [`function_pointers`](Self::function_pointers). `body`
    /// returns the results that code after it reads, at least one; they are returned.
    pub fn function<'b>(
        &self,
        name: &str,
        inputs: &[&tch::Tensor],
        arguments: impl Into<Option<&'b Attributes>>,
        body: impl FnOnce() -> Vec<tch::Tensor>,
    ) -> Result<Vec<tch::Tensor>> {
        let inputs: Vec<*const c_void> = inputs.iter().map(|tensor| tensor.as_ptr().cast()).collect();
        let outputs = |results: &Vec<tch::Tensor>| results.iter().map(|tensor| tensor.as_ptr().cast()).collect();
        // SAFETY: the pointers are at::Tensors of the LibTorch in this process, which live during the calls.
        unsafe { self.function_pointers(name, &inputs, arguments, body, outputs) }
    }

    /// A size of a recorded tensor as a recorded tensor of rank 0 and kind Int64, for traces with a single run
    /// ([`TraceOptions::single_run`]).
    pub fn size(&self, tensor: &tch::Tensor, axis: i64) -> Result<tch::Tensor> {
        // SAFETY: the pointers are at::Tensors of the LibTorch in this process; the size is cloned at once.
        unsafe {
            let size = self.size_pointer(tensor.as_ptr().cast(), axis)?;
            Ok(tch::Tensor::clone_from_ptr(size.as_ptr().cast()))
        }
    }

    /// Creates a tensor from Rust data inside a trace, outside of its recording: it is a constant of the model.
    ///
    /// tch creates `Tensor::from_slice` from zeros that it then overwrites without an operator, so the trace would
    /// contain the zeros.
    pub fn constant(&self, make: impl FnOnce() -> tch::Tensor + Send) -> tch::Tensor {
        // LibTorch records by thread.
        match std::thread::scope(|scope| scope.spawn(make).join()) {
            Ok(tensor) => tensor,
            Err(payload) => resume_unwind(payload),
        }
    }
}
