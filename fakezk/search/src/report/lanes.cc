#include "lockstep/search/lanes.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "lockstep/search/oracle.h"
#include "report/characters.h"
#include "report/marks.h"

namespace lockstep::search {

namespace {

constexpr std::size_t kNarrowest = 12;
// The columns of steps and times, at least.
constexpr std::size_t kStepColumns = 4;
constexpr std::size_t kTimeColumns = 9;
// The widths by the number of lanes. Even the narrowest fits the texts of a lock with short names.
constexpr std::size_t kWidestLast = 72;
constexpr std::size_t kWidestOfTwo = 72;
constexpr std::size_t kWidestOfThree = 52;
constexpr std::size_t kWidestOfMore = 40;
constexpr std::size_t kMostFirst = 40;
constexpr std::size_t kMostLast = 80;
constexpr std::size_t kMostRows = kMostFirst + kMostLast + 1;
// A longer drawing shows no switches between the threads of a process.
constexpr std::size_t kMostWithSwitches = 80;
// A loop of at most kLongestLoop rows is drawn once if it runs at least kFewestTimes times.
constexpr std::size_t kLongestLoop = 8;
constexpr std::size_t kFewestTimes = 3;

// Lanes are folded on a narrower screen, and where each of them would have less room than this.
constexpr std::size_t kFewestColumns = 100;
constexpr std::size_t kLeastRoom = 26;
// The words when the first thread of a process goes on.
constexpr std::string_view kFirstThread = "goes on";
constexpr std::string_view kServersLane = "servers, clock";
constexpr std::string_view kServersFolded = "servers";

// The widths of the lanes; their number decides by default.
struct Layout {
  std::optional<std::size_t> widest_lane = std::nullopt;
  std::optional<std::size_t> columns = std::nullopt;  // The screen's width.
};

class Drawing {
 public:
  // Draws the moments from `begin` to `end`, by index.
  Drawing(const Chronicle& chronicle, std::size_t begin, std::size_t end, Layout layout = {})
      : chronicle_(chronicle), short_name_(chronicle), lanes_(lanes_of(chronicle)), end_(end) {
    for (const Lane& lane : lanes_) names_.push_back(printable(lane.name));
    const bool servers = std::ranges::any_of(chronicle.moments, [&](const Moment& moment) {
      return moment.process >= chronicle.processes.size();
    });
    if (servers) names_.emplace_back(kServersLane);
    widest_lane_ = std::max(kNarrowest, layout.widest_lane.value_or(usual_width()));
    widest_last_ = std::max(widest_lane_, kWidestLast);
    measure_left(begin);
    if (layout.columns) keep_within(*layout.columns);
    find_switches();
    draw(begin);
    if (rows_.size() > kMostWithSwitches && !switches_.empty()) {
      switches_.clear();
      draw(begin);
    }
    leave_out_the_middle();
  }

