"""More features of docs/features.md, on source text alone: call_features_test.py TONNX SAMPLES"""

import feature
import tool


class CallFeatures(feature.FeatureTest):
    def test_F24_F25_F46_the_opset_decides_the_ir_version(self):
        for opset, ir in ((None, 8), (7, 3), (9, 4), (11, 6), (14, 7), (20, 9)):
            self.call(0, "x=float32[2,3]", "return torch.relu(x)", *(("--opset", opset) if opset else ()))
            model = self.model()
            self.assertEqual((model["ir"], model["opset"]), (ir, {"": opset or 17}))
            self.assertEqual((model["producer"], model["graph"]), ("tonnx", "main_graph"))

    def test_F47_opsets_outside_the_range_are_refused(self):
        for opset in ("6", "99", "0"):
            self.assertIn(f"unsupported ONNX opset version: {opset} (", self.call(2, "x=float32[2,3]", "return torch.relu(x)", "--opset", opset))

    def test_F29_doc_strings_are_written_if_asked_for(self):
        self.call(0, "x=float32[2,3]", "return torch.relu(x)")
        self.assertEqual(self.model()["docs"], [""])
        self.call(0, "x=float32[2,3]", "return torch.relu(x)", "--doc-strings")
        self.assertIn("net.py", self.model()["docs"][0])

    def test_F48_F70_F71_refusals_name_every_operator_and_the_opset_that_helps(self):
        err = self.call(1, "x=float32[3,3]", "return torch.linalg.ldl_factor(x)[0] + torch.linalg.ldl_factor_ex(x)[0]")
        self.assertIn("aten::linalg_ldl_factor", err)
        self.assertIn("aten::linalg_ldl_factor_ex", err)
        err = self.call(1, "x=float32[3,3]", "return torch.det(x)", "--opset", "7")
        self.assertIn("support for it was added in opset 11", err)

    def test_F58_F59_unused_custom_opsets_are_a_warning(self):
        err = self.call(0, "x=float32[2]", "return x + x", "--custom-opsets", "mine=2")
        self.assertIn("custom opset domain 'mine' is not used", err)
        self.assertEqual(self.model()["opset"], {"": 17})
        self.assertIn("version 0", self.call(2, "x=float32[2]", "return x + x", "--custom-opsets", "mine=0"))

    def test_F77_F83_numbers_are_inputs(self):
        self.call(0, "x=float32[2,3] n=3", "return x * n", "--verify")
        self.assertEqual(self.model()["inputs"], {"x": [2, 3], "n": []})

    def test_F90_F97_inputs_stay_and_outputs_may_be_alike(self):
        self.call(0, "x=float32[2] y=float32[3]", "z = x + 1\nreturn x, z, z, torch.ones(2)", "--verify")
        model = self.model()
        self.assertEqual(list(model["inputs"]), ["x", "y"])
        self.assertEqual(len(model["outputs"]), 4)

    def test_F93_F95_nested_outputs_and_dicts(self):
        self.call(0, "x=float32[2]", "return x, (x + 1, {'foo': x * 2, 'bar': x * 3})", "--verify")
        self.assertEqual(list(self.model()["outputs"])[2:], ["foo", "bar"])

    def test_F96_a_string_output_is_left_out_with_a_warning(self):
        self.assertIn("an output that is a string is left out", self.call(0, "x=float32[2]", "return x + 1, 'text'"))
        self.assertEqual(len(self.model()["outputs"]), 1)

    def test_F106_F107_branches_and_loops_stay(self):
        self.call(0, "x=float32[2,3] n=3", "for i in range(n):\n    if bool(x.sum() > 4):\n        break\n    x = x + i\nreturn x", "--verify")
        self.assertIn("Loop", self.model()["kinds"])
        self.call(0, "x=float32[2,3]", "if bool(x.sum() > 0):\n    return x + 1\nreturn x - 1", "--verify")
        self.assertIn("If", self.model()["kinds"])

    def test_F108_F143_lists_that_loops_extend_are_sequences(self):
        body = "items = [x]\nfor i in range(n):\n    items.append(x * i)\nreturn items"
        err = self.call(1, "x=float32[2] n=3", body, "--opset", "10")
        self.assertIn("needs opset 11 or newer; the target is 10", err)
        self.call(0, "x=float32[2] n=3", body, "--verify")
        self.assertEqual(len(self.model()["outputs"]), 1)

    def test_F119_F120_types_are_promoted_as_in_LibTorch(self):
        self.call(0, "x=float32[2] k=int64[2]", "y = x + 2\nreturn y + 3, k + 1, k + 1.5, k / 2, k // 2", "--verify")

    def test_F149_F150_F152_F153_dynamic_axes(self):
        self.call(0, "x=float32[2,3] y=float32[2,4]", "return x.sum(1), y")
        self.assertEqual(self.model()["inputs"], {"x": [2, 3], "y": [2, 4]})
        self.call(0, "x=float32[2,3] y=float32[2,4]", "return x.sum(1), y * 2", "--dynamic-axes", "x:0=n,y:1,x:-1", "--verify")
        self.assertEqual(self.model()["inputs"], {"x": ["n", "x_dynamic_axes_2"], "y": [2, "y_dynamic_axes_1"]})

    def test_F151_F158_wrong_axes_are_diagnosed(self):
        self.assertIn("no input or output of that name", self.call(2, "x=float32[2,3]", "return x + 1", "--dynamic-axes", "z:0=n"))
        for axis in ("2", "-3"):
            self.assertIn("out of range", self.call(2, "x=float32[2,3]", "return x + 1", "--dynamic-axes", f"x:{axis}=n"))

    def test_F157_no_constant_of_the_example_remains(self):
        body = "n, m = x.size(0), x.size(1)\nreturn x.reshape(m, n) * n, x.view(-1)[n:], torch.zeros(n, 2) + m, x.mean(0)"
        self.call(0, "x=float32[2,3]", body, "--dynamic-axes", "x:0=n,x:1=m", "--verify", "--verify-sizes", "n=5,m=7")

    def test_F160_F162_F163_names(self):
        self.call(0, "x=float32[2] y=float32[2]", "return x + y, x", "--input-names", "first", "--output-names", "a,b")
        model = self.model()
        self.assertEqual((list(model["inputs"]), list(model["outputs"])), (["first", "y"], ["a", "b"]))
        self.assertIn("3 output names for 2 outputs", self.call(2, "x=float32[2]", "return x + 1, x", "--output-names", "a,b,c"))
        self.assertIn("used twice", self.call(2, "x=float32[2]", "return x + 1, x", "--output-names", "a,a"))

    def test_F169_F170_the_model_as_text(self):
        self.call(0, "x=float32[2]", "return torch.relu(x)")
        self.assertIn("onnx::Relu(%x)", self.run_tonnx(0, "print", self.out)[0])
        self.assertIn('op_type: "Relu"', self.run_tonnx(0, "print", self.out, "--format", "full")[0])

    def test_F228_functions_need_opset_15(self):
        self.assertIn("opset 15", self.call(2, "x=float32[2]", "return torch.relu(x)", "--opset", "14", "--module-functions", "*"))

    def test_F298_arguments_known_only_at_run_time(self):
        self.call(0, "x=float32[4,3] n=2", "return x[:n], x.narrow(0, 1, n), torch.arange(n), x.sum(0) * n", "--verify")

    def test_F303_arithmetic_of_numbers(self):
        self.call(0, "x=float32[4,3] n=-2", "return x * abs(n), x * max(n, 1), x[:, 0] * (n // 2) + n % 3, x + sum([n, 1])", "--verify")


if __name__ == "__main__":
    tool.main()
