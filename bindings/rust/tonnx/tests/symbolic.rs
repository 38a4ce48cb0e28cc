//! Symbolics: what they see and make, and what becomes of their faults.
mod common;

use std::error::Error as _;
use std::fmt;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier, Mutex};

use common::*;
use tonnx::{Attributes, Dtype, Error, Format, Model, Outcome, Registry, Status, Tensor};

fn export(registry: &Registry) -> Result<Model, Error> {
    program().export(&args(), &options(), registry)
}

/// An error type of this test.
#[derive(Debug, PartialEq)]
struct Own(u32);

impl fmt::Display for Own {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "own error {}", self.0)
    }
}

impl std::error::Error for Own {}

#[test]
fn a_symbolic_sees_the_operator_and_its_arguments() {
    let registry = registry_with(|graph, node, inputs| {
        assert_eq!((node.operator(), node.overload(), node.module()), (OPERATOR, "", "head"));
        assert_eq!(
            (node.argument_index("alpha"), node.argument_index("beta"), node.argument_name(1)),
            (Some(1), None, "alpha")
        );
        assert_eq!((node.output_count(), node.output(1).is_none()), (1, true));
        let [x, alpha] = inputs else { panic!("{} inputs", inputs.len()) };
        assert_eq!((x.dtype(), x.rank(), x.dim(0), x.dim(1)), (Dtype::Float32, Some(2), None, Some(4)));
        assert_eq!((x.dim_symbol(0).as_str(), x.dim_symbol(1).as_str()), ("batch", ""));
        assert!(!x.is_none() && !x.is_constant() && alpha.is_constant());
        assert_eq!(alpha.to_float()?, 1.5);
        for error in [
            alpha.to_int().unwrap_err(),
            alpha.to_bool().unwrap_err(),
            alpha.to_str().unwrap_err(),
            alpha.to_ints().unwrap_err(),
            alpha.to_list().unwrap_err(),
            x.to_float().unwrap_err(),
            x.to_floats().unwrap_err(),
            x.to_tensor().unwrap_err(),
        ] {
            assert_eq!(error.status(), Status::Argument);
        }
        assert_eq!(graph.opset(), 17);
        assert_eq!(node.output(0).unwrap().dtype(), Dtype::Float32);
        assert!(format!("{graph:?} {node:?} {x:?}").contains(r#"operator: "my_ops::gated_softmax""#));
        gated_softmax(graph, node, inputs)
    });
    export(&registry).unwrap();
}

#[test]
fn declared_arguments_are_checked() {
    let mut registry = registry_with(|graph, node, inputs| {
        assert_eq!(node.tensors_first()?, [0, 1]);
        let alpha = Attributes::new()?.suffixed("alpha_f", inputs[1])?.suffixed("none_i", None)?;
        let gated = graph.op("com.microsoft::QuickGelu", &inputs[..1], &alpha)?;
        gated.copy_type(inputs[0])?;
        Ok(gated.into())
    });
    registry.set_arguments(OPERATOR, 9, "v,f").unwrap();
    let text = export(&registry).unwrap().text(Format::Short).unwrap();
    assert!(text.contains("QuickGelu[alpha=1.5]"), "{text}");
    registry.set_arguments(OPERATOR, 9, "v,i").unwrap();
    let error = export(&registry).unwrap_err();
    assert_eq!(error.status(), Status::Callback);
    let expected = format!("argument 'alpha' of {OPERATOR} is not an int: it is 1.5");
    assert!(error.to_string().contains(&expected), "{error}");
    assert_eq!(registry.set_arguments(OPERATOR, 9, "v,x").unwrap_err().status(), Status::Argument);
}

#[test]
fn a_symbolic_makes_nodes_of_every_kind() {
    let registry = registry_with(|graph, node, inputs| {
        let x = inputs[0];
        let parts = graph.op_with_outputs("Split", &[x], &Attributes::new()?.int("axis", 1)?, 2)?;
        let joined = graph.op("Concat", &parts, &Attributes::new()?.int("axis", 1)?)?;
        let low = graph.constant(&Tensor::new(&[], &[-100f32])?)?;
        // Clip's last input is left out, and its middle one as well.
        let clipped = graph.op("Clip", &[Some(joined), Some(low), None], None)?;
        let wide = graph.cast(clipped, Dtype::Float64)?;
        let narrow = graph.cast(wide, Dtype::Float32)?;
        let custom = graph.op("com.microsoft::QuickGelu", &[narrow], &Attributes::new()?.float("alpha", 1.5)?)?;
        custom.set_type(Dtype::Float32, &[None, Some(4)])?;
        assert_eq!((custom.rank(), custom.dim(0), custom.dim(1)), (Some(2), None, Some(4)));
        custom.copy_type(node.output(0).ok_or("no output")?)?;
        let error = graph.op("Relu", &[node.output(0)], None).unwrap_err();
        assert_eq!(error.status(), Status::Argument);
        assert_eq!(graph.op("NoSuchOperator", &[x], None).unwrap_err().status(), Status::Argument);
        Ok(graph.op("Softmax", &[custom], &Attributes::new()?.int("axis", 1)?)?.into())
    });
    let (program, args) = (program(), args());
    let options = options().opset(17).unwrap();
    let model = program.export(&args, &options, &registry).unwrap();
    model.verify(&program, &args).unwrap();
}

#[test]
fn attributes_take_every_kind() {
    let number = Tensor::new(&[], &[1f32]).unwrap();
    let attributes = || -> tonnx::Result<Attributes> {
        Attributes::new()?
            .int("i", 1)?
            .float("f", 0.5)?
            .string("s", "text")?
            .tensor("t", &number)?
            .ints("is", &[1, 2])?
            .floats("fs", &[0.5])?
            .strings("ss", &["a", "b"])?
            .tensors("ts", &[&number, &number])?
            .tensor_type("tp", Dtype::Float32, &[None, Some(4)])
    };
    let attributes = attributes().unwrap();
    let registry = registry_with(move |graph, _, inputs| {
        let made = graph.op("com.example::Everything", &inputs[..1], &attributes)?;
        made.copy_type(inputs[0])?;
        Ok(made.into())
    });
    let text = export(&registry).unwrap().text(Format::Short).unwrap();
    let line = text.lines().find(|line| line.contains("com.example::Everything")).unwrap();
    for part in ["i=1", "f=0.5", "s=", "t=", "is=[1, 2]", "fs=[0.5", "ss=[", "ts=[", "tp="] {
        assert!(line.contains(part), "{part} is not in {line}");
    }
}

#[test]
fn a_symbolic_that_declines_leaves_the_operator_to_the_built_in_one() {
    let asked = Arc::new(AtomicUsize::new(0));
    let mut registry = registry();
    let count = asked.clone();
    registry
        .add("aten::linear", 9, move |_, _, _| {
            count.fetch_add(1, Ordering::Relaxed);
            Ok(Outcome::Decline)
        })
        .unwrap();
    let model = export(&registry).unwrap();
    assert!(model.text(Format::Short).unwrap().contains("onnx::Gemm"));
    assert_eq!(asked.load(Ordering::Relaxed), 1);
}

#[test]
fn a_symbolic_reads_weights() {
    let mut registry = registry();
    registry
        .add("aten::linear", 9, |graph, node, inputs| {
            let weight = inputs[node.argument_index("weight").ok_or("no weight")?].to_tensor()?;
            let expected: Vec<f32> = (0..16).map(|i| i as f32 / 16.0 - 0.5).collect();
            assert_eq!((weight.dims(), weight.to_vec::<f32>()?), (&[4i64, 4][..], expected));
            Ok(graph.op("Gemm", inputs, &Attributes::new()?.int("transB", 1)?)?.into())
        })
        .unwrap();
    let (program, args) = (program(), args());
    program.export(&args, &options(), &registry).unwrap().verify(&program, &args).unwrap();
}

#[test]
fn functions_are_called() {
    let gate = r#"<domain: "my", opset_import: ["": 15]> Gate <alpha> (X) => (Y) {
        a = Constant <value_float: float = @alpha> ()
        Y = Mul (X, a)
    }"#;
    let mut registry = Registry::new().unwrap();
    registry.add_functions(gate, Some(OPERATOR), 0).unwrap();
    assert!(export(&registry).unwrap().text(Format::Short).unwrap().contains("my::Gate[alpha=1.5]"));
    registry.add_functions(gate, None, 0).unwrap();
    assert_eq!(registry.add_functions("", None, 0).unwrap_err().status(), Status::Argument);
}

#[test]
fn registrations_are_listed_replaced_and_removed() {
    let mut registry = Registry::new().unwrap();
    let built_in = registry.entries().len();
    assert!(built_in > 100 && registry.entries().iter().all(|entry| !entry.is_custom));
    registry.add(OPERATOR, 9, |_, _, _| Err("first".into())).unwrap();
    registry.add(OPERATOR, 9, gated_softmax).unwrap().add("my_ops::other", 11, gated_softmax).unwrap();
    let entries = registry.entries();
    assert_eq!(entries.len(), built_in + 2);
    assert!(entries.iter().any(|entry| entry.kind == "symbolic" && entry.name == "my_ops::other" && entry.since == 11));
    export(&registry).unwrap();
    registry.remove(OPERATOR, 9).unwrap();
    assert_eq!(export(&registry).unwrap_err().status(), Status::Unsupported);
    assert_eq!(registry.remove(OPERATOR, 9).unwrap_err().status(), Status::Argument);
    assert_eq!(registry.add("no domain", 9, gated_softmax).map(|_| ()).unwrap_err().status(), Status::Argument);
}

#[test]
fn the_error_of_a_symbolic_is_the_source() {
    let error = export(&registry_with(|_, _, _| Err(Own(7).into()))).unwrap_err();
    assert_eq!(error.source().unwrap().downcast_ref(), Some(&Own(7)));
    let reason = &error.reasons()[0];
    assert_eq!((&*reason.operator, &*reason.module, &*reason.text), (OPERATOR, "head", "own error 7"));
    assert_eq!(*error.into_cause().unwrap().downcast::<Own>().unwrap(), Own(7));
}

#[test]
fn a_symbolic_may_fail_on_a_later_call() {
    let calls = Arc::new(AtomicUsize::new(0));
    let count = calls.clone();
    let registry = registry_with(move |graph, node, inputs| match count.fetch_add(1, Ordering::Relaxed) {
        1 => Err(Own(1).into()),
        3 => panic!("third"),
        _ => gated_softmax(graph, node, inputs),
    });
    export(&registry).unwrap();
    assert_eq!(export(&registry).unwrap_err().source().unwrap().downcast_ref(), Some(&Own(1)));
    export(&registry).unwrap();
    let payload = catch_unwind(AssertUnwindSafe(|| export(&registry))).unwrap_err();
    assert_eq!(*payload.downcast_ref::<&str>().unwrap(), "third");
    export(&registry).unwrap();
}

#[test]
fn the_panic_of_a_symbolic_goes_on_and_no_other_one_runs() {
    let runs = Arc::new(AtomicUsize::new(0));
    let count = runs.clone();
    let mut registry = registry_with(move |graph, node, inputs| {
        count.fetch_add(1, Ordering::Relaxed);
        gated_softmax(graph, node, inputs)
    });
    registry.add("aten::linear", 9, |_, _, _| std::panic::panic_any(Own(9))).unwrap();
    let payload = catch_unwind(AssertUnwindSafe(|| export(&registry))).unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&Own(9)));
    assert_eq!(runs.load(Ordering::Relaxed), 0);
    registry.remove("aten::linear", 9).unwrap();
    export(&registry).unwrap();
    assert_eq!(runs.load(Ordering::Relaxed), 1);
}

