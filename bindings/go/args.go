package tonnx

// #include <tonnx.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// Args are the example inputs of a program: positional arguments, then keyword arguments. A value is a *Tensor, an
// int, int32 or int64, a float32 or float64, a bool, a string, nil for None, or a List, Tuple or Dict of values.
// Tensors are shared, not copied, and may be closed after they were added.
type Args struct{ *handle }

type (
	// A List is a list argument.
	List []any
	// A Tuple is a tuple argument.
	Tuple []any
	// A Dict is a dict argument, in the order of its items.
	Dict []Item
	// An Item is a key of a Dict and its value.
	Item struct {
		Key   string
		Value any
	}
)

func (a *Args) core() *handle {
	if a == nil {
		return nil
	}
	return a.handle
}

func wrapArgs(object *C.tonnx_args) *Args {
	return &Args{newHandle(unsafe.Pointer(object), func(object unsafe.Pointer) {
		C.tonnx_args_free((*C.tonnx_args)(object))
	})}
}

// NewArgs creates positional arguments.
func NewArgs(values ...any) (*Args, error) {
	var made *C.tonnx_args
	err := try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_args_new(&made, failure) })
	if err != nil {
		return nil, err
	}
	args := wrapArgs(made)
	if err := args.Add(values...); err != nil {
		args.Close()
		return nil, err
	}
	return args, nil
}

// LoadArgs loads a file written by torch.save: a tensor, or a tuple of arguments whose last item may be a dict of
// keyword arguments.
func LoadArgs(path string) (*Args, error) {
	var c texts
	defer c.free()
	name := c.add("path", path)
	if c.err != nil {
		return nil, c.err
	}
	var made *C.tonnx_args
	err := try(func(failure **C.tonnx_error) C.tonnx_status { return C.tonnx_args_load(&made, name, failure) })
	if err != nil {
		return nil, err
	}
	return wrapArgs(made), nil
}

// Add adds positional arguments: all of them, or none if one is not a valid argument.
func (a *Args) Add(values ...any) error {
	var p argsPlan
	defer p.free()
	for _, value := range values {
		p.value(value)
	}
	return p.run(a)
}

// AddKeyword adds a keyword argument.
func (a *Args) AddKeyword(name string, value any) error {
	var p argsPlan
	defer p.free()
	p.key(name)
	p.value(value)
	return p.run(a)
}

// Count returns the number of positional and keyword arguments.
func (a *Args) Count() int {
	count := 0
	a.core().read(func(object unsafe.Pointer) { count = int(C.tonnx_args_count((*C.tonnx_args)(object))) })
	return count
}

// Tensor returns the positional argument at an index. It shares its elements; a number becomes a tensor of rank 0.
func (a *Args) Tensor(index int) (*Tensor, error) {
	var made *C.tonnx_tensor
	err := a.core().ask("argument list", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_args_tensor(&made, (*C.tonnx_args)(object), C.size_t(index), failure)
	})
	if err != nil {
		return nil, err
	}
	return wrapTensor(made), nil
}

// Close frees the arguments. It always returns nil, and a second call does nothing.
func (a *Args) Close() error {
	a.core().close()
	return nil
}

type argsStep func(args *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status

// An argsPlan holds the steps that add values, so that an invalid value leaves the Args unchanged.
type argsPlan struct {
	texts
	steps   []argsStep
	tensors []*handle
}

func (p *argsPlan) run(a *Args) error {
	if p.err != nil {
		return p.err
	}
	return a.core().change("argument list", func(object unsafe.Pointer, failure **C.tonnx_error) C.tonnx_status {
		for _, step := range p.steps {
			if status := step((*C.tonnx_args)(object), failure); status != C.TONNX_STATUS_OK {
				return status
			}
		}
		return C.TONNX_STATUS_OK
	})
}

func (p *argsPlan) free() {
	p.texts.free()
	for _, tensor := range p.tensors {
		tensor.done()
	}
}

func (p *argsPlan) step(step argsStep) { p.steps = append(p.steps, step) }

func (p *argsPlan) key(name string) {
	text := p.add("key", name)
	p.step(func(args *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_args_key(args, text, failure)
	})
}

func (p *argsPlan) value(value any) {
	switch v := value.(type) {
	case nil:
		p.step(func(args *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_args_add_none(args, failure)
		})
	case *Tensor:
		p.tensor(v)
	case int:
		p.int(int64(v))
	case int32:
		p.int(int64(v))
	case int64:
		p.int(v)
	case float32:
		p.float(float64(v))
	case float64:
		p.float(v)
	case bool:
		p.step(func(args *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_args_add_bool(args, toBool(v), failure)
		})
	case string:
		text := p.add("string", v)
		p.step(func(args *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_args_add_string(args, text, failure)
		})
	case List:
		p.step(func(args *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_args_begin_list(args, failure)
		})
		p.items(v)
	case Tuple:
		p.step(func(args *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_args_begin_tuple(args, failure)
		})
		p.items(v)
	case Dict:
		p.step(func(args *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
			return C.tonnx_args_begin_dict(args, failure)
		})
		for _, item := range v {
			p.key(item.Key)
			p.value(item.Value)
		}
		p.end()
	default:
		if p.err == nil {
			p.err = argumentError(fmt.Sprintf("a value of type %T cannot be an argument of a program", value))
		}
	}
}

func (p *argsPlan) items(values []any) {
	for _, value := range values {
		p.value(value)
	}
	p.end()
}

func (p *argsPlan) end() {
	p.step(func(args *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_args_end(args, failure)
	})
}

func (p *argsPlan) int(value int64) {
	p.step(func(args *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_args_add_int(args, C.int64_t(value), failure)
	})
}

func (p *argsPlan) float(value float64) {
	p.step(func(args *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_args_add_float(args, C.double(value), failure)
	})
}

func (p *argsPlan) tensor(tensor *Tensor) {
	object, err := tensor.core().share("tensor")
	if err != nil {
		if p.err == nil {
			p.err = err
		}
		return
	}
	p.tensors = append(p.tensors, tensor.handle)
	p.step(func(args *C.tonnx_args, failure **C.tonnx_error) C.tonnx_status {
		return C.tonnx_args_add_tensor(args, (*C.tonnx_tensor)(object), failure)
	})
}
