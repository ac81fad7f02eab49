#pragma once

#include <cstdint>

#include "lockstep/fakezk/chooser.h"
#include "lockstep/fakezk/trace_record.h"
#include "lockstep/fakezk/unspecified.h"
#include "lockstep/internal/check.h"

namespace lockstep::fakezk {

// Gets the numbers that the current step needs from its chooser, and makes them part of the trace.
// Outside of steps, when something is done by hand, every number is 0.
class Choices final : public Unspecified {
 public:
  // Makes any number a valid choice of at least one option. Nearly every one is small enough
  // already, so the slow division is rare.
  [[nodiscard]] static std::uint32_t within(std::uint32_t number, std::uint32_t options) {
    if (number < options) return number;
    if (options == 0) internal::misused("a choice needs an option");
    return number % options;
  }

  explicit Choices(TraceRecord& record) : record_(record) {}

  void begin_step(Chooser& chooser) { chooser_ = &chooser; }
  void end_step() { chooser_ = nullptr; }

  // A number below `options`; as in Chooser.
  std::uint32_t number(std::uint32_t options) override {
    return asks(options) ? took(within(chooser_->number(options), options)) : 0;
  }
  std::uint32_t order(std::uint32_t options) override {
    return asks(options) ? took(within(chooser_->order(options), options)) : 0;
  }
  std::uint32_t shortcut(std::uint32_t options) {
    return asks(options) ? took(within(chooser_->shortcut(options), options)) : 0;
  }

 private:
  [[nodiscard]] bool asks(std::uint32_t options) const { return options >= 2 && chooser_; }
  std::uint32_t took(std::uint32_t number) {
    record_.chose({false, number});
    record_.hash_in(number);
    return number;
  }

  TraceRecord& record_;
  Chooser* chooser_ = nullptr;
};

}  // namespace lockstep::fakezk
