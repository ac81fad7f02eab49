#include "lockstep/search/timeline.h"

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "lockstep/internal/check.h"
#include "lockstep/search/lanes.h"
#include "lockstep/search/oracle.h"
#include "lockstep/search/version.h"
#include "report/json.h"
#include "report/timeline_files.h"

namespace lockstep::search {

namespace {

constexpr std::size_t kMostFirstMoments = 300;
constexpr std::size_t kMostLastMoments = 900;

// The names of these kinds in script.js.
std::string_view name(Moment::Kind kind) {
  switch (kind) {
    case Moment::Kind::kRequest: return "request";
    case Moment::Kind::kReply: return "reply";
    case Moment::Kind::kWatchEvent: return "watch";
    case Moment::Kind::kConnection: return "connection";
    case Moment::Kind::kServers: return "servers";
    case Moment::Kind::kClock: return "clock";
    case Moment::Kind::kFault: return "fault";
    case Moment::Kind::kGoOn: return "thread";
    case Moment::Kind::kRemark: return "remark";
  }
  return "";
}

std::string_view name(fakezk::Change::Kind kind) {
  switch (kind) {
    case fakezk::Change::Kind::kCreated: return "created";
    case fakezk::Change::Kind::kDeleted: return "deleted";
    case fakezk::Change::Kind::kDataSet: return "data";
    case fakezk::Change::Kind::kAclSet:
    case fakezk::Change::Kind::kChecked: return "acl";
  }
  return "";
}

// The chronicle as JSON, under the one-letter names that script.js reads.
class Record {
 public:
  Record(const Chronicle& chronicle, const TimelineCaption& caption)
      : chronicle_(chronicle),
        caption_(caption),
        short_name_(chronicle),
        lanes_(lanes_of(chronicle)) {}

  std::string text() {
    json_.begin_object();
    add("title", caption_.title);
    add("headline", caption_.headline);
    add("steps", last_step());
    add("replicas", chronicle_.replicas);
    add_verdict();
    list("facts", caption_.facts, [&](const auto& fact) { strings({fact.first, fact.second}); });
    list("snippets", caption_.snippets, [&](const TimelineCaption::Snippet& snippet) {
      strings({snippet.is_code ? "code" : "command", snippet.title, snippet.text});
    });
    list("lanes", lanes_, [&](const Lane& lane) { json_.string(lane.name); });
    list("moments", excerpt(chronicle_, kMostFirstMoments, kMostLastMoments),
         [&](std::size_t index) { moment(index, chronicle_.moments[index]); });
    list("changes", chronicle_.changes, [&](const ZnodeChange& of) { change(of); });
    list("grants", chronicle_.grants, [&](const GrantSpan& span) { grant(span); });
    list("watches", chronicle_.watches, [&](const WatchSpan& span) { watch(span); });
    json_.end_object();
    return json_.text();
  }

 private:
  void add(std::string_view key, std::string_view value) {
    json_.key(key);
    json_.string(value);
  }
  void add(std::string_view key, std::uint64_t value) {
    json_.key(key);
    json_.number(static_cast<std::int64_t>(value));
  }
  // Chronicle::kNever and kNoStep are null.
  void add_or_null(std::string_view key, std::uint64_t value, std::uint64_t none) {
    if (value != none) return add(key, value);
    json_.key(key);
    json_.null();
  }
  // The index of its lane, or -1 for Chronicle::kNoProcess.
  void add_process(std::string_view key, std::uint32_t process, std::uint32_t user = 0) {
    const auto found = std::ranges::find_if(
        lanes_, [&](const Lane& lane) { return lane.process == process && lane.user == user; });
    json_.key(key);
    json_.number(found == lanes_.end() ? -1 : found - lanes_.begin());
  }

  template <class Range, class Write>
  void list(std::string_view key, const Range& range, Write write) {
    json_.key(key);
    json_.begin_array();
    for (const auto& item : range) write(item);
    json_.end_array();
  }
  void strings(std::initializer_list<std::string_view> texts) {
    json_.begin_array();
    for (const std::string_view text : texts) json_.string(text);
    json_.end_array();
  }

  [[nodiscard]] std::uint32_t last_step() const {
    const std::uint32_t broken = chronicle_.violation ? chronicle_.violation->step : 0;
    return std::max(chronicle_.steps, broken);
  }

