#pragma once

#include <string>
#include <string_view>

#include "differential/program.h"

// Programs as text, for people and for the folder programs/. A line without indentation is a step,
// an indented line a request of the step above it; '#' begins a comment:
//
//   s0 send
//     create "/a" data "x" mode ephemeral
//     get_data "/a" watch
//   s1 lose 1
//     multi { check "/a" version 0 ; set_data "/a" data "" }
//     remove @"/zookeeper"
//
// A path is relative to the program's own znode, unless '@' precedes it. Omitted options have their
// defaults: null data, any version, no watch, a persistent znode with an open ACL.
namespace lockstep::differential {

[[nodiscard]] std::string format(const Op& op);
[[nodiscard]] std::string format(const Step& step);  // Several lines.
[[nodiscard]] std::string format(const Program& program);
// Bytes in quotes; unprintable ones are escaped.
[[nodiscard]] std::string in_quotes(std::string_view bytes);
[[nodiscard]] std::string format(const Acl& acl);

// The inverse of format(). Throws std::runtime_error that names the line.
[[nodiscard]] Program parse_program(std::string_view text);

}  // namespace lockstep::differential
