#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace lockstep::differential {

// The observations of one observer (a session's user, or the inspector), in order.
class Lane {
 public:
  std::string title;
  std::vector<std::string> lines;

  friend bool operator==(const Lane&, const Lane&) = default;
};

// The observations of one side in a run of a program; equal sides have equal lines.
using Log = std::vector<Lane>;

// Collects a Log. Sorts events whose order is not defined.
class Transcript {
 public:
  // Returns the lane's number.
  std::size_t add_lane(std::string title);
  void add(std::size_t lane, std::string text);
  // `event`: type and path. Equal events in a row are put in the order of their watches
  // (Exclusion::kWatchesOfOneEvent).
  void add_event(std::size_t lane, const std::string& watch, std::string event);

  // In between, consecutive events of a lane are a set, because the end of a session or a reconnect
  // has sent them (Exclusion::kDeletionOrder, kOrderAfterAbsence).
  void begin_disorder() { disorder_ = ++disorders_; }
  void end_disorder() { disorder_ = 0; }

  [[nodiscard]] Log take_log();

 private:
  struct Line {
    std::string text;
    std::string run;  // Neighbours with the same run have no order; an empty run keeps it.
  };
  std::vector<std::string> titles_;
  std::vector<std::vector<Line>> lines_;
  int disorder_ = 0;
  int disorders_ = 0;
};

}  // namespace lockstep::differential
