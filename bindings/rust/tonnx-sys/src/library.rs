//! The library, loaded at run time.
use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;

const NAMES: [&str; 2] = ["libtonnx.so", concat!("libtonnx.so.", env!("CARGO_PKG_VERSION_MAJOR"))];
const VARIABLE: &str = "TONNX_LIBRARY";

/// Loads the library at the first call.
pub(crate) fn get() -> Result<&'static Library, &'static str> {
    static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();
    LIBRARY.get_or_init(open).as_ref().map_err(String::as_str)
}

/// The address of a function whose name ends with NUL. Panics if the library is missing, or lacks the function.
pub(crate) fn address(name: &str) -> usize {
    let library = get().unwrap_or_else(|message| panic!("{message}"));
    // SAFETY: only the address is taken.
    match unsafe { library.get::<*const ()>(name.as_bytes()) } {
        Ok(symbol) => *symbol as usize,
        Err(error) => panic!("libtonnx is too old for this crate: {error}"),
    }
}

fn open() -> Result<Library, String> {
    if let Some(given) = env::var_os(VARIABLE) {
        let given = PathBuf::from(given);
        let file = if given.is_dir() { in_folder(&given) } else { Some(given.clone()) };
        let Some(file) = file else {
            return Err(format!("{VARIABLE}={}: the folder has no {}", given.display(), NAMES.join(" or ")));
        };
        return load(&file);
    }
    let folders = folders();
    if let Some(file) = folders.iter().find_map(|folder| in_folder(folder)) {
        return load(&file);
    }
    load(Path::new(NAMES[1])).map_err(|error| {
        let list: Vec<String> = folders.iter().map(|folder| format!("  {}", folder.display())).collect();
        format!(
            "{error}\nIt is not in these folders either:\n{}\nSet {VARIABLE} to the library or to its folder.",
            list.join("\n")
        )
    })
}

/// Where a library that comes with the program is.
fn folders() -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if let Some(folder) = env::current_exe().ok().as_deref().and_then(Path::parent) {
        folders.push(folder.to_owned());
        folders.extend(folder.parent().map(|prefix| prefix.join("lib")));
    }
    #[cfg(all(feature = "bundled", target_os = "linux", target_arch = "x86_64"))]
    folders.push(tonnx_linux_x64::FOLDER.into());
    folders
}

fn in_folder(folder: &Path) -> Option<PathBuf> {
    NAMES.iter().map(|name| folder.join(name)).find(|file| file.exists())
}

fn load(file: &Path) -> Result<Library, String> {
    // SAFETY: the library's initialisers do nothing but register types; it is never closed.
    unsafe { Library::new(file) }.map_err(|error| format!("libtonnx cannot be loaded: {error}"))
}
