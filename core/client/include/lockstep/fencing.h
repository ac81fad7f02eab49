#pragma once

#include <cstdint>

#include "lockstep/stat.h"

namespace lockstep {

// Fencing tokens: a protected resource refuses a token that is smaller than one it has seen.
//
// A token is the czxid of the holder's znode: ZooKeeper counts its transactions, so that later
// grants have larger tokens, as long as the ensemble keeps its data. An ensemble that was rebuilt
// without its data counts from zero again, and every resource that remembers a token would refuse
// all new ones. An operator then raises the fencing epoch by one (SessionOptions::fencing_epoch),
// in every process that uses the locks, before the first of them uses the new ensemble. With the
// epoch 0 a token is the czxid itself.
//
//   bits      63   62 .. 56        55 .. 32                31 .. 0
//             0    fencing epoch   leader's epoch (zxid)   counter (zxid)
//
// As a signed number of 64 bits a token grows with the fencing epoch first. A zxid then has room
// for 2^24 leader changes: one a minute for thirty years.
inline constexpr int kFencingEpochShift = 56;
inline constexpr std::int32_t kLastFencingEpoch = 127;

[[nodiscard]] constexpr bool is_fencing_epoch(std::int32_t epoch) {
  return epoch >= 0 && epoch <= kLastFencingEpoch;
}

// An invalid epoch is misuse, and so is a czxid that is too large for an epoch other than 0.
[[nodiscard]] Zxid fencing_token(std::int32_t epoch, Zxid czxid);

}  // namespace lockstep
