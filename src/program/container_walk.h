#pragma once

#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ir/graph.h"

namespace tonnx::program {

// Follows one list or dict from its creation through the branches and loops that read and change it. They then carry
// its content. The first walk checks that the content is known everywhere and changes nothing; the second one rewrites.
class ContainerWalk {
 public:
  virtual ~ContainerWalk() = default;

 protected:
  using Content = std::vector<ir::Value*>;  // a pass says what of: items, keys and values, presences and values

  explicit ContainerWalk(ir::Node& made) : made_(made), container_(*made.output()) {}

  // Notes a reader for meet(), and the part of the content that it changes: a number of the pass's own. Returns false
  // if the reader is in no block within that of the container.
  bool note_reader(ir::Node& reader, std::optional<std::size_t> changes);
  // True if the use is the return of the container by its own block. The use is recorded.
  bool note_return(const ir::Use& use);

  // Returns false and changes nothing if any effect on the container is unknown.
  bool rewrite_all(const Content& content);

  // The type of value `i` of the content, in branches and loops that change `parts` of it; null: it is not carried.
  virtual const ir::Type* carried_type(std::size_t i, const std::unordered_set<std::size_t>& parts) const = 0;
  // The content of the container after one of its readers; empty if it is not known.
  virtual std::optional<Content> meet(ir::Node& reader, const Content& content, bool rewrite) = 0;
  // True if branches and iterations may end with either.
  virtual bool are_alike(const Content& a, const Content& b) const { return a.size() == b.size(); }
  // Builds the container again, at the end of its block.
  virtual ir::Value* made_of(const Content& content) const = 0;
  // The content between the carried values, before a branch whose paths end with `content`.
  virtual Content before_branch(ir::Node&, const Content& content) const { return content; }

  ir::Node& made_;
  ir::Value& container_;
  std::vector<ir::Node*> gone_;  // nodes that the rewriting walk replaced; erased after it

 private:
  std::optional<Content> walk(const ir::Block& block, Content content, bool rewrite);
  std::optional<Content> branch(ir::Node& node, const Content& content, bool rewrite);
  std::optional<Content> loop(ir::Node& node, const Content& content, bool rewrite);

  bool returned_ = false;
  std::unordered_set<const ir::Node*> readers_;
  // Branches and loops that contain readers, and the parts that change in them.
  std::unordered_map<const ir::Node*, std::unordered_set<std::size_t>> around_;
};

}  // namespace tonnx::program
