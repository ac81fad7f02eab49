#include "exhaustive/step_key.h"

namespace lockstep::search {

namespace {

constexpr int kKindShift = 40;
constexpr int kFaultShift = 32;

fakezk::Event::Kind kind_of(StepKey key) {
  return static_cast<fakezk::Event::Kind>(key >> kKindShift);
}

}  // namespace

StepKey key_of(const fakezk::Event& event, const fakezk::Server& server) {
  std::uint64_t index = event.index;
  if (event.kind == fakezk::Event::Kind::kReap) index = server.reaping()[event.index];
  if (event.kind == fakezk::Event::Kind::kFault) {
    const auto parent = facts(event.fault).parent;
    if (parent) index = parent(server, event.index);
  }
  if (event.kind == fakezk::Event::Kind::kStray) index = server.strays().at(event.index).session;
  return static_cast<std::uint64_t>(event.kind) << kKindShift |
         static_cast<std::uint64_t>(event.fault) << kFaultShift | index;
}

bool is_fault(StepKey key) { return kind_of(key) == fakezk::Event::Kind::kFault; }
bool is_timer(StepKey key) { return kind_of(key) == fakezk::Event::Kind::kTimer; }
bool is_wake(StepKey key) { return kind_of(key) == fakezk::Event::Kind::kWake; }
std::optional<fakezk::LinkIndex> delivers_over(StepKey key) {
  if (kind_of(key) != fakezk::Event::Kind::kDeliver) return std::nullopt;
  return static_cast<fakezk::LinkIndex>(key);
}
fakezk::FaultKind fault_of(StepKey key) {
  return static_cast<fakezk::FaultKind>(key >> kFaultShift & 0xff);
}

bool is_about_path(StepKey key) {
  if (!is_fault(key)) return kind_of(key) == fakezk::Event::Kind::kReap;
  return facts(fault_of(key)).parent != nullptr;
}

std::uint64_t label(StepKey key, const fakezk::PathTable& paths) {
  if (!is_about_path(key)) return fakezk::mix(key);
  return fakezk::mix(key >> kFaultShift) ^ paths.text(static_cast<fakezk::PathId>(key)).hash();
}

Fault::Fault(StepKey fault, const fakezk::PathTable& paths) : key(fault) {
  if (!is_about_path(fault)) return;
  key = fault >> kFaultShift << kFaultShift;
  path = paths.text(static_cast<fakezk::PathId>(fault)).view();
}

bool Fault::is(StepKey fault, const fakezk::PathTable& paths) const {
  if (!is_about_path(fault)) return fault == key;
  return fault >> kFaultShift << kFaultShift == key &&
         path == paths.text(static_cast<fakezk::PathId>(fault)).view();
}

std::string describe(StepKey key) {
  const std::string index = " " + std::to_string(key & 0xffffffff);
  switch (kind_of(key)) {
    case fakezk::Event::Kind::kDeliver: return "deliver over link" + index;
    case fakezk::Event::Kind::kApply: return "apply from link" + index;
    case fakezk::Event::Kind::kCloseSession: return "close session" + index;
    case fakezk::Event::Kind::kReap: return "reap znode" + index;
    case fakezk::Event::Kind::kStray: return "apply a stray of session" + index;
    case fakezk::Event::Kind::kReplicate: return "replicate to" + index;
    case fakezk::Event::Kind::kTimer: return "timer";
    case fakezk::Event::Kind::kWake: return "wake process" + index;
    case fakezk::Event::Kind::kGoOn: return "go on with thread" + index;
    case fakezk::Event::Kind::kFault: break;
  }
  return std::string(name(fault_of(key))) + index;
}

}  // namespace lockstep::search
