#pragma once

#include <unistd.h>

#include <utility>

namespace lockstep::zookeeper {

// Owns a file descriptor, or none (-1).
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor() { reset(); }

  [[nodiscard]] int get() const noexcept { return number_; }
  [[nodiscard]] explicit operator bool() const noexcept { return number_ != -1; }
  void reset() noexcept {
    if (number_ != -1) ::close(std::exchange(number_, -1));
  }

 private:
  int number_ = -1;
};

}  // namespace lockstep::zookeeper
