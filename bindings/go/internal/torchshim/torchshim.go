// Package torchshim is a LibTorch client of the tests that holds tensors as at::Tensor*, as a package over cgo does. The
// environment variable TONNX_TORCH_SHIM names its library.
package torchshim

// #include <dlfcn.h>
// #include <stdint.h>
// #include <stdlib.h>
//
// static void *library;
//
// static const char *shim_open(const char *path) {
//   library = dlopen(path, RTLD_NOW);
//   return library ? NULL : dlerror();
// }
//
// static int32_t shim_run(const char *name, void *const *tensors, size_t tensor_count, const int64_t *numbers,
//                         size_t number_count, void **out) {
//   int32_t (*run)(const char *, void *const *, size_t, const int64_t *, size_t, void **) =
//       (int32_t (*)(const char *, void *const *, size_t, const int64_t *, size_t, void **))dlsym(library, "torch_shim_run");
//   return run(name, tensors, tensor_count, numbers, number_count, out);
// }
//
// static const char *shim_error(void) { return ((const char *(*)(void))dlsym(library, "torch_shim_error"))(); }
//
// static int64_t shim_size(const void *tensor, int64_t dim) {
//   return ((int64_t(*)(const void *, int64_t))dlsym(library, "torch_shim_size"))(tensor, dim);
// }
//
// static void shim_delete(void *tensor) { ((void (*)(void *))dlsym(library, "torch_shim_delete"))(tensor); }
import "C"

import (
	"errors"
	"os"
	"sync"
	"unsafe"
)

const mostResults = 4

var (
	once   sync.Once
	failed error
)

func open() error {
	once.Do(func() {
		path := C.CString(os.Getenv("TONNX_TORCH_SHIM"))
		defer C.free(unsafe.Pointer(path))
		if failure := C.shim_open(path); failure != nil {
			failed = errors.New(C.GoString(failure))
		}
	})
	return failed
}

// A Client owns the tensors that its calls made.
type Client struct{ made []unsafe.Pointer }

// Run runs an operator of tests/bindings/torch_shim.
func (c *Client) Run(name string, tensors []unsafe.Pointer, numbers ...int64) ([]unsafe.Pointer, error) {
	if err := open(); err != nil {
		return nil, err
	}
	text := C.CString(name)
	defer C.free(unsafe.Pointer(text))
	given := append([]unsafe.Pointer{}, tensors...)
	given = append(given, nil)
	counts := append(append([]int64{}, numbers...), 0)
	var out [mostResults]unsafe.Pointer
	count := C.shim_run(text, &given[0], C.size_t(len(tensors)), (*C.int64_t)(&counts[0]), C.size_t(len(numbers)), &out[0])
	if count < 0 {
		return nil, errors.New(C.GoString(C.shim_error()))
	}
	c.made = append(c.made, out[:count]...)
	return out[:count], nil
}

// Size is a size of a tensor.
func Size(tensor unsafe.Pointer, dim int64) int64 { return int64(C.shim_size(tensor, C.int64_t(dim))) }

// Close deletes the client's tensors.
func (c *Client) Close() {
	for _, tensor := range c.made {
		C.shim_delete(tensor)
	}
	c.made = nil
}
