//! The declarations match the C headers: a C compiler reads the headers, then each Rust declaration in C syntax. A type
//! that differs is a conflicting declaration, a constant that differs a failed assertion.
//!
//! The headers are those in the folder TONNX_INCLUDE, or else those of the source tree.
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::process::Command;
use std::{env, fs};

const NOUNS: [&str; 19] = [
    "args",
    "base",
    "buffer",
    "contents",
    "error",
    "graph",
    "libtorch",
    "mismatch",
    "model",
    "observer",
    "options",
    "program",
    "registry",
    "report",
    "save_options",
    "tensor",
    "trace",
    "verify_options",
    "version",
];

fn headers() -> PathBuf {
    match env::var_os("TONNX_INCLUDE") {
        Some(folder) => folder.into(),
        None => PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../capi"),
    }
}

/// Every header without comments, in one string.
fn header_text() -> String {
    let mut text = String::new();
    for noun in NOUNS {
        let path = headers().join(format!("tonnx/{noun}.h"));
        let content = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let mut rest = content.as_str();
        while let Some(start) = rest.find("/*") {
            text.push_str(&rest[..start]);
            rest = &rest[start + rest[start..].find("*/").unwrap() + 2..];
        }
        text.push_str(rest);
    }
    text
}

/// The Rust side without comments, in one line.
fn rust_text() -> String {
    let mut text = String::new();
    for noun in NOUNS {
        let path = format!("{}/src/{noun}.rs", env!("CARGO_MANIFEST_DIR"));
        for line in fs::read_to_string(path).unwrap().lines().filter(|line| !line.trim_start().starts_with("//")) {
            text.push_str(line.trim());
            text.push(' ');
        }
    }
    text
}

/// The parts of `text` between `start` and the next `end`.
fn between<'t>(text: &'t str, start: &str, end: &str) -> Vec<&'t str> {
    text.split(start).skip(1).map(|part| part[..part.find(end).unwrap()].trim()).collect()
}

/// `*const *mut tonnx_value` as `tonnx_value * const *`.
fn c_type(rust: &str) -> String {
    let rust = rust.trim();
    if let Some(inner) = rust.strip_prefix("*const ") {
        return format!("{} const *", c_type(inner));
    }
    if let Some(inner) = rust.strip_prefix("*mut ") {
        return format!("{} *", c_type(inner));
    }
    match rust {
        "" | "c_void" => "void",
        "c_char" => "char",
        "i32" => "int32_t",
        "u32" => "uint32_t",
        "i64" => "int64_t",
        "usize" => "size_t",
        "f64" => "double",
        "DLManagedTensor" => "struct DLManagedTensor",
        "DLManagedTensorVersioned" => "struct DLManagedTensorVersioned",
        name => {
            assert!(name.starts_with("tonnx_"), "the type {name} has no counterpart in C");
            name
        }
    }
    .to_owned()
}

/// `(a: T, b: U) -> R` as (`R`, `T, U`) in C.
fn c_signature(rust: &str) -> (String, String) {
    let (parameters, result) = rust.split_once(')').unwrap();
    let parameters: Vec<String> = parameters
        .trim_start_matches('(')
        .split(',')
        .filter(|parameter| !parameter.trim().is_empty())
        .map(|parameter| c_type(parameter.split_once(':').unwrap().1))
        .collect();
    let list = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    (c_type(result.trim().trim_start_matches("->")), list)
}

/// A C program that says everything the Rust side declares.
fn declarations(rust: &str) -> String {
    let mut program = String::from("#include \"tonnx.h\"\n");
    for function in functions(rust) {
        let (name, signature) = function.split_at(function.find('(').unwrap());
        let (result, parameters) = c_signature(signature);
        program += &format!("{result} {name}({parameters});\n");
    }
    for alias in between(rust, "pub type ", ";") {
        let (name, target) = alias.split_once(" = ").unwrap();
        program += &match target.split_once("fn(") {
            Some((_, signature)) => {
                let (result, parameters) = c_signature(signature.trim_end_matches(['>', ',', ' ']));
                format!("typedef {result} (*{name})({parameters});\n")
            }
            None => format!("typedef {} {name};\n", c_type(target)),
        };
    }
    for constant in between(rust, "pub const ", ";") {
        let (name, rest) = constant.split_once(": ").unwrap();
        program += &format!("_Static_assert({name} == {}, \"{name}\");\n", rest.split_once(" = ").unwrap().1);
    }
    for name in opaque_types(rust) {
        program += &format!("typedef struct {name} {name};\n");
    }
    program
}

fn functions(rust: &str) -> Vec<&str> {
    between(rust, "pub fn ", ";")
}

