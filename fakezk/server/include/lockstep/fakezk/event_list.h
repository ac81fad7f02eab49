#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "lockstep/fakezk/chooser.h"

namespace lockstep::fakezk {

// The events that can happen next, listed again at every step of every execution.
class EventList {
 public:
  void clear() { count_ = 0; }
  void add(const Event& event) {
    make_room(1);
    events_[count_++] = event;
  }
  // Removes the events that satisfy `predicate`.
  template <class Predicate>
  void erase_if(Predicate predicate) {
    Event* const first = events_.get();
    count_ = static_cast<std::size_t>(std::remove_if(first, first + count_, predicate) - first);
  }

  // Appends at most a given number of events, and makes room once.
  class Some {
   public:
    Some(EventList& list, std::size_t most) : list_(list), end_(list.make_room(most)) {}
    Some(const Some&) = delete;
    Some& operator=(const Some&) = delete;
    ~Some() { list_.count_ = static_cast<std::size_t>(end_ - list_.events_.get()); }
    void add(const Event& event) { *end_++ = event; }

   private:
    EventList& list_;
    Event* end_;
  };

  [[nodiscard]] std::span<const Event> view() const { return {events_.get(), count_}; }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }

 private:
  // The end of the list, after making room for that many more.
  Event* make_room(std::size_t more) {
    if (room_ < count_ + more) [[unlikely]]
      grow(2 * (count_ + more));
    return events_.get() + count_;
  }
  [[gnu::cold, gnu::noinline]] void grow(std::size_t room) {
    auto larger = std::make_unique<Event[]>(room);
    std::ranges::copy(view(), larger.get());
    events_ = std::move(larger);
    room_ = room;
  }

  std::unique_ptr<Event[]> events_;  // only the first count_ are valid
  std::size_t count_ = 0;
  std::size_t room_ = 0;
};

}  // namespace lockstep::fakezk
