//! Passes the folders of the linked libraries to this package's own tests and, as DEP_TONNX_RUST_RPATH, to the packages that depend on it.
use std::env;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let folders = ["DEP_TONNX_LIBDIR", "DEP_TCH_LIBTORCH_LIB"].map(env::var);
    let folders: Vec<String> = folders.into_iter().flatten().collect();
    if !folders.is_empty() {
        println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folders.join(":"));
    }
    println!("cargo:rpath={}", folders.join(":"));
}