  void add_verdict() {
    json_.key("verdict");
    if (!chronicle_.violation) return json_.null();
    const Violation& broken = *chronicle_.violation;
    json_.begin_object();
    add("oracle", broken.oracle);
    add("breaks", breaks(broken.oracle));
    add("headline", headline(broken.oracle));
    add("guarantee", facts(broken.oracle).brief);
    add("sentence", facts(broken.oracle).sentence);
    add("message", broken.message);
    add("step", broken.step);
    json_.end_object();
  }

  void moment(std::size_t index, const Moment& moment) {
    json_.begin_object();
    add("i", index);
    add("k", name(moment.kind));
    add("s", moment.step);
    json_.key("t");
    json_.number(moment.time_ms);
    add_process("p", moment.process, moment.user);
    add("x", short_name_(moment.text));
    if (moment.answers) add("a", *moment.answers);
    if (!moment.details.empty()) {
      list("d", moment.details,
           [&](const Moment::Detail& detail) { strings({detail.name, detail.value}); });
    }
    json_.end_object();
  }

  void change(const ZnodeChange& change) {
    json_.begin_object();
    add("s", change.step);
    add("m", change.moment);
    add("k", name(change.kind));
    add("p", short_name_(change.path));
    add("f", change.path);
    add("z", static_cast<std::uint64_t>(change.zxid));
    if (change.owner != 0) add_process("l", change.owned);
    json_.key("o");
    json_.number(change.owner != 0 ? 1 : 0);
    if (!change.data.is_null()) add("d", change.data.view());
    json_.end_object();
  }

  void grant(const GrantSpan& span) {
    json_.begin_object();
    add_process("p", span.process);
    add("z", span.znode);
    add("b", span.begins);
    add_or_null("g", span.znode_gone, Chronicle::kNever);
    add_or_null("e", span.ends, Chronicle::kNever);
    add("bs", step_of(span.begins));
    add_or_null("gs", step_of(span.znode_gone), Chronicle::kNoStep);
    add_or_null("es", step_of(span.ends), Chronicle::kNoStep);
    json_.end_object();
  }

  [[nodiscard]] std::uint32_t step_of(std::size_t moment) const {
    if (moment == Chronicle::kNever) return Chronicle::kNoStep;
    // A grant may begin or end with the very last moment.
    return moment < chronicle_.moments.size() ? chronicle_.moments[moment].step : last_step();
  }

  void watch(const WatchSpan& span) {
    json_.begin_object();
    add_process("p", span.process);
    add("z", span.path);
    add("n", short_name_(span.path));
    add("c", span.children ? 1 : 0);
    add("b", span.begins_after);
    add_or_null("e", span.ends_after, Chronicle::kNoStep);
    json_.end_object();
  }

  const Chronicle& chronicle_;
  const TimelineCaption& caption_;
  const ShortNames short_name_;
  const std::vector<Lane> lanes_;
  JsonWriter json_;
};

std::string as_html(std::string_view text) {
  std::string html;
  for (const char byte : text) {
    switch (byte) {
      case '&': html += "&amp;"; break;
      case '<': html += "&lt;"; break;
      case '>': html += "&gt;"; break;
      case '"': html += "&quot;"; break;
      default: html += byte;
    }
  }
  return html;
}

std::string headline_of(const Chronicle& chronicle, const TimelineCaption& caption) {
  if (!chronicle.violation) return ": " + caption.headline;
  const std::string& oracle = chronicle.violation->oracle;
  return ' ' + std::string(breaks(oracle)) + ' ' + oracle;
}

}  // namespace

std::string timeline_page(const Chronicle& chronicle, const TimelineCaption& caption) {
  const std::pair<std::string_view, std::string> parts[] = {
      {"@TITLE@", as_html(caption.title + headline_of(chronicle, caption))},
      {"@STYLE@", std::string(timeline_files::kStyle)},
      {"@VERSION@", as_html(version())},
      {"@LANES@", as_html(draw_lanes(chronicle, kAnyWidth))},
      {"@RECORD@", Record(chronicle, caption).text()},
      {"@SCRIPT@", std::string(timeline_files::kScript)},
  };
  std::string page;
  std::string_view rest = timeline_files::kPage;
  // Parts are replaced in the order of the page, each once: inserted text is not searched again.
  for (const auto& [mark, text] : parts) {
    const std::size_t at = rest.find(mark);
    internal::check(at != std::string_view::npos, "the page has all marks, in this order");
    page += rest.substr(0, at);
    page += text;
    rest.remove_prefix(at + mark.size());
  }
  return page += rest;
}

}  // namespace lockstep::search
