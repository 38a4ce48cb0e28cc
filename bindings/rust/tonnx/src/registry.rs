//! Maps operators to lowerings by opset.
use std::ffi::c_void;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::ptr::{null, null_mut};

use tonnx_sys as sys;

use crate::carry::{fail, guard, has_panicked};
use crate::error::{call, BoxError, Error, Result};
use crate::graph::{Graph, Node, Outcome, Value};
use crate::handle::{borrowed_items, c_text, copied_text, handle};

handle! {
    /// The built-in lowerings and the caller's symbolics. Exports borrow it; several may use it at once.
    ///
    /// ```
    /// # fn main() -> tonnx::Result<()> {
    /// use tonnx::{Attributes, Outcome, Registry};
    ///
    /// let mut registry = Registry::new()?;
    /// registry.add("my_ops::gate", 9, |graph, node, inputs| {
    ///     let alpha = inputs[node.argument_index("alpha").ok_or("no argument alpha")?].to_float()?;
    ///     if alpha == 0.0 {
    ///         return Ok(Outcome::Decline);
    ///     }
    ///     let gated = graph.op("com.example::Gate", &inputs[..1], &Attributes::new()?.float("alpha", alpha)?)?;
    ///     gated.copy_type(inputs[0])?;
    ///     Ok(gated.into())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A value is valid only during the call that received it:
    ///
    /// ```compile_fail
    /// # fn main() -> tonnx::Result<()> {
    /// let kept = std::sync::Mutex::new(None);
    /// tonnx::Registry::new()?.add("my_ops::gate", 9, move |_, _, inputs| {
    ///     *kept.lock().unwrap() = Some(inputs[0]);
    ///     Ok(inputs[0].into())
    /// })?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// A closure that is not `Send` and `Sync` cannot be registered, since exports may run on any thread:
    ///
    /// ```compile_fail
    /// # fn main() -> tonnx::Result<()> {
    /// let count = std::rc::Rc::new(1);
    /// tonnx::Registry::new()?.add("my_ops::gate", 9, move |_, _, inputs| Ok(inputs[*count].into()))?;
    /// # Ok(())
    /// # }
    /// ```
    Registry, tonnx_registry, tonnx_registry_free
}

/// One registration.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// "aten::add"
    pub name: String,
    /// The first opset that it supports.
    pub since: i32,
    /// True for a symbolic of the caller, false for a built-in lowering.
    pub is_custom: bool,
    /// "lowering", "symbolic" or "function" by a registration; by passes "write", "container", "constant" and
    /// "quantised".
    pub kind: String,
}

type Symbolic = dyn for<'a> Fn(&Graph<'a>, &Node<'a>, &[Value<'a>]) -> Result<Outcome<'a>, BoxError> + Send + Sync;

impl Registry {
    /// Only the built-in lowerings.
    pub fn new() -> Result<Self> {
        // SAFETY: the outputs live during the call.
        Self::make(|out, error| unsafe { sys::tonnx_registry_new(out, error) })
    }

