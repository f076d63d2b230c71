// A workload in the Standard Workload Format (version 2.2): each task a processor. Times that are no whole
// seconds are written with their decimals, which swf_reader.hpp reads back.
//
// Said: job (1), submit (2), run time (4), processors (5 and 8), estimate (9), how it ends (11: 0 if with
// an exit code), user (12, where it is a number). CPU needs, memory, accounts and other words are not.
#pragma once

#include <string>

#include "tools/sim/workload.hpp"

namespace aliquot {

// `nodes`: of the system, for the header; 0: as many as the widest job.
[[nodiscard]] std::string workload_swf(const Workload& workload, std::uint32_t nodes);

// Can field 12 say it?
[[nodiscard]] bool is_swf_number(const std::string& text);

}  // namespace aliquot
