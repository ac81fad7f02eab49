#pragma once

#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/pool_allocator.h"
#include "lockstep/internal/ref.h"
#include "lockstep/stat.h"

namespace lockstep {

// One reply to get_children: the names of the children, in an order that ZooKeeper leaves
// unspecified, and the parent's Stat as of the same instant (its pzxid identifies the membership).
// An immutable range of views; a copy copies a pointer, and the names live as long as any copy.
// Backends derive from Children::Storage to keep interned names alive.
class Children {
 public:
  // The names, and what keeps them alive.
  class Storage : public internal::Pooled, public internal::Counted {
   public:
    Storage() = default;
    virtual ~Storage() = default;

    std::vector<std::string_view, internal::PoolAllocator<std::string_view>> names;
    Stat parent;
  };

  Children() noexcept = default;  // no children
  explicit Children(internal::Ref<Storage> storage) noexcept : storage_(std::move(storage)) {}

  [[nodiscard]] std::span<const std::string_view> names() const noexcept {
    if (!storage_) return {};
    return storage_->names;
  }
  [[nodiscard]] auto begin() const noexcept { return names().begin(); }
  [[nodiscard]] auto end() const noexcept { return names().end(); }
  [[nodiscard]] std::size_t size() const noexcept { return names().size(); }
  [[nodiscard]] bool empty() const noexcept { return names().empty(); }

  // The parent's Stat, taken together with the list.
  [[nodiscard]] const Stat& parent() const noexcept {
    static constexpr Stat kNone;
    return storage_ ? storage_->parent : kNone;
  }

 private:
  internal::Ref<Storage> storage_;
};

}  // namespace lockstep
