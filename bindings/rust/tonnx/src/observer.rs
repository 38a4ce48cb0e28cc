//! Follows calls while they run, and cancels them.
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::Arc;

use tonnx_sys as sys;

use crate::carry::{fail, guard};
use crate::error::{call, BoxError, Result};
use crate::handle::{borrowed_text, handle};

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// A decision: which lowering was used, why a loop stayed, what was folded.
    Log,
    /// A warning, when it is found, also if the call fails later.
    Warning,
    /// How far a stage is.
    Progress,
}

/// The level of a log message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Level {
    /// Each operator.
    Debug,
    /// Each larger step.
    #[default]
    Info,
    /// Warnings.
    Warning,
}

/// What a warning is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Category {
    /// Anything else.
    Other,
    /// A construct of the program was changed or dropped.
    Program,
    /// The program writes to memory that outlives the call.
    State,
    /// Modules are not in the mode of the export.
    Training,
    /// An axis is fixed, or the model is wrong at some sizes.
    Sizes,
    /// What a recording does not contain.
    Trace,
    /// An option has no effect, or another one.
    Options,
    /// A symbolic returned an incomplete result.
    Symbolic,
    /// ONNX Runtime has no kernel for an operator of the model.
    Kernel,
    /// What could not be verified.
    Verification,
}

impl Category {
    /// "other", "program", "state", ...
    ///
    /// # Panics
    /// If the library cannot be loaded; see [`load`](crate::load).
    pub fn name(self) -> &'static str {
        // SAFETY: the names are constants of the library.
        unsafe { borrowed_text(sys::tonnx_category_name(self.raw())) }
    }

    fn raw(self) -> sys::tonnx_category {
        match self {
            Category::Other => sys::TONNX_CATEGORY_OTHER,
            Category::Program => sys::TONNX_CATEGORY_PROGRAM,
            Category::State => sys::TONNX_CATEGORY_STATE,
            Category::Training => sys::TONNX_CATEGORY_TRAINING,
            Category::Sizes => sys::TONNX_CATEGORY_SIZES,
            Category::Trace => sys::TONNX_CATEGORY_TRACE,
            Category::Options => sys::TONNX_CATEGORY_OPTIONS,
            Category::Symbolic => sys::TONNX_CATEGORY_SYMBOLIC,
            Category::Kernel => sys::TONNX_CATEGORY_KERNEL,
            Category::Verification => sys::TONNX_CATEGORY_VERIFICATION,
        }
    }
}

impl fmt::Display for Category {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An event, valid during the call of the closure.
#[derive(Clone, Copy)]
pub struct Event<'a> {
    raw: *const sys::tonnx_event,
    call: PhantomData<&'a ()>,
}

impl<'a> Event<'a> {
    /// Log, warning or progress.
    pub fn kind(&self) -> EventKind {
        // SAFETY: the event lives as long as 'a; the same for all below.
        match unsafe { sys::tonnx_event_kind(self.raw) } {
            sys::TONNX_EVENT_LOG => EventKind::Log,
            sys::TONNX_EVENT_WARNING => EventKind::Warning,
            _ => EventKind::Progress,
        }
    }

    /// The level of a log message.
    pub fn level(&self) -> Level {
        match unsafe { sys::tonnx_event_level(self.raw) } {
            sys::TONNX_LEVEL_DEBUG => Level::Debug,
            sys::TONNX_LEVEL_INFO => Level::Info,
            _ => Level::Warning,
        }
    }

    /// What a warning is about; `None` for other events.
    pub fn category(&self) -> Option<Category> {
        match unsafe { sys::tonnx_event_category(self.raw) } {
            sys::TONNX_CATEGORY_NONE => None,
            sys::TONNX_CATEGORY_PROGRAM => Some(Category::Program),
            sys::TONNX_CATEGORY_STATE => Some(Category::State),
            sys::TONNX_CATEGORY_TRAINING => Some(Category::Training),
            sys::TONNX_CATEGORY_SIZES => Some(Category::Sizes),
            sys::TONNX_CATEGORY_TRACE => Some(Category::Trace),
            sys::TONNX_CATEGORY_OPTIONS => Some(Category::Options),
            sys::TONNX_CATEGORY_SYMBOLIC => Some(Category::Symbolic),
            sys::TONNX_CATEGORY_KERNEL => Some(Category::Kernel),
            sys::TONNX_CATEGORY_VERIFICATION => Some(Category::Verification),
            _ => Some(Category::Other),
        }
    }

