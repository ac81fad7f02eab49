#pragma once

#include <utility>

#include "lockstep/sequence.h"
#include "lockstep/turn.h"

namespace lockstep::internal {

// acquire() or try_acquire() of a recipe, as its caller's patience demands.
template <class Recipe, class... Arguments>
auto acquire(Recipe& recipe, Patience patience, Arguments... arguments) {
  return patience == Patience::kWaits ? recipe.acquire(std::move(arguments)...)
                                      : recipe.try_acquire(std::move(arguments)...);
}

// The same for one side of a read/write lock.
template <class Lock, class... Arguments>
auto acquire_side(Lock& lock, Share share, Patience patience, Arguments... arguments) {
  const bool waits = patience == Patience::kWaits;
  if (share == Share::kShared) {
    return waits ? lock.acquire_read(std::move(arguments)...)
                 : lock.try_acquire_read(std::move(arguments)...);
  }
  return waits ? lock.acquire_write(std::move(arguments)...)
               : lock.try_acquire_write(std::move(arguments)...);
}

}  // namespace lockstep::internal
