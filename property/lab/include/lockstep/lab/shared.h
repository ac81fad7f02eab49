#pragma once

#include <sstream>
#include <string>
#include <utility>

#include "lockstep/lab/lane.h"

namespace lockstep::lab {

// Memory that contenders, or users of one, share, shown in their lanes: "reads sold: 3", "writes
// sold: 4". reset() it in LockUnderTest::at_start. T has operator<<. A read and a write that
// depends on it are two events of the program, and other contenders may come between them if it
// awaits something there. In a hunt of contenders that are called isolated it is "misuse".
//
//   lab::Shared<int> sold("sold", 0);
//   sold.write(self, sold.read(self) + 1);
template <class T>
class Shared {
 public:
  Shared(std::string name, T value)
      : name_(std::move(name)), first_(std::move(value)), value_(first_) {}

  void reset() { value_ = first_; }
  [[nodiscard]] const T& read(Lane self) const {
    self.contender().check_sharing(name_);
    tell(self, "reads ");
    return value_;
  }
  void write(Lane self, T value) {
    self.contender().check_sharing(name_);
    value_ = std::move(value);
    tell(self, "writes ");
  }
  // For invariants and checks at the end, which have no lane.
  [[nodiscard]] const T& value() const { return value_; }

 private:
  void tell(Lane self, const char* what) const {
    if (!self.drawn()) return;
    std::ostringstream text;
    text << what << name_ << ": " << value_;
    self.note(text.str());
  }

  std::string name_;
  T first_;
  T value_;
};

}  // namespace lockstep::lab
