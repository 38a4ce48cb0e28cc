module github.com/tonnx/tonnx/bindings/go

go 1.19
