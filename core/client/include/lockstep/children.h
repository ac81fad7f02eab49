#pragma once

#include <span>
#include <string_view>
#include <utility>

#include "lockstep/internal/frame_pool.h"
#include "lockstep/internal/reference_count.h"
#include "lockstep/internal/short_list.h"
#include "lockstep/stat.h"

namespace lockstep {

// One reply to get_children: the names of the children, in an order that ZooKeeper leaves
// unspecified, and the parent's Stat as of the same instant (its pzxid identifies the membership).
// An immutable range of views; a copy copies a pointer, and the names live as long as any copy.
// Backends derive from Children::Storage to keep interned names alive.
class Children {
 public:
  class Storage : public internal::Pooled {
   public:
    Storage() = default;
    Storage(const Storage&) = delete;
    Storage& operator=(const Storage&) = delete;
    virtual ~Storage() = default;
    // Whether the calling backend is the only owner of this list.
    [[nodiscard]] bool has_one_owner() const noexcept { return references_.is_one(); }

    internal::ShortList<std::string_view, 8> names;
    Stat parent;

   private:
    friend class Children;
    internal::ReferenceCount references_;
  };

  Children() noexcept = default;  // no children
  // Takes over the initial reference of a new Storage.
  explicit Children(Storage* storage) noexcept : storage_(storage) {}
  Children(const Children& other) noexcept : storage_(other.storage_) {
    if (storage_) storage_->references_.increment();
  }
  Children(Children&& other) noexcept : storage_(std::exchange(other.storage_, nullptr)) {}
  Children& operator=(Children other) noexcept {
    std::swap(storage_, other.storage_);
    return *this;
  }
  ~Children() {
    if (storage_) release(storage_);
  }

  [[nodiscard]] std::span<const std::string_view> names() const noexcept {
    if (!storage_) return {};
    return {storage_->names.data(), storage_->names.size()};
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
  [[gnu::noinline]] static void release(Storage* storage) noexcept {
    if (storage->references_.decrement_is_last()) delete storage;
  }

  Storage* storage_ = nullptr;
};

}  // namespace lockstep
