#include "control_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace lockstep::service {

namespace {

using Json = nlohmann::json;

ControlAnswer answer(unsigned status, const Json& body) {
  // Bytes that are no UTF-8 become U+FFFD.
  return {status, body.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"};
}

// -- What is shown.

std::string id_text(SessionId session) {
  std::array<char, 16> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), session, 16).ptr;
  return "0x" + std::string(digits.data(), end);
}

std::int64_t milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

Json sessions(Control& control) {
  Json list = Json::array();
  for (const Control::Session& session : control.sessions()) {
    list.push_back({{"id", id_text(session.id)},
                    {"timeout_ms", milliseconds(session.timeout)},
                    {"connected", session.connected},
                    {"server", session.connected ? Json(session.server) : Json()},
                    {"stalled", session.stalled},
                    {"ephemerals", session.ephemerals}});
  }
  return {{"sessions", list}};
}

Json servers(Control& control) {
  Json list = Json::array();
  for (const Control::Server& server : control.servers()) {
    list.push_back({{"server", list.size()},
                    {"address", server.address},
                    {"refuses", server.refuses},
                    {"lags", server.lags},
                    {"behind", server.behind}});
  }
  return {{"servers", list}};
}

Json tree(Control& control) {
  Json list = Json::array();
  for (const Control::Znode& znode : control.tree()) {
    const SessionId owner = znode.stat.ephemeral_owner;
    list.push_back({{"path", znode.path},
                    {"data", znode.data},
                    {"version", znode.stat.version},
                    {"czxid", znode.stat.czxid},
                    {"mzxid", znode.stat.mzxid},
                    {"children", znode.stat.num_children},
                    {"owner", owner == 0 ? Json() : Json(id_text(owner))}});
  }
  return {{"tree", list}};
}

Json watches(Control& control) {
  Json list = Json::array();
  for (const Control::Watch& watch : control.watches()) {
    list.push_back({{"path", watch.path},
                    {"session", id_text(watch.session)},
                    {"on", watch.on_children ? "children" : "data"}});
  }
  return {{"watches", list}};
}

Json queues(Control& control) {
  Json list = Json::array();
  for (const Control::Queue& queue : control.queues()) {
    Json places = Json::array();
    for (const Control::Place& place : queue.places) {
      places.push_back({{"znode", place.znode},
                        {"session", id_text(place.session)},
                        {"connected", place.connected}});
    }
    list.push_back({{"path", queue.path}, {"places", places}});
  }
  return {{"queues", list}};
}

struct Page {
  std::string_view name;
  Json (*show)(Control&);
};
constexpr std::array kPages = {Page{"/sessions", sessions}, Page{"/servers", servers},
                               Page{"/tree", tree}, Page{"/watches", watches},
                               Page{"/queues", queues}};
constexpr std::string_view kFaults = "/faults";

// -- What is done.

// The fields of a fault, of which each uses some.
struct Fields {
  SessionId session = 0;
  std::uint32_t server = 0;
  std::string path;
  std::int32_t next = 0;
  Duration by{};
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

struct Field {
  std::string_view name;
  std::string_view expected;
  bool (*read)(const Json&, Fields&);
};
constexpr Field kSession{"session", "an id of GET /sessions, as \"0x100000000000001\"",
                         read_session};
constexpr Field kServer{"server", "the number of a server, from 0 on", read_server};
constexpr Field kPath{"path", "the path of a znode", read_path};
constexpr Field kNext{"next", "a number up to 2147483647", read_next};
constexpr Field kMilliseconds{"ms", "milliseconds, up to 30 days", read_milliseconds};

struct Fault {
  std::string_view name;
  std::array<const Field*, 2> fields;
  Control::Done (*strike)(Control&, const Fields&);
};
constexpr std::array kKinds = {
    Fault{"expire", {&kSession}, [](Control& c, const Fields& f) { return c.expire(f.session); }},
    Fault{"cut", {&kSession}, [](Control& c, const Fields& f) { return c.cut(f.session); }},
    Fault{"stall", {&kSession}, [](Control& c, const Fields& f) { return c.stall(f.session); }},
    Fault{"resume", {&kSession}, [](Control& c, const Fields& f) { return c.resume(f.session); }},
    Fault{
        "refuse", {&kServer}, [](Control& c, const Fields& f) { return c.refuse(f.server, true); }},
    Fault{"accept",
          {&kServer},
          [](Control& c, const Fields& f) { return c.refuse(f.server, false); }},
    Fault{"lag", {&kServer}, [](Control& c, const Fields& f) { return c.lag(f.server, true); }},
    Fault{
        "catch-up", {&kServer}, [](Control& c, const Fields& f) { return c.lag(f.server, false); }},
    Fault{"change-leader", {}, [](Control& c, const Fields&) { return c.change_leader(); }},
    Fault{"set-counter",
          {&kPath, &kNext},
          [](Control& c, const Fields& f) { return c.set_counter(f.path, f.next); }},
    Fault{"advance", {&kMilliseconds}, [](Control& c, const Fields& f) { return c.advance(f.by); }},
};

Json example_of(const Fault& fault) {
  Json body = {{"fault", fault.name}};
  for (const Field* const field : fault.fields) {
    if (field) body[std::string(field->name)] = field->expected;
  }
  return body;
}

ControlAnswer refused(unsigned status, std::string why, Json expected) {
  return answer(status, {{"error", std::move(why)}, {"expected", std::move(expected)}});
}

// What is wrong with the fields of a fault, if anything is.
std::optional<std::string> read_fields(const Fault& fault, const Json& body, Fields& fields) {
  std::size_t known = 1;
  for (const Field* const field : fault.fields) {
    if (!field) continue;
    ++known;
    const auto value = body.find(field->name);
    if (value == body.end()) return "\"" + std::string(field->name) + "\" is missing";
    if (!field->read(*value, fields))
      return "\"" + std::string(field->name) + "\" is something else";
  }
  if (body.size() > known) return "there are fields that this fault does not have";
  return std::nullopt;
}

ControlAnswer strike(Control& control, std::string_view text) {
  Json all = Json::array();
  for (const Fault& fault : kKinds) all.push_back(example_of(fault));
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

}  // namespace

ControlAnswer answer_control(Control& control, std::string_view method, std::string_view page,
                             std::string_view body) {
  Json pages = Json::array();
  for (const Page& known : kPages) pages.push_back("GET " + std::string(known.name));
  pages.push_back("POST " + std::string(kFaults));
  if (page == kFaults) {
    if (method != "POST") return refused(405, "faults are posted", pages);
    return strike(control, body);
  }
  const auto* const shown = std::ranges::find(kPages, page, &Page::name);
  if (shown == kPages.end()) return refused(404, "there is no page " + std::string(page), pages);
  if (method != "GET") return refused(405, std::string(page) + " is for reading", pages);
  return answer(200, shown->show(control));
}

}  // namespace lockstep::service
