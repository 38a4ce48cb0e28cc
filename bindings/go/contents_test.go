package tonnx_test

import (
	"reflect"
	"testing"

	tonnx "github.com/tonnx/tonnx/bindings/go"
)

func TestContentsOfAModelAndItsProgram(t *testing.T) {
	p, args, model := geluModel(t)
	ofModel, err := model.Contents()
	if err != nil {
		t.Fatal(err)
	}
	model.Close() // the contents keep what they need
	x := ofModel.Inputs()[0]
	if rank, known := x.Rank(); x.Name() != "x" || x.Kind() != tonnx.KindTensor || x.DType() != tonnx.Float32 || rank != 1 || !known {
		t.Error(x.Name(), x.Kind(), x.DType(), rank, known)
	}
	if len(ofModel.Outputs()) != 1 || len(ofModel.Weights()) != 0 {
		t.Error(ofModel.Outputs(), ofModel.Weights())
	}
	uses := map[string]int{}
	for _, operator := range ofModel.Operators() {
		uses[operator.Name] = operator.Uses
	}
	if uses["Erf"] != 1 {
		t.Error(uses)
	}

	ofProgram, err := p.Contents(args, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ofProgram.Close()
	if !reflect.DeepEqual(ofProgram.Operators(), []tonnx.OperatorUse{{"aten::add.Tensor", 1}, {"aten::gelu", 1}}) {
		t.Error(ofProgram.Operators())
	}
	_, err = p.Contents(nil, nil)
	wantError(t, err, tonnx.StatusArgument, "")

	ofModel.Close()
	if x.Name() != "" || x.Kind() != tonnx.KindNone || ofModel.Inputs() != nil {
		t.Error("a value can be read after its contents were closed")
	}
	_, err = x.Tensor()
	wantError(t, err, tonnx.StatusArgument, "after its contents were closed")
}

func TestContentsHaveTheWeights(t *testing.T) {
	p, err := tonnx.Load(environment(t, "TONNX_EXPORTED"))
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	contents, err := p.Contents(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	weights := contents.Weights()
	contents = nil // its values keep it
	if len(weights) == 0 {
		t.Fatal("no weights")
	}
	for _, weight := range weights {
		tensor, err := weight.Tensor()
		if err != nil {
			t.Fatal(err)
		}
		if tensor.DType() != weight.DType() || weight.Name() == "" {
			t.Error(weight.Name(), tensor.DType(), weight.DType())
		}
		tensor.Close()
	}
}

func TestNodesOfContents(t *testing.T) {
	p, args, model := geluModel(t)
	contents, err := model.Contents()
	if err != nil {
		t.Fatal(err)
	}
	graph := contents.Graph()
	if graph != contents.Graph() || graph.Owner() != nil || graph.Opset() != model.Opset() {
		t.Error(graph.Owner(), graph.Opset())
	}
	found := 0
	for _, node := range graph.Nodes() {
		if node.Parent() != graph || len(node.Graphs()) != 0 || node.Name() == "" {
			t.Error(node.Operator(), node.Name(), node.Graphs())
		}
		for index, input := range node.Inputs() {
			used := false
			for _, use := range input.Uses() {
				used = used || use == tonnx.Use{Node: node, Index: index}
			}
			if !used {
				t.Error(node.Operator(), index, "is not among the uses of its input")
			}
		}
		for _, output := range node.Outputs() {
			if output.Producer() != node || output.DType() != tonnx.Float32 || output.Type() != "Tensor" {
				t.Error(node.Operator(), output.DType(), output.Type())
			}
		}
		if node.Operator() == "Erf" {
			found++
		}
	}
	if found != 1 || graph.Inputs()[0].Producer() != nil {
		t.Error(found, graph.Inputs()[0].Producer())
	}
	last := graph.Outputs()[0].Uses()[0]
	if last.Node.Operator() != "prim::Return" || last.Node.Parent() != graph {
		t.Error(last.Node.Operator())
	}
	_, err = graph.Op("Relu", graph.Inputs(), nil)
	wantError(t, err, tonnx.StatusArgument, "can only be read")

	ofProgram, err := p.Contents(args, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer ofProgram.Close()
	nodes := ofProgram.Graph().Nodes()
	gelu := nodes[len(nodes)-1]
	for _, node := range nodes {
		if node.Operator() == "aten::gelu" {
			gelu = node
		}
	}
	if text, err := gelu.Inputs()[gelu.ArgumentIndex("approximate")].Text(); text != "none" || err != nil {
		t.Error(text, err)
	}
	contents.Close()
	if graph.Nodes() != nil || graph.Name() != "" || last.Node.Operator() != "" {
		t.Error("a node can be read after its contents were closed")
	}
}
