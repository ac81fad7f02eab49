#include "lockstep/search/version.h"

#include "report/timeline_files.h"

namespace lockstep::search {

std::string_view version() { return timeline_files::kVersion; }

}  // namespace lockstep::search
