#!/usr/bin/env python
"""Compares the table of missing ONNX Runtime kernels with ONNX Runtime itself: kernel_gaps.py SOURCE [--rows]

SOURCE is src/ir/runtime_gaps.cpp. Each operator of the default ONNX domain, in each of its versions from opset 7 on, is loaded as a
model of one node, with each dtype of each type variable. A dtype without a kernel must be in the newest row that is not newer than
the version. A dtype of a row must lack a kernel, except for operators that ONNX Runtime replaces by a function of others; a row may
omit those. --rows prints the rows that ONNX Runtime needs.
"""
import argparse
import pathlib
import re
import sys

import onnx
import onnxruntime
from onnx import TensorProto, defs, helper
from onnxruntime.capi.onnxruntime_pybind11_state import NotImplemented as MissingKernel

OLDEST, NEWEST = 7, 26
LETTERS = {"bool": "?", "uint8": "B", "int8": "b", "uint16": "H", "int16": "h", "uint32": "I", "int32": "i", "uint64": "Q", "int64": "q",
           "float16": "e", "bfloat16": "g", "float": "f", "double": "d",
           **dict.fromkeys(("float8e4m3fn", "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz"), "8")}
ORDER = "".join(dict.fromkeys(LETTERS.values()))
DTYPES = {f"tensor({name})": getattr(TensorProto, name.upper()) for name in LETTERS}
LETTER_OF = {DTYPES[f"tensor({name})"]: letter for name, letter in LETTERS.items()}
PREFERRED = [TensorProto.FLOAT, TensorProto.INT64, TensorProto.INT32, TensorProto.BOOL, TensorProto.UINT8, TensorProto.INT8]
ATTRIBUTES = {"Einsum": {"equation": "i->i"}, "Cast": {"to": TensorProto.FLOAT}, "BitShift": {"direction": "LEFT"}}
BY_TYPE = {"INT": 1, "FLOAT": 1.0, "STRING": "", "INTS": [1, 1], "FLOATS": [1.0]}
DTYPE_ATTRIBUTES = ("dtype", "output_dtype", "output_datatype")
UNWRITTEN = {"GRU": "d", "LSTM": "d"}  # dtypes whose kernel loads, but only says that it is not implemented when it runs
OPTIONAL = defs.OpSchema.FormalParameterOption.Optional
ROW = re.compile(r'\{"(\w+)", (\d+), "(\w+)", "(.*?)"\}')


def is_tried(schema):
    """True if a model of one node can be built: no blocks, and only numeric tensors."""
    return not any(a.type.name == "GRAPH" for a in schema.attributes.values())


def one_node(schema, opset, variable, dtypes):
    """A model of the operator, with the optional inputs that have the variable's dtype. None if an input is not a tensor."""
    attributes = {name: BY_TYPE.get(a.type.name) for name, a in schema.attributes.items() if a.required}
    attributes |= ATTRIBUTES.get(schema.name, {})
    for name in DTYPE_ATTRIBUTES:
        if name in schema.attributes and schema.outputs:
            attributes[name] = dtypes.get(schema.outputs[0].type_str, TensorProto.FLOAT)
    inputs = []
    for formal in schema.inputs:
        if formal.option == OPTIONAL and formal.type_str != variable:
            break
        dtype = dtypes.get(formal.type_str, DTYPES.get(formal.type_str))
        if dtype is None:
            return None
        inputs.append(helper.make_tensor_value_info(formal.name, dtype, None))
    outputs = []
    for place, formal in enumerate(schema.outputs):
        if place and formal.option == OPTIONAL:
            break
        outputs.append(onnx.ValueInfoProto(name="out_" + formal.name))
    node = helper.make_node(schema.name, [i.name for i in inputs], [o.name for o in outputs], **attributes)
    model = helper.make_model(helper.make_graph([node], "one_node", inputs, outputs), opset_imports=[helper.make_opsetid("", opset)])
    model.ir_version = 10
    return model


def lacks_kernel(model, settings):
    try:
        onnxruntime.InferenceSession(model.SerializeToString(), settings, providers=["CPUExecutionProvider"])
    except MissingKernel:
        return True
    except Exception:
        pass
    return False


def choices(variables, variable, dtype):
    """The dtypes of all variables if one has this dtype: kernels are registered for combinations."""
    seen = []
    for other in [None, dtype, *PREFERRED]:
        chosen = {}
        for name, allowed in variables.items():
            chosen[name] = other if other in allowed else next((p for p in PREFERRED if p in allowed), allowed[0])
        chosen[variable] = dtype
        if chosen not in seen:
            seen.append(chosen)
            yield chosen