  [[nodiscard]] std::string rows() const {
    if (columns_) return folded_rows();
    std::vector<std::size_t> widths;
    widths.reserve(names_.size());
    for (std::size_t lane = 0; lane < names_.size(); ++lane) {
      widths.push_back(std::max({kNarrowest, width(names_[lane]), widest(lane)}));
    }
    std::string text = header();
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

  // The last line: the broken guarantee, if any, or how the code under test has crashed.
  [[nodiscard]] std::string violation() const {
    if (!chronicle_.violation) return {};
    const Violation& broken = *chronicle_.violation;
    const bool crashes = broken.oracle == name(Oracle::kCrash) && !broken.message.empty();
    const std::string_view told = crashes ? broken.message : facts(broken.oracle).brief;
    return padded(aligned(std::to_string(broken.step), step_columns_), left_columns()) + "  !! " +
           headline(broken.oracle) + ": " +
           printable(short_name_(told.substr(0, told.find('\n')))) + '\n';
  }

 private:
  struct Row {
    std::size_t moment;
    std::size_t lane;
    std::string text;
    char changes = ' ';
    bool is_gap = false;      // The row says that others are left out.
    bool continues = false;   // The row continues the text of the row above it.
    std::size_t repeats = 0;  // A gap: how many rows above it come again.
  };

  [[nodiscard]] std::size_t usual_width() const {
    if (names_.size() <= 2) return kWidestOfTwo;
    return names_.size() == 3 ? kWidestOfThree : kWidestOfMore;
  }

  // The last moment has the greatest step and the greatest time.
  void measure_left(std::size_t begin) {
    std::uint32_t step = chronicle_.violation ? chronicle_.violation->step : 0;
    if (begin < end_) {
      const Moment& last = chronicle_.moments[end_ - 1];
      step = std::max(step, last.step);
      time_columns_ = std::max(kTimeColumns, std::to_string(last.time_ms).size() + 4);
    }
    step_columns_ = std::max(kStepColumns, std::to_string(step).size());
  }

  // The step, the time, and a sign between blanks.
  [[nodiscard]] std::size_t left_columns() const { return step_columns_ + time_columns_ + 3; }

  [[nodiscard]] std::string header() const {
    return padded(aligned("step", step_columns_) + aligned("time", time_columns_), left_columns());
  }

  // Narrows the lanes, or folds them: then a line begins with the name of its lane.
  void keep_within(std::size_t columns) {
    if (names_.empty()) return;
    const std::size_t for_each = (columns - std::min(columns, left_columns())) / names_.size();
    if (columns >= kFewestColumns && for_each >= kLeastRoom + 3) {
      widest_lane_ = std::min(widest_lane_, for_each - 3);
      widest_last_ = for_each - 3;
      return;
    }
    columns_ = columns;
    if (names_.back() == kServersLane) names_.back() = kServersFolded;
    const std::size_t taken = left_columns() + lanes_.size() + 2 + name_width() + 2;
    widest_lane_ = std::max(kLeastRoom, columns - std::min(columns, taken));
    widest_last_ = widest_lane_;
  }

  [[nodiscard]] std::size_t name_width() const {
    std::size_t most = 0;
    for (const std::string& name : names_) most = std::max(most, width(name));
    return most;
  }

  [[nodiscard]] std::string folded_rows() const {
    std::string text;
    const std::string folded_for =
        "(Folded: " + std::to_string(*columns_) + " columns are too few for lanes side by side.)";
    for (const std::string& line : wrapped(folded_for, *columns_)) text += line + '\n';
    text += header();
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) {
      const std::string& name = names_[lane];
      text += lanes_[lane].user == 0 ? name.substr(0, bytes_of(name, 1)) : " ";
    }
    for (const Row& row : rows_) {
      text += '\n' + (row.is_gap ? row.text : folded(row));
      while (text.ends_with(' ')) text.pop_back();
    }
    return text + '\n';
  }

  // The marks of all lanes, a column each, then the lane and the text.
  [[nodiscard]] std::string folded(const Row& row) const {
    std::string line = left_of(row);
    for (std::size_t lane = 0; lane < lanes_.size(); ++lane) line += holding(lane, row.moment);
    line += "  " + padded(row.continues ? std::string() : names_[row.lane], name_width());
    return line + "  " + row.text;
  }

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

  void draw(std::size_t begin) {
    rows_.clear();
    for (std::size_t next = begin; next < end_;) next = add(next);
    fold();
  }

  // Draws a moment, and what belongs on its line; returns the next moment to draw.
  std::size_t add(std::size_t index) {
    const Moment& moment = chronicle_.moments[index];
    std::string text = std::string(arrow(moment.kind, moment.text)) + words_of(moment);
    std::size_t next = index + 1;
    if (next < end_ && chronicle_.moments[next].answers == index &&
        chronicle_.moments[next].step == moment.step + 1) {
      text += ", received";
      ++next;
    }
    while (next < end_ && goes_on_at_once(next)) ++next;
    for (; next < end_ && goes_with(moment, chronicle_.moments[next]); ++next) {
      const std::string more = ", " + words_of(chronicle_.moments[next]);
      if (width(text) + width(more) > widest_lane_) break;
      text += more;
    }
    const std::size_t row = rows_.size();
    add_row(index, lane_of(moment.process, moment.user), text);
    add_changes(index, row);
    return next;
  }

  [[nodiscard]] std::string words_of(const Moment& moment) const {
    return printable(short_name_(moment.text));
  }

  // A thread that goes on right after the step that ended its call was not preempted, and is not
  // shown. Neither is one that goes on after another one of its process, except for a switch.
  [[nodiscard]] bool goes_on_at_once(std::size_t index) const {
    const Moment& moment = chronicle_.moments[index];
    const Moment& before = chronicle_.moments[index - 1];
    return moment.kind == Moment::Kind::kGoOn && moment.process == before.process &&
           !std::ranges::binary_search(switches_, index);
  }

  // Finds where a thread overtakes another one of its process, and where that one goes on. Their
  // words name them.
  void find_switches() {
    struct Running {
      std::string_view thread = kFirstThread;
      bool has_overtaken = false;
    };
    std::map<std::uint32_t, Running> running;
    for (std::size_t index = 0; index < end_; ++index) {
      const Moment& moment = chronicle_.moments[index];
      if (moment.kind != Moment::Kind::kGoOn) continue;
      Running& before = running[moment.process];
      if (before.thread == moment.text) continue;
      if (moment.overtakes || before.has_overtaken) switches_.push_back(index);
      before = {moment.text, moment.overtakes};
    }
  }

