//! With the feature `linked`, finds libtonnx and passes its location to the linker and to dependents.

#[cfg(not(feature = "linked"))]
fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}

#[cfg(feature = "linked")]
fn main() {
    linked::main();
}

#[cfg(feature = "linked")]
mod linked {
    use std::path::{Path, PathBuf};
    use std::{env, process};

    pub fn main() {
        println!("cargo:rerun-if-changed=build.rs");
        for name in ["TONNX_DIR", "DOCS_RS"] {
            println!("cargo:rerun-if-env-changed={name}");
        }
        if env::var_os("DOCS_RS").is_some() {
            return;
        }
        let found = match env::var_os("TONNX_DIR") {
            Some(root) => find_below(Path::new(&root)),
            None => find_by_pkg_config(),
        };
        match found {
            Ok(folder) => {
                println!("cargo:libdir={}", folder.display());
                // For this package's own tests.
                println!("cargo:rustc-link-arg=-Wl,-rpath,{}", folder.display());
            }
            Err(message) => {
                eprintln!("{message}");
                process::exit(1);
            }
        }
    }

    /// `root` is an install prefix, or a build folder.
    fn find_below(root: &Path) -> Result<PathBuf, String> {
        let arch = env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
        let places =
            [root.to_owned(), root.join("lib"), root.join(format!("lib/{arch}-linux-gnu")), root.join("lib64")];
        for place in &places {
            let Ok(folder) = place.canonicalize() else { continue };
            if folder.join("libtonnx.so").exists() {
                println!("cargo:rustc-link-search=native={}", folder.display());
                println!("cargo:rustc-link-lib=dylib=tonnx");
                return Ok(folder);
            }
        }
        let list: Vec<String> = places.iter().map(|place| format!("  {}", place.display())).collect();
        Err(format!(
            "libtonnx.so is in none of these folders:\n{}\nSet TONNX_DIR to the folder that tonnx was installed to \
         (with lib/ in it) or built in.",
            list.join("\n")
        ))
    }

    fn find_by_pkg_config() -> Result<PathBuf, String> {
        let advice =
            "libtonnx was not found. Set TONNX_DIR to the folder that tonnx was installed to (with lib/ in it) or \
                  built in, or PKG_CONFIG_PATH to the folder of its tonnx.pc.";
        pkg_config::Config::new()
            .atleast_version(env!("CARGO_PKG_VERSION"))
            .probe("tonnx")
            .and_then(|_| pkg_config::get_variable("tonnx", "libdir"))
            .map(PathBuf::from)
            .map_err(|error| format!("{advice}\n{error}"))
    }
}
