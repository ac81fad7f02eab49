#include "exhaustive/finished.h"

#include <istream>
#include <ostream>
#include <string>

namespace lockstep::search {

namespace {

// Change it with the format.
constexpr std::uint64_t kFormat = 1;
constexpr int kBytes = 8;
constexpr std::uint64_t kLongestPath = 1 << 20;

// Numbers as 8 bytes each, least significant first, and a sum that the reader checks.
class Writer {
 public:
  explicit Writer(std::ostream& out) : out_(out) {}

  void number(std::uint64_t number) {
    sum_ = fakezk::mix(sum_ ^ number);
    char bytes[kBytes];
    for (char& byte : bytes) {
      byte = static_cast<char>(number & 0xff);
      number >>= 8;
    }
    out_.write(bytes, kBytes);
  }
  void text(const std::string& text) {
    number(text.size());
    for (const char character : text) number(static_cast<unsigned char>(character));
  }
  void states(StateSet& states) {
    number(states.sorted().size());
    for (const std::uint64_t state : states.sorted()) number(state);
  }
  void faults(const std::vector<Fault>& faults) {
    number(faults.size());
    for (const Fault& fault : faults) {
      number(fault.key);
      text(fault.path);
    }
  }
  void finish() { number(sum_); }

 private:
  std::ostream& out_;
  std::uint64_t sum_ = 0;
};

class Reader {
 public:
  explicit Reader(std::istream& in) : in_(in) {}

  std::uint64_t number() {
    unsigned char bytes[kBytes];
    if (!in_.read(reinterpret_cast<char*>(bytes), kBytes)) fail();
    std::uint64_t number = 0;
    for (int i = kBytes; i-- > 0;) number = number << 8 | bytes[i];
    sum_ = fakezk::mix(sum_ ^ number);
    return number;
  }
  std::string text() {
    std::string text;
    const std::uint64_t size = number();
    if (size > kLongestPath) fail();
    for (std::uint64_t i = 0; i < size; ++i) text += static_cast<char>(number());
    return text;
  }
  StateSet states() {
    StateSet states;
    for (std::uint64_t left = number(); left > 0; --left) states.insert(number());
    return states;
  }
  std::vector<Fault> faults() {
    std::vector<Fault> faults;
    for (std::uint64_t left = number(); left > 0; --left) {
      const StepKey key = number();
      faults.emplace_back(key, text());
    }
    return faults;
  }
  void finish() {
    const std::uint64_t sum = sum_;
    if (number() != sum || in_.peek() != std::istream::traits_type::eof()) fail();
  }
  [[noreturn]] static void fail() { throw UnusableCheckpoint("is damaged"); }

 private:
  std::istream& in_;
  std::uint64_t sum_ = 0;
};

void write(Writer& out, const Sums& sums) {
  out.number(sums.traces);
  out.number(sums.executions);
  out.number(sums.steps);
  out.number(sums.trace_hash);
  out.number(sums.trace_set_hash);
  out.number(sums.pairs_checked);
  out.number(sums.cut);
  for (const OracleFacts& row : oracles()) out.number(sums.judged.of(row.oracle));
}

Sums read_sums(Reader& in) {
  Sums sums;
  sums.traces = in.number();
  sums.executions = in.number();
  sums.steps = in.number();
  sums.trace_hash = in.number();
  sums.trace_set_hash = in.number();
  sums.pairs_checked = in.number();
  sums.cut = in.number();
  for (const OracleFacts& row : oracles()) {
    const std::uint64_t times = in.number();
    sums.judged.count(row.oracle, times);
  }
  return sums;
}

}  // namespace

void write(std::ostream& out, FinishedByFaults& finished, StateSet& final_states) {
  Writer writer(out);
  writer.number(kFormat);
  writer.states(final_states);
  writer.number(finished.size());
  for (auto& [faults, part] : finished) {
    writer.faults(faults);
    write(writer, part.sums);
    writer.faults(part.others);
    writer.states(part.final_states);
  }
  writer.finish();
}

SavedSearch read_saved(std::istream& in) {
  Reader reader(in);
  if (reader.number() != kFormat) throw UnusableCheckpoint("has an unknown format");
  SavedSearch saved;
  saved.final_states = reader.states();
  for (std::uint64_t left = reader.number(); left > 0; --left) {
    Faults faults = reader.faults();
    Finished& part = saved.finished[std::move(faults)];
    part.sums = read_sums(reader);
    part.others = reader.faults();
    part.final_states = reader.states();
  }
  reader.finish();
  return saved;
}

void Forecast::expect(const Faults& faults) {
  ++estimate_.combinations;
  weight_ += weight(faults);
}

void Forecast::has_finished(const Faults& faults, std::uint64_t traces) {
  ++estimate_.finished;
  estimate_.traces += traces;
  finished_weight_ += weight(faults);
}

ExhaustiveEstimate Forecast::estimate() const {
  ExhaustiveEstimate estimate = estimate_;
  const bool is_known = finished_weight_ > 0;
  const double off = is_known ? static_cast<double>(estimate.traces) / finished_weight_ : 1;
  const double left = estimate.finished < estimate.combinations ? weight_ - finished_weight_ : 0;
  estimate.expected_traces = static_cast<double>(estimate.traces) + off * left;
  return estimate;
}

double Forecast::weight(const Faults& faults) const {
  if (faults.empty()) return 1;
  const Faults all_but_last(faults.begin(), faults.end() - 1);
  return traces_of(all_but_last) * traces_of({faults.back()}) / traces_of({});
}

// A fault that can happen only after others has no traces alone: it counts like no fault.
double Forecast::traces_of(const Faults& faults) const {
  auto known = known_.find(faults);
  if (known == known_.end() || known->second.sums.traces == 0) known = known_.find({});
  return known == known_.end() ? 1 : static_cast<double>(known->second.sums.traces);
}

}  // namespace lockstep::search