    /// The stage of the call: "import", "lowering", "writing", ...
    pub fn stage(&self) -> &'a str {
        unsafe { borrowed_text(sys::tonnx_event_stage(self.raw)) }
    }

    /// Steps of the stage that are done, or bytes.
    pub fn done(&self) -> u64 {
        unsafe { sys::tonnx_event_done(self.raw) }.try_into().unwrap_or(0)
    }

    /// How many steps or bytes the stage has; `None` if that is unknown.
    pub fn total(&self) -> Option<u64> {
        unsafe { sys::tonnx_event_total(self.raw) }.try_into().ok().filter(|total| *total > 0)
    }

    /// True if the steps are bytes of a file.
    pub fn is_bytes(&self) -> bool {
        unsafe { sys::tonnx_event_is_bytes(self.raw) != 0 }
    }

    /// The message of a log or a warning.
    pub fn text(&self) -> &'a str {
        unsafe { borrowed_text(sys::tonnx_event_text(self.raw)) }
    }

    /// Module path of the operator that it is about, "layer1.0.conv1"; "" if unknown.
    pub fn module(&self) -> &'a str {
        unsafe { borrowed_text(sys::tonnx_event_module(self.raw)) }
    }

    /// Source line of the operator that it is about, "model.py:12"; "" if unknown.
    pub fn source(&self) -> &'a str {
        unsafe { borrowed_text(sys::tonnx_event_source(self.raw)) }
    }
}

impl fmt::Debug for Event<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Event")
            .field("kind", &self.kind())
            .field("stage", &self.stage())
            .field("done", &self.done())
            .field("total", &self.total())
            .field("text", &self.text())
            .finish_non_exhaustive()
    }
}

handle! {
    NativeObserver, tonnx_observer, tonnx_observer_free
}

/// Receives the events of calls, on their threads, and cancels them: [`Options::observer`](crate::Options::observer),
/// [`TraceOptions::observer`](crate::TraceOptions::observer),
/// [`VerifyOptions::observer`](crate::VerifyOptions::observer) and
/// [`SaveOptions`](crate::SaveOptions). There is an event about every 50 ms.
///
/// ```
/// # fn main() -> tonnx::Result<()> {
/// use std::ops::ControlFlow;
/// use std::sync::atomic::{AtomicBool, Ordering};
/// use std::sync::Arc;
///
/// let stop = Arc::new(AtomicBool::new(false)); // set it on another thread
/// let asked = stop.clone();
/// let observer = tonnx::Observer::new(move |event| {
///     eprintln!("{} {} {}", event.stage(), event.done(), event.text());
///     Ok(if asked.load(Ordering::Relaxed) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
/// })?;
/// let options = tonnx::Options::new()?.observer(&observer)?;
/// # Ok(())
/// # }
/// ```
///
/// A call that [`ControlFlow::Break`] cancels returns an error with [`Status::Cancelled`](crate::Status::Cancelled). An
/// error of the closure is the source of an error with [`Status::Callback`](crate::Status::Callback), and a panic leaves
/// the call as a panic.
#[derive(Clone, Debug)]
pub struct Observer(Arc<NativeObserver>);

type Observe = dyn Fn(&Event<'_>) -> Result<ControlFlow<()>, BoxError> + Send + Sync;

impl Observer {
    /// Receives log messages from [`Level::Info`] on, all warnings and progress.
    pub fn new<F>(observe: F) -> Result<Self>
    where
        F: Fn(&Event<'_>) -> Result<ControlFlow<()>, BoxError> + Send + Sync + 'static,
    {
        Self::with_level(Level::Info, observe)
    }

    /// Receives log messages from this level on.
    pub fn with_level<F>(level: Level, observe: F) -> Result<Self>
    where
        F: Fn(&Event<'_>) -> Result<ControlFlow<()>, BoxError> + Send + Sync + 'static,
    {
        let level = match level {
            Level::Debug => sys::TONNX_LEVEL_DEBUG,
            Level::Info => sys::TONNX_LEVEL_INFO,
            Level::Warning => sys::TONNX_LEVEL_WARNING,
        };
        let boxed: Box<Observe> = Box::new(observe);
        let user_data = Box::into_raw(Box::new(boxed)).cast();
        // SAFETY: the closure is taken, also on failure.
        let native = NativeObserver::make(|out, error| unsafe {
            sys::tonnx_observer_new(out, Some(run), user_data, Some(destroy), error)
        })?;
        // SAFETY: the handle lives, and nothing else uses it yet.
        call(|error| unsafe { sys::tonnx_observer_set_level(native.as_ptr(), level, error) })?;
        Ok(Observer(Arc::new(native)))
    }

    pub(crate) fn as_ptr(&self) -> *const sys::tonnx_observer {
        self.0.as_ptr()
    }
}

/// Two observers are equal if they are clones of one.
impl PartialEq for Observer {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// The callback of every closure.
unsafe extern "C" fn run(event: *const sys::tonnx_event, user_data: *mut c_void) -> i32 {
    let observe = &*user_data.cast::<Box<Observe>>();
    match guard(|| observe(&Event { raw: event, call: PhantomData })) {
        Ok(ControlFlow::Continue(())) => 0,
        Ok(ControlFlow::Break(())) => 1,
        Err(thrown) => {
            fail(thrown, |message, cause, destroy| sys::tonnx_event_fail(event, message, cause, destroy));
            1
        }
    }
}

/// Drops a closure. A panic of its destructor cannot be passed to a caller.
unsafe extern "C" fn destroy(user_data: *mut c_void) {
    let owned = Box::from_raw(user_data.cast::<Box<Observe>>());
    let _ = catch_unwind(AssertUnwindSafe(|| drop(owned)));
}