#[test]
fn an_export_ends_at_the_first_symbolic_that_fails() {
    let mut registry = registry_with(|_, _, _| Err(Own(2).into()));
    registry.add("aten::linear", 9, |_, _, _| Err(Own(1).into())).unwrap();
    let error = export(&registry).unwrap_err();
    let reasons: Vec<_> = error.reasons().iter().map(|reason| (&*reason.operator, &*reason.text)).collect();
    assert_eq!(reasons, [("aten::linear", "own error 1")]);
    assert_eq!(error.source().unwrap().downcast_ref(), Some(&Own(1)));
}

#[test]
fn an_error_of_tonnx_inside_a_symbolic_is_an_error_like_others() {
    let error = export(&registry_with(|_, _, inputs| Ok(inputs[1].to_str().map(|_| inputs[0])?.into()))).unwrap_err();
    let source = error.source().unwrap().downcast_ref::<Error>().unwrap();
    assert_eq!(source.status(), Status::Argument);
}

#[test]
fn wrong_results_are_errors() {
    let nothing = export(&registry_with(|_, _, _| Ok(Outcome::Done(vec![])))).unwrap_err();
    assert!(nothing.to_string().contains(OPERATOR), "{nothing}");
    let two = export(&registry_with(|_, _, inputs| Ok(vec![inputs[0], inputs[0]].into()))).unwrap_err();
    assert!(two.to_string().contains(OPERATOR), "{two}");
}

