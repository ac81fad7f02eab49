#pragma once

// Provided by AddressSanitizer's runtime, if there is one.
extern "C" [[gnu::weak]] int __asan_report_present();

namespace lockstep::lab {

// Whether AddressSanitizer writes a report and will then end the process. To find the names of
// functions in a large program can take many seconds. Other sanitizers do not say so.
[[nodiscard]] inline bool report_has_begun() noexcept {
  return __asan_report_present && __asan_report_present() != 0;
}

}  // namespace lockstep::lab
