// When a job is to begin, as users write it.
#pragma once

#include <ctime>
#include <string>

#include "policies/model/error.hpp"

namespace aliquot::ctl {

// "now+2h" and "now+120" (seconds) count from `now`; "16:00" is the next such time; "2026-12-01" and
// "2026-12-01T08:00:30" are dates. Of the time zone of this process; with a Z at the end, UTC.
[[nodiscard]] Result<std::time_t> parse_begin(const std::string& text, std::time_t now);

}  // namespace aliquot::ctl