/// An error whose text panics, and one with a NUL in it.
#[derive(Debug)]
struct Mute;

impl fmt::Display for Mute {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("no text")
    }
}

impl std::error::Error for Mute {}

#[test]
fn strange_texts_of_errors_do_no_harm() {
    let error = export(&registry_with(|_, _, _| Err(Mute.into()))).unwrap_err();
    assert!(error.source().unwrap().is::<Mute>());
    let error = export(&registry_with(|_, _, _| Err("before\0after".into()))).unwrap_err();
    assert_eq!(error.reasons()[0].text, "before");
    let error = export(&registry_with(|_, _, _| Err("".into()))).unwrap_err();
    assert!(error.source().is_some());
}

#[test]
fn a_symbolic_is_dropped_once_when_all_have_let_go() {
    let owner = Arc::new(());
    let add = |registry: &mut Registry, name: &str| {
        let kept = owner.clone();
        let added = registry.add(name, 9, move |_, _, _| {
            let _ = &kept;
            Ok(Outcome::Decline)
        });
        added.is_ok()
    };
    let mut registry = Registry::new().unwrap();
    assert!(add(&mut registry, "my_ops::a") && add(&mut registry, "my_ops::b"));
    assert_eq!(Arc::strong_count(&owner), 3);
    assert!(add(&mut registry, "my_ops::a"));
    assert_eq!(Arc::strong_count(&owner), 3);
    registry.remove("my_ops::a", 9).unwrap();
    assert_eq!(Arc::strong_count(&owner), 2);
    assert!(!add(&mut registry, "no domain") && !add(&mut registry, "nul\0"));
    assert_eq!(Arc::strong_count(&owner), 2);
    drop(registry);
    assert_eq!(Arc::strong_count(&owner), 1);
}

