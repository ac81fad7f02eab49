#include "control_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <utility>

#include "control_answer.h"
#include "control_faults.h"

namespace lockstep::service {

namespace {

using Json = nlohmann::json;

std::string id_text(SessionId session) {
  std::array<char, 16> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), session, 16).ptr;
  return "0x" + std::string(digits.data(), end);
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

}  // namespace

ControlAnswer answer_control(Control& control, std::string_view method, std::string_view page,
                             std::string_view body) {
  Json pages = Json::array();
  for (const Page& known : kPages) pages.push_back("GET " + std::string(known.name));
  pages.push_back("POST " + std::string(kFaults));
  if (page == kFaults) {
    if (method != "POST") return refused(405, "faults are posted", pages);
    return strike_fault(control, body);
  }
  const auto* const shown = std::ranges::find(kPages, page, &Page::name);
  if (shown == kPages.end()) return refused(404, "there is no page " + std::string(page), pages);
  if (method != "GET") return refused(405, std::string(page) + " is for reading", pages);
  return answer(200, shown->show(control));
}

}  // namespace lockstep::service
