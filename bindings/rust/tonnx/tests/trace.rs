//! Traces of closures over tch's tensors.
#![cfg(feature = "tch")]

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::error::Error as _;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::{Arc, Barrier, Mutex};

use tch::nn::{self, Module, ModuleT};
use tch::{Device, Kind, TchError};
use tonnx::{
    Args, Attributes, BoxError, Error, Format, Model, Options, Outcome, Program, Registry, Status, Tensor,
    TraceOptions, VerifyOptions, Weights,
};

const CPU: (Kind, Device) = (Kind::Float, Device::Cpu);

/// One float tensor of these dims, with elements that differ.
fn args(dims: &[i64]) -> Args {
    let count: i64 = dims.iter().product();
    let elements: Vec<f32> = (0..count).map(|i| (i % 7) as f32 / 4.0 - 0.5).collect();
    Args::new().unwrap().tensor(&Tensor::new(dims, &elements).unwrap()).unwrap()
}

fn export(program: &Program, args: &Args) -> Model {
    program.export(args, &Options::default(), None).unwrap()
}

/// Traces a closure of one tensor without weights, and verifies the model.
fn verify(mut closure: impl FnMut(&tonnx::Trace<'_>, &tch::Tensor) -> tch::Tensor) -> Result<Model, Error> {
    let args = args(&[2, 3]);
    let program = Program::trace(&(), &args, |trace, inputs| Ok(closure(trace, &inputs[0])))?;
    let model = program.export(&args, &Options::default(), None)?;
    model.verify(&program, None)?;
    Ok(model)
}

#[test]
fn weights_have_the_names_of_the_var_store() {
    let store = nn::VarStore::new(Device::Cpu);
    let root = store.root();
    let network = nn::seq_t()
        .add(nn::conv2d(&root / "features" / 0, 3, 8, 3, Default::default()))
        .add(nn::batch_norm2d(&root / "features" / 1, 8, Default::default()))
        .add_fn(|x| x.relu().flat_view())
        .add(nn::linear(&root / "classifier", 8 * 6 * 6, 5, Default::default()));
    let args = args(&[2, 3, 8, 8]);
    let options = Options::default().export_params(false).unwrap();
    let trace = || Program::trace(&store, &args, |_, inputs| Ok(network.forward_t(&inputs[0], false))).unwrap();
    let program = trace();
    let model = program.export(&args, &options, None).unwrap();
    let mut names = model.input_names()[1..].to_vec();
    names.sort();
    let mut expected: Vec<String> = store.variables().into_keys().collect();
    expected.sort();
    assert_eq!(names, expected);
    assert_eq!(names[0], "classifier.bias");
    assert_eq!(names.len(), 8);

    let model = export(&program, &args);
    model.verify(&program, &args).unwrap();
    assert_eq!(*export(&trace(), &args).bytes().unwrap(), *model.bytes().unwrap());
}

#[test]
fn frozen_and_lone_weights_have_names_as_well() {
    let mut store = nn::VarStore::new(Device::Cpu);
    let layer = nn::linear(store.root() / "fc", 3, 2, Default::default());
    let scale = tch::Tensor::from_slice(&[2f32, 3.0]);
    let args = args(&[2, 3]);
    let closure = |inputs: &[tch::Tensor]| Ok(layer.forward(&inputs[0]) * &scale);
    store.freeze();
    let mut map: HashMap<String, tch::Tensor> = store.variables();
    map.insert("scale".to_owned(), scale.shallow_clone());
    let pairs = map.weights();
    for program in [
        Program::trace(&map, &args, |_, inputs| closure(inputs)).unwrap(),
        Program::trace(pairs.as_slice(), &args, |_, inputs| closure(inputs)).unwrap(),
    ] {
        let model = export(&program, &args);
        model.verify(&program, None).unwrap();
        let text = model.text(Format::Short).unwrap();
        assert!(["%fc.weight", "%fc.bias", "%scale"].iter().all(|name| text.contains(name)), "{text}");
    }
    // Captured tensors that are not declared have numbered names.
    let program = Program::trace(&store, &args, |_, inputs| closure(inputs)).unwrap();
    let model = export(&program, &args);
    model.verify(&program, None).unwrap();
    assert!(model.text(Format::Short).unwrap().contains("%constant_0"));
}

#[test]
fn a_weight_under_two_names_is_stored_once() {
    let mut weight = tch::Tensor::randn([3], CPU);
    let named = [("second", weight.shallow_clone()), ("first", weight.shallow_clone())];
    let args = args(&[2, 3]);
    let program = Program::trace(&named, &args, |_, inputs| Ok(&inputs[0] * &weight + &named[1].1)).unwrap();
    let _ = weight.fill_(9.0);
    export(&program, &args).verify(&program, None).unwrap();
    let options = Options::default().export_params(false).unwrap();
    assert_eq!(program.export(&args, &options, None).unwrap().input_names(), ["input", "second"]);
}

#[test]
fn tensors_go_to_tch_and_come_back() {
    let kinds = [Kind::Float, Kind::Double, Kind::Half, Kind::BFloat16, Kind::Int64, Kind::Uint8, Kind::Bool];
    for kind in kinds {
        let source = (tch::Tensor::arange(6, CPU) - 2.0).reshape([2, 3]).to_kind(kind).tr();
        let tensor = Tensor::try_from(&source).unwrap();
        let mut back = tch::Tensor::try_from(&tensor).unwrap();
        assert_eq!((back.kind(), back.size()), (kind, vec![3, 2]));
        assert!(back.equal(&source), "{kind:?}");
        let _ = back.zero_();
        assert!(tch::Tensor::try_from(&tensor).unwrap().equal(&source), "a tensor does not change with its copy");
    }
    let scalar = tch::Tensor::try_from(&Tensor::new(&[], &[2i64]).unwrap()).unwrap();
    assert_eq!((scalar.dim(), scalar.int64_value(&[])), (0, 2));
    assert_eq!(tch::Tensor::try_from(&Tensor::new::<f32>(&[0, 3], &[]).unwrap()).unwrap().size(), [0, 3]);
}

#[test]
fn a_weight_that_needs_a_gradient_may_be_undeclared() {
    let weight = tch::Tensor::randn([3, 3], CPU).set_requires_grad(true);
    verify(|_, x| x.matmul(&weight)).unwrap();
    tch::no_grad(|| verify(|_, x| x.matmul(&weight))).unwrap();
}

#[test]
fn a_closure_may_return_several_tensors_and_name_them() {
    let args = args(&[2, 3]);
    let array = Program::trace(&(), &args, |_, inputs| Ok([inputs[0].relu(), inputs[0].sigmoid()])).unwrap();
    let list = Program::trace(&(), &args, |_, inputs| Ok(vec![inputs[0].relu(), inputs[0].sigmoid()])).unwrap();
    let named =
        Program::trace(&(), &args, |_, inputs| Ok(vec![("positive", inputs[0].relu()), ("gate", inputs[0].sigmoid())]));
    let named = named.unwrap();
    for program in [&array, &list, &named] {
        let model = export(program, &args);
        assert_eq!(model.output_names().len(), 2);
        model.verify(program, None).unwrap();
    }
    assert_eq!(export(&named, &args).output_names(), ["positive", "gate"]);
    assert_eq!(array.methods(), ["forward"]);
    assert!(array.text(None, &Options::default(), Format::Short).unwrap().contains("aten::relu"));
}

#[test]
fn modules_appear_in_the_model() {
    let model = verify(|trace, x| {
        let body = || trace.module("Gate", "gate", || x.sigmoid()).unwrap();
        trace.module("Block", "block", body).unwrap() * 2.0
    });
    let text = model.unwrap().text(Format::Short).unwrap();
    assert!(text.contains("block/gate") && text.contains("Block[block]"), "{text}");
}

#[test]
fn a_slice_made_inside_the_closure_is_kept() {
    verify(|_, x| x + tch::Tensor::from_slice(&[1f32, 2.0, 3.0])).unwrap();
    verify(|trace, x| x + trace.constant(|| tch::Tensor::from_slice(&[1f32, 2.0, 3.0]))).unwrap();
    let before = tch::Tensor::from_slice(&[1f32, 2.0, 3.0]);
    verify(|_, x| x + &before).unwrap();
}

#[test]
fn a_trace_inside_a_trace_is_refused_and_the_outer_one_goes_on() {
    let mut inner = None;
    verify(|_, x| {
        inner = Some(verify(|_, x| x.relu()).unwrap_err());
        x.sigmoid()
    })
    .unwrap();
    assert_eq!(inner.unwrap().status(), Status::Argument);
}

#[test]
fn the_error_of_a_closure_is_the_source() {
    let args = args(&[2, 3]);
    let result = Program::trace(&(), &args, |_, inputs| Ok(inputs[0].f_matmul(&inputs[0])?));
    let error = result.unwrap_err();
    assert_eq!(error.status(), Status::Callback);
    assert!(error.source().unwrap().is::<TchError>());
    assert!(error.to_string().contains("mat1 and mat2"), "{error}");
    let options = TraceOptions::default().dynamic_axis(0, 0, "rows");
    let result = Program::trace_with(&(), &args, &options, |_, inputs| {
        Ok(inputs[0].f_add(&tch::Tensor::ones([2, 3], (Kind::Float, Device::Cpu)))?)
    });
    let error = result.unwrap_err();
    assert_eq!(error.status(), Status::Program);
    assert!(error.source().unwrap().is::<TchError>());
    verify(|_, x| x.relu()).unwrap();
}

#[test]
fn the_panic_of_a_closure_goes_on() {
    for _ in 0..2 {
        let payload = catch_unwind(AssertUnwindSafe(|| verify(|_, _| panic!("closure")))).unwrap_err();
        assert_eq!(*payload.downcast_ref::<&str>().unwrap(), "closure");
        // The module that was entered is left, too.
        let inside = catch_unwind(|| verify(|trace, x| trace.module("A", "a", || x.matmul(x)).unwrap()));
        assert!(inside.unwrap_err().is::<String>());
        let text = verify(|_, x| x.relu()).unwrap().text(Format::Short).unwrap();
        assert!(!text.contains("/a/"), "{text}");
    }
    let in_constant = catch_unwind(|| verify(|trace, x| x + trace.constant(|| panic!("constant"))));
    assert_eq!(*in_constant.unwrap_err().downcast_ref::<&str>().unwrap(), "constant");
}

#[test]
fn wrong_weights_and_results_are_errors() {
    let args = args(&[2, 3]);
    let weight = tch::Tensor::randn([3], CPU);
    let trace = |name: &str| {
        let named = [(name, weight.shallow_clone())];
        Program::trace(&named, &args, |_, inputs| Ok(&inputs[0] + &weight))
    };
    trace("weight").unwrap();
    for name in ["", "nul\0"] {
        let error = trace(name).unwrap_err();
        let own = error.source().unwrap().downcast_ref::<Error>().unwrap();
        assert_eq!(own.status(), Status::Argument);
    }
    assert!(Program::trace(&(), &args, |_, _| Ok(Vec::<tch::Tensor>::new())).is_err());
}

#[test]
fn in_place_writes_become_values() {
    verify(|_, x| {
        let mut y = x * 2.0;
        let _ = y.relu_();
        y + 1.0
    })
    .unwrap();
}

#[test]
fn a_tensor_copies_tchs_elements() {
    let mut source = tch::Tensor::arange(6, CPU).reshape([2, 3]);
    let strided = Tensor::try_from(&source.tr()).unwrap();
    assert_eq!((strided.dims(), strided.to_vec::<f32>().unwrap()), (&[3i64, 2][..], vec![0., 3., 1., 4., 2., 5.]));
    let copied = Tensor::try_from(&source).unwrap();
    let _ = source.fill_(9.0);
    assert_eq!(copied.to_vec::<f32>().unwrap(), [0., 1., 2., 3., 4., 5.]);
    let trained = tch::Tensor::ones([2], CPU).set_requires_grad(true);
    assert_eq!(Tensor::try_from(&trained).unwrap().to_vec::<f32>().unwrap(), [1., 1.]);
    // SAFETY: the shared storage is not written to any more.
    let shared = unsafe { Tensor::from_torch(source.as_ptr().cast()) }.unwrap();
    drop(source);
    assert_eq!(shared.to_vec::<f32>().unwrap(), [9.; 6]);
    for kind in [Kind::Bool, Kind::Int64, Kind::Double, Kind::Half, Kind::BFloat16, Kind::Uint8] {
        let name = format!("{kind:?}").to_lowercase();
        let dtype = Tensor::try_from(&tch::Tensor::zeros([1], (kind, Device::Cpu))).unwrap().dtype();
        assert!(dtype.size() > 0, "{name} is {dtype}");
    }
}

#[test]
fn symbolics_read_lists() {
    let args = args(&[2, 3]);
    let program = Program::trace(&(), &args, |_, inputs| {
        let turned = inputs[0].permute([1, 0]);
        Ok(tch::Tensor::cat(&[&turned, &turned.relu()], 0))
    });
    let program = program.unwrap();
    let mut registry = Registry::new().unwrap();
    registry
        .add("aten::permute", 9, |graph, _, inputs| {
            assert_eq!(inputs[1].to_floats()?, [1.0, 0.0]);
            let perm = tonnx::Attributes::new()?.ints("perm", &inputs[1].to_ints()?)?;
            Ok(graph.op("Transpose", &inputs[..1], &perm)?.into())
        })
        .unwrap()
        .add("aten::cat", 9, |graph, _, inputs| {
            let parts = inputs[0].to_list()?;
            assert_eq!((parts.len(), inputs[1].to_int()?), (2, 0));
            Ok(graph.op("Concat", &parts, &tonnx::Attributes::new()?.int("axis", 0)?)?.into())
        })
        .unwrap()
        .add("aten::relu", 9, |_, _, _| Ok(Outcome::Decline))
        .unwrap();
    let model = program.export(&args, &Options::default(), &registry).unwrap();
    model.verify(&program, None).unwrap();
}

#[test]
fn a_large_weight_may_lie_in_a_second_file() {
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trace_external");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let weight = tch::Tensor::randn([3, 4096], CPU);
    let path = folder.join("model.onnx");
    verify(|_, x| x.matmul(&weight))
        .unwrap()
        .save_with(&path, &tonnx::SaveOptions::default().external_data(tonnx::ExternalData::Yes))
        .unwrap();
    assert_eq!(std::fs::metadata(folder.join("model.onnx.data")).unwrap().len(), 3 * 4096 * 4);
    tonnx::check_file(&path).unwrap();
}

#[test]
fn two_traces_run_at_once() {
    let meeting = Barrier::new(2);
    let trace = || {
        verify(|_, x| {
            meeting.wait();
            let y = x.relu();
            meeting.wait();
            y.sigmoid()
        })
    };
    std::thread::scope(|scope| {
        let threads = [scope.spawn(trace), scope.spawn(trace)];
        threads.into_iter().for_each(|thread| drop(thread.join().unwrap().unwrap()));
    });
}

#[test]
fn what_a_trace_needs_lives_on() {
    let weight = tch::Tensor::ones([3, 3], CPU);
    let args = args(&[2, 3]);
    let program = Program::trace(&(), &args, |_, inputs| Ok(inputs[0].matmul(&weight))).unwrap();
    drop(weight);
    drop(args);
    let args = self::args(&[2, 3]);
    let model = export(&program, &args);
    model.verify(&program, None).unwrap();
    drop(program);
    model.check().unwrap();
    assert!(!model.bytes().unwrap().is_empty());
}

#[test]
fn weights_are_copied_unless_they_are_shared() {
    let args = args(&[2, 3]);
    // SAFETY: what is written to below is checked, and no other thread reads it.
    for (options, copied) in
        [(TraceOptions::default(), true), (unsafe { TraceOptions::default().share_weights(true) }, false)]
    {
        let mut weight = tch::Tensor::ones([3], CPU);
        let named = [("scale", weight.shallow_clone())];
        let program = Program::trace_with(&named, &args, &options, |_, inputs| Ok(&inputs[0] * &weight)).unwrap();
        let _ = weight.fill_(5.0);
        assert_eq!(export(&program, &args).verify(&program, None).is_ok(), copied);
    }
}

#[test]
fn the_inputs_of_further_runs_may_be_made() {
    let asked = Arc::new(Mutex::new(BTreeSet::new()));
    let asking = asked.clone();
    let options = TraceOptions::default().dynamic_axis(0, 0, "batch").size("batch", 7).resize(move |sizes| {
        asking.lock().unwrap().insert(sizes["batch"]);
        Ok(self::args(&[sizes["batch"], 3]).none()?)
    });
    let mut seen = BTreeSet::new();
    let args = args(&[2, 3]).none().unwrap();
    let program = Program::trace_with(&(), &args, &options.clone(), |_, inputs| {
        seen.insert(inputs[0].size()[0]);
        Ok(&inputs[0] * inputs[0].size()[0])
    })
    .unwrap();
    assert!(asked.lock().unwrap().contains(&7) && seen.remove(&2));
    assert_eq!(*asked.lock().unwrap(), seen);
    let model = export(&program, &args);
    assert!(model.verify_with(&program, None, &VerifyOptions::default().size("batch", 7)).unwrap().is_empty());
    let error = model.verify_with(&program, None, &VerifyOptions::default().size("batch", 1000)).unwrap_err();
    assert_eq!(error.status(), Status::Argument);
    assert!(format!("{options:?}").contains("closure"));
    drop(options);
    assert_eq!(Arc::strong_count(&asked), 1);
}

#[test]
fn what_makes_inputs_may_fail() {
    let args = args(&[2, 3]);
    let trace = |resize: fn(&BTreeMap<String, i64>) -> Result<Args, BoxError>| {
        let options = TraceOptions::default().dynamic_axis(0, 0, None).resize(resize);
        Program::trace_with(&(), &args, &options, |_, inputs| Ok(inputs[0].relu()))
    };
    let error = trace(|_| Err("no more inputs".into())).unwrap_err();
    assert_eq!(error.status(), Status::Callback);
    assert_eq!(error.source().unwrap().to_string(), "no more inputs");
    assert!(error.to_string().contains("no more inputs"), "{error}");
    assert_eq!(trace(|_| Ok(Args::new()?)).unwrap_err().status(), Status::Argument);
    let payload = catch_unwind(AssertUnwindSafe(|| trace(|_| panic!("resize")))).unwrap_err();
    assert_eq!(*payload.downcast_ref::<&str>().unwrap(), "resize");
    verify(|_, x| x.relu()).unwrap();
}

#[test]
fn a_function_is_one_operator_for_its_symbolic() {
    let args = args(&[2, 3]);
    let attributes = Attributes::new().unwrap().float("scale", 2.0).unwrap();
    let program = Program::trace(&(), &args, |trace, inputs| {
        let x = &inputs[0];
        let made = trace.function("Scaled", &[x], &attributes, || vec![x.relu() * 2.0])?;
        Ok(&made[0] + 1.0)
    });
    let program = program.unwrap();
    let inlined = export(&program, &args);
    inlined.verify(&program, None).unwrap();
    assert!(inlined.text(Format::Short).unwrap().contains("Relu"));

    let mut registry = Registry::new().unwrap();
    registry
        .add("prim::PythonOp.Scaled", 9, |graph, node, inputs| {
            assert_eq!((node.operator(), node.overload(), inputs.len()), ("prim::PythonOp", "Scaled", 3));
            assert_eq!((inputs[1].to_float()?, inputs[2].to_str()?), (2.0, "Scaled"));
            assert!(!inputs[0].requires_grad());
            let positive = graph.op("Max", &[inputs[0], graph.constant(&Tensor::new(&[], &[0f32])?)?], None)?;
            let result = graph.op("Add", &[positive, positive], None)?;
            Ok(Outcome::from(result))
        })
        .unwrap();
    let model = program.export(&args, &Options::default(), &registry).unwrap();
    model.verify(&program, None).unwrap();
    assert!(model.text(Format::Short).unwrap().contains("Max"));

    let off = Options::default().autograd_inlining(false).unwrap();
    let refused = program.export(&args, &off, None).unwrap_err();
    assert!(refused.to_string().contains("function 'Scaled'"), "{refused}");
}

#[test]
fn a_function_that_panics_is_dropped() {
    let args = args(&[2, 3]);
    let program = Program::trace(&(), &args, |trace, inputs| {
        let broken = || {
            trace.function("Broken", &[&inputs[0]], None, || {
                trace.module("Linear", "fc", || panic!("no kernel")).unwrap();
                vec![inputs[0].relu()]
            })
        };
        assert!(catch_unwind(AssertUnwindSafe(broken)).is_err());
        let mut made = None;
        let no_result = trace.function("NoResult", &[&inputs[0]], None, || {
            made = Some(inputs[0].relu());
            vec![]
        });
        assert_eq!(no_result.unwrap_err().status(), Status::Argument);
        Ok(made.unwrap())
    });
    let program = program.unwrap();
    let off = Options::default().autograd_inlining(false).unwrap();
    let model = program.export(&args, &off, None).unwrap();
    model.verify(&program, None).unwrap();
    assert!(model.text(Format::Short).unwrap().contains("Relu"));
}

#[test]
fn pointers_can_be_traced_without_tch() {
    let args = args(&[2, 3]);
    let program = Program::trace_pointers(&args, &TraceOptions::default(), |trace| {
        assert_eq!((trace.input_count(), trace.input(1)), (1, None));
        let input = trace.input(0).ok_or("no input")?;
        // SAFETY: both are at::Tensors.
        unsafe { trace.output(None, input.as_ptr()) }?;
        Ok::<(), BoxError>(())
    });
    let program = program.unwrap();
    export(&program, &args).verify(&program, None).unwrap();
    assert_eq!(
        Program::trace_pointers(&args, &TraceOptions::default(), |_| Err("no".into())).unwrap_err().status(),
        Status::Callback
    );
}
