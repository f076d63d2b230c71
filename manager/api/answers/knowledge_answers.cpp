#include "manager/api/answers/knowledge_answers.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "manager/api/wire/strict_json.hpp"

namespace aliquot {

using moldable::KnownRun;
using nlohmann::json;

namespace {

json row_of(const KnownRun& run) {
  return {{"application", run.application}, {"problem_size", run.problem_size},
          {"iterations", run.iterations},   {"tasks", run.tasks},
          {"time_s", to_seconds(run.time)}, {"memory_bytes", run.memory.raw}};
}

}  // namespace

std::string knowledge_list_answer(const moldable::KnowledgeBase& base, std::size_t most) {
  std::vector<KnownRun> runs = base.list();
  std::ranges::sort(runs, {},
                    [](const KnownRun& run) { return std::pair(run.application, run.problem_size); });
  json rows = json::array();
  for (const KnownRun& run : runs) rows.push_back(row_of(run));
  return wire::to_line({{"entries", std::move(rows)}, {"most", most}});
}

std::string knowledge_export_answer(const moldable::KnowledgeBase& base) {
  return wire::to_line({{"csv", base.export_csv()}});
}

std::string knowledge_imported_answer(std::size_t taken, std::size_t not_better) {
  return wire::to_line({{"taken", taken}, {"not_better", not_better}});
}

std::string knowledge_forgotten_answer(std::size_t forgotten) {
  return wire::to_line({{"forgotten", forgotten}});
}

}  // namespace aliquot
