//! The library, loaded at run time.
#[cfg(target_os = "linux")]
mod end;

use std::env;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use libloading::Library;

use crate::version::TONNX_VERSION_NUMBER;

/// The SONAME first: a development link may lead to another version.
const NAMES: [&str; 2] = [concat!("libtonnx.so.", env!("CARGO_PKG_VERSION_MAJOR")), "libtonnx.so"];
const VARIABLE: &str = "TONNX_LIBRARY";

static LIBRARY: OnceLock<Result<Library, String>> = OnceLock::new();

/// Loads the library at the first call.
pub(crate) fn get() -> Result<&'static Library, &'static str> {
    #[cfg(target_os = "linux")]
    if LIBRARY.get().is_none() {
        end::note_use();
    }
    opened()
}

fn opened() -> Result<&'static Library, &'static str> {
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
    if let Some(given) = env::var_os(VARIABLE).filter(|given| !given.is_empty()) {
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
    load(Path::new(NAMES[0])).map_err(|error| {
        let list: Vec<String> = folders.iter().map(|folder| format!("  {}", folder.display())).collect();
        format!(
            "{error}\nIt is not in these folders either:\n{}\nSet {VARIABLE} to the library or to its folder.",
            list.join("\n")
        )
    })
}

/// The folders of a library that is bundled with the program.
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
    let library = unsafe { Library::new(file) }.map_err(|error| format!("libtonnx cannot be loaded: {error}"))?;
    // SAFETY: the function has this type in all versions.
    let found = match unsafe { library.get::<unsafe extern "C" fn() -> u32>(b"tonnx_version_number\0") } {
        // SAFETY: it takes nothing.
        Ok(number) => unsafe { number() },
        Err(error) => return Err(format!("{} is not libtonnx: {error}", file.display())),
    };
    let wanted = TONNX_VERSION_NUMBER as u32;
    if !fits(found, wanted) {
        let [found, wanted] = [found, wanted].map(version_text);
        return Err(format!("{} is tonnx {found}, but this crate needs tonnx {wanted}", file.display()));
    }
    Ok(library)
}

/// True if the versions have the same major version, and before 1.0 the same minor version.
fn fits(found: u32, wanted: u32) -> bool {
    let shift = if wanted >> 16 == 0 { 8 } else { 16 };
    found >> shift == wanted >> shift
}

fn version_text(number: u32) -> String {
    format!("{}.{}.{}", number >> 16, number >> 8 & 0xFF, number & 0xFF)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_fits_by_major_and_before_1_0_by_minor_version() {
        for (found, wanted, expected) in [
            (0x000100, 0x000100, true),
            (0x000105, 0x000100, true),
            (0x000200, 0x000100, false),
            (0x010100, 0x000100, false),
            (0x010300, 0x010200, true),
            (0x020000, 0x010200, false),
        ] {
            assert_eq!(fits(found, wanted), expected, "{found:x} for {wanted:x}");
        }
        assert_eq!(version_text(0x010203), "1.2.3");
    }
}