def measure(names=None):
    """{(operator, version, variable): (letters without a kernel, letters allowed, whether it is a function of others)}"""
    settings = onnxruntime.SessionOptions()
    settings.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    settings.intra_op_num_threads = 1
    found = {}
    for name in sorted(names or {s.name for s in defs.get_all_schemas() if s.domain == ""}):
        for opset in range(OLDEST, NEWEST + 1):
            if not defs.has(name, opset, ""):
                continue
            schema = defs.get_schema(name, opset, "")
            version = max(schema.since_version, OLDEST)
            if schema.deprecated or version != opset or not is_tried(schema):
                continue
            variables = {c.type_param_str: [DTYPES[t] for t in c.allowed_type_strs if t in DTYPES] for c in schema.type_constraints}
            variables = {variable: allowed for variable, allowed in variables.items() if allowed}
            for variable, allowed in variables.items():
                lacking = ""
                for dtype in allowed:
                    models = [one_node(schema, opset, variable, chosen) for chosen in choices(variables, variable, dtype)]
                    if LETTER_OF[dtype] in UNWRITTEN.get(name, ""):
                        lacking += LETTER_OF[dtype]
                    elif None not in models and all(lacks_kernel(model, settings) for model in models):
                        lacking += LETTER_OF[dtype]
                is_function = schema.has_function or schema.has_context_dependent_function
                found[name, version, variable] = sorted_letters(lacking), sorted_letters(LETTER_OF[d] for d in allowed), is_function
    return found


def sorted_letters(letters):
    return "".join(sorted(set(letters), key=ORDER.index))


def rows_of(text):
    """{(operator, variable): [(version, letters)]}, in order of version"""
    rows = {}
    for name, version, variable, letters in ROW.findall(text):
        rows.setdefault((name, variable), []).append((int(version), letters))
    return {key: sorted(found) for key, found in rows.items()}


def differences(rows, found):
    """Yields missing and needless entries of the table."""
    for (name, version, variable), (lacking, allowed, is_function) in found.items():
        letters = next((letters for since, letters in reversed(rows.get((name, variable), [])) if since <= version), "")
        missing = set(lacking) - set(letters)
        if missing:
            yield f"{name} of opset {version}: no kernel where {variable} is one of '{sorted_letters(missing)}', and no row says so"
        stale = (set(letters) & set(allowed)) - set(lacking)
        if stale and not is_function:
            yield f"{name} of opset {version}: there is a kernel where {variable} is one of '{sorted_letters(stale)}', and a row denies it"


def asked_rows(rows, found):
    """The rows that ONNX Runtime needs, as few as possible; so a row may contain dtypes that its first version does not
    accept. Dtypes that a row omits for a function stay omitted."""
    made = {}
    for (name, version, variable), (lacking, allowed, is_function) in sorted(found.items()):
        known = next((letters for since, letters in reversed(rows.get((name, variable), [])) if since <= version), "")
        letters = set(lacking) | ({letter for letter in known if letter in allowed} if is_function else set())
        of_variable = made.setdefault((name, variable), [])
        _, last, taken = of_variable[-1] if of_variable else (OLDEST, set(), set())
        if of_variable and all((letter in last) == (letter in letters) for letter in taken & set(allowed)):
            last |= letters
            taken |= set(allowed)
        else:
            of_variable.append((version, letters, set(allowed)))
    for (name, variable), of_variable in sorted(made.items()):
        for place, (version, letters, _) in enumerate(of_variable):
            if letters or place:
                yield f'    {{"{name}", {version}, "{variable}", "{sorted_letters(letters)}"}},'


def check_itself():
    found = measure({"RoiAlign", "Softplus"})
    assert found["RoiAlign", 22, "T1"][0] == "egfd" and found["RoiAlign", 16, "T1"][0] == "", found
    assert found["Softplus", 7, "T"][0] == "d", found
    assert list(differences({}, found)) and not list(differences(rows_of("\n".join(asked_rows({}, found))), found))
    assert list(differences({("RoiAlign", "T1"): [(10, "f")]}, found))[0].startswith("RoiAlign of opset 10: there is a kernel")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("--rows", action="store_true")
    options = parser.parse_args()
    onnxruntime.set_default_logger_severity(4)
    check_itself()
    rows, found = rows_of(options.source.read_text(encoding="utf-8")), measure()
    assert len(rows) > 100 and len(found) > 500, (len(rows), len(found))
    if options.rows:
        print("\n".join(asked_rows(rows, found)))
        return 0
    wrong = list(differences(rows, found))
    print("\n".join(wrong))
    print(f"{len(found)} type variables of operators, {len(wrong)} differences; --rows prints the rows that ONNX Runtime {onnxruntime.__version__} asks for")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
