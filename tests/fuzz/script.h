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

// One request of a worker.
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
  // In flight together with the next steps; otherwise the worker waits for its end.
  bool pipelined = false;
  // A read leaves a watch, and the worker keeps it.
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

// A program of several workers, with its servers and faults.
struct Script {
  fakezk::ServerOptions servers;
  std::uint32_t workers = 1;
  fakezk::FaultPlan faults;
  bool access_matters = false;  // Some ACLs are not open.
  std::vector<Step> steps;
};

// Takes the script from the front of `bytes`; the rest is for the schedule.
Script read_script(Bytes& bytes);

}  // namespace lockstep::fuzz
