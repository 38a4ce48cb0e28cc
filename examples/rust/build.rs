//! Lets the programs find libtonnx and LibTorch where they were linked from.
fn main() {
    println!(
        "cargo:rustc-link-arg=-Wl,-rpath,{}",
        std::env::var("DEP_TONNX_RUST_RPATH").unwrap()
    );
}
