#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "lockstep/fakezk/chooser.h"

namespace lockstep::fakezk {

// What can happen next, listed anew at every step of every execution.
class EventList {
 public:
  void clear() { count_ = 0; }
  void add(const Event& event) {
    make_room(1);
    events_[count_++] = event;
  }
  // Leaves out what cannot happen after all.
  template <class Predicate>
  void erase_if(Predicate predicate) {
    const auto end = events_.begin() + static_cast<std::ptrdiff_t>(count_);
    count_ =
        static_cast<std::size_t>(std::remove_if(events_.begin(), end, predicate) - events_.begin());
  }

  // Adds at most so many events, for which room is made once.
  class Some {
   public:
    Some(EventList& list, std::size_t most) : list_(list), end_(list.make_room(most)) {}
    Some(const Some&) = delete;
    Some& operator=(const Some&) = delete;
    ~Some() { list_.count_ = static_cast<std::size_t>(end_ - list_.events_.data()); }
    void add(const Event& event) { *end_++ = event; }

   private:
    EventList& list_;
    Event* end_;
  };

  [[nodiscard]] std::span<const Event> view() const { return {events_.data(), count_}; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }

 private:
  // The end, behind which there is room for so many more.
  Event* make_room(std::size_t more) {
    if (events_.size() < count_ + more) [[unlikely]]
      events_.resize(2 * (count_ + more));
    return events_.data() + count_;
  }

  std::vector<Event> events_;
  std::size_t count_ = 0;
};

}  // namespace lockstep::fakezk
