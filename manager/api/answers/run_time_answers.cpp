#include "manager/api/answers/run_time_answers.hpp"

#include <nlohmann/json.hpp>
#include <utility>

#include "manager/api/wire/strict_json.hpp"

namespace aliquot {

using nlohmann::json;
using prediction::RunTimeHistory;

namespace {

json row_of(const RunTimeHistory::Known& known) {
  const prediction::RunTraits& traits = known.of.traits;
  json runs = json::array();
  for (const Duration run : known.runs) runs.push_back(to_seconds(run));
  return {{"class", prediction::name(known.of.level)},
          {"account", traits.account},
          {"uid", traits.user},
          {"application", traits.application},
          {"tasks", traits.tasks},
          {"requested_s", traits.requested.raw > 0 ? json(to_seconds(traits.requested)) : json()},
          {"runs_s", std::move(runs)}};
}

}  // namespace

std::string run_times_list_answer(const RunTimeHistory& history) {
  json rows = json::array();
  for (const RunTimeHistory::Known& known : history.list()) rows.push_back(row_of(known));
  return wire::to_line({{"classes", std::move(rows)}});
}

std::string run_times_export_answer(const RunTimeHistory& history) {
  return wire::to_line({{"csv", history.export_csv()}});
}

std::string run_times_imported_answer(std::size_t classes) { return wire::to_line({{"classes", classes}}); }

std::string run_times_forgotten_answer(std::size_t classes) {
  return wire::to_line({{"forgotten", classes}});
}

json expected_json(const std::optional<prediction::Prediction>& rest) {
  if (!rest) return nullptr;
  const bool is_bounded = rest->latest.raw < INT64_MAX;
  return {{"rest_s", to_seconds(rest->rest)},
          {"earliest_s", to_seconds(rest->earliest)},
          {"latest_s", is_bounded ? json(to_seconds(rest->latest)) : json()},
          {"runs", rest->runs},
          {"class", rest->level ? json(prediction::name(*rest->level)) : json()}};
}

}  // namespace aliquot
