//! From an archive to a model, and what a model can do.
mod common;

use std::error::Error as _;
use std::io::{self, Write};
use std::panic::{catch_unwind, AssertUnwindSafe};

use common::*;
use tonnx::{
    Args, Attributes, Dtype, Error, ExternalData, Format, InitializersAsInputs, Kind, Mode, Model, Options, Program,
    Registry, SaveOptions, Status, Target, Tensor, Training, VerifyOptions,
};

fn model() -> Model {
    program().export(&args(), &options(), &registry()).unwrap()
}

#[test]
fn contents_of_a_model_and_its_program() {
    let (program, args) = (program(), args());
    let contents = model().contents().unwrap(); // they keep what they need of the model
    let input = contents.inputs()[0];
    assert_eq!((input.name().as_str(), input.kind(), input.dtype()), ("x", Kind::Tensor, Dtype::Float32));
    assert_eq!((input.rank(), input.dim(0), input.dim(1)), (Some(2), None, Some(4)));
    assert_eq!(input.dim_symbol(0), "batch");
    assert!(input.set_type(Dtype::Float16, &[None, Some(4)]).is_err());
    assert_eq!(contents.outputs().len(), 1);
    assert!(contents.operators().contains(&("com.microsoft::QuickGelu".to_owned(), 1)), "{:?}", contents.operators());
    for weight in contents.weights() {
        assert_eq!(weight.to_tensor().unwrap().dtype(), weight.dtype());
    }
    let contents = program.contents(&args, &Options::default()).unwrap();
    assert_eq!(contents.inputs()[0].dim(0), Some(2));
    assert_eq!(contents.weights().len(), 2);
    assert!(contents.operators().iter().any(|(name, _)| name.contains("gated_softmax")), "{:?}", contents.operators());
    assert_eq!(program.contents(None, &Options::default()).unwrap_err().status(), Status::Argument);
}

#[test]
fn nodes_of_contents_are_walked() {
    let contents = model().contents().unwrap();
    let graph = contents.graph();
    assert_eq!((graph.owner(), graph.opset()), (None, Options::default_opset()));
    let gelu = graph.nodes().into_iter().find(|node| node.operator().contains("QuickGelu")).unwrap();
    assert_eq!(gelu.parent(), Some(graph));
    assert!(gelu.graphs().is_empty());
    assert_eq!(gelu.attributes()[0].name(), "alpha");
    assert_eq!(gelu.attribute("alpha").unwrap().kind(), Kind::Float);
    assert_eq!(gelu.attribute("beta"), None);
    let result = gelu.output(0).unwrap();
    assert_eq!((result.producer(), result.type_text().as_str()), (Some(gelu), "Tensor"));
    let uses = result.uses();
    assert_eq!(uses.len(), 1);
    assert_eq!(uses[0].node.inputs()[uses[0].index], Some(result));
    assert_eq!(graph.inputs()[0].producer(), None);
    let last = graph.outputs()[0].uses()[0];
    assert_eq!((last.node.operator(), last.node.parent()), ("prim::Return", Some(graph)));
    assert!(graph.op("Relu", &graph.inputs(), None).unwrap_err().to_string().contains("can only be read"));
}

#[test]
fn an_archive_becomes_a_verified_model() {
    let (program, args) = (program(), args());
    let model = program.export(&args, &options(), &registry()).unwrap();
    assert_eq!(model.input_names(), ["x"]);
    assert_eq!(model.output_names().len(), 1);
    assert_eq!(model.opset(), Options::default_opset());
    assert!(model.ir_version() >= 3);
    assert!(model.report().starts_with('{'));
    assert!(model.warnings().is_empty(), "{:?}", model.warnings());
    model.check().unwrap();
    model.verify(&program, &args).unwrap();
    model.verify_with(&program, &args, &VerifyOptions::default().rtol(0.0).atol(1e-4)).unwrap();
}

#[test]
fn a_program_tells_its_methods_and_its_text() {
    let program = program();
    assert_eq!(program.methods(), ["forward"]);
    assert!(program.text(&args(), &Options::default(), Format::Short).unwrap().contains(OPERATOR));
    let from_memory = Program::load_bytes(&std::fs::read(archive()).unwrap()).unwrap();
    let model = from_memory.export(&args(), &options(), &registry()).unwrap();
    assert_eq!(*model.bytes().unwrap(), *self::model().bytes().unwrap());
}

