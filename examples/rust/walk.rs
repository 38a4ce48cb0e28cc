//! Walks a program with branches and a loop, and the model that it becomes: prints graphs, nodes and values.
use std::collections::HashMap;
use std::error::Error;

use tonnx::{Args, Graph, Kind, Node, Options, Program, Tensor, Value};

const SOURCE: &str = "\
def forward(x, steps: int):
    y = x * 0.5
    if bool(y.sum() > 0.25):
        y = torch.relu(y)
    for i in range(steps):
        y = torch.softmax(y + x, 1)
    return y
";

/// Values are numbered in the order in which they are printed.
#[derive(Default)]
struct Printer<'a> {
    numbers: HashMap<Value<'a>, usize>,
}

impl<'a> Printer<'a> {
    fn graph(&mut self, graph: Graph<'a>, indent: &str) -> tonnx::Result<()> {
        let name = graph.owner().map_or("graph", |_| graph.name());
        println!("{indent}{name}({})", self.typed_list(&graph.inputs())?);
        for node in graph.nodes() {
            self.node(node, &format!("{indent}  "))?;
        }
        let returned: String = graph
            .outputs()
            .into_iter()
            .map(|value| format!(" {}", self.name(value)))
            .collect();
        println!("{indent}  return{returned}");
        Ok(())
    }

    fn node(&mut self, node: Node<'a>, indent: &str) -> tonnx::Result<()> {
        print!(
            "{indent}{} = {}",
            self.typed_list(&node.outputs())?,
            node.operator()
        );
        if !node.overload().is_empty() {
            print!(".{}", node.overload());
        }
        for attribute in node.attributes() {
            print!(" {}={}", attribute.name(), content(attribute)?);
        }
        let inputs = node.inputs().into_iter();
        let inputs: Vec<_> = inputs
            .map(|input| input.map_or("none".into(), |value| self.name(value)))
            .collect();
        print!("({})", inputs.join(", "));
        if !node.source().is_empty() {
            print!(" at {}", node.source());
        }
        println!();
        for block in node.graphs() {
            self.graph(block, &format!("{indent}  "))?;
        }
        Ok(())
    }

    fn name(&mut self, value: Value<'a>) -> String {
        let next = self.numbers.len();
        format!("%{}", self.numbers.entry(value).or_insert(next))
    }

    fn typed_list(&mut self, values: &[Value<'a>]) -> tonnx::Result<String> {
        let texts: Vec<_> = values
            .iter()
            .map(|value| self.typed(*value))
            .collect::<tonnx::Result<_>>()?;
        Ok(texts.join(", "))
    }

    fn typed(&mut self, value: Value<'a>) -> tonnx::Result<String> {
        let mut text = format!("{}: {}", self.name(value), value.type_text());
        if let (Kind::Tensor, Some(rank)) = (value.kind(), value.rank()) {
            let size = |axis| {
                value
                    .dim(axis)
                    .map_or_else(|| value.dim_symbol(axis), |size| size.to_string())
            };
            let sizes: Vec<_> = (0..rank).map(size).collect();
            text += &format!(" {}[{}]", value.dtype().name(), sizes.join(" "));
        } else if value.is_constant() && !value.is_none() {
            text += &format!(" {}", content(value)?);
        }
        Ok(format!("{text} (used {})", value.uses().len()))
    }
}

/// The content of an attribute or of a constant.
fn content(value: Value<'_>) -> tonnx::Result<String> {
    Ok(match value.kind() {
        Kind::Int => value.to_int()?.to_string(),
        Kind::Float => value.to_float()?.to_string(),
        Kind::Bool => value.to_bool()?.to_string(),
        Kind::String => format!("'{}'", value.to_str()?),
        Kind::List => value
            .to_ints()?
            .iter()
            .map(i64::to_string)
            .collect::<Vec<_>>()
            .join(" "),
        _ => value.type_text(),
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    let program = Program::compile(SOURCE, "net.py", None)?;
    let x = Tensor::new(&[2, 3], &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    let args = Args::new()?.tensor(&x)?.int(2)?;
    let options = Options::new()?.dynamic_axis("x", 0, "batch")?;
    let of_program = program.contents(&args, &options)?;
    let of_model = program.export(&args, &options, None)?.contents()?;
    Printer::default().graph(of_program.graph(), "")?;
    Printer::default().graph(of_model.graph(), "")?;
    Ok(())
}
