#include "manager/api/explain/chronicle_rows.hpp"

#include <cstdio>
#include <nlohmann/json.hpp>

#include "manager/api/explain/cause_words.hpp"
#include "manager/api/explain/line_words.hpp"
#include "monitor/codec_step.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot::wire {

using nlohmann::json;

std::string decimals(Yield yield) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", ratio(yield));
  return text;
}

std::string placement_words(const ClusterView& view, const Placement& placement) {
  constexpr std::size_t kMostNamed = 6;
  std::string out;
  for (std::size_t i = 0; i < placement.size() && i < kMostNamed; ++i) {
    out += (i == 0 ? "" : ",") + node_name(view, placement[i].node);
    if (placement[i].units != 1) out += ":" + std::to_string(placement[i].units);
  }
  if (placement.size() > kMostNamed)
    out += " and " + std::to_string(placement.size() - kMostNamed) + " more nodes";
  return out.empty() ? "nowhere" : out;
}

namespace {

std::string yields(const Standing& before, const Standing& after) {
  if (before.yield == after.yield) return "yield " + decimals(after.yield);
  return "yield " + decimals(before.yield) + " -> " + decimals(after.yield);
}

// The difference between `before` and `after`, without its cause.
std::string change(const ClusterView& view, const Standing& before, const Standing& after) {
  if (after.phase != Phase::running)
    return before.phase == Phase::running ? "off " + placement_words(view, before.placement)
                                          : "stays off the nodes";
  if (before.phase != Phase::running)
    return "placed on " + placement_words(view, after.placement) + " at yield " + decimals(after.yield);
  if (before.placement != after.placement)
    return "from " + placement_words(view, before.placement) + " to " +
           placement_words(view, after.placement) + ", " + yields(before, after);
  return yields(before, after) + " on " + placement_words(view, after.placement);
}

std::string in_brackets(const ChronicleEntry& entry) {
  std::string inner = entry.decision == 0 ? "" : "decision " + std::to_string(entry.decision);
  if (!entry.cause.empty()) inner += (inner.empty() ? "" : ": ") + entry.cause;
  if (!entry.for_jobs.empty()) inner += "; for " + jobs_words(entry.for_jobs);
  return inner.empty() ? "" : " (" + inner + ")";
}

std::string why(const ChronicleEntry& entry) {
  std::string text;
  if (entry.reason) text += ", " + std::string(word(*entry.reason));
  if (!entry.text.empty()) text += ": " + entry.text;
  return text;
}

json standing(const ClusterView& view, const Standing& standing) {
  const bool placed = standing.phase == Phase::running;
  return {{"phase", std::string(word(standing.phase))},
          {"yield", placed ? json(ratio(standing.yield)) : json()},
          {"nodes", placement_json(view, standing.placement)}};
}

}  // namespace

std::string chronicle_words(const ClusterView& view, const ChronicleEntry& entry) {
  const std::string what = change(view, entry.before, entry.after);
  switch (entry.turn) {
    case Turn::wait:
      return "waits" + why(entry) + in_brackets(entry);
    case Turn::start:
      return "starts: " + what + in_brackets(entry);
    case Turn::resume:
      return "resumes: " + what + in_brackets(entry);
    case Turn::pause:
      return "paused: " + what + why(entry) + in_brackets(entry);
    case Turn::move:
      return "moves " + what + in_brackets(entry);
    case Turn::cap:
      return (entry.after.yield < entry.before.yield ? "slowed: " : "sped up: ") + what +
             in_brackets(entry);
    case Turn::lost:
      return "lost its place: " + what + why(entry) + in_brackets(entry);
    case Turn::refused:
      if (!entry.job) return "plan refused: " + entry.text + in_brackets(entry);
      return "not done, its plan broke a law (" + entry.text + "): " + what + in_brackets(entry);
    case Turn::advised:
      return "advised, not done: " + what + in_brackets(entry);
    case Turn::failed:
    case Turn::checkpoint:
    case Turn::rollback:
      return entry.text + in_brackets(entry);
    case Turn::rerun:
      return "starts anew from the beginning, " + entry.text + in_brackets(entry);
    case Turn::ended:
      return "ended, " + entry.text + in_brackets(entry);
    case Turn::foreign:
      return entry.text;
    case Turn::need:
    case Turn::tasks:
      return entry.text + (entry.before == entry.after ? "" : ": " + what);
  }
  return what;
}

json chronicle_row(const ClusterView& view, const ChronicleEntry& entry) {
  json beneficiaries = json::array();
  for (const JobId job : entry.for_jobs) beneficiaries.push_back(job.raw);
  return {{"turn", std::string(word(entry.turn))},
          {"decision", entry.decision == 0 ? json() : json(entry.decision)},
          {"cause", entry.cause},
          {"before", standing(view, entry.before)},
          {"after", entry.turn == Turn::ended ? json() : standing(view, entry.after)},
          {"reason", entry.reason ? json(std::string(word(*entry.reason))) : json()},
          {"text", entry.text},
          {"for", std::move(beneficiaries)},
          {"words", chronicle_words(view, entry)}};
}

json log_row(const ClusterView& view, const std::string& line) {
  json what = json::parse(line, nullptr, false);
  if (what.is_discarded()) return line;
  if (what.is_object() && !what.contains("turn"))
    if (std::string words = line_words(view, what); !words.empty()) what["words"] = std::move(words);
  if (!what.is_object() || !what.contains("turn")) return what;
  const auto entry = decode_json<ChronicleEntry>(what);
  return entry ? chronicle_row(view, *entry) : what;
}

json history(const ClusterView& view, const std::vector<LoggedEvent>& lines, const AnswerClock& clock) {
  json rows = json::array();
  for (const LoggedEvent& line : lines) {
    json row = log_row(view, line.json);
    if (!row.is_object() || !row.contains("turn")) continue;
    row["sequence"] = line.sequence;
    row["at"] = iso_time(line.at, clock);
    row["ago_s"] = to_seconds(clock.now - line.at);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace aliquot::wire