#[test]
fn source_text_becomes_a_program_with_weights() {
    let source = "def double(x): return x * 2\n\
                  def forward(self, x):\n    \
                      while bool(x.sum() < self.limit):\n        \
                          x = double(x) + self.layer.shift\n    \
                      return x\n";
    let shift = Tensor::new(&[2], &[0.5f32, 1.5]).unwrap();
    let attributes = Args::new().unwrap().key("layer.shift").unwrap().tensor(&shift).unwrap();
    let attributes = attributes.key("limit").unwrap().float(50.0).unwrap();
    let program = Program::compile(source, "net.py", &attributes).unwrap();
    drop((attributes, shift));
    assert_eq!(program.methods(), ["forward", "double"]);
    let x = Tensor::new(&[2], &[1.0f32, 2.0]).unwrap();
    let args = Args::new().unwrap().tensor(&x).unwrap();
    let model = program.export(&args, &Options::default(), None).unwrap();
    model.verify(&program, &args).unwrap();
    assert!(model.text(Format::Short).unwrap().contains("onnx::Loop"));
    let error = Program::compile("def f(x):\n    return y\n", "net.py", None).unwrap_err();
    assert_eq!(error.status(), Status::Program);
    assert!(error.to_string().contains("net.py:2:12: undefined value y"), "{error}");
    // SAFETY: a null pointer is refused.
    let error = unsafe { Program::from_module(std::ptr::null(), false) }.unwrap_err();
    assert_eq!(error.status(), Status::Argument);
}

#[test]
fn files_memory_and_writers_get_the_same_bytes() {
    let (model, folder) = (model(), folder("same_bytes"));
    let bytes = model.bytes().unwrap();
    assert!(!bytes.is_empty());
    let mut written = Vec::new();
    model.write_to(&mut written).unwrap();
    assert_eq!(written, *bytes);
    let path = folder.join("saved.onnx");
    model.save(&path).unwrap();
    assert_eq!(std::fs::read(&path).unwrap(), *bytes);
    let mut file = std::fs::File::create(folder.join("fd.onnx")).unwrap();
    file.write_all(b"head").unwrap();
    model.write_to_fd(&file).unwrap();
    file.write_all(b"tail").unwrap();
    let content = std::fs::read(folder.join("fd.onnx")).unwrap();
    assert_eq!(content, [b"head", bytes.as_ref(), b"tail"].concat());
}

#[test]
fn a_models_file_can_be_checked_and_read() {
    let folder = folder("external");
    let path = folder.join("model.onnx");
    model().save_with(&path, &SaveOptions::default().external_data(ExternalData::Yes)).unwrap();
    tonnx::check_file(&path).unwrap();
    assert!(tonnx::file_text(&path, Format::Short).unwrap().contains("QuickGelu"));
    model().save_with(&path, &SaveOptions::default().external_data(ExternalData::No)).unwrap();
    assert!(tonnx::file_text(&path, Format::Full).unwrap().contains("graph"));
}

#[test]
fn a_models_file_runs_and_gets_types() {
    let folder = folder("runs");
    let (path, typed) = (folder.join("model.onnx"), folder.join("typed.onnx"));
    model().save(&path).unwrap();
    tonnx::infer_file(&path, &typed).unwrap();
    let outputs = tonnx::run_file(&typed, &args(), &VerifyOptions::default()).unwrap();
    assert_eq!(outputs.len(), 1);
    assert_eq!(outputs[0].0, model().output_names()[0]);
    assert_eq!(outputs[0].1.dims(), [2, 4]);
    let missing = tonnx::run_file(&typed, &Args::new().unwrap(), &VerifyOptions::default()).unwrap_err();
    assert!(missing.is("ArgumentError") && missing.is("OnnxExporterError") && !missing.is("FileError"));
    assert!(!tonnx::is_exporting());
    let symbolics = registry_with(|graph, node, inputs| match tonnx::is_exporting() {
        true => gated_softmax(graph, node, inputs),
        false => Err("a symbolic is part of an export".into()),
    });
    program().export(&args(), &options(), &symbolics).unwrap();
}

#[test]
fn a_model_for_any_runtime_keeps_its_operators() {
    let program = Program::compile("def f(x):\n    return x.sum()\n", "net.py", None).unwrap();
    let args = Args::new().unwrap().tensor(&Tensor::new(&[2], &[1i64, 2]).unwrap()).unwrap();
    let export = |target| {
        let options = Options::new().unwrap().target(target).unwrap();
        program.export(&args, &options, None).unwrap().text(Format::Short).unwrap()
    };
    assert!(!export(Target::Onnx).contains("onnx::Div"));
    assert!(export(Target::Onnxruntime).contains("onnx::Div"));
}

#[test]
fn a_model_has_two_text_forms() {
    let model = model();
    let short = model.text(Format::Short).unwrap();
    assert!(short.contains("com.microsoft::QuickGelu[alpha=1.5]"), "{short}");
    assert_ne!(model.text(Format::Full).unwrap(), short);
}

