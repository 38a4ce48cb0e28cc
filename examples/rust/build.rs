//! Lets the programs find libtonnx and LibTorch where they were linked from.
fn main() {
    match std::env::var("DEP_TONNX_RUST_RPATH") {
        Ok(path) if !path.is_empty() => println!("cargo:rustc-link-arg=-Wl,-rpath,{path}"),
        _ => {}
    }
}
