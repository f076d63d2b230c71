#include "tools/replay/replay.hpp"

#include "monitor/codec.hpp"

namespace aliquot {
namespace {

// The core adds these by itself.
bool is_of_the_core(const Event& event) {
  const auto* changed = std::get_if<TasksChanged>(&event);
  const auto* submitted = std::get_if<Submitted>(&event);
  const auto* service = std::get_if<ServiceChanged>(&event);
  const auto* window = std::get_if<WindowChanged>(&event);
  return std::holds_alternative<TimerExpired>(event) || std::holds_alternative<Woken>(event) ||
         std::holds_alternative<Tick>(event) || std::holds_alternative<TasksAdded>(event) ||
         (changed && (changed->is_due || changed->step > 0)) ||
         (submitted && submitted->submission->member) || (service && service->is_due) ||
         (window && window->is_due);
}

std::vector<Event> from_outside(const std::vector<Event>& events) {
  std::vector<Event> given;
  for (const Event& event : events)
    if (!is_of_the_core(event)) given.push_back(event);
  return given;
}

struct JobIn {
  std::optional<JobId> operator()(const Event& event) const {
    return std::visit(
        [](const auto& e) -> std::optional<JobId> {
          if constexpr (requires { e.job; }) return e.job;
          return std::nullopt;
        },
        event);
  }
  std::optional<JobId> operator()(const Action& action) const { return head(action).job; }
  std::optional<JobId> operator()(const Change& change) const { return change.job; }
  std::optional<JobId> operator()(const JobOutcome& outcome) const { return outcome.job; }
};

// The first place where two lists differ, if they do.
template <class T>
std::optional<Difference> compare(const char* part, const std::vector<T>& expected,
                                  const std::vector<T>& got) {
  for (std::size_t i = 0; i < std::max(expected.size(), got.size()); ++i) {
    const std::string was = i < expected.size() ? encode(expected[i]) : "";
    const std::string is = i < got.size() ? encode(got[i]) : "";
    if (was == is) continue;
    const T& shown = i < expected.size() ? expected[i] : got[i];
    return Difference{0, {}, part, JobIn{}(shown), was, is};
  }
  return std::nullopt;
}

// A step of before version 3 has all that its policy remembered, and not what changed.
bool remembers(const Decision& recorded, const PolicyMemory& memory) {
  PolicyMemory whole;
  remember(recorded.memory, whole);
  return whole == memory;
}

// `memory`: what the policy remembers after the decision that was taken anew.
std::optional<Difference> compare(const std::optional<Decision>& expected,
                                  const std::optional<Decision>& got, const PolicyMemory& memory) {
  if (!expected && !got) return std::nullopt;
  if (!expected || !got) {
    const auto text = [](const std::optional<Decision>& d) { return d ? encode(*d) : std::string(); };
    return Difference{0, {}, "decision", std::nullopt, text(expected), text(got)};
  }
  if (auto found = compare("decision", expected->plan.changes, got->plan.changes)) return found;
  Decision was = *expected;
  Decision is = *got;
  was.nanoseconds = is.nanoseconds = 0;
  was.cause = is.cause = {};  // follows from the events, and no journal of version 1 has it
  was.plan.changes.clear();
  is.plan.changes.clear();
  if (was.memory.whole && remembers(was, memory)) was.memory = is.memory;
  if (encode(was) == encode(is)) return std::nullopt;
  return Difference{0, {}, "decision", std::nullopt, encode(was), encode(is)};
}

std::optional<Difference> compare(const Step& expected, const Step& got, const PolicyMemory& memory) {
  if (auto found = compare("event", expected.events, got.events)) return found;
  if (auto found = compare(expected.decision, got.decision, memory)) return found;
  if (auto found = compare("action", expected.actions, got.actions)) return found;
  return compare("end", expected.ended, got.ended);
}

// With what a store began of which there is no snapshot: the first step says it, or the first decision.
std::string policy_of(const Step& first) {
  for (const Event& event : first.events)
    if (const auto* changed = std::get_if<PolicyChanged>(&event)) return changed->spec;
  return first.decision ? first.decision->policy : "";
}

}  // namespace

Result<Replay> Replay::from(std::optional<CoreState> state, const std::string& policy) {
  auto made = make_policy(state ? state->policy : policy);
  if (!made)
    return fail(ErrorKind::unsupported, "its policy cannot be asked here: " + made.error().message);
  Cluster cluster = state ? Cluster(std::move(*state)) : Cluster(std::vector<Node>{});
  return Replay(std::make_unique<Scheduler>(std::move(cluster), std::move(*made)));
}

std::optional<Difference> Replay::decide_again(const Step& recorded) {
  const Step step = scheduler_->round(recorded.now, from_outside(recorded.events));
  auto found = compare(recorded, step, scheduler_->cluster().view().memory);
  if (!found && step.now != recorded.now)
    found = Difference{
        0, {}, "instant", std::nullopt, std::to_string(recorded.now.raw), std::to_string(step.now.raw)};
  if (!found) return std::nullopt;
  found->step = recorded.number;
  found->now = recorded.now;
  return found;
}

Result<ReplayResult> replay_journal(const std::string& path) {
  auto lines = JournalLines::open(path);
  if (!lines) return tl::unexpected<Error>(lines.error());
  const auto refuse = [&](const std::string& why) {
    return fail(ErrorKind::invalid_argument, path + ": " + why);
  };
  std::optional<Replay> replay;
  ReplayResult result;
  for (;;) {
    auto line = lines->next();
    if (!line) return tl::unexpected<Error>(line.error());
    if (!*line) break;
    if (auto* state = std::get_if<CoreState>(&**line)) {
      if (replay) return refuse("a snapshot in the midst of the steps");
      auto begun = Replay::from(std::move(*state), "");
      if (!begun) return refuse(begun.error().message);
      replay.emplace(std::move(*begun));
      continue;
    }
    const Step& step = std::get<Step>(**line);
    if (!replay) {
      if (step.number != 1)
        return refuse("begins with step " + std::to_string(step.number) +
                      " and no snapshot: take what `aliquot db export` writes");
      auto begun = Replay::from(std::nullopt, policy_of(step));
      if (!begun) return refuse(begun.error().message);
      replay.emplace(std::move(*begun));
    }
    if (result.last_step == 0 && step.number < replay->next_step()) continue;  // in the snapshot already
    if (step.number != replay->next_step())
      return refuse("step " + std::to_string(step.number) + " stands where step " +
                    std::to_string(replay->next_step()) +
                    " should: steps were lost, nothing can be decided anew after them");
    if (result.first_step == 0) result.first_step = step.number;
    result.last_step = step.number;
    if (step.decision) ++result.decisions;
    result.difference = replay->decide_again(step);
    if (result.difference) return result;
  }
  if (result.last_step == 0) return refuse("holds no step");
  return result;
}

}  // namespace aliquot