#[test]
fn every_option_is_taken_and_wrong_ones_are_refused() {
    let options = options()
        .opset(15)
        .and_then(|it| it.method("forward"))
        .and_then(|it| it.training(Training::Preserve))
        .and_then(|it| it.constant_folding(false))
        .and_then(|it| it.export_params(false))
        .and_then(|it| it.initializers_as_inputs(InitializersAsInputs::Never))
        .and_then(|it| it.check(false))
        .and_then(|it| it.doc_strings(true))
        .and_then(|it| it.output_name("y"))
        .unwrap();
    let model = program().export(&args(), &options, &registry()).unwrap();
    assert_eq!((model.opset(), model.input_names().len()), (15, 3));
    assert_eq!(model.output_names(), ["y"]);
    assert!(Options::opsets().contains(&Options::default_opset()));
    let beyond = Options::new().unwrap().opset(*Options::opsets().end() + 1);
    assert_eq!(beyond.unwrap_err().status(), Status::Argument);
}

#[test]
fn without_a_symbolic_the_error_lists_the_operator() {
    let error = program().export(&args(), &options(), None).unwrap_err();
    assert_eq!(error.status(), Status::Unsupported);
    assert_eq!(error.class(), "UnsupportedOperatorError");
    let reason = &error.reasons()[0];
    assert_eq!((&*reason.operator, &*reason.module, reason.places), (OPERATOR, "head", 1));
    assert!(error.to_string().contains(OPERATOR));
    assert!(error.source().is_none());
    assert!(format!("{error:?}").contains("Unsupported"));
}

#[test]
fn a_model_that_computes_something_else_is_not_verified() {
    let (program, args) = (program(), args());
    let wrong = registry_with(|graph, _, inputs| Ok(graph.op("Neg", &inputs[..1], None)?.into()));
    let model = program.export(&args, &options(), &wrong).unwrap();
    assert_eq!(model.verify(&program, &args).unwrap_err().status(), Status::Verification);
    model.verify_with(&program, &args, &VerifyOptions::default().rtol(1.0).atol(10.0)).unwrap();
    let verify =
        |name| model.verify_with(&program, &args, &VerifyOptions::default().operator_tolerance(name, -1.0, 99.0));
    verify(OPERATOR).unwrap();
    assert_eq!(verify("aten::relu").unwrap_err().status(), Status::Verification);
    assert_eq!(verify("relu").unwrap_err().status(), Status::Argument);
}

#[test]
fn other_sizes_are_verified() {
    let (program, args) = (program(), args());
    let model = model();
    let verify = |options: &VerifyOptions| model.verify_with(&program, &args, options);
    assert!(verify(&VerifyOptions::default().size("batch", 7)).unwrap().is_empty());
    for wrong in [VerifyOptions::default().size("none", 7), VerifyOptions::default().size("batch", -1)] {
        assert_eq!(verify(&wrong).unwrap_err().status(), Status::Argument);
    }
    assert_eq!(verify(&VerifyOptions::default().size("a\0b", 7)).unwrap_err().status(), Status::Argument);

    // Correct for two rows only.
    let baked = registry_with(|graph, node, inputs| {
        let shape = graph.constant(&Tensor::new(&[2], &[2i64, 4])?)?;
        let x = graph.op("Reshape", &[inputs[0], shape], &Attributes::new()?)?;
        x.set_type(Dtype::Float32, &[Some(2), Some(4)])?;
        gated_softmax(graph, node, &[x, inputs[1]])
    });
    let model = program.export(&args, &options(), &baked).unwrap();
    model.verify_with(&program, &args, &VerifyOptions::default().other_sizes(false)).unwrap();
    assert_eq!(model.verify(&program, &args).unwrap_err().status(), Status::Verification);
}

#[test]
fn file_errors_have_their_own_status() {
    let missing = Program::load("no/such.pt").unwrap_err();
    assert_eq!((missing.status(), missing.class()), (Status::File, "FileError"));
    assert_eq!(Program::load_bytes(b"no archive").unwrap_err().status(), Status::File);
    assert_eq!(Args::load("no/such.pt").unwrap_err().status(), Status::File);
    assert_eq!(model().save("no/such/folder/model.onnx").unwrap_err().status(), Status::File);
    assert_eq!(tonnx::check_file("no/such.onnx").unwrap_err().status(), Status::File);
    assert_eq!(tonnx::file_text("no/such.onnx", Format::Short).unwrap_err().status(), Status::File);
    // SAFETY: the folder is missing.
    let missing = unsafe { tonnx::load_libtorch("no/such") }.unwrap_err();
    assert_eq!((missing.status(), missing.class()), (Status::File, "DependencyError"));
    // SAFETY: there is no such library.
    let missing = unsafe { tonnx::load_operators("no/such.so") };
    assert_eq!(missing.unwrap_err().status(), Status::File);
}

