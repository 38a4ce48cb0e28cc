//! The end of the process while other threads load the library, and LibTorch with it.
//!
//! exit() destroys the static objects that LibTorch has made so far. The library has it wait, but only on threads that have called the
//! library, and the main thread may never have done so. So it does that when it ends.
use std::cell::Cell;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Some thread has asked for the library.
static USED: AtomicBool = AtomicBool::new(false);
/// The main thread has begun to end.
static ENDED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static IS_MAIN: Cell<bool> = const { Cell::new(false) };
    static MAIN_END: MainEnd = const { MainEnd };
}

struct MainEnd;

impl Drop for MainEnd {
    fn drop(&mut self) {
        ENDED.store(true, Ordering::SeqCst);
        if USED.load(Ordering::SeqCst) {
            call();
        }
    }
}

/// Runs before main(), on its thread.
extern "C" fn watch() {
    IS_MAIN.set(true);
    MAIN_END.with(|_| ());
}

#[used]
#[link_section = ".init_array"]
static WATCH: extern "C" fn() = watch;

/// Before the library is opened. Blocks for ever on another thread if the main thread has begun to end.
pub(super) fn note_use() {
    USED.store(true, Ordering::SeqCst);
    while ENDED.load(Ordering::SeqCst) && !IS_MAIN.get() {
        thread::park();
    }
}

/// A call that does nothing but make the library watch its thread.
fn call() {
    type New = unsafe extern "C" fn(*mut *mut c_void, *mut *mut c_void) -> i32;
    type Free = unsafe extern "C" fn(*mut c_void);
    let Ok(library) = super::opened() else { return };
    // SAFETY: the functions have these types in all versions; the arguments are freed once.
    unsafe {
        if let (Ok(new), Ok(free)) =
            (library.get::<New>(b"tonnx_args_new\0"), library.get::<Free>(b"tonnx_args_free\0"))
        {
            let mut args = std::ptr::null_mut();
            new(&mut args, std::ptr::null_mut());
            free(args);
        }
    }
}
