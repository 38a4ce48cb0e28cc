//! `tonnx/observer.h`.

use std::os::raw::{c_char, c_void};

use crate::base::{tonnx_destroy_fn, tonnx_error, tonnx_event, tonnx_observer, tonnx_status};

pub const TONNX_EVENT_LOG: i32 = 0;
pub const TONNX_EVENT_WARNING: i32 = 1;
pub const TONNX_EVENT_PROGRESS: i32 = 2;

pub const TONNX_LEVEL_DEBUG: i32 = 0;
pub const TONNX_LEVEL_INFO: i32 = 1;
pub const TONNX_LEVEL_WARNING: i32 = 2;

pub const TONNX_CATEGORY_NONE: i32 = 0;
pub const TONNX_CATEGORY_OTHER: i32 = 1;
pub const TONNX_CATEGORY_PROGRAM: i32 = 2;
pub const TONNX_CATEGORY_STATE: i32 = 3;
pub const TONNX_CATEGORY_TRAINING: i32 = 4;
pub const TONNX_CATEGORY_SIZES: i32 = 5;
pub const TONNX_CATEGORY_TRACE: i32 = 6;
pub const TONNX_CATEGORY_OPTIONS: i32 = 7;
pub const TONNX_CATEGORY_SYMBOLIC: i32 = 8;
pub const TONNX_CATEGORY_KERNEL: i32 = 9;
pub const TONNX_CATEGORY_VERIFICATION: i32 = 10;

pub type tonnx_observer_fn = Option<unsafe extern "C" fn(event: *const tonnx_event, user_data: *mut c_void) -> i32>;

functions! {
    pub fn tonnx_observer_new(
        out: *mut *mut tonnx_observer,
        callback: tonnx_observer_fn,
        user_data: *mut c_void,
        destroy: tonnx_destroy_fn,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_observer_set_level(
        observer: *mut tonnx_observer,
        level: i32,
        error: *mut *mut tonnx_error,
    ) -> tonnx_status;
    pub fn tonnx_observer_free(observer: *mut tonnx_observer);
    pub fn tonnx_event_kind(event: *const tonnx_event) -> i32;
    pub fn tonnx_event_level(event: *const tonnx_event) -> i32;
    pub fn tonnx_event_category(event: *const tonnx_event) -> i32;
    pub fn tonnx_event_stage(event: *const tonnx_event) -> *const c_char;
    pub fn tonnx_event_done(event: *const tonnx_event) -> i64;
    pub fn tonnx_event_total(event: *const tonnx_event) -> i64;
    pub fn tonnx_event_is_bytes(event: *const tonnx_event) -> i32;
    pub fn tonnx_event_text(event: *const tonnx_event) -> *const c_char;
    pub fn tonnx_event_module(event: *const tonnx_event) -> *const c_char;
    pub fn tonnx_event_source(event: *const tonnx_event) -> *const c_char;
    pub fn tonnx_event_fail_with(
        event: *const tonnx_event,
        message: *const c_char,
        cause: *mut c_void,
        destroy: tonnx_destroy_fn,
    );
}
