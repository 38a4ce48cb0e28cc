"""Pictures of models and programs: tonnx print --format svg and html. The page is tried in Chromium if there is one."""

import html
import json
import re
import shutil
import subprocess
import time
import unittest
import xml.etree.ElementTree

import tool

SVG = "{http://www.w3.org/2000/svg}"
# layers of two blocks with a residual, and an If.
MODEL = """
import sys, onnx
from onnx import helper, TensorProto
layers, operators, path = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
nodes, weights, last = [], [], "x"
value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [4])
for layer in range(layers):
    first = last
    weights.append(helper.make_tensor(f"layer{layer}.block.bias", TensorProto.FLOAT, [4], [1.0] * 4))
    for i in range(operators):
        inputs = [last, f"layer{layer}.block.bias"] if i == 0 else [last]
        nodes.append(helper.make_node("Add" if i == 0 else "Relu", inputs, [last := f"v{layer}_{i}"],
                                      f"/layer{layer}/block/{'<&>' if i == 0 else 'Relu'}"))
    nodes.append(helper.make_node("Add", [first, last], [last := f"s{layer}"], f"/layer{layer}/Add"))
branches = [helper.make_graph([helper.make_node(op, [last], [op])], op, [], [value(op)]) for op in ("Neg", "Abs")]
nodes.append(helper.make_node("If", ["c"], ["y"], "/If", then_branch=branches[0], else_branch=branches[1]))
graph = helper.make_graph(nodes, "a graph", [value("x"), helper.make_tensor_value_info("c", TensorProto.BOOL, [])],
                          [value("y")], weights)
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), path)
"""
# A chain of Relu. In a name, * is replaced by 100,000 slashes.
NAMED = """
import json, sys, onnx
from onnx import helper, TensorProto
graph, names = json.loads(sys.argv[2])
value = lambda name: helper.make_tensor_value_info(name, TensorProto.FLOAT, [4])
nodes = [helper.make_node("Relu", [f"v{i}"], [f"v{i + 1}"], name.replace("*", "/a" * 100000)) for i, name in enumerate(names)]
graph = helper.make_graph(nodes, graph, [value("v0")], [value(f"v{len(nodes)}")])
onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)]), sys.argv[1])
"""
# Runs in the page after its own script; the result is the content of an element.
CHECK = """
const result = {};
const count = () => document.querySelectorAll('g[data-box]').length;
const press = id => document.getElementById(id).click();
const named = text => [...document.querySelectorAll('g[data-box]')].find(
    group => group.querySelector('.title').textContent.endsWith(text));
try {
  result.first = count();
  press('close');
  result.closed = count();
  named('layer0').dispatchEvent(new MouseEvent('click', {bubbles: true}));
  result.opened = count();
  result.details = document.getElementById('details').textContent;
  named('layer0').dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
  result.again = count();
  const begin = performance.now();
  press('open');
  result.openSeconds = (performance.now() - begin) / 1000;
  result.open = count();
  result.placed = placed.length;
  result.edges = drawn.length;
  // No two boxes of one container overlap.
  result.overlaps = 0;
  for (const box of boxes.filter(box => box.rows)) {
    for (const row of box.rows) {
      const items = row.map(at).sort((a, b) => a.x - b.x);
      for (let i = 1; i < items.length; ++i)
        if (items[i].x - items[i].width / 2 < items[i - 1].x + items[i - 1].width / 2) ++result.overlaps;
    }
  }
  const field = document.getElementById('search');
  field.value = 'neg';
  field.dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter', bubbles: true}));
  result.found = document.getElementById('found').textContent;
  result.selected = document.querySelector('.selected .title').textContent;
} catch (error) {
  result.error = String(error);
}
document.body.textContent = JSON.stringify(result);
"""

# The same: which boxes are marked, and whether the page shows the first one.
MARKED = """
const marked = [...document.querySelectorAll('g.marked')];
document.body.textContent = JSON.stringify({
  marked: marked.map(group => group.querySelector('.title').textContent.replace(/^[^a-zA-Z]/, '')),
  details: document.getElementById('details').textContent.includes('differs: aten::sigmoid')});
"""


