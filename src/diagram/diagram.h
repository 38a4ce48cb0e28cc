#pragma once

#include <map>
#include <string>

#include "ir/graph.h"

namespace tonnx::diagram {

// A graph of either dialect as a picture: operators from top to bottom, in the boxes of their modules, with the types
// of their results and the sizes of their weights. Constants are part of the operators that use them.

// Operators that a picture marks, by the name of their node, and the reason that it shows.
using Marks = std::map<std::string, std::string>;

// An SVG image with all modules open. It needs no font but a monospaced one.
std::string svg(const ir::Graph& graph, const Marks& marks = {});

// An HTML page that needs no other file. The reader opens and closes modules, searches, and sees the attributes of an
// operator. The page lays out and draws only what is visible, so that graphs of 10,000 operators stay usable.
std::string html(const ir::Graph& graph, const Marks& marks = {});

}  // namespace tonnx::diagram
