module github.com/tonnx/tonnx/examples/go

go 1.19

require github.com/tonnx/tonnx/bindings/go v0.0.0

replace github.com/tonnx/tonnx/bindings/go => ../../bindings/go
