#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <string_view>

#include "diagram/diagram.h"
#include "diagram/tree.h"

namespace tonnx::diagram {
namespace {

// The page (page_script.js) has the same sizes and the same layout.
constexpr double kCharacter = 7.25, kLine = 16;  // of a monospaced font of 12 pixels
constexpr double kPadding = 8, kBorder = 14;     // of an operator, of a container
constexpr double kColumnGap = 18, kRowGap = 26;
constexpr std::size_t kLongest = 46;  // characters of a line
constexpr int kPasses = 3;

const char* const kStyle =
    "<style>text{font:12px monospace;fill:#1a1a1a}.t{font-weight:bold}rect{stroke:#667;rx:5px}.o{fill:#dfe9fb}"
    ".i,.u{fill:#e2f2df}.m{fill:#8090b0;fill-opacity:.08}.b{fill:#f0a030;fill-opacity:.1}path{fill:none;stroke:#778}"
    ".x{stroke:#b00020;stroke-width:3px}</style>\n";

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::size_t length(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

std::string shortened(const std::string& text) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (starts_character(text[i]) && ++count == kLongest && length(text) > kLongest)
      return text.substr(0, i) + "\u2026";
  return text;
}

// The number of bytes of the character that the text starts with; 0 if they are not UTF-8, or if XML does not have the
// character.
std::size_t character_size(std::string_view text) {
  const auto byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  if (lead < 0xC2 || lead > 0xF4) return 0;
  const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  if (text.size() < size) return 0;
  std::uint32_t code = lead & (0x7Fu >> size);
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3Fu);
  }
  const bool is_short = code < (size == 2 ? 0x80u : size == 3 ? 0x800u : 0x10000u);
  const bool is_surrogate = code >= 0xD800 && code <= 0xDFFF;
  return is_short || is_surrogate || code > 0x10FFFF || code == 0xFFFE || code == 0xFFFF ? 0 : size;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0, size = 0; i < text.size(); i += std::max<std::size_t>(size, 1)) {
    const char c = text[i];
    size = character_size(text.substr(i));
    if (size == 0)
      out += "\uFFFD";
    else if (size > 1)
      out += text.substr(i, size);
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (static_cast<unsigned char>(c) < ' ' && c != '\n')
      out += ' ';  // XML has no other control characters
    else
      out += c;
  }
  return out;
}

std::string coordinate(double value) { return fixed(value, 1); }

std::string point_text(double x, double y) { return coordinate(x) + ' ' + coordinate(y); }

struct Spot {
  double x = 0, y = 0, width = 0, height = 0;  // x of the centre, y of the top
  double bottom() const { return y + height; }
};

class Svg {
 public:
  explicit Svg(const Tree& tree) : tree_(tree), boxes_(tree.boxes.size()), points_(tree.points) {}

  std::string draw() {
    measure(0);
    move(0, boxes_[0].width / 2 + kBorder, kBorder);
    const double width = boxes_[0].width + 2 * kBorder, height = boxes_[0].height + 2 * kBorder;
    const std::string wide = fixed(width, 0), high = fixed(height, 0);
    out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + wide + "\" height=\"" + high + "\" viewBox=\"0 0 " +
           wide + ' ' + high + "\">\n" + kStyle;
    draw(0, true);
    for (const Edge& edge : tree_.edges) draw(edge);
    draw(0, false);
    return out_ + "</svg>\n";
  }

 private:
  Spot& spot(Place place) { return is_point(place) ? points_[place / 2] : boxes_[place / 2]; }

  // Sets the size of a box, and the places of its content relative to its centre and top.
  void measure(std::size_t index) {
    const Box& box = tree_.boxes[index];
    std::size_t longest = length(shortened(box.title));
    for (const std::string& line : box.lines) longest = std::max(longest, length(shortened(line)));
    Spot& own = boxes_[index];
    own.width = static_cast<double>(longest) * kCharacter + 2 * kPadding;
    own.height = static_cast<double>(box.lines.size() + 1) * kLine + 2 * kPadding;
    const Content& content = tree_.contents[index];
    if (content.rows.empty()) return;
    for (const std::size_t child : box.children) measure(child);
    set_columns(content);
    double left = 0, right = 0, y = own.height;
    for (const std::vector<Place>& row : content.rows) {
      double height = 0;
      for (const Place place : row) height = std::max(height, spot(place).height);
      for (const Place place : row) {
        Spot& item = spot(place);
        left = std::min(left, item.x - item.width / 2);
        right = std::max(right, item.x + item.width / 2);
        if (is_point(place)) item.height = height;
        item.y = y + (height - item.height) / 2;
      }
      y += height + kRowGap;
    }
    for (const std::vector<Place>& row : content.rows)
      for (const Place place : row) spot(place).x -= (left + right) / 2;
    own.width = std::max(own.width, right - left + 2 * kBorder);
    own.height = y - kRowGap + kBorder;
  }

