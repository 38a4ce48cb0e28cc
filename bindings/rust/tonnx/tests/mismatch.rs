//! Which operators differ.
mod common;

use common::folder;
use tonnx::{Args, Attributes, Options, Program, Registry, Status, Tensor, VerifyOptions};

#[test]
fn a_wrong_symbolic_is_found() {
    let program = Program::compile("def f(x):\n    return torch.relu(torch.sin(x) * 2)\n", "net.py", None).unwrap();
    let args = Args::new().unwrap().tensor(&Tensor::new(&[2], &[1f32, 2.0]).unwrap()).unwrap();
    let options = Options::new().unwrap();
    let mut registry = Registry::new().unwrap();
    registry
        .add("aten::sin", 9, |graph, _, inputs| Ok(graph.op("Neg", &inputs[..1], &Attributes::new()?)?.into()))
        .unwrap();
    let found = program.find_mismatch(&args, &options, &registry, &VerifyOptions::default()).unwrap();
    drop(registry);
    assert!(found.found());
    assert_eq!(found.leaves(), ["0"]);
    assert!(found.text().contains("by kind: aten::sin 1"), "{}", found.text());
    assert!(found.json().contains(r#""differs": true"#));
    let folder = folder("mismatch");
    found.save_part("0", &folder).unwrap();
    assert!(folder.join("test_data_set_0/output_0.pb").exists());
    assert_eq!(found.save_part("01", &folder).unwrap_err().status(), Status::Argument);
    assert_eq!(found.program_contents("0").unwrap().operators(), [("aten::sin".to_owned(), 1)]);
    assert_eq!(found.model_contents("0").unwrap().operators(), [("Neg".to_owned(), 1)]);
    assert_eq!(found.model_contents("01").unwrap_err().status(), Status::Argument);

    let every = VerifyOptions::default().every_operator(true);
    let none = program.find_mismatch(&args, &options, None, &every).unwrap();
    assert!(!none.found() && none.leaves().is_empty());
}

#[test]
fn exports_that_depend_on_the_inputs_differ() {
    let text = "def f(x):\n    if x.size(0) > 2:\n        x = torch.sin(x)\n    return x * 2\n";
    let program = Program::compile(text, "net.py", None).unwrap();
    let rows =
        |values: &[f32]| Args::new().unwrap().tensor(&Tensor::new(&[values.len() as i64], values).unwrap()).unwrap();
    let (one, two, three) = (rows(&[1.0]), rows(&[1.0, 2.0]), rows(&[1.0, 2.0, 3.0]));
    let options = Options::new().unwrap();
    assert_eq!(program.export_difference(&[&two, &one], &options, None).unwrap(), "");
    let difference = program.export_difference(&[&two, &one, &three], &options, None).unwrap();
    for part in ["group 3", "node 1 of", "onnx::Sin", "net.py:3"] {
        assert!(difference.contains(part), "{difference}");
    }
    assert_eq!(program.export_difference(&[&two], &options, None).unwrap_err().status(), Status::Argument);
    let failure = program.export(&Args::new().unwrap(), &options, None).unwrap_err();
    let report = folder("diagnostics").join("report.sarif");
    tonnx::save_report(&report, failure.report()).unwrap();
    assert!(std::fs::read_to_string(&report).unwrap().contains("2.1.0"));
    assert_eq!(tonnx::save_report("report.json", failure.report()).unwrap_err().status(), Status::Argument);
    let models = [&two, &three].map(|args| program.export(args, &options, None).unwrap());
    assert_eq!(models[0].difference(&models[0]).unwrap(), "");
    assert!(models[0].difference(&models[1]).unwrap().contains("different operators"));
}