    /// Registers a symbolic for "domain::op" (every overload) or "domain::op.overload", for targets from opset `since`
    /// on. It takes precedence over every built-in lowering of that name; among symbolics the newest one not above the
    /// target is called. Registering the same name and opset again replaces the symbolic.
    ///
    /// The arguments of the closure are the operator's, in schema order: tensors are values of the graph under
    /// construction, other arguments are constants. It runs on the thread that exports, or on several at once if
    /// several export. It is called more than once for a node if LibTorch knows only the schema of the operator, to
    /// find the types of its results. Its error, or its panic, leaves that [`export`](crate::Program::export). It is
    /// dropped after the registry and all exports that use it have released it.
    pub fn add<F>(&mut self, name: &str, since: i32, symbolic: F) -> Result<&mut Self>
    where
        F: for<'a> Fn(&Graph<'a>, &Node<'a>, &[Value<'a>]) -> Result<Outcome<'a>, BoxError> + Send + Sync + 'static,
    {
        let name = c_text(name)?;
        let owned: Box<Box<Symbolic>> = Box::new(Box::new(symbolic));
        // SAFETY: the closure is taken, also on failure, and is Send and Sync as its callers need.
        call(|error| unsafe {
            let user_data = Box::into_raw(owned).cast();
            sys::tonnx_registry_add(self.as_ptr(), name.as_ptr(), since, Some(run), user_data, Some(destroy), error)
        })?;
        Ok(self)
    }

    /// Adds ONNX functions: one serialized `FunctionProto`, or one or more functions in ONNX text format. A symbolic
    /// calls one by [`Graph::op`] with its domain and name; the model contains those that it calls, and those that they
    /// call.
    ///
    /// `name` is an operator ("domain::op" or "domain::op.overload") that is converted to a call of the last function,
    /// for targets from opset `since` on, or for every one if `since` is 0: arguments are passed as the inputs and
    /// attributes of the same names, other tensors as the other inputs, in order.
    ///
    /// ```
    /// # fn main() -> tonnx::Result<()> {
    /// let double = r#"<domain: "my", opset_import: ["": 15]> Double (X) => (Y) { Y = Add (X, X) }"#;
    /// tonnx::Registry::new()?.add_functions(double, Some("my_ops::double"), 0)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_functions(&mut self, source: impl AsRef<[u8]>, name: Option<&str>, since: i32) -> Result<&mut Self> {
        let name = name.map(c_text).transpose()?;
        let name = name.as_ref().map_or(null(), |name| name.as_ptr());
        let source = source.as_ref();
        // SAFETY: the bytes and the name live during the call, and the registry is borrowed exclusively.
        call(|error| unsafe {
            let data = source.as_ptr().cast();
            sys::tonnx_registry_add_functions(self.as_ptr(), data, source.len(), name, since, error)
        })?;
        Ok(self)
    }

    /// Declares the arguments of a symbolic: a kind for each, in the order of the schema, `"v,i,is,f"`. `v` is any
    /// value, `i f b s` an int, float, bool or string, `t` a tensor or number, `is fs ss` a list, and `none` not used. All
    /// but `v` and `none` must be constants, or None. An export with other arguments fails before the symbolic is called,
    /// with `Status::Callback` and the argument, its value and type.
    pub fn set_arguments(&mut self, name: &str, since: i32, kinds: &str) -> Result<&mut Self> {
        let (name, kinds) = (c_text(name)?, c_text(kinds)?);
        // SAFETY: the strings live during the call, and the registry is borrowed exclusively.
        call(|error| unsafe {
            sys::tonnx_registry_set_arguments(self.as_ptr(), name.as_ptr(), since, kinds.as_ptr(), error)
        })?;
        Ok(self)
    }

    /// Removes a symbolic; a built-in lowering of that name applies again. `Status::Argument` if there is none.
    pub fn remove(&mut self, name: &str, since: i32) -> Result<&mut Self> {
        let name = c_text(name)?;
        // SAFETY: the name lives during the call, and the registry is borrowed exclusively.
        call(|error| unsafe { sys::tonnx_registry_remove(self.as_ptr(), name.as_ptr(), since, error) })?;
        Ok(self)
    }

    /// Every operator that an export converts, by name, then opset.
    pub fn entries(&self) -> Vec<Entry> {
        // SAFETY: the names are copied, and the registry does not change meanwhile.
        unsafe {
            let entry = |index| Entry {
                name: copied_text(sys::tonnx_registry_name(self.as_ptr(), index)),
                since: sys::tonnx_registry_since(self.as_ptr(), index),
                is_custom: sys::tonnx_registry_is_custom(self.as_ptr(), index) != 0,
                kind: copied_text(sys::tonnx_registry_kind(self.as_ptr(), index)),
            };
            (0..sys::tonnx_registry_count(self.as_ptr())).map(entry).collect()
        }
    }
}

/// The callback of every symbolic.
unsafe extern "C" fn run(
    graph: *mut sys::tonnx_graph,
    node: *const sys::tonnx_node,
    inputs: *const *mut sys::tonnx_value,
    input_count: usize,
    user_data: *mut c_void,
) -> i32 {
    if has_panicked() {
        sys::tonnx_graph_fail(graph, c"an earlier symbolic panicked".as_ptr(), null_mut(), None);
        return sys::TONNX_SYMBOLIC_FAIL;
    }
    let symbolic = &*user_data.cast::<Box<Symbolic>>();
    let outcome = guard(|| {
        let values = borrowed_items(inputs, input_count).iter().map(|raw| Value::from_raw(*raw));
        let values: Vec<Value> = values.collect::<Option<_>>().ok_or_else(|| Error::argument("an argument is NULL"))?;
        let building = Graph::new(graph);
        match symbolic(&building, &Node::new(node), &values)? {
            Outcome::Done(results) => {
                building.set_results(&results).map(|()| sys::TONNX_SYMBOLIC_DONE).map_err(BoxError::from)
            }
            Outcome::Decline => Ok(sys::TONNX_SYMBOLIC_DECLINE),
        }
    });
    outcome.unwrap_or_else(|thrown| {
        fail(thrown, |message, cause, destroy| sys::tonnx_graph_fail(graph, message, cause, destroy));
        sys::TONNX_SYMBOLIC_FAIL
    })
}

/// Drops a symbolic. A panic of its destructor cannot be passed to a caller.
unsafe extern "C" fn destroy(user_data: *mut c_void) {
    let owned = Box::from_raw(user_data.cast::<Box<Symbolic>>());
    let _ = catch_unwind(AssertUnwindSafe(|| drop(owned)));
}
