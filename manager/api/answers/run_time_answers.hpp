// The answers about run times that were learned, as JSON bodies. Pure. docs/protocol.md has their fields.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "policies/prediction/run_time_history.hpp"

namespace aliquot {

[[nodiscard]] std::string run_times_list_answer(const prediction::RunTimeHistory& history);
[[nodiscard]] std::string run_times_export_answer(const prediction::RunTimeHistory& history);
[[nodiscard]] std::string run_times_imported_answer(std::size_t classes);
[[nodiscard]] std::string run_times_forgotten_answer(std::size_t classes);

// How much longer a job is expected to run, in virtual time: of `list` and `show`.
[[nodiscard]] nlohmann::json expected_json(const std::optional<prediction::Prediction>& rest);

}  // namespace aliquot
