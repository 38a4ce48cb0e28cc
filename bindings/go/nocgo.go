//go:build !cgo

package tonnx

// The name is the error message of a build without cgo.
var _ = tonnx_needs_cgo_so_install_a_C_compiler_and_set_CGO_ENABLED_to_1
