#pragma once

#include "lockstep/fakezk/message.h"

namespace lockstep::fakezk {

// True if the message is longer on the wire than a server reads: jute.maxbuffer, 1048575 bytes
// without the length itself (NIOServerCnxn.readLength).
[[nodiscard]] bool exceeds_packet_limit(const ClientMessage& message);

}  // namespace lockstep::fakezk