/// Panics when it is dropped.
struct Sore;

impl Drop for Sore {
    fn drop(&mut self) {
        panic!("dropped");
    }
}

#[test]
fn a_symbolic_whose_captures_panic_when_dropped_does_no_harm() {
    let sore = Sore;
    let registry = registry_with(move |graph, node, inputs| {
        let _ = &sore;
        gated_softmax(graph, node, inputs)
    });
    export(&registry).unwrap();
    drop(registry);
}

#[test]
fn a_symbolic_may_export_itself() {
    let inner_error = Arc::new(Mutex::new(None));
    let kept = inner_error.clone();
    let registry = registry_with(move |graph, node, inputs| {
        let inner = registry_with(|_, _, _| Err(Own(3).into()));
        *kept.lock().unwrap() = Some(export(&inner).unwrap_err());
        gated_softmax(graph, node, inputs)
    });
    export(&registry).unwrap();
    let error = inner_error.lock().unwrap().take().unwrap();
    assert_eq!(error.source().unwrap().downcast_ref(), Some(&Own(3)));
}

#[test]
fn two_exports_run_at_once_with_one_registry() {
    // Each waits inside its symbolic for the other.
    let meeting = Arc::new(Barrier::new(2));
    let inside = meeting.clone();
    let registry = registry_with(move |graph, node, inputs| {
        inside.wait();
        gated_softmax(graph, node, inputs)
    });
    let (program, args, options) = (program(), args(), options());
    let models: Vec<Model> = std::thread::scope(|scope| {
        let threads = [(); 2].map(|_| scope.spawn(|| program.export(&args, &options, &registry).unwrap()));
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(*models[0].bytes().unwrap(), *models[1].bytes().unwrap());
}

#[test]
fn each_thread_gets_its_own_error() {
    let meeting = Arc::new(Barrier::new(2));
    let next = AtomicUsize::new(1);
    let registry = registry_with(move |_, _, _| {
        let number = next.fetch_add(1, Ordering::Relaxed);
        meeting.wait();
        Err(format!("{number} on {:?}", std::thread::current().id()).into())
    });
    let (program, args, options) = (program(), args(), options());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let error = program.export(&args, &options, &registry).unwrap_err();
                let text = error.source().unwrap().to_string();
                assert!(text.ends_with(&format!("on {:?}", std::thread::current().id())), "{text}");
                assert_eq!(error.reasons()[0].text, text);
            });
        }
    });
}

