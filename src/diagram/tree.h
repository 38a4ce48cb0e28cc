#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "diagram/diagram.h"
#include "ir/graph.h"

// The content of a picture, without coordinates.
namespace tonnx::diagram {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

// An operator, an input, an output, or a container: a module, a block of an If or Loop, or the whole graph (the first
// box).
struct Box {
  enum class Kind { Operator, Input, Output, Module, Block };

  Kind kind = Kind::Operator;
  std::string title;                  // "Conv", "features: Sequential"
  std::vector<std::string> lines;     // shown below the title
  std::string details;                // shown on request, one attribute a line
  std::size_t parent = kNone;         // none for the whole graph
  std::vector<std::size_t> children;  // in the order of the graph; an edge leads from an earlier to a later one
  std::size_t operators = 0;          // in a container
  std::size_t marked = 0;             // operators that are marked: itself and those in it
  std::vector<const ir::Value*> weights;

  bool is_container() const { return kind == Kind::Module || kind == Kind::Block; }
};

// An element of a row of a container: twice the index of a child, or twice the index of a point plus one. Edges pass
// the row through a point.
using Place = std::size_t;

constexpr Place place_of_box(std::size_t box) { return box * 2; }
constexpr Place place_of_point(std::size_t point) { return point * 2 + 1; }
constexpr bool is_point(Place place) { return place % 2 == 1; }

// Leads from the bottom of one box to the top of another one, through points. A point is in a container between the
// two, and is not visible while that container is closed.
struct Edge {
  std::size_t from, to;
  std::vector<std::size_t> points;
};

// What a container shows when it is open.
struct Content {
  std::vector<std::vector<Place>> rows;        // from top to bottom
  std::vector<std::pair<Place, Place>> links;  // places of consecutive rows that an edge connects
};

struct Tree {
  std::vector<Box> boxes;
  std::vector<Content> contents;  // of each box; empty if it is not a container
  std::vector<Edge> edges;
  std::size_t points = 0;
};

// Nodes are grouped by module, in the order of the graph: a module whose operators are not consecutive has several
// boxes, so that no two boxes depend on each other. A module of one operator is part of the operator's box. An edge
// that would pass many rows is not drawn; its target names the source instead.
Tree make_tree(const ir::Graph& graph, const Marks& marks);

// The number with this many digits after the point, in any locale.
std::string fixed(double value, int digits);

// "1.5 MiB"
std::string bytes_text(std::size_t bytes);

}  // namespace tonnx::diagram
