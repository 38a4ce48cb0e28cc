#include "diagram/rows.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace tonnx::diagram {
namespace {

constexpr std::size_t kMostPoints = 60;  // of an edge
constexpr int kSweeps = 4;

using Pair = std::pair<std::size_t, std::size_t>;

// The part of an edge in one container: from a child, or from the container's top, to a child, or to its bottom.
struct Part {
  std::size_t container;
  std::size_t from = kNone, to = kNone;
};

class Rows {
 public:
  explicit Rows(Tree& tree) : tree_(tree), depth_(tree.boxes.size(), 0), rank_(tree.boxes.size(), 0) {
    for (std::size_t i = 0; i < tree.boxes.size(); ++i)
      if (const std::size_t parent = tree.boxes[i].parent; parent != kNone) depth_[i] = depth_[parent] + 1;
  }

  void run(const std::vector<Pair>& pairs) {
    tree_.contents.resize(tree_.boxes.size());
    rank(pairs);
    for (std::size_t i = 0; i < tree_.boxes.size(); ++i) fill(i);
    for (const Pair& pair : pairs) add_edge(pair);
    for (Content& content : tree_.contents) order(content.rows, content.links);
  }

 private:
  // The parts from the source's container up to the common one and down to the target's.
  std::vector<Part> parts_of(const Pair& pair) const {
    std::vector<Part> up, down;
    auto [from, to] = pair;
    const auto parent = [this](std::size_t box) { return tree_.boxes[box].parent; };
    while (depth_[from] > depth_[to]) up.push_back({parent(from), from, kNone}), from = parent(from);
    while (depth_[to] > depth_[from]) down.push_back({parent(to), kNone, to}), to = parent(to);
    while (parent(from) != parent(to)) {
      up.push_back({parent(from), from, kNone}), from = parent(from);
      down.push_back({parent(to), kNone, to}), to = parent(to);
    }
    up.push_back({parent(from), from, to});
    up.insert(up.end(), down.rbegin(), down.rend());
    return up;
  }

  // The row of each box in its container: below all that it depends on, else just above what depends on it.
  void rank(const std::vector<Pair>& pairs) {
    std::vector<std::vector<std::size_t>> targets(tree_.boxes.size());
    std::vector<std::size_t> sources(tree_.boxes.size(), 0);
    for (const Pair& pair : pairs)
      for (const Part& part : parts_of(pair))
        if (part.from != kNone && part.to != kNone && part.from != part.to) {
          targets[part.from].push_back(part.to);
          ++sources[part.to];
        }
    for (const Box& container : tree_.boxes) {
      for (const std::size_t child : container.children)
        for (const std::size_t target : targets[child]) rank_[target] = std::max(rank_[target], rank_[child] + 1);
      for (auto child = container.children.rbegin(); child != container.children.rend(); ++child) {
        if (sources[*child] || targets[*child].empty()) continue;
        std::size_t least = kNone;
        for (const std::size_t target : targets[*child]) least = std::min(least, rank_[target]);
        rank_[*child] = least - 1;
      }
      std::size_t last = 0;
      for (const std::size_t child : container.children) last = std::max(last, rank_[child]);
      for (const std::size_t child : container.children)
        if (tree_.boxes[child].kind == Box::Kind::Output && targets[child].empty()) rank_[child] = last;
    }
  }

  void fill(std::size_t container) {
    auto& rows = tree_.contents[container].rows;
    for (const std::size_t child : tree_.boxes[container].children) {
      if (rank_[child] >= rows.size()) rows.resize(rank_[child] + 1);
      rows[rank_[child]].push_back(place_of_box(child));
    }
  }

  void add_edge(const Pair& pair) {
    const std::vector<Part> parts = parts_of(pair);
    const auto range = [this](const Part& part) {
      const std::size_t begin = part.from == kNone ? 0 : rank_[part.from] + 1;
      const std::size_t end = part.to == kNone ? tree_.contents[part.container].rows.size() : rank_[part.to];
      return std::pair(begin, std::max(begin, end));
    };
    std::size_t count = 0;
    for (const Part& part : parts) count += range(part).second - range(part).first;
    if (count > kMostPoints) {
      tree_.boxes[pair.second].lines.push_back("\u2190 " + tree_.boxes[pair.first].title);
      return;
    }
    Edge edge{pair.first, pair.second, {}};
    for (const Part& part : parts) {
      Content& content = tree_.contents[part.container];
      const auto [begin, end] = range(part);
      Place last = part.from == kNone ? kNone : place_of_box(part.from);
      const auto link = [&](Place next) {
        if (last != kNone) content.links.emplace_back(last, next);
        last = next;
      };
      for (std::size_t row = begin; row < end; ++row) {
        const auto [entry, fresh] = points_.try_emplace({pair.first, part.container, row}, tree_.points);
        if (fresh) content.rows[row].push_back(place_of_point(tree_.points++));
        edge.points.push_back(entry->second);
        link(place_of_point(entry->second));
      }
      if (part.to != kNone) link(place_of_box(part.to));
    }
    tree_.edges.push_back(std::move(edge));
  }

  // Orders the places of each row by the mean position of those that they are linked to, so that few edges cross.
  static void order(std::vector<std::vector<Place>>& rows, const std::vector<Pair>& links) {
    if (std::ranges::all_of(rows, [](const auto& row) { return row.size() < 2; })) return;
    std::map<Place, std::vector<Place>> above, below;
    for (const auto& [from, to] : links) {
      above[to].push_back(from);
      below[from].push_back(to);
    }
    std::map<Place, double> position;
    const auto record = [&position](const std::vector<Place>& row) {
      for (std::size_t i = 0; i < row.size(); ++i)
        position[row[i]] = static_cast<double>(i) - static_cast<double>(row.size() - 1) / 2;
    };
    const auto sort = [&](std::vector<Place>& row, const std::map<Place, std::vector<Place>>& linked) {
      std::map<Place, double> wanted;
      for (const Place place : row) {
        const auto found = linked.find(place);
        double& mean = wanted[place] = position[place];
        if (found == linked.end()) continue;
        mean = 0;
        for (const Place other : found->second) mean += position[other] / static_cast<double>(found->second.size());
      }
      std::ranges::stable_sort(row, {}, [&](Place place) { return wanted[place]; });
      record(row);
    };
    for (const auto& row : rows) record(row);
    for (int sweep = 0; sweep < kSweeps; ++sweep) {
      for (auto& row : rows) sort(row, above);
      for (auto row = rows.rbegin(); row != rows.rend(); ++row) sort(*row, below);
    }
    for (auto& row : rows) sort(row, above);
  }

  Tree& tree_;
  std::vector<std::size_t> depth_;
  std::vector<std::size_t> rank_;
  std::map<std::tuple<std::size_t, std::size_t, std::size_t>, std::size_t> points_;  // by source, container and row
};

}  // namespace

void add_rows(Tree& tree, const std::vector<Pair>& pairs) { Rows(tree).run(pairs); }

}  // namespace tonnx::diagram