  // Moves each place as near to the places that it is linked to as its neighbours allow.
  void set_columns(const Content& content) {
    std::map<Place, std::vector<Place>> above, below;
    for (const auto& [from, to] : content.links) {
      above[to].push_back(from);
      below[from].push_back(to);
    }
    const std::map<Place, std::vector<Place>> none;
    for (const std::vector<Place>& row : content.rows) set_row(row, none);
    for (int pass = 0; pass < kPasses; ++pass) {
      for (const std::vector<Place>& row : content.rows) set_row(row, above);
      if (pass + 1 == kPasses) break;
      for (auto row = content.rows.rbegin(); row != content.rows.rend(); ++row) set_row(*row, below);
    }
  }

  void set_row(const std::vector<Place>& row, const std::map<Place, std::vector<Place>>& linked) {
    const std::size_t count = row.size();
    std::vector<double> wanted(count), low(count), high(count);
    const auto apart = [&](std::size_t i) { return (spot(row[i]).width + spot(row[i + 1]).width) / 2 + kColumnGap; };
    for (std::size_t i = 0; i < count; ++i) {
      wanted[i] = spot(row[i]).x;
      const auto found = linked.find(row[i]);
      if (found == linked.end()) continue;
      wanted[i] = 0;
      for (const Place other : found->second) wanted[i] += spot(other).x / static_cast<double>(found->second.size());
    }
    // The nearest places to the right that do not overlap, and those to the left; their means do not overlap either.
    for (std::size_t i = 0; i < count; ++i) low[i] = i ? std::max(wanted[i], low[i - 1] + apart(i - 1)) : wanted[i];
    for (std::size_t i = count; i-- > 0;)
      high[i] = i + 1 < count ? std::min(wanted[i], high[i + 1] - apart(i)) : wanted[i];
    for (std::size_t i = 0; i < count; ++i) spot(row[i]).x = (low[i] + high[i]) / 2;
  }

  // Makes the places of a box's content absolute.
  void move(std::size_t index, double x, double y) {
    boxes_[index].x = x;
    boxes_[index].y = y;
    for (const std::vector<Place>& row : tree_.contents[index].rows)
      for (const Place place : row) {
        Spot& item = spot(place);
        if (is_point(place)) {
          item.x += x;
          item.y += y;
        } else {
          move(place / 2, item.x + x, item.y + y);
        }
      }
  }

  void draw(std::size_t index, bool containers) {
    const Box& box = tree_.boxes[index];
    const bool is_open = !tree_.contents[index].rows.empty();
    if (is_open == containers) draw_box(box, boxes_[index]);
    for (const std::size_t child : box.children) draw(child, containers);
  }

  void draw_box(const Box& box, const Spot& at) {
    constexpr std::array<const char*, 5> kClasses{"o", "i", "u", "m", "b"};
    out_ += std::string("<g><rect class=\"") + kClasses.at(static_cast<std::size_t>(box.kind)) +
            (box.marked ? " x" : "") + "\" x=\"" + coordinate(at.x - at.width / 2) + "\" y=\"" + coordinate(at.y) +
            "\" width=\"" + coordinate(at.width) + "\" height=\"" + coordinate(at.height) + "\"/>";
    if (!box.details.empty()) out_ += "<title>" + escaped(box.details) + "</title>";
    double y = at.y + kPadding + kLine * 0.75;
    line(box.title, " class=\"t\"", at.x - at.width / 2 + kPadding, y);
    for (const std::string& text_line : box.lines) line(text_line, "", at.x - at.width / 2 + kPadding, y += kLine);
    out_ += "</g>\n";
  }

  void line(const std::string& content, const char* attributes, double x, double y) {
    out_ += std::string("<text") + attributes + " x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\">" +
            escaped(shortened(content)) + "</text>";
  }

  void draw(const Edge& edge) {
    double x = boxes_[edge.from].x, y = boxes_[edge.from].bottom();
    out_ += "<path d=\"M" + point_text(x, y);
    const auto to = [&](double next_x, double next_y) {
      const double middle = (y + next_y) / 2;
      out_ += 'C' + point_text(x, middle) + ' ' + point_text(next_x, middle) + ' ' + point_text(next_x, next_y);
      x = next_x;
      y = next_y;
    };
    for (const std::size_t point : edge.points) {
      to(points_[point].x, points_[point].y);
      out_ += 'V' + coordinate(y = points_[point].bottom());
    }
    to(boxes_[edge.to].x, boxes_[edge.to].y);
    out_ += "\"/>\n";
  }

  const Tree& tree_;
  std::vector<Spot> boxes_, points_;
  std::string out_;
};

}  // namespace

std::string svg(const ir::Graph& graph, const Marks& marks) { return Svg(make_tree(graph, marks)).draw(); }

}  // namespace tonnx::diagram
