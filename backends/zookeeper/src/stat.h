#pragma once

#include <zookeeper/zookeeper.h>

#include "lockstep/stat.h"

namespace lockstep::zookeeper {

[[nodiscard]] inline Stat from_c(const ::Stat& c) {
  Stat stat;
  stat.czxid = c.czxid;
  stat.mzxid = c.mzxid;
  stat.ctime_ms = c.ctime;
  stat.mtime_ms = c.mtime;
  stat.version = c.version;
  stat.cversion = c.cversion;
  stat.aversion = c.aversion;
  stat.ephemeral_owner = c.ephemeralOwner;
  stat.data_length = c.dataLength;
  stat.num_children = c.numChildren;
  stat.pzxid = c.pzxid;
  return stat;
}

}  // namespace lockstep::zookeeper
