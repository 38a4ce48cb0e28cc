"""The little of the C API that the tests need, called in this process."""
import ctypes


class Refused(Exception):
    """A call that failed: its status and its message."""

    def __init__(self, status, message):
        super().__init__(message)
        self.status = status


class Library:
    def __init__(self, path):
        self.c = ctypes.CDLL(str(path))
        self.c.tonnx_error_message.restype = ctypes.c_char_p
        for name in ("tonnx_error_message", "tonnx_error_free", "tonnx_program_free", "tonnx_args_free", "tonnx_options_free",
                     "tonnx_model_free"):
            getattr(self.c, name).argtypes = [ctypes.c_void_p]

    def call(self, name, *arguments):
        error = ctypes.c_void_p()
        status = getattr(self.c, name)(*arguments, ctypes.byref(error))
        if status:
            message = self.c.tonnx_error_message(error).decode(errors="replace")
            self.c.tonnx_error_free(error)
            raise Refused(status, message)

    def new(self, name, *arguments):
        handle = ctypes.c_void_p()
        self.call(name, ctypes.byref(handle), *arguments)
        return handle

    def export(self, archive, args_file, out, opset, dynamic, verify=False):
        """Exports `archive` to the file `out`; `dynamic` is a list of (name, axis, symbol). `args_file` may be None.

        With `verify` the library itself compares the model with the program."""
        program = args = options = model = None
        try:
            program = self.new("tonnx_program_load", str(archive).encode())
            args = self.new("tonnx_args_load", str(args_file).encode()) if args_file else self.new("tonnx_args_new")
            options = self.new("tonnx_options_new")
            self.call("tonnx_options_set_opset", options, ctypes.c_int32(opset))
            for name, axis, symbol in dynamic:
                self.call("tonnx_options_add_dynamic_axis", options, name.encode(), ctypes.c_int64(axis), symbol.encode())
            model = self.new("tonnx_export", program, args, options, None)
            self.call("tonnx_model_save", model, str(out).encode(), ctypes.c_int32(0))
            if verify:
                self.call("tonnx_model_verify", model, program, args, ctypes.c_double(-1), ctypes.c_double(-1))
        finally:
            for name, handle in (("model", model), ("options", options), ("args", args), ("program", program)):
                if handle:
                    getattr(self.c, f"tonnx_{name}_free")(handle)
