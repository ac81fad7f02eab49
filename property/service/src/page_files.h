#pragma once

#include <string_view>

namespace lockstep::service::page_files {

// The files of src/page, embedded by CMake. They load nothing from elsewhere.
extern const std::string_view kPage;
extern const std::string_view kScript;
extern const std::string_view kStyle;

}  // namespace lockstep::service::page_files
