#include "java_date.h"

#include <array>
#include <chrono>
#include <string_view>

namespace lockstep::connection {

namespace {

std::string two_digits(unsigned number) {
  const std::string digits = std::to_string(number);
  return digits.size() == 1 ? "0" + digits : digits;
}

}  // namespace

std::string java_date(std::int64_t milliseconds) {
  using namespace std::chrono;
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed",
                                                     "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::chrono::milliseconds since(milliseconds);
  const sys_days day(floor<days>(since));
  const year_month_day date(day);
  const hh_mm_ss time(floor<seconds>(since) - floor<days>(since));
  const auto part = [](auto count) { return two_digits(static_cast<unsigned>(count.count())); };
  return std::string(kDays.at(weekday(day).c_encoding())) + " " +
         std::string(kMonths.at(unsigned{date.month()} - 1)) + " " +
         two_digits(unsigned{date.day()}) + " " + part(time.hours()) + ":" + part(time.minutes()) +
         ":" + part(time.seconds()) + " UTC " + std::to_string(int{date.year()});
}

}  // namespace lockstep::connection
