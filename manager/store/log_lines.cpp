#include "manager/store/log_lines.hpp"

#include <nlohmann/json.hpp>

#include "monitor/codec.hpp"
#include "monitor/codec_event.hpp"
#include "monitor/codec_step.hpp"

namespace aliquot {

namespace {

using Json = nlohmann::json;

std::optional<JobId> job_of(const Event& event) {
  return std::visit(
      [](const auto& e) -> std::optional<JobId> {
        if constexpr (requires { e.job; }) {
          return e.job;
        } else {
          return std::nullopt;
        }
      },
      event);
}

bool says_nothing(const Event& event) {
  return std::holds_alternative<Tick>(event) || std::holds_alternative<Woken>(event) ||
         std::holds_alternative<TimerExpired>(event);
}

// One line for all if the decision changes anything or was refused, one for each job it changes.
void add_decision(std::vector<StoredLine>& lines, const Decision& decision) {
  if (decision.plan.changes.empty() && decision.violations.empty()) return;
  Json all = {{"decision", decision.policy},
              {"adopted", decision.adopted},
              {"changes", decision.plan.changes.size()},
              {"nanoseconds", decision.nanoseconds}};
  if (!decision.violations.empty()) all["violations"] = decision.violations;
  lines.push_back({std::nullopt, to_line(all)});
  for (const Change& change : decision.plan.changes) {
    Json line = change;
    line["decision"] = decision.policy;
    line["adopted"] = decision.adopted;
    lines.push_back({change.job, to_line(line)});
  }
}

}  // namespace

std::vector<StoredLine> log_lines(const Step& step) {
  std::vector<StoredLine> lines;
  for (const Event& event : step.events) {
    if (!says_nothing(event)) lines.push_back({job_of(event), encode(event)});
  }
  if (step.decision) add_decision(lines, *step.decision);
  for (const ChronicleEntry& entry : step.chronicle) lines.push_back({entry.job, encode(entry)});
  for (const Action& action : step.actions) lines.push_back({head(action).job, encode(action)});
  for (const JobOutcome& outcome : step.ended) {
    Json line = outcome;
    line.erase("submission");  // it is in the submitted event
    lines.push_back({outcome.job, to_line(line)});
  }
  return lines;
}

}  // namespace aliquot
