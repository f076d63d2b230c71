#include "tools/ctl/begin_time.hpp"

#include <cstdio>
#include <regex>

#include "config/quantities.hpp"

namespace aliquot::ctl {
namespace {

constexpr std::time_t kDay = 86'400;

tl::unexpected<Error> wrong(const std::string& text) {
  return fail(ErrorKind::invalid_argument,
              quote(text) + " is no time; write now+2h, 16:00, 2026-12-01 or 2026-12-01T08:00");
}

// Of Slurm: seconds if it is bare; "2hours", "30minutes", "1day", "3weeks".
Result<std::time_t> parse_span(const std::string& text, const std::string& whole) {
  static const std::regex slurm(R"((\d{1,9})(second|minute|hour|day|week)s?)");
  std::smatch found;
  if (std::regex_match(text, found, slurm)) {
    const std::string unit = found[2];
    const std::time_t each = unit == "second"   ? 1
                             : unit == "minute" ? 60
                             : unit == "hour"   ? 3600
                             : unit == "day"    ? kDay
                                                : 7 * kDay;
    return std::stol(found[1]) * each;
  }
  if (const auto count = parse_count(text); count && *count <= 1'000'000'000) return *count;
  const auto span = parse_duration(text);
  if (!span || span->raw < 0) return wrong(whole);
  return static_cast<std::time_t>(span->raw / 1'000'000);
}

std::time_t time_of(std::tm parts, bool is_utc) {
  parts.tm_isdst = -1;
  return is_utc ? timegm(&parts) : mktime(&parts);
}

bool is_valid(const std::tm& parts) {
  return parts.tm_hour < 24 && parts.tm_min < 60 && parts.tm_sec < 60 && parts.tm_mon >= 0 &&
         parts.tm_mon < 12 && parts.tm_mday >= 1 && parts.tm_mday <= 31;
}

}  // namespace

Result<std::time_t> parse_begin(const std::string& text, std::time_t now) {
  if (text == "now") return now;
  if (text.starts_with("now+"))
    return parse_span(text.substr(4), text).map([now](std::time_t span) { return now + span; });
  static const std::regex form(R"((?:(\d{4})-(\d\d)-(\d\d))?T?(?:(\d\d):(\d\d)(?::(\d\d))?)?(Z?))");
  std::smatch found;
  if (!std::regex_match(text, found, form) || (!found[1].matched && !found[4].matched)) return wrong(text);
  const bool has_date = found[1].matched, is_utc = found[7].length() > 0;
  const auto number = [&](std::size_t k) { return found[k].matched ? std::stoi(found[k]) : 0; };
  std::tm parts{};
  is_utc ? gmtime_r(&now, &parts) : localtime_r(&now, &parts);
  if (has_date) {
    parts.tm_year = number(1) - 1900;
    parts.tm_mon = number(2) - 1;
    parts.tm_mday = number(3);
  }
  parts.tm_hour = number(4), parts.tm_min = number(5), parts.tm_sec = number(6);
  if (!is_valid(parts)) return wrong(text);
  std::time_t at = time_of(parts, is_utc);
  if (!has_date && at <= now) ++parts.tm_mday, at = time_of(parts, is_utc);
  if (at < 0) return wrong(text);
  return at;
}

}  // namespace aliquot::ctl
