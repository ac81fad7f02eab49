#include "lockstep/fakezk/explore/lanes.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/fakezk/explore/guarantee.h"

namespace lockstep::fakezk {

namespace {

constexpr std::size_t kNarrowest = 12;
constexpr std::size_t kLeftColumns = 16;
// By the number of lanes. What a lane says of a lock with short names fits even into the last.
constexpr std::size_t kWidestLast = 72;
constexpr std::size_t kWidestOfTwo = 72;
constexpr std::size_t kWidestOfThree = 52;
constexpr std::size_t kWidestOfMore = 40;
constexpr std::size_t kMostFirst = 40;
constexpr std::size_t kMostLast = 80;

// Characters on the screen, not bytes: names may be UTF-8.
std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char byte) { return (byte & 0xc0) != 0x80; }));
}

std::string padded(std::string text, std::size_t to) {
  const std::size_t has = width(text);
  if (has < to) text.append(to - has, ' ');
  return text;
}

// At most `most` characters of it.
std::string shortened(std::string text, std::size_t most) {
  if (width(text) <= most) return text;
  std::size_t end = 0;
  for (std::size_t characters = 0; end < text.size(); ++end) {
    if ((text[end] & 0xc0) != 0x80 && ++characters == most) break;
  }
  return text.substr(0, end) + "\u2026";
}

std::string aligned(const std::string& text, std::size_t to) {
  return text.size() < to ? std::string(to - text.size(), ' ') + text : text;
}

std::string_view arrow(Moment::Kind kind, std::string_view text) {
  switch (kind) {
    case Moment::Kind::kRequest: return "-> ";
    case Moment::Kind::kReply: return "<- ";
    case Moment::Kind::kWatchEvent: return "<- ! ";
    case Moment::Kind::kConnection: return text == "connects" ? "-> " : "<- ";
    case Moment::Kind::kServers:
    case Moment::Kind::kClock:
    case Moment::Kind::kFault: return "** ";
    case Moment::Kind::kRemark: return "== ";
  }
  return "";
}

char sign(Change::Kind kind) {
  switch (kind) {
    case Change::Kind::kCreated: return '+';
    case Change::Kind::kDeleted: return '-';
    case Change::Kind::kDataSet:
    case Change::Kind::kAclSet:
    case Change::Kind::kChecked: return '~';
  }
  return '~';
}

struct Mark {
  std::string_view sign;
  std::string_view meaning;
};
// In the order in which they stand in a line.
constexpr std::array kMarks = {Mark{"+", "creates"},
                               Mark{"-", "deletes"},
                               Mark{"~", "changes"},
                               Mark{"#", "holds"},
                               Mark{":", "holds a znode that is gone"},
                               Mark{"->", "applied"},
                               Mark{"<-", "received"},
                               Mark{"!", "watch event"},
                               Mark{"**", "servers, clock or fault"},
                               Mark{"==", "says"}};

class Drawing {
 public:
  // Of the moments `shown`, by index.
  Drawing(const Chronicle& chronicle, const std::vector<std::size_t>& shown,
          std::optional<std::size_t> widest_lane = std::nullopt)
      : chronicle_(chronicle) {
    names_ = chronicle.processes;
    const bool servers = std::ranges::any_of(chronicle.moments, [&](const Moment& moment) {
      return moment.process >= chronicle.processes.size();
    });
    if (servers) names_.emplace_back("servers, clock");
    widest_lane_ = widest_lane.value_or(names_.size() <= 2   ? kWidestOfTwo
                                        : names_.size() == 3 ? kWidestOfThree
                                                             : kWidestOfMore);
    std::size_t next = shown.empty() ? 0 : shown.front();
    for (const std::size_t i : shown) {
      if (i > next)
        rows_.push_back({.moment = i, .lane = 0, .text = gap(i - next), .is_gap = true});
      if (i >= next) next = add(i);
    }
  }

  [[nodiscard]] std::string rows() const {
    std::vector<std::size_t> widths;
    widths.reserve(names_.size());
    for (std::size_t lane = 0; lane < names_.size(); ++lane) {
      widths.push_back(std::max({kNarrowest, width(names_[lane]), widest(lane)}));
    }
    std::string text = padded("step     time", kLeftColumns);
    for (std::size_t lane = 0; lane < names_.size(); ++lane) {
      text += "  " + padded(names_[lane], widths[lane] + 1);
    }
    for (const Row& row : rows_) append(text, row, widths);
    while (text.ends_with(' ')) text.pop_back();
    return text + '\n';
  }

  [[nodiscard]] std::string legend() const {
    std::string text;
    for (const Mark& mark : kMarks) {
      if (!std::ranges::any_of(rows_, [&](const Row& row) { return has(row, mark); })) continue;
      text +=
          (text.empty() ? "" : "   ") + std::string(mark.sign) + ' ' + std::string(mark.meaning);
    }
    return text.empty() ? text : text + '\n';
  }

  // The guarantee that is broken, if one is, as the last line.
  [[nodiscard]] std::string violation() const {
    if (!chronicle_.violation) return {};
    const Violation& broken = *chronicle_.violation;
    return padded(aligned(std::to_string(broken.step), 4), kLeftColumns) + "  !! " +
           is_broken(broken.oracle) + ": " + std::string(guarantee(broken.oracle)) + '\n';
  }

