#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "lockstep/fakezk/trace.h"
#include "lockstep/fakezk/world.h"

// The words in which a chronicle describes a step.
namespace lockstep::search {

// "ok", or the name of the error.
[[nodiscard]] std::string outcome(bool has_error, Error error);
// "0x100000000000001".
[[nodiscard]] std::string session_text(SessionId session);
// "a, b", or "none".
[[nodiscard]] std::string joined(const Children& children);
// A request and its outcome: "create /lock/a: ok".
[[nodiscard]] std::string describe(const fakezk::World& world, const fakezk::Applied& applied);
[[nodiscard]] std::string describe_thread(std::uint32_t index);
[[nodiscard]] std::string describe_timer(const fakezk::Step& step);
// The messages in flight that are lost when a connection ends: the last ones of each direction.
[[nodiscard]] std::string losses(const fakezk::Link& link, std::size_t requests, std::size_t inbox);
// The effect of a step's fault.
[[nodiscard]] std::string fault_sentence(const fakezk::World& world, const fakezk::Step& step);

}  // namespace lockstep::search
