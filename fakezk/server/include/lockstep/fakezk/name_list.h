#pragma once

#include <memory>
#include <utility>

#include "lockstep/children.h"
#include "lockstep/fakezk/path_table.h"

namespace lockstep::fakezk {

// The latest list of children. Its readers are mostly gone when the next list is made, which then
// reuses its memory.
class NameList {
 public:
  // Begins a list; its names are views into the path table, which it keeps alive.
  Children::Storage& begin(const std::shared_ptr<PathTable>& paths) {
    if (storage_ && storage_->has_one_owner()) [[likely]] {
      storage_->names.clear();
    } else {
      storage_ = internal::Ref<Storage>::make(paths);
    }
    return *storage_;
  }
  [[nodiscard]] Children list() const { return Children(storage_); }

 private:
  class Storage final : public Children::Storage {
   public:
    explicit Storage(std::shared_ptr<const PathTable> paths) : paths_(std::move(paths)) {}

   private:
    std::shared_ptr<const PathTable> paths_;
  };

  internal::Ref<Children::Storage> storage_;
};

}  // namespace lockstep::fakezk