#[test]
fn a_symbolic_calls_built_in_lowerings_and_builds_branches() {
    let registry = registry_with(|graph, _, inputs| {
        let x = inputs[0];
        assert!(!graph.is_training());
        let scaled = graph.call("aten::mul", &[x, inputs[1]], None)?;
        let gate = graph.call("aten::sigmoid", &[scaled], None)?;
        let gated = graph.call("aten::mul", &[x, gate], None)?;
        let (then, other) = (graph.add_subgraph()?, graph.add_subgraph()?);
        then.set_results(&[gated])?;
        let parts = other.call_with_outputs("aten::sort", &[gated], None, 2)?;
        let list = other.list(&[parts[0], parts[0]])?;
        let joined = other.call("aten::cat", &[list], &Attributes::new()?.int("dim", 1)?)?;
        other.set_results(&[joined])?;
        let branches = Attributes::new()?.graph("then_branch", &then)?.graph("else_branch", &other)?;
        let always = graph.constant(&Tensor::new(&[], &[true])?)?;
        let chosen = graph.op("If", &[always], &branches)?;
        chosen.set_type(Dtype::Float32, &[None, None])?;
        let error = graph.op("If", &[always], &branches).unwrap_err();
        assert!(error.to_string().contains("is part of a node already"), "{error}");
        let body = graph.add_subgraph()?;
        assert!(graph.add_input().is_err() && body.add_input().is_ok());
        let error = graph.call("aten::gelu", &[x], &Attributes::new()?.int("exact", 1)?).unwrap_err();
        assert!(error.to_string().contains("aten::gelu has no argument 'exact'"), "{error}");
        Ok(graph.call("aten::softmax", &[chosen], &Attributes::new()?.int("dim", 1)?)?.into())
    });
    let (program, args) = (program(), args());
    let model = program.export(&args, &options(), &registry).unwrap();
    model.verify(&program, &args).unwrap();
}
