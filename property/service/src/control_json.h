#pragma once

#include <string>
#include <string_view>

#include "lockstep/service/control.h"

namespace lockstep::service {

// The answer of a control port, in terms of HTTP.
struct ControlAnswer {
  unsigned status = 200;
  std::string body;  // JSON and the end of a line, or
  std::string_view type = "application/json";
};

// GET /sessions, /servers, /tree, /watches, /queues and /log show what Control shows, GET
// /log?after=N only later requests; GET / is a web page with all of it. GET /faults shows what each
// fault expects, POST /faults with {"fault": NAME, ...} does what Control does. Everything else is
// answered with a 4xx status and
// {"error": ..., "expected": ...}: 400 if the body is not what a fault expects, 404 for a page, a
// session, a server or a znode that does not exist, 405 for a method, 409 if it is impossible now.
[[nodiscard]] ControlAnswer answer_control(Control& control, std::string_view method,
                                           std::string_view page, std::string_view body);

}  // namespace lockstep::service