 private:
  struct Row {
    std::size_t moment;
    std::size_t lane;
    std::string text;
    char changes = ' ';
    bool is_gap = false;  // Moments before this one are left out.
  };

  [[nodiscard]] bool has(const Row& row, const Mark& mark) const {
    if (row.is_gap) return false;
    if (mark.sign == "!") return row.text.starts_with("<- ! ");
    if (mark.sign.size() > 1) return row.text.starts_with(mark.sign);
    if (row.changes == mark.sign.front()) return true;
    for (std::size_t lane = 0; lane < names_.size(); ++lane) {
      if (holding(lane, row.moment) == mark.sign.front()) return true;
    }
    return false;
  }

  [[nodiscard]] std::string gap(std::size_t left_out) const {
    return " ... " + std::to_string(left_out) + " of " + std::to_string(chronicle_.moments.size()) +
           " events are left out";
  }

  // Draws a moment, and what belongs on its line; returns the next moment to draw.
  std::size_t add(std::size_t index) {
    const Moment& moment = chronicle_.moments[index];
    std::string text = std::string(arrow(moment.kind, moment.text)) + without_guids(moment.text);
    std::size_t next = index + 1;
    if (next < chronicle_.moments.size() && chronicle_.moments[next].answers == index &&
        chronicle_.moments[next].step == moment.step + 1) {
      text += ", received";
      ++next;
    }
    add_row(index, lane_of(moment.process), std::move(text));
    add_changes(index);
    return next;
  }

  void add_changes(std::size_t index) {
    const std::size_t of_moment = rows_.size() - 1;
    for (const ZnodeChange& change : chronicle_.changes) {
      if (change.step == 0 || change.moment != index) continue;
      char& mark = rows_[of_moment].changes;
      mark = mark == ' ' || mark == sign(change.kind) ? sign(change.kind) : '~';
      if (asked_for(chronicle_.moments[index], change)) continue;
      const std::string text =
          std::string("   ") + sign(change.kind) + ' ' + without_guids(change.path);
      const bool known = change.owned < chronicle_.processes.size();
      add_row(index, known ? change.owned : rows_[of_moment].lane, text);
    }
  }

  void add_row(std::size_t moment, std::size_t lane, std::string text) {
    // Nothing stands right of the last one, and what the servers do is told in long sentences.
    const bool last = lane + 1 == names_.size();
    const std::size_t most = last ? std::max(widest_lane_, kWidestLast) : widest_lane_;
    rows_.push_back({moment, lane, shortened(std::move(text), most)});
  }

  static bool asked_for(const Moment& moment, const ZnodeChange& change) {
    if (moment.kind != Moment::Kind::kRequest) return false;
    return std::ranges::any_of(moment.details, [&](const Moment::Detail& detail) {
      return detail.name == "path" && detail.value == change.path;
    });
  }

  [[nodiscard]] std::size_t lane_of(std::uint32_t process) const {
    return std::min<std::size_t>(process, names_.size() - 1);
  }

  [[nodiscard]] std::size_t widest(std::size_t lane) const {
    std::size_t most = 0;
    for (const Row& row : rows_) {
      if (row.lane == lane && !row.is_gap) most = std::max(most, width(row.text));
    }
    return most;
  }

  // Whether the process of a lane holds the lock after that moment.
  [[nodiscard]] char holding(std::size_t lane, std::size_t moment) const {
    char mark = ' ';
    for (const GrantSpan& grant : chronicle_.grants) {
      if (grant.process != lane || moment < grant.begins || moment >= grant.ends) continue;
      if (mark != '#') mark = moment < grant.znode_gone ? '#' : ':';
    }
    return mark;
  }

  void append(std::string& text, const Row& row, const std::vector<std::size_t>& widths) const {
    if (row.is_gap) {
      text += '\n' + row.text;
      return;
    }
    const Moment& moment = chronicle_.moments[row.moment];
    std::string line = aligned(std::to_string(moment.step), 4) +
                       aligned(std::to_string(moment.time_ms) + " ms", 9) + ' ' + row.changes;
    line = padded(std::move(line), kLeftColumns);
    for (std::size_t lane = 0; lane < widths.size(); ++lane) {
      const std::string said = row.lane == lane ? row.text : std::string();
      line += std::string(1, holding(lane, row.moment)) + ' ' + padded(said, widths[lane] + 1);
    }
    while (text.ends_with(' ')) text.pop_back();
    text += '\n' + line;
  }

  const Chronicle& chronicle_;
  std::vector<std::string> names_;
  std::vector<Row> rows_;
  std::size_t widest_lane_ = 0;
};

}  // namespace

std::string legend(const Chronicle& chronicle) {
  return Drawing(chronicle, excerpt(chronicle, kMostFirst, kMostLast)).legend();
}

std::string draw_lanes(const Chronicle& chronicle, std::optional<std::size_t> widest_lane) {
  Drawing drawing(chronicle, excerpt(chronicle, kMostFirst, kMostLast), widest_lane);
  return drawing.rows() + drawing.violation();
}

std::string draw_step(const Chronicle& chronicle, std::uint32_t step) {
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < chronicle.moments.size(); ++i) {
    if (chronicle.moments[i].step == step) shown.push_back(i);
  }
  return Drawing(chronicle, shown).rows();
}

}  // namespace lockstep::fakezk
