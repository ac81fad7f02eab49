#include "control_faults.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "control_answer.h"
#include "lockstep/wire/request.h"

namespace lockstep::service {

namespace {

using Json = nlohmann::json;

// The fields of all faults; each fault uses some of them.
struct Fields {
  SessionId session = 0;
  std::uint32_t server = 0;
  std::string path;
  std::int32_t next = 0;
  Duration by{};
  std::optional<wire::Op> kind{};  // None stands for any.
  std::uint64_t seed = 0;
  std::vector<PlannedFault> kinds{};
};

template <class Number>
std::optional<Number> number_in(const Json& value, std::int64_t most) {
  if (!value.is_number_integer() && !value.is_number_unsigned()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(most)) {
    return std::nullopt;
  }
  const auto number = value.get<std::int64_t>();
  if (number < 0 || number > most) return std::nullopt;
  return static_cast<Number>(number);
}

bool read_session(const Json& value, Fields& fields) {
  if (!value.is_string()) return false;
  const std::string text = value.get<std::string>();
  if (!text.starts_with("0x")) return false;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data() + 2, end, fields.session, 16);
  return read.ec == std::errc() && read.ptr == end;
}

bool read_server(const Json& value, Fields& fields) {
  const auto number = number_in<std::uint32_t>(value, 0xffff);
  if (number) fields.server = *number;
  return number.has_value();
}

bool read_path(const Json& value, Fields& fields) {
  if (!value.is_string()) return false;
  fields.path = value.get<std::string>();
  return fields.path.starts_with('/');
}

bool read_next(const Json& value, Fields& fields) {
  const auto number = number_in<std::int32_t>(value, 0x7fffffff);
  if (number) fields.next = *number;
  return number.has_value();
}

bool read_milliseconds(const Json& value, Fields& fields) {
  const auto number = number_in<std::int64_t>(value, milliseconds(Control::kLongestAdvance));
  if (number) fields.by = std::chrono::milliseconds(*number);
  return number.has_value();
}

bool read_kind(const Json& value, Fields& fields) {
  if (!value.is_string()) return false;
  const std::string text = value.get<std::string>();
  if (text == "any") return true;
  constexpr std::int32_t kFirst = -11;  // closeSession
  constexpr std::int32_t kLast = 107;   // whoAmI
  for (std::int32_t number = kFirst; number <= kLast; ++number) {
    const auto op = static_cast<wire::Op>(number);
    if (wire::empty_body(op) && text == name(op)) fields.kind = op;
  }
  return fields.kind.has_value();
}

bool read_seed(const Json& value, Fields& fields) {
  if (!value.is_number_unsigned()) return false;
  fields.seed = value.get<std::uint64_t>();
  return true;
}

bool read_kinds(const Json& value, Fields& fields) {
  if (!value.is_array()) return false;
  for (const Json& each : value) {
    const auto* const known = std::ranges::find_if(kPlannedFaults, [&](const auto& planned) {
      return each.is_string() && each.get<std::string>() == planned.name;
    });
    if (known == kPlannedFaults.end()) return false;
    fields.kinds.push_back(known->fault);
  }
  return !fields.kinds.empty();
}

struct Field {
  std::string_view name;
  std::string_view expected;
  bool (*read)(const Json&, Fields&);
  bool optional = false;
};
constexpr Field kSession{"session", "an id of GET /sessions, as \"0x100000000000001\"",
                         read_session};
constexpr Field kServer{"server", "the number of a server, from 0 on", read_server};
constexpr Field kPath{"path", "the path of a znode", read_path};
constexpr Field kNext{"next", "a number up to 2147483647", read_next};
constexpr Field kMilliseconds{"ms", "milliseconds, up to 30 days", read_milliseconds};
constexpr Field kSomeSession{"session", "an id of GET /sessions; without it, any", read_session,
                             true};
constexpr Field kKind{"kind", "a kind of request, as GET /log shows it, or \"any\"", read_kind};
constexpr Field kSeed{"seed", "a number from 0 on", read_seed};
constexpr Field kSomeKinds{
    "kinds",
    "a list of expire, cut, stall, delay, lose-request, lose-reply, refuse, lag, "
    "change-leader",
    read_kinds};

using Strike = Control::Done (*)(Control&, const Fields&);

Control::Done expire(Control& control, const Fields& fields) {
  return control.expire(fields.session);
}
Control::Done cut(Control& control, const Fields& fields) { return control.cut(fields.session); }
Control::Done stall(Control& control, const Fields& fields) {
  return control.stall(fields.session);
}
Control::Done resume(Control& control, const Fields& fields) {
  return control.resume(fields.session);
}
Control::Done refuse(Control& control, const Fields& fields) {
  return control.refuse(fields.server, true);
}
Control::Done accept(Control& control, const Fields& fields) {
  return control.refuse(fields.server, false);
}
Control::Done lag(Control& control, const Fields& fields) {
  return control.lag(fields.server, true);
}
Control::Done catch_up(Control& control, const Fields& fields) {
  return control.lag(fields.server, false);
}
Control::Done change_leader(Control& control, const Fields&) { return control.change_leader(); }
Control::Done set_counter(Control& control, const Fields& fields) {
  return control.set_counter(fields.path, fields.next);
}
Control::Done advance(Control& control, const Fields& fields) { return control.advance(fields.by); }
Control::Done delay(Control& control, const Fields& fields) {
  return control.delay(fields.session, fields.by);
}
Control::Done lose_request(Control& control, const Fields& fields) {
  return control.lose_request(fields.kind, fields.session);
}
Control::Done lose_reply(Control& control, const Fields& fields) {
  return control.lose_reply(fields.kind, fields.session);
}
Control::Done plan(Control& control, const Fields& fields) {
  return control.plan({fields.seed, fields.by, fields.kinds});
}
Control::Done calm(Control& control, const Fields&) {
  control.calm();
  return {};
}

struct Fault {
  std::string_view name;
  Strike strike;
  std::array<const Field*, 3> fields;
};
constexpr std::array kKinds = {Fault{"expire", expire, {&kSession}},
                               Fault{"cut", cut, {&kSession}},
                               Fault{"stall", stall, {&kSession}},
                               Fault{"resume", resume, {&kSession}},
                               Fault{"refuse", refuse, {&kServer}},
                               Fault{"accept", accept, {&kServer}},
                               Fault{"lag", lag, {&kServer}},
                               Fault{"catch-up", catch_up, {&kServer}},
                               Fault{"change-leader", change_leader, {}},
                               Fault{"set-counter", set_counter, {&kPath, &kNext}},
                               Fault{"advance", advance, {&kMilliseconds}},
                               Fault{"delay", delay, {&kSession, &kMilliseconds}},
                               Fault{"lose-request", lose_request, {&kKind, &kSomeSession}},
                               Fault{"lose-reply", lose_reply, {&kKind, &kSomeSession}},
                               Fault{"plan", plan, {&kSeed, &kMilliseconds, &kSomeKinds}},
                               Fault{"calm", calm, {}}};

Json example_of(const Fault& fault) {
  Json body = {{"fault", fault.name}};
  for (const Field* const field : fault.fields) {
    if (field) body[std::string(field->name)] = field->expected;
  }
  return body;
}

// Reads the fields of a fault; returns a complaint if they are wrong.
std::optional<std::string> read_fields(const Fault& fault, const Json& body, Fields& fields) {
  std::size_t known = 1;
  for (const Field* const field : fault.fields) {
    if (!field) continue;
    const auto value = body.find(field->name);
    if (value == body.end() && field->optional) continue;
    ++known;
    if (value == body.end()) return "\"" + std::string(field->name) + "\" is missing";
    if (!field->read(*value, fields))
      return "\"" + std::string(field->name) + "\" is something else";
  }
  if (body.size() > known) return "there are fields that this fault does not have";
  return std::nullopt;
}

Json all_faults() {
  Json all = Json::array();
  for (const Fault& fault : kKinds) all.push_back(example_of(fault));
  return all;
}

}  // namespace

ControlAnswer list_faults() { return answer(200, {{"faults", all_faults()}}); }

ControlAnswer strike_fault(Control& control, std::string_view text) {
  const Json all = all_faults();
  const Json body = Json::parse(text, nullptr, false);
  if (body.is_discarded()) return refused(400, "the body is not JSON", all);
  const auto name = body.is_object() ? body.find("fault") : body.end();
  if (!body.is_object() || name == body.end() || !name->is_string()) {
    return refused(400, "the body names no fault", all);
  }
  const auto* const fault = std::ranges::find(kKinds, name->get<std::string>(), &Fault::name);
  if (fault == kKinds.end()) {
    return refused(400, "there is no fault " + name->get<std::string>(), all);
  }
  Fields fields;
  if (const auto wrong = read_fields(*fault, body, fields)) {
    return refused(400, *wrong, example_of(*fault));
  }
  const Control::Done done = fault->strike(control, fields);
  if (!done) return refused(done.error().unknown ? 404 : 409, done.error().why, example_of(*fault));
  return answer(200, {{"done", fault->name}});
}

}  // namespace lockstep::service
