#include <array>
#include <cstdio>

#include "diagram/diagram.h"
#include "diagram/tree.h"

namespace tonnx::diagram {
namespace {

// HTML before and after the data.
constexpr const char* kHead =
#include "diagram/page_head.html.inc"
    ;
constexpr const char* kScript =
#include "diagram/page_script.js.inc"
    ;

// A JSON string that may be in a script element.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < ' ' || c == '<') {
      std::array<char, 8> code{};
      std::snprintf(code.data(), code.size(), "\\u%04x", static_cast<unsigned>(c));
      out += code.data();
    } else {
      out += c;
    }
  }
  return out + '"';
}

template <class Items, class Text>
std::string list(const Items& items, const Text& text) {
  std::string out = "[";
  for (const auto& item : items) {
    if (out.size() > 1) out += ',';
    out += text(item);
  }
  return out + ']';
}

std::string number(std::size_t value) { return std::to_string(value); }

std::string json(const Box& box, const Content& content) {
  constexpr std::array<const char*, 5> kKinds{"o", "i", "u", "m", "b"};
  std::string out = std::string("{\"kind\":\"") + kKinds.at(static_cast<std::size_t>(box.kind)) +
                    "\",\"title\":" + quoted(box.title) + ",\"lines\":" + list(box.lines, quoted) +
                    ",\"details\":" + quoted(box.details);
  if (box.marked) out += ",\"marked\":true";
  if (box.parent != kNone) out += ",\"parent\":" + number(box.parent);
  if (!content.rows.empty()) {
    out += ",\"rows\":" + list(content.rows, [](const auto& row) { return list(row, number); });
    out += ",\"links\":" + list(content.links, [](const auto& link) {
             return '[' + number(link.first) + ',' + number(link.second) + ']';
           });
  }
  return out + '}';
}

}  // namespace

std::string html(const ir::Graph& graph, const Marks& marks) {
  const Tree tree = make_tree(graph, marks);
  std::string out = kHead;
  out += "<script>const graph = {\"boxes\":[\n";
  for (std::size_t i = 0; i < tree.boxes.size(); ++i) out += (i ? ",\n" : "") + json(tree.boxes[i], tree.contents[i]);
  out += "],\n\"points\":" + number(tree.points) + ",\"edges\":" + list(tree.edges, [](const Edge& edge) {
           return '[' + number(edge.from) + ',' + number(edge.to) + ',' + list(edge.points, number) + ']';
         });
  return out + "};\n" + kScript + "</script>\n</body>\n</html>\n";
}

}  // namespace tonnx::diagram
