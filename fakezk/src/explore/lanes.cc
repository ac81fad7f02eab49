#include "lockstep/fakezk/explore/lanes.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/fakezk/explore/guarantee.h"

namespace lockstep::fakezk {

namespace {

constexpr std::size_t kNarrowest = 12;
constexpr std::size_t kLeftColumns = 16;
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

class Drawing {
 public:
  // Of the moments `shown`, by index.
  Drawing(const Chronicle& chronicle, const std::vector<std::size_t>& shown)
      : chronicle_(chronicle) {
    names_ = chronicle.processes;
    const bool servers = std::ranges::any_of(chronicle.moments, [&](const Moment& moment) {
      return moment.process >= chronicle.processes.size();
    });
    if (servers) names_.emplace_back("servers, clock");
    std::size_t next = shown.empty() ? 0 : shown.front();
    for (const std::size_t i : shown) {
      if (i > next) rows_.push_back({.moment = i, .lane = 0, .text = "...", .is_gap = true});
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

  // The guarantee that is broken, if one is, as the last line.
  [[nodiscard]] std::string violation() const {
    if (!chronicle_.violation) return {};
    const Violation& broken = *chronicle_.violation;
    return padded(aligned(std::to_string(broken.step), 4), kLeftColumns) + "  !! " + broken.oracle +
           " is broken: " + std::string(guarantee(broken.oracle)) + '\n';
  }

 private:
  struct Row {
    std::size_t moment;
    std::size_t lane;
    std::string text;
    char changes = ' ';
    bool is_gap = false;  // Moments before this one are left out.
  };

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
    rows_.push_back({index, lane_of(moment.process), std::move(text)});
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
      rows_.push_back({index, known ? change.owned : rows_[of_moment].lane, text});
    }
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
      if (row.lane == lane) most = std::max(most, width(row.text));
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
    const Moment& moment = chronicle_.moments[row.moment];
    std::string line;
    if (row.is_gap) {
      line = " ...";
    } else {
      line = aligned(std::to_string(moment.step), 4) +
             aligned(std::to_string(moment.time_ms) + " ms", 9) + ' ' + row.changes;
    }
    line = padded(std::move(line), kLeftColumns);
    for (std::size_t lane = 0; lane < widths.size(); ++lane) {
      const std::string said = row.lane == lane && !row.is_gap ? row.text : std::string();
      line += std::string(1, holding(lane, row.moment)) + ' ' + padded(said, widths[lane] + 1);
    }
    while (text.ends_with(' ')) text.pop_back();
    text += '\n' + line;
  }

  const Chronicle& chronicle_;
  std::vector<std::string> names_;
  std::vector<Row> rows_;
};

}  // namespace

std::string draw_lanes(const Chronicle& chronicle) {
  Drawing drawing(chronicle, excerpt(chronicle, kMostFirst, kMostLast));
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
