#pragma once

#include <cstdint>
#include <vector>

#include "lockstep/fakezk/chooser.h"

namespace lockstep::fakezk {

// A choice that was not the default, and where: the position counts calls of the chooser.
struct Deviation {
  std::uint32_t position = 0;
  Choice choice;

  friend bool operator==(const Deviation&, const Deviation&) = default;
};

// The identity of an execution: the choices made in it, and a hash of everything that happened.
class TraceRecord {
 public:
  void begin() {
    positions_ = 0;
    deviations_.clear();
    hash_ = 0;
  }
  // The chooser has made its next choice.
  void chose(Choice choice) {
    if (choice.fault || choice.index != 0) deviations_.emplace_back(positions_, choice);
    ++positions_;
  }
  // Makes a fact part of the hash. Less thorough than mix(), because this happens twice in every
  // step; code that compares or adds up the hashes of executions may use mix().
  void hash_in(std::uint64_t fact) {
    hash_ = (hash_ ^ fact) * 0xbf58476d1ce4e5b9u + 0x9e3779b97f4a7c15u;
    hash_ ^= hash_ >> 32;
  }

  [[nodiscard]] std::uint32_t positions() const { return positions_; }
  [[nodiscard]] const std::vector<Deviation>& deviations() const { return deviations_; }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }

 private:
  std::uint32_t positions_ = 0;
  std::vector<Deviation> deviations_;
  std::uint64_t hash_ = 0;
};

}  // namespace lockstep::fakezk