  // Successive remarks of a process within one step share a line.
  static bool goes_with(const Moment& said, const Moment& next) {
    return said.kind == Moment::Kind::kRemark && next.kind == Moment::Kind::kRemark &&
           said.process == next.process && said.user == next.user && said.step == next.step;
  }

  void add_changes(std::size_t index, std::size_t of_moment) {
    for (const ZnodeChange& change : chronicle_.changes) {
      if (change.step == 0 || change.moment != index) continue;
      char& mark = rows_[of_moment].changes;
      mark = mark == ' ' || mark == sign(change.kind) ? sign(change.kind) : '~';
      if (asked_for(chronicle_.moments[index], change)) continue;
      const std::string text =
          std::string("   ") + sign(change.kind) + ' ' + printable(short_name_(change.path));
      const bool known = change.owned < chronicle_.processes.size();
      add_row(index, known ? lane_of(change.owned) : rows_[of_moment].lane, text);
    }
  }

  void add_row(std::size_t moment, std::size_t lane, const std::string& text) {
    // The last lane may be wider: nothing is to the right of it, and the servers' texts are long.
    const bool last = lane + 1 == names_.size();
    const std::size_t most = last ? widest_last_ : widest_lane_;
    bool continues = false;
    for (std::string& line : wrapped(text, most)) {
      rows_.push_back(
          {.moment = moment, .lane = lane, .text = std::move(line), .continues = continues});
      continues = true;
    }
  }

  static bool asked_for(const Moment& moment, const ZnodeChange& change) {
    if (moment.kind != Moment::Kind::kRequest) return false;
    return std::ranges::any_of(moment.details, [&](const Moment::Detail& detail) {
      return detail.name == "path" && detail.value == change.path;
    });
  }

  // Draws the rows of a loop once.
  void fold() {
    std::vector<Row> told;
    for (std::size_t i = 0; i < rows_.size();) {
      const Loop loop = loop_at(i);
      const std::size_t end = i + loop.rows * loop.times;
      const auto first = rows_.begin() + static_cast<std::ptrdiff_t>(i);
      told.insert(told.end(), first, first + static_cast<std::ptrdiff_t>(loop.rows));
      if (loop.times > 1) {
        told.push_back({.moment = rows_[end - 1].moment,
                        .lane = 0,
                        .text = again(loop, chronicle_.moments[rows_[end - 1].moment].step),
                        .is_gap = true,
                        .repeats = loop.rows});
      }
      i = end;
    }
    rows_ = std::move(told);
  }

  // Leaves out the middle rows if there are still too many.
  void leave_out_the_middle() {
    if (rows_.size() <= kMostRows) return;
    const std::size_t from = whole_from(kMostFirst);
    const std::size_t to = whole_from(rows_.size() - kMostLast);
    const std::size_t events = rows_[to].moment - rows_[from].moment;
    if (events == 0) return;
    rows_[from] = {.moment = rows_[from].moment,
                   .lane = 0,
                   .text = " ... " + std::to_string(events) + " of " +
                           std::to_string(chronicle_.moments.size()) + " events are left out",
                   .is_gap = true};
    rows_.erase(rows_.begin() + static_cast<std::ptrdiff_t>(from + 1),
                rows_.begin() + static_cast<std::ptrdiff_t>(to));
  }

  // The first row from there on that begins a text, and is no part of a loop that begins above it.
  [[nodiscard]] std::size_t whole_from(std::size_t row) const {
    while (row + 1 < rows_.size() && rows_[row].continues) ++row;
    for (std::size_t below = row; below < rows_.size() && below <= row + kLongestLoop; ++below) {
      if (rows_[below].is_gap && below - row < rows_[below].repeats) row = below + 1;
    }
    return row;
  }

  struct Loop {
    std::size_t rows;
    std::size_t times;
  };

  static std::string again(const Loop& loop, std::uint32_t last_step) {
    return " ... " +
           (loop.rows == 1 ? "this line comes"
                           : "these " + std::to_string(loop.rows) + " lines come") +
           ' ' + std::to_string(loop.times - 1) + " times more, up to step " +
           std::to_string(last_step);
  }

  // A loop consists of whole texts.
  [[nodiscard]] Loop loop_at(std::size_t begin) const {
    if (rows_[begin].continues) return {1, 1};
    for (std::size_t rows = 1; rows <= kLongestLoop; ++rows) {
      std::size_t same = 0;
      while (begin + rows + same < rows_.size() && alike(begin + same, begin + rows + same)) ++same;
      std::size_t times = 1 + same / rows;
      const std::size_t end = begin + rows * times;
      if (end < rows_.size() && rows_[end].continues) --times;
      if (times >= kFewestTimes) return {rows, times};
    }
    return {1, 1};
  }

