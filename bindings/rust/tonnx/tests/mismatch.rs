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

    let every = VerifyOptions::default().every_operator(true);
    let none = program.find_mismatch(&args, &options, None, &every).unwrap();
    assert!(!none.found() && none.leaves().is_empty());
}
