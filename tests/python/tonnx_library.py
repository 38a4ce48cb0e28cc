"""The part of the C API that the tests need, called in this process."""
import ctypes
import dataclasses

import torch

# Their values in the C API.
DTYPES = {torch.uint8: 0, torch.int8: 1, torch.int16: 2, torch.int32: 3, torch.int64: 4, torch.float16: 5, torch.float32: 6,
          torch.float64: 7, torch.complex64: 9, torch.complex128: 10, torch.bool: 11, torch.bfloat16: 15}
TARGETS = ("onnxruntime", "onnx")


class Refused(Exception):
    """A call that failed: its status, its message and its report (JSON)."""

    def __init__(self, status, message, report=""):
        super().__init__(message)
        self.status = status
        self.report = report


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        self.c.tonnx_error_message.restype = ctypes.c_char_p
        self.c.tonnx_error_report.restype = self.c.tonnx_report_json.restype = ctypes.c_char_p
        for name in ("tonnx_error_message", "tonnx_error_report", "tonnx_report_json", "tonnx_error_free", "tonnx_program_free", "tonnx_args_free", "tonnx_options_free",
                     "tonnx_model_free", "tonnx_tensor_free", "tonnx_args_count", "tonnx_tensor_dtype", "tonnx_tensor_rank",
                     "tonnx_tensor_dims", "tonnx_tensor_data", "tonnx_tensor_size", "tonnx_model_report", "tonnx_report_warning_count"):
            getattr(self.c, name).argtypes = [ctypes.c_void_p]
        self.c.tonnx_model_report.restype = ctypes.c_void_p
        self.c.tonnx_report_warning_count.restype = ctypes.c_size_t
        self.c.tonnx_report_warning.restype = ctypes.c_char_p
        self.c.tonnx_build_info.restype = ctypes.c_char_p
        self.has_libtorch = b"LibTorch none" not in self.c.tonnx_build_info()
        for name in ("tonnx_tensor_data", "tonnx_tensor_dims"):
            getattr(self.c, name).restype = ctypes.c_void_p
        for name in ("tonnx_args_count", "tonnx_tensor_rank", "tonnx_tensor_size"):
            getattr(self.c, name).restype = ctypes.c_size_t

    def call(self, name, *arguments):
        error = ctypes.c_void_p()
        status = getattr(self.c, name)(*arguments, ctypes.byref(error))
        if status:
            message = self.c.tonnx_error_message(error).decode(errors="replace")
            report = (self.c.tonnx_error_report(error) or b"").decode(errors="replace")
            self.c.tonnx_error_free(error)
            raise Refused(status, message, report)

    def new(self, name, *arguments):
        handle = ctypes.c_void_p()
        self.call(name, ctypes.byref(handle), *arguments)
        return handle

    def export(self, archive, args_file, out, opset, dynamic, verify=False, use=None, written=False, sequences=False,
               statistics=False, target=None):
        """Exports `archive` to the file `out`; `dynamic` is a list of (name, axis, symbol). `args_file` may be None.

        `written`: with what it writes to buffers and inputs as outputs. `sequences`: with lists of tensors as sequence inputs.

        `statistics`: with those of passes in the report. `target`: one of TARGETS. With `verify` the library itself compares the model with the program. `use` is called with the model's handle. Returns the
        export's warnings."""
        program = args = options = model = None
        try:
            program = self.new("tonnx_program_load", str(archive).encode())
            args = self.new("tonnx_args_load", str(args_file).encode()) if args_file else self.new("tonnx_args_new")
            options = self.new("tonnx_options_new")
            self.call("tonnx_options_set_opset", options, ctypes.c_int32(opset))
            if written:  # older libraries lack the option
                self.call("tonnx_options_set_written_outputs", options, ctypes.c_int32(written))
            if sequences:
                self.call("tonnx_options_set_sequence_inputs", options, ctypes.c_int32(sequences))
            if target is not None:
                self.call("tonnx_options_set_target", options, ctypes.c_int32(TARGETS.index(target)))
            if statistics:
                self.call("tonnx_options_set_pass_statistics", options, ctypes.c_int32(statistics))
            for name, axis, symbol in dynamic:
                self.call("tonnx_options_add_dynamic_axis", options, name.encode(), ctypes.c_int64(axis), symbol.encode())
            model = self.new("tonnx_program_export", program, args, options, None)
            self.call("tonnx_model_save", model, str(out).encode(), None)
            if verify:
                self.call("tonnx_model_verify", None, model, program, args, None)
            if use:
                use(model)
            report = self.c.tonnx_model_report(model)
            return [self.c.tonnx_report_warning(ctypes.c_void_p(report), ctypes.c_size_t(i)).decode()
                    for i in range(self.c.tonnx_report_warning_count(report))]
        finally:
            for name, handle in (("model", model), ("options", options), ("args", args), ("program", program)):
                if handle:
                    getattr(self.c, f"tonnx_{name}_free")(handle)

    def flat(self, what, model, args, kwargs):
        """The arrays that tonnx_model_flat_inputs or tonnx_model_flat_outputs makes of a tree."""
        given, flat = self.new("tonnx_args_new"), None
        try:
            for value in args:
                self.add(given, value)
            for name, value in kwargs.items():
                self.call("tonnx_args_key", given, name.encode())
                self.add(given, value)
            flat = self.new(f"tonnx_model_flat_{what}", model, given)
            return [self.array(flat, i) for i in range(self.c.tonnx_args_count(flat))]
        finally:
            for handle in filter(None, (given, flat)):
                self.c.tonnx_args_free(handle)

    def add(self, args, value):
        """A tensor, number, string, None, or a tree of these; an object becomes the tuple of its fields."""
        if isinstance(value, torch.Tensor):
            value = value.detach().contiguous().resolve_conj().resolve_neg()
            dims = (ctypes.c_int64 * value.dim())(*value.shape)
            size = ctypes.c_size_t(value.numel() * value.element_size())
            tensor = self.new("tonnx_tensor_new", ctypes.c_int32(DTYPES[value.dtype]), dims, ctypes.c_size_t(value.dim()),
                              ctypes.c_void_p(value.data_ptr()), size)
            self.call("tonnx_args_add_tensor", args, tensor)
            self.c.tonnx_tensor_free(tensor)
        elif value is None:
            self.call("tonnx_args_add_none", args)
        elif isinstance(value, (bool, int, float, str)):
            name, made = {bool: ("bool", ctypes.c_int32), int: ("int", ctypes.c_int64), float: ("float", ctypes.c_double),
                          str: ("string", str.encode)}[type(value)]
            self.call(f"tonnx_args_add_{name}", args, made(value))
        elif isinstance(value, dict):
            self.call("tonnx_args_begin_dict", args)
            for key, item in value.items():
                self.call("tonnx_args_key", args, str(key).encode())
                self.add(args, item)
            self.call("tonnx_args_end", args)
        else:
            items = [getattr(value, f.name) for f in dataclasses.fields(value)] if dataclasses.is_dataclass(value) else value
            self.call("tonnx_args_begin_list" if isinstance(value, list) else "tonnx_args_begin_tuple", args)
            for item in items:
                self.add(args, item)
            self.call("tonnx_args_end", args)

    def array(self, args, index):
        tensor = self.new("tonnx_args_tensor", args, ctypes.c_size_t(index))
        try:
            rank = self.c.tonnx_tensor_rank(tensor)
            dims = (ctypes.c_int64 * rank).from_address(self.c.tonnx_tensor_dims(tensor)) if rank else ()
            size = self.c.tonnx_tensor_size(tensor)
            raw = bytearray(ctypes.string_at(self.c.tonnx_tensor_data(tensor), size)) if size else bytearray()
            dtype = next(d for d, code in DTYPES.items() if code == self.c.tonnx_tensor_dtype(tensor))
            made = torch.frombuffer(raw, dtype=dtype) if size else torch.empty(0, dtype=dtype)
            return made.reshape(list(dims))
        finally:
            self.c.tonnx_tensor_free(tensor)
