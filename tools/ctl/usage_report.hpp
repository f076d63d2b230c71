// What accounts, their users or their jobs were granted and have used in a span of time: `usage --start`.
#pragma once

#include <string>

#include "tools/ctl/session.hpp"

namespace aliquot::ctl {

// As users write it (begin_time.hpp).
struct UsageSpanText {
  std::string start;  // empty: the first of this month
  std::string end;    // empty: now
  std::string by;     // "account", "user" or "job"; empty: account
  [[nodiscard]] bool is_meant() const { return !start.empty() || !end.empty() || !by.empty(); }
};

// Asks and prints; the exit code. Error: a time that is none, or that is no whole hour of UTC.
[[nodiscard]] Result<int> show_usage_report(Session& session, const UsageSpanText& text);

}  // namespace aliquot::ctl
