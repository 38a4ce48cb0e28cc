//! `tonnx/buffer.h`.

use std::os::raw::c_void;

use crate::base::tonnx_buffer;

functions! {
    pub fn tonnx_buffer_data(buffer: *const tonnx_buffer) -> *const c_void;
    pub fn tonnx_buffer_size(buffer: *const tonnx_buffer) -> usize;
    pub fn tonnx_buffer_free(buffer: *mut tonnx_buffer);
}
