// Chronicle entries in answers: JSON rows with the names of nodes instead of numbers, and with the entry as
// a sentence. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "manager/api/answers/answer_values.hpp"
#include "manager/store/store.hpp"
#include "monitor/record/chronicle.hpp"

namespace aliquot::wire {

// "0.50".
[[nodiscard]] std::string decimals(Yield yield);
// "n0,n1:2"; a long list is cut.
[[nodiscard]] std::string placement_words(const ClusterView& view, const Placement& placement);

// "yield 1.00 -> 0.50 on n0 (decision 17: job 7 arrived; for job 7)".
[[nodiscard]] std::string chronicle_words(const ClusterView& view, const ChronicleEntry& entry);

// turn decision cause before after reason text for words
[[nodiscard]] nlohmann::json chronicle_row(const ClusterView& view, const ChronicleEntry& entry);

// The chronicle entries among these lines of the log, in order: chronicle_row with sequence, at and ago_s.
[[nodiscard]] nlohmann::json history(const ClusterView& view, const std::vector<LoggedEvent>& lines,
                                     const AnswerClock& clock);

// A line of the log: a chronicle entry as a row, anything else as it is, with what it says as `words`.
[[nodiscard]] nlohmann::json log_row(const ClusterView& view, const std::string& line);

}  // namespace aliquot::wire
