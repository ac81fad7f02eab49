#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "lockstep/fakezk/random_stream.h"
#include "lockstep/service/control.h"

namespace lockstep::service {

// The faults of a plan, drawn from its seed.
class PlannedFaults {
 public:
  struct Next {
    PlannedFault kind{};
    std::uint32_t victim = 0;  // Selects a session or server, modulo their number.
    Duration pause{};          // From 0.5 to 1.5 times `every`, before the fault.
  };

  explicit PlannedFaults(Control::Plan plan) : plan_(std::move(plan)), random_(plan_.seed) {}
  [[nodiscard]] Next next();
  [[nodiscard]] Duration every() const { return plan_.every; }

 private:
  Control::Plan plan_;
  fakezk::RandomStream random_;
};

// Strikes the faults until it is destroyed. A lasting fault ends when the next one strikes, or by
// end_lasting_fault().
class FaultPlan {
 public:
  FaultPlan(boost::asio::io_context& context, Control& control, Control::Plan plan)
      : timer_(context), control_(control), faults_(std::move(plan)) {}
  FaultPlan(const FaultPlan&) = delete;
  FaultPlan& operator=(const FaultPlan&) = delete;
  void start() { wait(); }
  void end_lasting_fault();

 private:
  void wait();
  void strike(const PlannedFaults::Next& next);
  void strike_session(const PlannedFaults::Next& next);
  void strike_server(const PlannedFaults::Next& next);

  boost::asio::steady_timer timer_;
  Control& control_;
  PlannedFaults faults_;
  std::function<void()> end_;  // Ends the lasting fault.
  // A timer that has fired cannot be cancelled: its handler checks here whether this object still
  // exists.
  std::shared_ptr<FaultPlan*> self_ = std::make_shared<FaultPlan*>(this);
};

}  // namespace lockstep::service