#[test]
fn strings_with_a_nul_byte_are_refused() {
    let refused = |error: Error| assert_eq!((error.status(), error.class()), (Status::Argument, "ArgumentError"));
    refused(Program::load("a\0b").unwrap_err());
    refused(Options::new().unwrap().method("a\0b").unwrap_err());
    refused(Registry::new().unwrap().remove("a\0b", 9).unwrap_err());
    refused(tonnx::register_operator("a\0b").unwrap_err());
}

#[test]
fn an_operator_may_be_known_by_its_schema_alone() {
    tonnx::register_operator("rust_tests::twice(Tensor x) -> Tensor").unwrap();
    tonnx::register_operator("rust_tests::twice(Tensor x) -> Tensor").unwrap();
    assert_eq!(tonnx::register_operator("no schema").unwrap_err().status(), Status::Argument);
}

/// Takes some bytes, then fails in its own way.
struct Faulty {
    rest: usize,
    fail: fn() -> io::Error,
}

impl Write for Faulty {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.rest == 0 {
            return Err((self.fail)());
        }
        let taken = data.len().min(self.rest);
        self.rest -= taken;
        Ok(taken)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn the_error_of_a_writer_is_the_source() {
    let full = || io::Error::new(io::ErrorKind::StorageFull, "full");
    for rest in [0, 100] {
        let error = model().write_to(Faulty { rest, fail: full }).unwrap_err();
        assert_eq!(error.status(), Status::Callback);
        let source = error.source().unwrap().downcast_ref::<io::Error>().unwrap();
        assert_eq!(source.kind(), io::ErrorKind::StorageFull);
    }
}

#[test]
fn the_panic_of_a_writer_goes_on() {
    let model = model();
    let writer = Faulty { rest: 100, fail: || panic!("writer") };
    let payload = catch_unwind(AssertUnwindSafe(|| model.write_to(writer))).unwrap_err();
    assert_eq!(*payload.downcast_ref::<&str>().unwrap(), "writer");
    model.check().unwrap();
}

#[test]
fn handles_may_be_dropped_in_any_order() {
    let (program, args, options, registry) = (program(), args(), options(), registry());
    let model = program.export(&args, &options, &registry).unwrap();
    let expected = model.bytes().unwrap().to_vec();
    drop(program);
    drop(registry);
    drop(options);
    drop(args);
    model.check().unwrap();
    let bytes = model.bytes().unwrap();
    drop(model);
    assert_eq!(*bytes, expected);

    let x = Tensor::from_vec(&[2, 4], vec![0.5f32; 8]).unwrap();
    let args = Args::new().unwrap().tensor(&x).unwrap();
    drop(x);
    self::program().export(&args, &self::options(), &self::registry()).unwrap();
}

#[test]
fn handles_and_errors_may_go_to_other_threads() {
    fn check<T: Send + Sync>() {}
    check::<Program>();
    check::<Model>();
    check::<Registry>();
    check::<Options>();
    check::<Args>();
    check::<Tensor>();
    check::<Error>();
}

#[test]
fn the_library_tells_what_it_is() {
    assert_eq!(tonnx::version(), env!("CARGO_PKG_VERSION"));
    let number = tonnx::version_number();
    assert_eq!(tonnx::version(), format!("{}.{}.{}", number >> 16, number >> 8 & 0xFF, number & 0xFF));
    model();
    let version = tonnx::libtorch_version();
    let built = format!("LibTorch {}.{},", version >> 16, version >> 8 & 0xFF);
    assert!(tonnx::build_info().starts_with(&built), "{version:x}");
}

#[test]
fn a_mode_chooses_between_control_flow_and_a_recording() {
    let source = "def forward(x):\n    while bool(x.sum() < 50):\n        x = x * 2\n    return x\n";
    let program = Program::compile(source, "", None).unwrap();
    let args = Args::new().unwrap().tensor(&Tensor::new(&[2], &[1f32, 2.0]).unwrap()).unwrap();
    let export = |mode| program.export(&args, &Options::default().mode(mode).unwrap(), None);
    for mode in [Mode::Auto, Mode::Script] {
        assert!(export(mode).unwrap().text(Format::Short).unwrap().contains("onnx::Loop"));
    }
    assert_eq!(export(Mode::Trace).unwrap_err().status(), Status::Unsupported);
}