  [[nodiscard]] bool alike(std::size_t one, std::size_t other) const {
    const Row& a = rows_[one];
    const Row& b = rows_[other];
    if (a.is_gap || b.is_gap || a.continues != b.continues || a.lane != b.lane ||
        a.text != b.text || a.changes != b.changes) {
      return false;
    }
    for (std::size_t lane = 0; lane < names_.size(); ++lane) {
      if (holding(lane, a.moment) != holding(lane, b.moment)) return false;
    }
    return true;
  }

  // Everything without a lane goes into the last one, the servers'.
  [[nodiscard]] std::size_t lane_of(std::uint32_t process, std::uint32_t user = 0) const {
    const auto found = std::ranges::find_if(
        lanes_, [&](const Lane& lane) { return lane.process == process && lane.user == user; });
    return std::min(static_cast<std::size_t>(found - lanes_.begin()), names_.size() - 1);
  }

  [[nodiscard]] std::size_t widest(std::size_t lane) const {
    std::size_t most = 0;
    for (const Row& row : rows_) {
      if (row.lane == lane && !row.is_gap) most = std::max(most, width(row.text));
    }
    return most;
  }

  // The mark that shows whether the process of a lane holds the lock after that moment.
  [[nodiscard]] char holding(std::size_t lane, std::size_t moment) const {
    char mark = ' ';
    if (lane >= lanes_.size() || lanes_[lane].user != 0) return mark;
    for (const GrantSpan& grant : chronicle_.grants) {
      if (grant.process != lanes_[lane].process || moment < grant.begins || moment >= grant.ends)
        continue;
      if (mark != '#') mark = moment < grant.znode_gone ? '#' : ':';
    }
    return mark;
  }

  // The step, the time and the sign of what has changed.
  [[nodiscard]] std::string left_of(const Row& row) const {
    if (row.continues) return std::string(left_columns(), ' ');
    const Moment& moment = chronicle_.moments[row.moment];
    return padded(aligned(std::to_string(moment.step), step_columns_) +
                      aligned(std::to_string(moment.time_ms) + " ms", time_columns_) + ' ' +
                      row.changes,
                  left_columns());
  }

  void append(std::string& text, const Row& row, const std::vector<std::size_t>& widths) const {
    while (text.ends_with(' ')) text.pop_back();
    text += '\n';
    if (row.is_gap) {
      text += row.text;
      return;
    }
    std::string line = left_of(row);
    for (std::size_t lane = 0; lane < widths.size(); ++lane) {
      const std::string said = row.lane == lane ? row.text : std::string();
      line += std::string(1, holding(lane, row.moment)) + ' ' + padded(said, widths[lane] + 1);
    }
    text += line;
  }

  const Chronicle& chronicle_;
  const ShortNames short_name_;
  const std::vector<Lane> lanes_;
  const std::size_t end_;
  std::vector<std::size_t> switches_;  // Moments, by index; empty if they are not drawn.
  std::vector<std::string> names_;     // For `lanes_`, and for the servers' lane if there is one.
  std::vector<Row> rows_;
  std::size_t step_columns_ = kStepColumns;
  std::size_t time_columns_ = kTimeColumns;
  std::size_t widest_lane_ = 0;
  std::size_t widest_last_ = 0;
  std::optional<std::size_t> columns_;  // Set if the lanes are folded.
};

}  // namespace

std::string legend(const Chronicle& chronicle) {
  return Drawing(chronicle, 0, chronicle.moments.size()).legend();
}

std::string draw_lanes(const Chronicle& chronicle, std::optional<std::size_t> widest_lane) {
  const Drawing drawing(chronicle, 0, chronicle.moments.size(), {.widest_lane = widest_lane});
  return drawing.rows() + drawing.violation();
}

std::string draw_lanes_within(const Chronicle& chronicle, std::size_t columns) {
  std::string usual = draw_lanes(chronicle);
  if (widest_line(usual) <= columns) return usual;
  const Drawing drawing(chronicle, 0, chronicle.moments.size(), {.columns = columns});
  return drawing.rows() + drawing.violation();
}

std::string draw_step(const Chronicle& chronicle, std::uint32_t step) {
  const auto [begin, end] = std::ranges::equal_range(chronicle.moments, step, {}, &Moment::step);
  return Drawing(chronicle, static_cast<std::size_t>(begin - chronicle.moments.begin()),
                 static_cast<std::size_t>(end - chronicle.moments.begin()))
      .rows();
}

}  // namespace lockstep::search
