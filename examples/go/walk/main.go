// Walks a program with branches and a loop, and the model that it becomes: prints graphs, nodes and values.
package main

import (
	"fmt"
	"os"
	"strings"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

const source = `def forward(x, steps: int):
    y = x * 0.5
    if bool(y.sum() > 0.25):
        y = torch.relu(y)
    for i in range(steps):
        y = torch.softmax(y + x, 1)
    return y
`

// A printer numbers values in the order in which they are printed.
type printer map[tonnx.Value]int

func (p printer) graph(graph *tonnx.Graph, indent string) {
	name := "graph"
	if graph.Owner() != nil {
		name = graph.Name()
	}
	fmt.Printf("%s%s(%s)\n", indent, name, join(graph.Inputs(), ", ", p.typed))
	for _, node := range graph.Nodes() {
		p.node(node, indent+"  ")
	}
	returned := join(graph.Outputs(), "", func(value tonnx.Value) string { return " " + p.name(value) })
	fmt.Printf("%s  return%s\n", indent, returned)
}

func (p printer) node(node *tonnx.Node, indent string) {
	fmt.Print(indent, join(node.Outputs(), ", ", p.typed), " = ", node.Operator())
	if overload := node.Overload(); overload != "" {
		fmt.Print(".", overload)
	}
	for _, attribute := range node.Attributes() {
		fmt.Print(" ", attribute.Name(), "=", content(attribute))
	}
	fmt.Print("(", join(node.Inputs(), ", ", p.name), ")")
	if source := node.Source(); source != "" {
		fmt.Print(" at ", source)
	}
	fmt.Println()
	for _, block := range node.Graphs() {
		p.graph(block, indent+"  ")
	}
}

func (p printer) name(value tonnx.Value) string {
	if value == (tonnx.Value{}) {
		return "none"
	}
	if _, known := p[value]; !known {
		p[value] = len(p)
	}
	return fmt.Sprintf("%%%d", p[value])
}

func (p printer) typed(value tonnx.Value) string {
	text := p.name(value) + ": " + value.Type()
	if rank, known := value.Rank(); known && value.Kind() == tonnx.KindTensor {
		sizes := make([]string, rank)
		for axis := range sizes {
			sizes[axis] = value.DimSymbol(axis)
			if size := value.Dim(axis); size >= 0 {
				sizes[axis] = fmt.Sprint(size)
			}
		}
		text += fmt.Sprintf(" %s[%s]", value.DType(), strings.Join(sizes, " "))
	} else if value.IsConstant() && !value.IsNone() {
		text += " " + content(value)
	}
	return fmt.Sprintf("%s (used %d)", text, len(value.Uses()))
}

// content returns the content of an attribute or of a constant.
func content(value tonnx.Value) string {
	var content any = value.Type()
	switch value.Kind() {
	case tonnx.KindInt:
		content, _ = value.Int()
	case tonnx.KindFloat:
		content, _ = value.Float()
	case tonnx.KindBool:
		content, _ = value.Bool()
	case tonnx.KindString:
		text, _ := value.Text()
		content = "'" + text + "'"
	case tonnx.KindList:
		numbers, _ := value.Ints()
		content = strings.Trim(fmt.Sprint(numbers), "[]")
	}
	return fmt.Sprint(content)
}

func join(values []tonnx.Value, separator string, text func(tonnx.Value) string) string {
	texts := make([]string, 0, len(values))
	for _, value := range values {
		texts = append(texts, text(value))
	}
	return strings.Join(texts, separator)
}

func run() error {
	program, err := tonnx.Compile(source, "net.py", nil)
	if err != nil {
		return err
	}
	defer program.Close()
	x, err := tonnx.NewTensor([]int64{2, 3}, []float32{1, 2, 3, 4, 5, 6})
	if err != nil {
		return err
	}
	defer x.Close()
	args, err := tonnx.NewArgs(x, 2)
	if err != nil {
		return err
	}
	defer args.Close()
	options := &tonnx.Options{DynamicAxes: []tonnx.DynamicAxis{{Name: "x", Axis: 0, Symbol: "batch"}}}
	ofProgram, err := program.Contents(args, options)
	if err != nil {
		return err
	}
	defer ofProgram.Close()
	model, err := tonnx.Export(program, args, options, nil)
	if err != nil {
		return err
	}
	defer model.Close()
	ofModel, err := model.Contents()
	if err != nil {
		return err
	}
	defer ofModel.Close()
	printer{}.graph(ofProgram.Graph(), "")
	printer{}.graph(ofModel.Graph(), "")
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "walk:", err)
		os.Exit(1)
	}
}
