#pragma once

#include <cstdint>
#include <vector>

#include "fuzz/bytes.h"
#include "lockstep/create_mode.h"
#include "lockstep/data.h"
#include "lockstep/fakezk/fault.h"
#include "lockstep/fakezk/server.h"
#include "lockstep/path.h"
#include "lockstep/transaction.h"

namespace lockstep::fuzz {

// One thing that a worker asks its session for.
struct Step {
  enum class Kind : std::uint8_t {
    kCreate,
    kRemove,
    kExists,
    kGetData,
    kGetChildren,
    kSetData,
    kGetAcl,
    kSetAcl,
    kMulti,
    kSync,
    kAddAuth,
    kPause,
    kClose,
    kRemoveWatches,
  };
  // Under way together with the next steps; otherwise its end is waited for.
  bool pipelined = false;
  // Whether a read leaves a watch, and whether that is kept.
  bool watched = false;
  bool kept = false;
  // Gives up after a moment.
  bool hurried = false;
  Kind kind = Kind::kExists;
  std::uint32_t worker = 0;
  std::int32_t version = -1;
  Path path;
  Data data;
  Creation creation = CreateMode::kPersistent;
  Transaction transaction;
  std::string scheme;
};

// A program of some workers, with the servers and the faults that it meets.
struct Script {
  fakezk::ServerOptions servers;
  std::uint32_t workers = 1;
  fakezk::FaultPlan faults;
  bool access_matters = false;  // It uses ACLs other than the open one.
  std::vector<Step> steps;
};

// The front of `bytes` becomes the script; what is left is for the schedule.
Script read_script(Bytes& bytes);

}  // namespace lockstep::fuzz
