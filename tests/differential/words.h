#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "differential/program.h"

// The words of the text form, indexed by value.
namespace lockstep::differential {

template <class T, std::size_t n>
using Words = std::array<std::pair<T, std::string_view>, n>;

inline constexpr Words<StepKind, 10> kStepWords = {{{StepKind::kSend, "send"},
                                                    {StepKind::kLose, "lose"},
                                                    {StepKind::kClose, "close"},
                                                    {StepKind::kDeafen, "deafen"},
                                                    {StepKind::kDisconnect, "disconnect"},
                                                    {StepKind::kFail, "fail"},
                                                    {StepKind::kReconnect, "reconnect"},
                                                    {StepKind::kKill, "kill"},
                                                    {StepKind::kExpire, "expire"},
                                                    {StepKind::kOpen, "open"}}};

inline constexpr Words<OpCode, 13> kOpWords = {{{OpCode::kCreate, "create"},
                                                {OpCode::kRemove, "remove"},
                                                {OpCode::kExists, "exists"},
                                                {OpCode::kGetData, "get_data"},
                                                {OpCode::kSetData, "set_data"},
                                                {OpCode::kGetChildren, "get_children"},
                                                {OpCode::kSync, "sync"},
                                                {OpCode::kGetAcl, "get_acl"},
                                                {OpCode::kSetAcl, "set_acl"},
                                                {OpCode::kMulti, "multi"},
                                                {OpCode::kCheck, "check"},
                                                {OpCode::kRemoveWatches, "remove_watches"},
                                                {OpCode::kAddAuth, "add_auth"}}};

inline constexpr Words<WatchType, 3> kWatchTypeWords = {
    {{WatchType::kAny, "any"}, {WatchType::kData, "data"}, {WatchType::kChild, "child"}}};

inline constexpr Words<CreateMode, 7> kModeWords = {
    {{CreateMode::kPersistent, "persistent"},
     {CreateMode::kEphemeral, "ephemeral"},
     {CreateMode::kPersistentSequential, "sequential"},
     {CreateMode::kEphemeralSequential, "ephemeral-sequential"},
     {CreateMode::kContainer, "container"},
     {CreateMode::kPersistentWithTtl, "ttl"},
     {CreateMode::kPersistentSequentialWithTtl, "sequential-ttl"}}};

template <class T, std::size_t n>
std::string_view word_of(const Words<T, n>& words, T value) {
  for (const auto& [known, word] : words) {
    if (known == value) return word;
  }
  return "?";
}

template <class T, std::size_t n>
T meaning_of(const Words<T, n>& words, std::string_view text) {
  for (const auto& [value, word] : words) {
    if (word == text) return value;
  }
  throw std::runtime_error("not understood: " + std::string(text));
}

}  // namespace lockstep::differential
