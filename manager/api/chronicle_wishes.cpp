#include "manager/api/chronicle_step.hpp"
#include "monitor/codec_words.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kMostWishes = 100;          // entries of one decision that is not carried out
constexpr std::size_t kMostViolationsQuoted = 3;  // of a refused plan

}  // namespace

// What a decision would have done that broke a law, or that is only shown. Said once, not at every period.
void Chronicle::note_wishes(Now& now) {
  const Decision& decision = *now.decision();
  const bool refused = !decision.violations.empty();
  std::string text;
  for (std::size_t i = 0; i < std::min(decision.violations.size(), kMostViolationsQuoted); ++i) {
    const Violation& broken = decision.violations[i];
    text += (i == 0 ? "" : "; ") + std::string(name(broken.law)) + ": " + broken.text;
  }
  if (refused) {
    now.refused = text;
    ChronicleEntry whole;
    whole.turn = Turn::refused;
    whole.decision = now.step.number;
    whole.cause = now.cause;
    whole.text = text;
    now.entries.push_back(std::move(whole));
  }
  for (const Change& change : decision.plan.changes) {
    const auto job = now.state.view.jobs.find(change.job);
    if (job == now.state.view.jobs.end()) continue;
    const Standing wish = standing_of(job->second, change);
    Known& known = known_[change.job];
    if (known.wished == wish) continue;
    if (now.entries.size() >= kMostWishes) break;
    known.wished = wish;
    ChronicleEntry entry;
    entry.job = change.job;
    entry.turn = refused ? Turn::refused : Turn::advised;
    entry.decision = now.step.number;
    entry.cause = now.cause;
    entry.before = standing_of(job->second);
    entry.after = wish;
    entry.text = text;
    now.entries.push_back(std::move(entry));
  }
}

void Chronicle::note_failures(Now& now) {
  for (const Event& event : now.step.events) {
    const auto* outcome = std::get_if<Outcome>(&event);
    if (outcome == nullptr) continue;
    const auto issued = issued_.find(outcome->op);
    if (outcome->error) {
      const auto known = known_.find(outcome->job);
      ChronicleEntry entry;
      entry.job = outcome->job;
      entry.turn = Turn::failed;
      entry.cause = outcome->error->message;
      if (known != known_.end()) {
        entry.decision = known->second.decision;
        entry.before = entry.after = known->second.standing;
      }
      entry.text = std::string(issued == issued_.end() ? "an action" : word(issued->second.kind)) +
                   " of task " + std::to_string(outcome->tasks.first) + " failed";
      now.entries.push_back(std::move(entry));
    }
    if (issued == issued_.end()) continue;
    if (issued->second.open <= outcome->tasks.count)
      issued_.erase(issued);
    else
      issued->second.open -= outcome->tasks.count;
  }
}

}  // namespace aliquot
