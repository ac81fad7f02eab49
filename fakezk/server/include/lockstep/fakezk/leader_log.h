#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lockstep/fakezk/txn.h"

namespace lockstep::fakezk {

// The leader's log: what it has committed, in order. Only servers with several replicas keep one.
// Servers that lose a quorum may forget the newest entries, but none before a certain entry
// (keep()).
class LeaderLog {
 public:
  static constexpr std::uint32_t kMostForgotten = 8;

  void clear();
  void add(const Txn& txn) { entries_.push_back(txn); }
  // From now on, no server forgets the present entries.
  void keep() { kept_ = entries_.size(); }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }
  [[nodiscard]] const Txn& operator[](std::size_t entry) const { return entries_[entry]; }
  [[nodiscard]] std::span<const Txn> all() const { return entries_; }
  // All but the first entries.
  [[nodiscard]] std::span<const Txn> after(std::size_t entries) const {
    return all().subspan(std::min(entries, size()));
  }

  // How many of the newest writes can be forgotten: at most kMostForgotten. Entries that change
  // nothing are no writes.
  [[nodiscard]] std::uint32_t forgettable() const;
  // Where the log ends without that many of them, or without all of them if there are fewer.
  [[nodiscard]] std::size_t end_without(std::uint32_t writes) const;
  // Forgets the entries from `end` on.
  void cut_back(std::size_t end);

 private:
  std::vector<Txn> entries_;
  std::size_t kept_ = 0;
};

}  // namespace lockstep::fakezk
