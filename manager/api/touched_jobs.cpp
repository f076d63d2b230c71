#include "manager/api/touched_jobs.hpp"

namespace aliquot {
namespace {

std::optional<JobId> job_of(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::optional<JobId> {
        if constexpr (requires { e.job; })
          return e.job;
        else
          return std::nullopt;
      },
      event);
}

bool concerns_all(const Event& event) {
  return std::holds_alternative<NodeChanged>(event) || std::holds_alternative<Restarted>(event) ||
         std::holds_alternative<Configured>(event);
}

}  // namespace

std::set<JobId> touched_jobs(const Step& step, const CoreState& state) {
  std::set<JobId> touched;
  bool everybody = false;
  for (const Event& event : step.events) {
    if (const auto job = job_of(event)) touched.insert(*job);
    everybody = everybody || concerns_all(event);
  }
  if (everybody)
    for (const auto& [id, job] : state.view.jobs) touched.insert(id);
  if (step.decision && step.decision->adopted)
    for (const Change& change : step.decision->plan.changes) touched.insert(change.job);
  return touched;
}

}  // namespace aliquot
