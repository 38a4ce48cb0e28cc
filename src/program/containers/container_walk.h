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
  using Content = std::vector<ir::Value*>;  // of what, the pass decides

  explicit ContainerWalk(ir::Node& made) : made_(made), container_(*made.output()) {}

  // Notes a reader for meet(); false if it is in no block within that of the container.
  bool note_reader(ir::Node& reader, bool changes);
  // True if the use is the return of the container by its own block. The use is recorded.
  bool note_return(const ir::Use& use);

  // Returns false and changes nothing if any effect on the container is unknown.
  bool rewrite_all(const Content& content);

  // The content of the container after one of its readers; empty if it is not known.
  virtual std::optional<Content> meet(ir::Node& reader, const Content& content, bool rewrite) = 0;
  // The content that is either of these; empty if they cannot be joined.
  virtual std::optional<Content> join(const Content& a, const Content& b) const = 0;
  // The type of value `i` of a content that join() returned; null if a branch or a loop need not carry it.
  virtual const ir::Type* carried_type(const Content& joined, std::size_t i) const = 0;
  // Builds the container again, at the end of its block. can_make(): its content then suffices for that.
  virtual ir::Value* made_of(const Content& content) = 0;
  virtual bool can_make(const Content&) const { return true; }

  ir::Node& made_;
  ir::Value& container_;
  std::vector<ir::Node*> gone_;  // nodes that the rewriting walk replaced; erased after it

 private:
  std::optional<Content> walk(const ir::Block& block, Content content, bool rewrite);
  std::optional<Content> branch(ir::Node& node, const Content& content, bool rewrite);
  std::optional<Content> loop(ir::Node& node, const Content& content, bool rewrite);

  bool returned_ = false;
  std::unordered_set<const ir::Node*> readers_;
  std::unordered_set<const ir::Node*> around_;   // branches and loops that contain readers
  std::unordered_set<const ir::Node*> writers_;  // those in which the container changes
};

}  // namespace tonnx::program
