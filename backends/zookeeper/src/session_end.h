#pragma once

#include <zookeeper/zookeeper.h>

#include <string>

#include "lockstep/zookeeper/options.h"

namespace lockstep::zookeeper {

// Ends the session `options.attach_to` at `server` by another handle of the C client, if it is not
// over by then. Waits a moment at most for the server. Call it after zookeeper_close() on a handle
// to which the server may have sent anything else than the answer to the close request: that
// function drops the connection as soon as any data comes, the kernel then resets it, and a server
// that meets the reset first never reads the request. This handle leaves no watch and sends no
// request, so nothing else comes. Does nothing where the process cannot start the C client's
// threads.
void end_by_another_handle(const Options& options, const std::string& server, log_callback_fn log);

}  // namespace lockstep::zookeeper
