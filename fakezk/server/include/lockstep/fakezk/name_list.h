#pragma once

#include <memory>
#include <utility>

#include "lockstep/children.h"
#include "lockstep/fakezk/path_table.h"

namespace lockstep::fakezk {

// The latest list of children. Mostly its readers are gone when the next list is made, which then
// reuses its memory.
class NameList {
 public:
  // Begins a list; its names are views into the path table, which it keeps alive.
  Children::Storage& anew(const std::shared_ptr<PathTable>& paths) {
    if (storage_ && storage_->has_one_owner()) [[likely]] {
      storage_->names.clear();
    } else {
      storage_ = new Storage(paths);
      list_ = Children(storage_);
    }
    return *storage_;
  }
  [[nodiscard]] const Children& list() const { return list_; }

 private:
  class Storage final : public Children::Storage {
   public:
    explicit Storage(std::shared_ptr<const PathTable> paths) : paths_(std::move(paths)) {}

   private:
    std::shared_ptr<const PathTable> paths_;
  };

  Children list_;
  Children::Storage* storage_ = nullptr;  // Of that list.
};

}  // namespace lockstep::fakezk
