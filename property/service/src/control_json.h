#pragma once

#include <string>
#include <string_view>

#include "lockstep/service/control.h"

namespace lockstep::service {

// The answer of a control port, in terms of HTTP.
struct ControlAnswer {
  unsigned status = 200;
  std::string body;  // JSON and a newline unless `type` differs.
  std::string_view type = "application/json";
};

// GET /sessions, /servers, /tree, /watches, /queues and /log show what Control shows, GET
// /log?after=N only later requests; GET / is a web page with all of it. GET /faults shows what each
// fault expects, POST /faults with {"fault": NAME, ...} calls Control. Everything else gets a 4xx
// status and {"error": ..., "expected": ...}: 400 for a body that the fault does not expect; 404
// for an unknown page, session, server or znode; 405 for a method; 409 if the fault is impossible
// now.
[[nodiscard]] ControlAnswer answer_control(Control& control, std::string_view method,
                                           std::string_view page, std::string_view body);

}  // namespace lockstep::service
