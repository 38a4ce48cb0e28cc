package tonnx

// #include <stdlib.h>
// #include <tonnx.h>
import "C"

import (
	"fmt"
	"math"
	"strings"
	"unsafe"
)

// texts holds C copies of Go strings for one call.
type texts struct {
	all []*C.char
	err error
}

// add copies a string; a string with a NUL byte, which C would truncate, is an error, stored in err.
func (t *texts) add(what, text string) *C.char {
	if strings.IndexByte(text, 0) >= 0 {
		if t.err == nil {
			t.err = argumentError(fmt.Sprintf("the %s %q contains a NUL byte", what, text))
		}
		return nil
	}
	c := C.CString(text)
	t.all = append(t.all, c)
	return c
}

func (t *texts) free() {
	for _, c := range t.all {
		C.free(unsafe.Pointer(c))
	}
	t.all = nil
}

// plainText converts any message to one that C accepts.
func plainText(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

func toInt32(what string, value int) (C.int32_t, error) {
	if value < math.MinInt32 || value > math.MaxInt32 {
		return 0, argumentError(fmt.Sprintf("%s %d is out of range", what, value))
	}
	return C.int32_t(value), nil
}

func toBool(value bool) C.int32_t {
	if value {
		return 1
	}
	return 0
}

// firstInt returns the address of the first element of a list, nil for an empty list.
func firstInt(values []int64) *C.int64_t {
	if len(values) == 0 {
		return nil
	}
	return (*C.int64_t)(unsafe.Pointer(&values[0]))
}

// takeBuffer copies a buffer's bytes and frees it.
func takeBuffer(buffer *C.tonnx_buffer) []byte {
	defer C.tonnx_buffer_free(buffer)
	size := C.tonnx_buffer_size(buffer)
	return append(make([]byte, 0, size), unsafe.Slice((*byte)(C.tonnx_buffer_data(buffer)), size)...)
}
