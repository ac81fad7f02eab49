#pragma once

#include <string_view>

// The embedded files of report/timeline (lockstep_embed in core/cmake/component.cmake).
namespace lockstep::search::timeline_files {

extern const std::string_view kPage;
extern const std::string_view kScript;
extern const std::string_view kStyle;
extern const std::string_view kVersion;

}  // namespace lockstep::search::timeline_files
