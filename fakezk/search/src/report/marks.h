#pragma once

#include <array>
#include <string_view>

#include "lockstep/search/chronicle.h"

namespace lockstep::search {

// The marks of a drawing as text.
struct Mark {
  std::string_view sign;
  std::string_view meaning;
};
// In the order in which they appear in a line.
inline constexpr std::array kMarks = {Mark{"+", "creates"},
                                      Mark{"-", "deletes"},
                                      Mark{"~", "changes"},
                                      Mark{"#", "holds"},
                                      Mark{":", "holds a znode that is gone"},
                                      Mark{"->", "applied"},
                                      Mark{"<-", "received"},
                                      Mark{"!", "watch event"},
                                      Mark{"**", "servers, clock or fault"},
                                      Mark{"==", "says"}};

// Begins the text of a moment.
[[nodiscard]] std::string_view arrow(Moment::Kind kind, std::string_view text);
[[nodiscard]] char sign(fakezk::Change::Kind kind);

}  // namespace lockstep::search
