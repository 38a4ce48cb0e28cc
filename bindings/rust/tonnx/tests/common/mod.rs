//! The program that the tests export: TONNX_ARCHIVE, whose operator TONNX_OPERATORS registers. A linear layer of 4x4 weights in
//! module `body`, then `my_ops::gated_softmax(x, 1.5)` in module `head`.
#![allow(dead_code)]

use std::path::PathBuf;
use std::sync::Once;

use tonnx::{Args, Attributes, BoxError, Graph, Node, Options, Outcome, Program, Registry, Tensor, Value};

pub const OPERATOR: &str = "my_ops::gated_softmax";

pub fn archive() -> PathBuf {
    std::env::var_os("TONNX_ARCHIVE").expect("TONNX_ARCHIVE").into()
}

pub fn program() -> Program {
    static LOADED: Once = Once::new();
    let library = std::env::var_os("TONNX_OPERATORS").expect("TONNX_OPERATORS");
    // SAFETY: it is built for these tests, and only registers operators.
    LOADED.call_once(|| unsafe { tonnx::load_operators(library) }.unwrap());
    Program::load(archive()).unwrap()
}

pub fn args() -> Args {
    let elements: Vec<f32> = (0..8).map(|i| 0.25 * i as f32 - 1.0).collect();
    Args::new().unwrap().tensor(&Tensor::new(&[2, 4], &elements).unwrap()).unwrap()
}

pub fn options() -> Options {
    Options::new().unwrap().dynamic_axis("x", 0, "batch").unwrap().custom_opset("com.microsoft", 1).unwrap()
}

/// The operator in ONNX Runtime's own.
pub fn gated_softmax<'a>(graph: &Graph<'a>, _: &Node<'a>, inputs: &[Value<'a>]) -> Result<Outcome<'a>, BoxError> {
    let alpha = Attributes::new()?.float("alpha", inputs[1].to_float()?)?;
    let gated = graph.op("com.microsoft::QuickGelu", &inputs[..1], &alpha)?;
    gated.copy_type(inputs[0])?;
    Ok(graph.op("Softmax", &[gated], &Attributes::new()?.int("axis", -1)?)?.into())
}

pub fn registry() -> Registry {
    let mut registry = Registry::new().unwrap();
    registry.add(OPERATOR, 9, gated_softmax).unwrap();
    registry
}

/// A registry with one symbolic for the operator.
pub fn registry_with<F>(symbolic: F) -> Registry
where
    F: for<'a> Fn(&Graph<'a>, &Node<'a>, &[Value<'a>]) -> Result<Outcome<'a>, BoxError> + Send + Sync + 'static,
{
    let mut registry = Registry::new().unwrap();
    registry.add(OPERATOR, 9, symbolic).unwrap();
    registry
}

/// An own, empty folder for one test.
pub fn folder(test: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(test);
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}