class PictureTest(tool.ToolTest):
    def make_model(self, layers, operators):
        path = self.folder / "big.onnx"
        self.python(MODEL, layers, operators, path)
        return path

    def print(self, path, form, *more):
        return self.run_tonnx(0, "print", path, "--format", form, *more)[0]

    def test_an_image_has_modules_types_and_weights(self):
        root = xml.etree.ElementTree.fromstring(self.print(self.make_model(2, 2), "svg"))
        texts = [text.text for text in root.iter(f"{SVG}text")]
        for text in ("a graph", "layer0", "block", "bias Float(4) 16 B", "then", "else", "→ Float(4)"):
            self.assertIn(text, texts)
        self.assertIn("9 operators, 32 B", texts)
        titles = " ".join(title.text for title in root.iter(f"{SVG}title"))
        self.assertIn("name: /layer0/block/<&>", titles)
        self.assertIn("in: x: Float(4)", titles)
        # Each operator, the inputs and outputs, two modules of each layer, If with two branches, and the graph.
        self.assertEqual(len(list(root.iter(f"{SVG}rect"))), 6 + 2 + 2 + 1 + 2 + 4 + 3 + 1)
        self.assertEqual(len(list(root.iter(f"{SVG}path"))), 2 * 4 + 6)

    def test_a_program_is_drawn_by_module(self):
        drawn = self.print(self.archive, "svg", "--args", self.args)
        self.assertIn(">relu<", drawn)
        self.assertIn("const graph", self.print(self.archive, "html", "--args", self.args))
        self.assertIn("text format", self.run_tonnx(2, "print", self.archive, "--args", self.args, "--format", "full")[1])

    def make_named(self, graph, *nodes):
        """A model whose operators are a chain of Relu with these names."""
        path = self.folder / "named.onnx"
        self.python(NAMED, path, json.dumps([graph, nodes]))
        return path

    def test_levels_of_modules_are_limited(self):
        # The rest of the name is one level. The outer modules and the two operators of the last one remain.
        path = self.make_named("deep", *[f"/a*/{i}" for i in range(2)])
        root = xml.etree.ElementTree.fromstring(self.print(path, "svg"))
        self.assertEqual(len(list(root.iter(f"{SVG}rect"))), 1 + 2 + 64 + 2)
        self.assertIn("const graph", self.print(path, "html"))

    def test_nested_modules_of_one_operator_are_part_of_its_box(self):
        root = xml.etree.ElementTree.fromstring(self.print(self.make_named("g", "/outer/inner/Relu"), "svg"))
        self.assertEqual(len(list(root.iter(f"{SVG}rect"))), 1 + 2 + 1)
        texts = [text.text for text in root.iter(f"{SVG}text")]
        self.assertIn("outer", texts)
        self.assertIn("inner", texts)

    def test_names_cannot_end_the_script_or_the_image(self):
        name = "</script><img onerror=x>"
        page = self.print(self.make_named(name, name), "html")
        self.assertEqual(page.count("</script>"), 1)
        self.assertNotIn("<img", page)
        root = xml.etree.ElementTree.fromstring(self.print(self.make_named("\ufffe\uffff\u00e9", name), "svg"))
        # XML lacks these two characters; each of their bytes is replaced.
        self.assertIn("\ufffd" * 6 + "\u00e9", [text.text for text in root.iter(f"{SVG}text")])

    def browse(self, page, check=CHECK):
        browser = shutil.which("chromium")
        if not browser:
            self.skipTest("Chromium is not installed; `scripts/deps browser` installs it")
        file = self.folder / "page.html"
        file.write_text(page.replace("</body>", f"<script>{check}</script></body>"), encoding="utf-8")
        done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={self.folder}/profile",
                               "--window-size=1200,900", "--dump-dom", file.as_uri()], capture_output=True, text=True, timeout=120)
        body = re.search(r"<body>(.*)</body>", done.stdout, re.DOTALL)
        self.assertTrue(body, done.stdout[-500:] + done.stderr[-500:])
        return json.loads(html.unescape(body[1]))

    def test_a_page_opens_and_closes_modules(self):
        seen = self.browse(self.print(self.make_model(3, 4), "html"))
        self.assertNotIn("error", seen)
        self.assertEqual((seen["closed"], seen["again"]), (8, 8))  # the graph, x, c, three layers, If, y
        self.assertEqual(seen["opened"], 10)  # and its block and sum
        self.assertIn("layer0", seen["details"])
        self.assertEqual(seen["placed"], 32)
        self.assertEqual((seen["overlaps"], seen["found"], seen["selected"]), (0, "1 of 1", "Neg"))

    def test_operators_that_differ_are_marked(self):
        net, function, found, model = (self.folder / name for name in ("net.py", "wrong.txt", "found", "net.onnx"))
        net.write_text("def forward(x):\n    y = torch.exp(x)\n    z = torch.sigmoid(y)\n    return z * 2\n")
        function.write_text('<domain: "my", opset_import: ["" : 17]>\nWrong (X) => (Y) { Y = Neg (X) }\n')
        export = ("export", net, "-o", model, "--input", "x=float32[2,3]", "--verify", "--repro", found, "--function", f"{function}:aten::sigmoid")
        self.run_tonnx(3, *export)
        page = self.print(model, "html", "--mismatch", found / "mismatch.json")
        self.assertEqual(page.count('"marked":true'), 2)  # the operator and the graph
        root = xml.etree.ElementTree.fromstring(self.print(model, "svg", "--mismatch", found / "mismatch.json"))
        marked = [group for group in root.iter(f"{SVG}g") if " x" in group.find(f"{SVG}rect").get("class")]
        self.assertEqual(len(marked), 2)
        texts = " ".join(text.text for group in marked for text in group.iter(f"{SVG}text"))
        self.assertIn("Wrong", texts)
        self.assertIn("1 differs", texts)
        self.assertIn("differs: aten::sigmoid: the model disagrees with LibTorch", " ".join(title.text for title in root.iter(f"{SVG}title")))
        self.assertIn("add --format", self.run_tonnx(2, "print", model, "--mismatch", found / "mismatch.json")[1])
        self.assertIn("exported with --module-functions", self.run_tonnx(2, "print", self.make_model(1, 1), "--format", "svg", "--mismatch", found / "mismatch.json")[1])
        self.assertIn("not the result of a search", self.run_tonnx(2, "print", model, "--format", "svg", "--mismatch", net)[1])
        self.run_tonnx(4, "print", model, "--format", "svg", "--mismatch", self.folder / "missing.json")
        self.assertNotIn('"marked"', self.print(model, "html").split("const points")[0])
        seen = self.browse(page, MARKED)
        self.assertEqual((seen["marked"], seen["details"]), (["main_graph", "my::Wrong"], True))

    def test_operators_of_the_same_line_that_agree_are_not_marked(self):
        net, function, found, model = (self.folder / name for name in ("net.py", "wrong.txt", "found", "net.onnx"))
        net.write_text("def forward(x):\n    return torch.sigmoid(torch.exp(x)).cos().sin() * torch.sigmoid(x)\n")
        function.write_text('<domain: "my", opset_import: ["" : 17]>\nWrong (X) => (Y) { Y = Neg (X) }\n')
        self.run_tonnx(3, "export", net, "-o", model, "--input", "x=float32[2,3]", "--verify", "--repro", found, "--function", f"{function}:aten::cos")
        self.assertEqual(self.print(model, "html", "--mismatch", found / "mismatch.json").count('"marked":true'), 2)  # the operator and the graph
        # The operators of the same kind on a line are distinct, too.
        net.write_text("def forward(x):\n    return torch.relu(torch.relu(x.neg()).add(1)).mul(torch.exp(x))\n")
        function.write_text('<domain: "my", opset_import: ["" : 17]>\nWrong (X) => (Y) { Y = Abs (X) }\n')
        self.run_tonnx(3, "export", net, "-o", model, "--input", "x=float32[2,3]", "--verify", "--repro", found, "--function", f"{function}:aten::relu")
        self.assertEqual(self.print(model, "html", "--mismatch", found / "mismatch.json").count('"marked":true'), 2)

    def test_a_page_of_ten_thousand_operators_stays_usable(self):
        page = self.print(self.make_model(100, 99), "html")
        self.assertLess(len(page), 10e6)
        begin = time.monotonic()
        seen = self.browse(page)
        print(f"10,000 operators: {len(page) / 1e6:.1f} MB, opened in {seen['openSeconds']:.2f} s, "
              f"browser {time.monotonic() - begin:.1f} s")
        self.assertGreater(seen["placed"], 10000)
        self.assertLess(seen["openSeconds"], 10)
        self.assertLess(seen["open"], 500)  # only what is visible is drawn
        self.assertEqual((seen["overlaps"], seen["selected"]), (0, "Neg"))


if __name__ == "__main__":
    tool.main()
