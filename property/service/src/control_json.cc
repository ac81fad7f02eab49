#include "control_json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "control_answer.h"
#include "control_faults.h"
#include "lockstep/fakezk/reaper.h"
#include "page_files.h"

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

Json log(Control& control, std::uint64_t after) {
  Json list = Json::array();
  for (const Control::LoggedRequest& request : control.log(after)) {
    list.push_back({{"number", request.number},
                    {"at_ms", fakezk::wall_clock_ms(request.at)},
                    {"session", id_text(request.session)},
                    {"server", request.server},
                    {"op", request.op},
                    {"path", request.path},
                    {"answer", request.answer.empty() ? Json() : Json(request.answer)}});
  }
  return {{"log", list}};
}

std::string_view name_of(Control::Write::Kind kind) {
  switch (kind) {
    case Control::Write::Kind::kCreated: return "created";
    case Control::Write::Kind::kDeleted: return "deleted";
    case Control::Write::Kind::kDataSet: return "data-set";
    case Control::Write::Kind::kAclSet: return "acl-set";
  }
  return "";
}

Json history(Control& control, std::uint64_t after) {
  Json list = Json::array();
  constexpr auto kLast = static_cast<std::uint64_t>(std::numeric_limits<Zxid>::max());
  for (const Control::Write& write : control.history(static_cast<Zxid>(std::min(after, kLast)))) {
    list.push_back({{"zxid", write.zxid},
                    {"kind", name_of(write.kind)},
                    {"path", write.path},
                    {"session", write.session == 0 ? Json() : Json(id_text(write.session))},
                    {"owner", write.owner == 0 ? Json() : Json(id_text(write.owner))}});
  }
  return {{"history", list}};
}

struct Page {
  std::string_view name;
  Json (*show)(Control&);
};
constexpr std::array kPages = {Page{"/sessions", sessions}, Page{"/servers", servers},
                               Page{"/tree", tree}, Page{"/watches", watches},
                               Page{"/queues", queues}};
constexpr std::string_view kFaults = "/faults";
// Pages that can begin after a number.
struct LongPage {
  std::string_view name;
  Json (*show)(Control&, std::uint64_t after);
};
constexpr std::array kLongPages = {LongPage{"/log", log}, LongPage{"/history", history}};

struct File {
  std::string_view name;
  std::string_view type;
  const std::string_view& text;
};
const std::array kFiles = {
    File{"/", "text/html; charset=utf-8", page_files::kPage},
    File{"/script.js", "text/javascript; charset=utf-8", page_files::kScript},
    File{"/style.css", "text/css; charset=utf-8", page_files::kStyle}};

Json all_pages() {
  Json pages = Json::array({"GET /"});
  for (const Page& known : kPages) pages.push_back("GET " + std::string(known.name));
  for (const LongPage& known : kLongPages) {
    pages.push_back("GET " + std::string(known.name));
    pages.push_back("GET " + std::string(known.name) + "?after=NUMBER");
  }
  pages.insert(pages.end(), {"GET /faults", "POST /faults"});
  return pages;
}

// Reads the text after a long page's name: nothing, or "?after=" and a number.
std::optional<std::uint64_t> number_after(std::string_view query) {
  constexpr std::string_view kAfter = "?after=";
  if (query.empty()) return 0;
  if (!query.starts_with(kAfter)) return std::nullopt;
  std::uint64_t number = 0;
  const char* const end = query.data() + query.size();
  const auto read = std::from_chars(query.data() + kAfter.size(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

ControlAnswer show(Control& control, std::string_view page) {
  const auto* const shown = std::ranges::find(kPages, page, &Page::name);
  if (shown != kPages.end()) return answer(200, shown->show(control));
  if (page == kFaults) return list_faults();
  const auto file = std::ranges::find(kFiles, page, &File::name);
  if (file != kFiles.end()) return {200, std::string(file->text), file->type};
  for (const LongPage& known : kLongPages) {
    if (!page.starts_with(known.name)) continue;
    const auto after = number_after(page.substr(known.name.size()));
    if (after) return answer(200, known.show(control, *after));
  }
  return refused(404, "there is no page " + std::string(page), all_pages());
}

}  // namespace

ControlAnswer answer_control(Control& control, std::string_view method, std::string_view page,
                             std::string_view body) {
  if (page == kFaults && method == "POST") return strike_fault(control, body);
  ControlAnswer shown = show(control, page);
  if (method == "GET" || shown.status != 200) return shown;
  return refused(405, std::string(page) + " cannot be asked so", all_pages());
}

}  // namespace lockstep::service