fn opaque_types(rust: &str) -> Vec<&str> {
    between(rust, "opaque! {", "}")
        .iter()
        .flat_map(|list| list.split(", "))
        .map(|n| n.trim_matches([',', ' ']))
        .collect()
}

/// Compiles a C program. Returns the messages of the compiler as an error, Ok if there are none.
fn compile(name: &str, program: &str) -> Result<(), String> {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
    fs::write(&path, program).unwrap();
    // "ccache gcc" is one as well.
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let mut words = compiler.split_whitespace();
    let output = Command::new(words.next().expect("a name in CC"))
        .args(words)
        .args(["-std=c11", "-pedantic", "-Wall", "-Werror", "-fsyntax-only", "-I"])
        .args([headers(), path])
        .output()
        .expect("a C compiler");
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

fn set(names: impl IntoIterator<Item = impl Into<String>>) -> BTreeSet<String> {
    names.into_iter().map(Into::into).collect()
}

#[test]
fn a_c_compiler_agrees_with_every_declaration() {
    compile("declarations", &declarations(&rust_text())).unwrap_or_else(|message| panic!("{message}"));
}

#[test]
fn a_declaration_that_differs_is_found() {
    let rust = rust_text();
    for (right, wrong) in [
        ("pub fn tonnx_opset_newest() -> i32", "pub fn tonnx_opset_newest() -> i64"),
        ("args: *const tonnx_args) -> usize", "args: *mut tonnx_args) -> usize"),
        ("pub const TONNX_STATUS_FILE: tonnx_status = 4", "pub const TONNX_STATUS_FILE: tonnx_status = 5"),
        ("pub type tonnx_dtype = i32", "pub type tonnx_dtype = i64"),
        ("fn(trace: *mut tonnx_trace,", "fn(trace: *const tonnx_trace,"),
    ] {
        let changed = rust.replacen(right, wrong, 1);
        assert_ne!(changed, rust, "{right} is not in the sources");
        assert!(compile("wrong", &declarations(&changed)).is_err(), "{wrong} was accepted");
    }
}

#[test]
fn every_function_of_the_headers_is_declared() {
    let header = header_text();
    let in_c =
        between(&header, "TONNX_API ", "(").into_iter().map(|head| head.rsplit([' ', '\n', '*']).next().unwrap());
    // base.h defines TONNX_API itself, twice.
    let in_c = set(in_c.filter(|name| name.starts_with("tonnx_")));
    let rust = rust_text();
    let in_rust = set(functions(&rust).iter().map(|function| &function[..function.find('(').unwrap()]));
    assert!(in_c.len() > 100);
    assert_eq!(in_rust, in_c);
}

#[test]
fn every_exported_symbol_is_declared() {
    let path = headers().join("symbols.txt");
    // An installed tonnx has only its headers.
    let Ok(symbols) = fs::read_to_string(path) else { return };
    let rust = rust_text();
    let in_rust = set(functions(&rust).iter().map(|function| &function[..function.find('(').unwrap()]));
    assert_eq!(in_rust, set(symbols.lines().filter_map(|line| line.split_whitespace().next())));
}

#[test]
fn every_function_is_declared_by_the_macro() {
    // Any other declaration links the library, also with the feature load-dynamic.
    for noun in NOUNS {
        let path = format!("{}/src/{noun}.rs", env!("CARGO_MANIFEST_DIR"));
        assert!(!fs::read_to_string(&path).unwrap().contains("extern \"C\" {"), "{path}: use functions! {{");
    }
}

#[test]
fn every_constant_and_type_of_the_headers_is_declared() {
    let header = header_text();
    let constants = between(&header, "enum {", "}").into_iter().flat_map(|list| list.split(','));
    let constants = constants.map(|entry| entry.split('=').next().unwrap().trim());
    // A define without a value is a header's guard.
    let versions = header.lines().filter_map(|line| line.strip_prefix("#define ")?.split_once(' '));
    let versions = versions.map(|(name, _)| name).filter(|name| name.starts_with("TONNX_VERSION_"));
    let mut in_c = set(constants.filter(|name| !name.is_empty()));
    in_c.extend(set(versions));
    in_c.extend(set(between(&header, "typedef struct ", " ")));
    for typedef in between(&header, "typedef ", ";").into_iter().filter(|text| !text.starts_with("struct")) {
        let name =
            typedef.split("(TONNX_CALL *").nth(1).map_or(typedef.rsplit(' ').next(), |rest| rest.split(')').next());
        in_c.insert(name.unwrap().to_owned());
    }
    let rust = rust_text();
    let mut in_rust = set(between(&rust, "pub const ", ":"));
    in_rust.extend(set(between(&rust, "pub type ", " ")));
    in_rust.extend(set(opaque_types(&rust)));
    assert!(in_c.len() > 50);
    assert_eq!(in_rust, in_c);
}
