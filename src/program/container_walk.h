#pragma once

#include <optional>
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
  using Content = std::vector<ir::Value*>;  // items, or keys and values alternating

  // What branches and loops carry are values at `first` and every `step` from there, of type `held`.
  ContainerWalk(ir::Node& made, const ir::Type& held, std::size_t first, std::size_t step)
      : made_(made), container_(*made.output()), held_(held), first_(first), step_(step) {}

  // Notes a reader for meet(); false where it is in no block within that of the container.
  bool note_reader(ir::Node& reader, bool changes);
  // True if the use is the return of the container by its own block. The use is recorded.
  bool note_return(const ir::Use& use);

  // Returns false and changes nothing if any effect on the container is unknown.
  bool rewrite_all(const Content& content);

  // The content of the container after one of its readers; empty if it is not known.
  virtual std::optional<Content> meet(ir::Node& reader, const Content& content, bool rewrite) = 0;
  // Whether branches and turns may end with either.
  virtual bool are_alike(const Content& a, const Content& b) const = 0;
  // The container over again, at the end of its block.
  virtual ir::Value* made_of(const Content& content) const = 0;
  // What stands between the carried values, before a branch whose ways give `content`.
  virtual Content before_branch(ir::Node& branch, const Content& content) const = 0;

  ir::Node& made_;
  ir::Value& container_;
  std::vector<ir::Node*> gone_;  // nodes that the rewriting walk replaced; erased after it

 private:
  std::optional<Content> walk(const ir::Block& block, Content content, bool rewrite);
  std::optional<Content> branch(ir::Node& node, const Content& content, bool rewrite);
  std::optional<Content> loop(ir::Node& node, const Content& content, bool rewrite);
  ir::Value* carry(ir::Node& node) const;

  const ir::Type held_;
  const std::size_t first_, step_;
  bool returned_ = false;
  std::unordered_set<const ir::Node*> readers_;
  std::unordered_set<const ir::Node*> around_;   // branches and loops that contain readers
  std::unordered_set<const ir::Node*> writers_;  // those in which the container changes
};

}  // namespace tonnx::program
