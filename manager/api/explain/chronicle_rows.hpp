// The chronicle as answers have it: a line of the log becomes a row with names instead of numbers, and with
// the same in words. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "manager/api/answers/answer_values.hpp"
#include "manager/store/store.hpp"
#include "policies/model/chronicle.hpp"

namespace aliquot::wire {

// "yield 1.00 -> 0.50 on n0 (decision 17: job 7 arrived; for job 7)".
[[nodiscard]] std::string chronicle_words(const ClusterView& view, const ChronicleEntry& entry);

// turn decision cause before after reason text for words
[[nodiscard]] nlohmann::json chronicle_row(const ClusterView& view, const ChronicleEntry& entry);

// Those lines of the log that are of the chronicle, in their order: chronicle_row with sequence, at and
// ago_s.
[[nodiscard]] nlohmann::json history(const ClusterView& view, const std::vector<LoggedEvent>& lines,
                                     const AnswerClock& clock);

// What stands in a line of the log: of the chronicle as a row, everything else as it is.
[[nodiscard]] nlohmann::json log_row(const ClusterView& view, const std::string& line);

}  // namespace aliquot::wire
