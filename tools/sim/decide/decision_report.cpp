#include "tools/sim/decide/decision_report.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "monitor/codec_step.hpp"
#include "monitor/codec_words.hpp"
#include "tools/sim/decimal.hpp"
#include "tools/sim/metrics/percentile.hpp"

namespace aliquot {

namespace {

constexpr std::size_t kMostShares = 8;

double microseconds(std::int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1'000; }

std::string text_of(Yield yield) { return to_text(Decimal{Int128{yield.raw} * (kPico / kMillion)}); }

std::string three_places(double value) {
  std::array<char, 64> buffer{};
  std::snprintf(buffer.data(), buffer.size(), "%.3f", value);
  return buffer.data();
}

std::string counted(std::size_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

// "0 1 5x2": nodes, and how many tasks where it is not one.
std::string text_of(const Placement& placement) {
  std::string text;
  for (std::size_t k = 0; k < std::min(placement.size(), kMostShares); ++k) {
    text += (k > 0 ? " " : "") + std::to_string(placement[k].node.raw);
    if (placement[k].units > 1) text += "x" + std::to_string(placement[k].units);
  }
  if (placement.size() > kMostShares) {
    text += " and " + std::to_string(placement.size() - kMostShares) + " more";
  }
  return text;
}

const char* what_happens(const Job& job, const Change& change) {
  if (change.placement.empty()) return "pauses";
  if (job.phase == Phase::waiting) return "starts";
  if (job.phase == Phase::paused) return "resumes";
  return job.placement == change.placement ? "stays" : "moves";
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

std::string row(const std::string& job, const std::string& what, const std::string& yield,
                const std::string& nodes) {
  std::string line = padded(job, 12) + padded(what, 10) + padded(yield, 11) + nodes;
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string and_more(std::size_t all) {
  return all > kMostRows ? "... and " + std::to_string(all - kMostRows) + " more\n" : "";
}

std::string changes_text(const ClusterView& view, const Plan& plan) {
  if (plan.changes.empty()) return "Nothing changes.\n";
  std::string text = row("job", "what", "yield", "nodes");
  for (std::size_t k = 0; k < std::min(plan.changes.size(), kMostRows); ++k) {
    const Change& change = plan.changes[k];
    text += row(std::to_string(change.job.raw), what_happens(view.jobs.at(change.job), change),
                change.placement.empty() ? "" : text_of(change.yield), text_of(change.placement));
  }
  return text + and_more(plan.changes.size());
}

std::string reasons_text(const OneDecision& made) {
  if (made.unplaced == 0) return "";
  std::string text = counted(made.unplaced, "job") + " not placed:\n";
  for (std::size_t k = 0; k < std::min(made.reasons.size(), kMostRows); ++k) {
    const auto& [job, why] = made.reasons[k];
    text += padded(std::to_string(job.raw), 12) + std::string(word(why.reason)) + ": " + why.text + "\n";
  }
  return text + and_more(made.unplaced);
}

std::string yields_text(const YieldBound& yields) {
  if (yields.placed == 0) return "";
  return "Lowest yield " + text_of(yields.lowest) + " of " + counted(yields.placed, "job") +
         "; no placement of the same jobs has more than " + text_of(yields.bound) + ": a gap of " +
         three_places(100 * yields.gap()) + " %.\n";
}

std::string placement_text(const OneDecision& made) {
  if (!made.placement) return "";
  const ProvenGap& proven = *made.placement;
  return "Of " + counted(proven.jobs, "job") + " in the window, on " + counted(proven.classes, "class") +
         " of nodes: a gap of " + three_places(100 * proven.gap) + " % to the bound" +
         (proven.finished ? "" : ", when the effort was spent") + ".\n";
}

nlohmann::ordered_json placement_json(const ProvenGap& proven) {
  return {{"incumbent", proven.incumbent}, {"bound", proven.bound},     {"gap", proven.gap},
          {"jobs", proven.jobs},           {"classes", proven.classes}, {"work", proven.work},
          {"finished", proven.finished},   {"solver", proven.solver}};
}

std::string times_text(const std::vector<std::int64_t>& times) {
  std::string text = "Decided in " + three_places(microseconds(percentile(times, 50))) + " us";
  if (times.size() == 1) return text + ".\n";
  return text + " (median of " + std::to_string(times.size()) + "; least " +
         three_places(microseconds(times.front())) + ", p99 " +
         three_places(microseconds(percentile(times, 99))) + ", most " +
         three_places(microseconds(times.back())) + ").\n";
}

}  // namespace

std::string decision_text(const ClusterView& view, const OneDecision& made) {
  std::string text = changes_text(view, made.plan);
  if (made.plan.wake_at) {
    text += "Asks again at " + to_text(*made.plan.wake_at - Instant{}) + " s at the latest.\n";
  }
  return text + reasons_text(made) + placement_text(made) + yields_text(made.yields) +
         times_text(made.nanoseconds);
}

nlohmann::ordered_json decision_json(const OneDecision& made) {
  auto reasons = nlohmann::json::array();
  for (const auto& [job, why] : made.reasons) {
    nlohmann::json said = why;
    said["job"] = job.raw;
    reasons.push_back(std::move(said));
  }
  const nlohmann::json plan = made.plan;
  nlohmann::ordered_json json = {{"plan", nlohmann::ordered_json(plan)},
                                 {"unplaced", made.unplaced},
                                 {"reasons", nlohmann::ordered_json(reasons)},
                                 {"placed", made.yields.placed},
                                 {"lowest_yield", static_cast<double>(made.yields.lowest.raw) / kMillion},
                                 {"bound", static_cast<double>(made.yields.bound.raw) / kMillion},
                                 {"gap", made.yields.gap()},
                                 {"repeat", made.nanoseconds.size()},
                                 {"decision_us_min", microseconds(made.nanoseconds.front())},
                                 {"decision_us_p50", microseconds(percentile(made.nanoseconds, 50))},
                                 {"decision_us_p99", microseconds(percentile(made.nanoseconds, 99))},
                                 {"decision_us_max", microseconds(made.nanoseconds.back())}};
  if (made.placement) json["placement"] = placement_json(*made.placement);
  return json;
}

}  // namespace aliquot
