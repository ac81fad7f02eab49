#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::differential {

// What one observer (a session's user, or the inspector) saw, in order.
class Lane {
 public:
  std::string title;
  std::vector<std::string> lines;

  friend bool operator==(const Lane&, const Lane&) = default;
};

// What one side showed of a program, in a form that both sides share: comparable line by line.
using Log = std::vector<Lane>;

// Collects a Log. Knows in which order nothing promises events to come, and puts them in one.
class Transcript {
 public:
  // Returns its number.
  std::size_t add_lane(std::string title);
  void add(std::size_t lane, std::string text);
  // `event`: type and path. Those that follow each other directly and are the same event come in
  // the order of the watches (Exclusion::kWatchesOfOneEvent).
  void add_event(std::size_t lane, const std::string& watch, std::string event);

  // Between these, the events that follow each other directly in a lane are a set: the end of a
  // session and the return of one set them off (Exclusion::kDeletionOrder, kOrderAfterAbsence).
  void begin_disorder() { disorder_ = ++disorders_; }
  void end_disorder() { disorder_ = 0; }

  [[nodiscard]] Log take_log();

 private:
  struct Line {
    std::string text;
    std::string run;  // Lines next to each other with the same one have no order; empty: with it.
  };
  std::vector<std::string> titles_;
  std::vector<std::vector<Line>> lines_;
  int disorder_ = 0;
  int disorders_ = 0;
};

}  // namespace lockstep::differential
