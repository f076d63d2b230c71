#include "manager/api/explain/job_reasons.hpp"

#include <algorithm>

#include "config/quantities.hpp"
#include "manager/api/answers/answer_values.hpp"
#include "manager/api/answers/array_answers.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/answers/job_state.hpp"
#include "manager/core/account_limits.hpp"
#include "manager/core/deferral.hpp"
#include "manager/core/ledger.hpp"
#include "manager/core/moves.hpp"
#include "monitor/codec_words.hpp"
#include "policies/reasons.hpp"

namespace aliquot {
namespace {

Explanation by_the_manager(Reason reason, std::string text) {
  Explanation explanation;
  explanation.reason = reason;
  explanation.text = std::move(text);
  return explanation;
}

// Whole seconds, at least one.
std::string about(Duration duration) { return wire::about(std::max(duration, seconds(1))); }

// Another program has taken a VM away, and it has not been found.
Explanation is_missing(const JobRecord& record) {
  return by_the_manager(Reason::in_flight,
                        record.note.empty()
                            ? "Another program has moved one of its VMs, which is being looked for."
                            : "It makes no progress: " + record.note + ".");
}

// What a job waits for that may not start yet.
Explanation deferred(const CoreState& state, JobId id, const Deferral& its) {
  std::string text;
  if (!its.after.empty()) text = "It waits for " + awaited_text(its.after) + ". ";
  if (its.singleton) text += "It waits until earlier jobs of its name and its user have ended. ";
  if (its.begin) text += "It begins in " + about(*its.begin - state.view.now) + ". ";
  if (its.only_limited() && its.limit && !its.held)
    return by_the_manager(Reason::account_limit, "It waits for a limit: " + limit_text(*its.limit) + ".");
  if (its.only_limited() && text.empty()) text = "It waits until it fits below the limits of its account. ";
  if (its.held) text += "It is held besides: `aliquot release " + std::to_string(id.raw) + "` ends that. ";
  text.pop_back();
  return by_the_manager(Reason::deferred, std::move(text));
}

// What is being done with its VMs, and which actions fail.
Explanation under_way(const CoreState& state, const Job& job, const JobRecord& record, JobState now) {
  Explanation why =
      by_the_manager(Reason::in_flight, "It is " + std::string(word(now)) +
                                            ": its VMs are on their way to where the plan wants them.");
  const auto fewer = [](const Vm& a, const Vm& b) { return a.failures < b.failures; };
  const auto worst = std::max_element(record.vms.begin(), record.vms.end(), fewer);
  const bool runs_on = now == JobState::pausing && record.failed_pauses > 0;  // all of it, or none
  const std::uint32_t failures = runs_on ? record.failed_pauses : worst->failures;
  if (failures > 0) {
    why.text += " The last " +
                (failures == 1 ? std::string("attempt has") : std::to_string(failures) + " attempts have") +
                " failed" + (record.note.empty() ? "" : " (" + record.note + ")");
    const Instant again = runs_on ? record.pause_again : worst->not_before;
    if (again == kNever) {
      why.text += "; all its VMs are being brought back to where they were";
    } else if (again > state.view.now) {
      why.retry_at = again;
      why.text += "; the next is in " + about(again - state.view.now);
    }
    why.text += ".";
    if (now == JobState::pausing && job.progress.rate.raw > 0)
      why.text += " Meanwhile it runs on at yield " + print_ratio(job.progress.rate.raw) + ".";
  }
  if (now == JobState::pausing && record.failure == ErrorKind::no_space) why.reason = Reason::save_space;
  const auto unclear =
      std::find_if(record.vms.begin(), record.vms.end(), [](const Vm& vm) { return vm.unclear; });
  if (unclear != record.vms.end())
    why.text += " What the VM of task " + std::to_string(unclear - record.vms.begin()) +
                " does is not certain; its node is being asked.";
  return why;
}

// A node on which a VM of the job is and which does not answer; null: none.
const Node* silent_node(const CoreState& state, const JobRecord& record) {
  for (const Vm& vm : record.vms) {
    const Node& node = state.view.nodes[vm.node.raw];
    if ((exists(vm) || vm.flight) && !node.answers()) return &node;
  }
  return nullptr;
}

// One of its VMs, whose node answers, is being looked for, and a node that does not answer may have it.
std::optional<Explanation> may_be_on_a_silent_node(const CoreState& state, const JobRecord& record) {
  const auto unclear = std::ranges::find_if(record.vms, &Vm::unclear);
  const auto silent = std::ranges::find_if(state.view.nodes, [](const Node& node) {
    return !node.answers() && node.power == NodePower::on && node.state != NodeState::fenced &&
           node.service != NodeService::removed;
  });
  if (unclear == record.vms.end() || silent == state.view.nodes.end()) return std::nullopt;
  return by_the_manager(Reason::node_silent, "What the VM of task " +
                                                 std::to_string(unclear - record.vms.begin()) +
                                                 " does is not certain. The nodes are being asked; node " +
                                                 silent->name + " does not answer, and may have it.");
}

// Since when, and why.
std::string silence_words(const CoreState& state, const Node& node) {
  const auto known = state.node_records.find(node.id);
  const NodeRecord record = known == state.node_records.end() ? NodeRecord{} : known->second;
  if (node.state == NodeState::fenced)
    return "Node " + node.name + " was " + record.why + "; what became of its VM there is being looked up";
  return "Node " + node.name + " has not answered for " + about(state.view.now - record.since) +
         (record.why.empty() ? "" : " (" + record.why + ")");
}

// Some of its VMs are, or were until now, on a node that does not answer.
Explanation unreachable(const CoreState& state, const JobRecord& record) {
  const Node* const node = silent_node(state, record);
  if (node == nullptr)
    return may_be_on_a_silent_node(state, record)
        .value_or(by_the_manager(Reason::node_silent,
                                 "Its node answers again, and is being asked what became of its VMs."));
  Explanation why = by_the_manager(Reason::node_silent, silence_words(state, *node) + ".");
  if (node->state == NodeState::fenced) return why;
  const std::uint32_t most = record.submission->requeue.value_or(0);
  why.text +=
      " Nothing is known of its VM there, and the time does not count as served until it is. If "
      "the node is off for good, the job ";
  why.text += record.reruns < most ? "starts anew (rerun " + std::to_string(record.reruns + 1) + " of " +
                                         std::to_string(most) + ")"
                                   : std::string("fails");
  why.text += " when an operator confirms it: `aliquot node confirm-down " + node->name + "`.";
  return why;
}

Explanation leaving(const CoreState& state, const JobRecord& record) {
  const std::string note = record.note.empty() ? std::string("it is ending") : record.note;
  if (const Node* const node = silent_node(state, record)) {
    Explanation why = by_the_manager(
        Reason::node_silent, silence_words(state, *node) + ": the job (" + note + ") cannot end before");
    why.text += node->state == NodeState::fenced
                    ? std::string(".")
                    : " the node answers, or an operator confirms that it is off: `aliquot node "
                      "confirm-down " +
                          node->name + "`.";
    return why;
  }
  if (record.starts_anew)
    return by_the_manager(Reason::in_flight,
                          "It starts anew when what is left of its VMs is destroyed: " + note + ".");
  return by_the_manager(Reason::in_flight, "Its VMs are being destroyed: " + note + ".");
}

// Placed at full yield, but without progress until the penalty of its last move or resume is over, or
// slower until its VMs have their new caps.
std::optional<Explanation> after_a_restart(const CoreState& state, const Job& job) {
  const Instant until = job.progress.stalled_until;
  if (until > state.view.now) {
    Explanation why = by_the_manager(
        Reason::in_flight, "It has just been resumed or moved, and makes no progress for another " +
                               about(until - state.view.now) + ".");
    why.retry_at = until;
    return why;
  }
  if (job.progress.rate >= job.yield) return std::nullopt;
  return by_the_manager(Reason::in_flight,
                        "It is to have all it needs, but not all of its VMs have it yet: "
                        "it goes on at yield " +
                            print_ratio(job.progress.rate.raw) + " meanwhile.");
}

void add_sentence(std::string& text, const std::string& sentence) {
  if (!text.empty()) text += text.ends_with('.') ? " " : ". ";
  text += sentence;
}

// What its accounts have to do with it: a guarantee that is not free, or makes way for others, is theirs,
// or what it runs with is limited.
void name_account_yields(const Submission& job, Explanation& why) {
  if (!job.account_yields) return;
  const AccountYields& its = *job.account_yields;
  const bool waits_for_it = why.reason == Reason::min_yield || why.reason == Reason::lower_priority;
  if (waits_for_it && its.min.raw > 0)
    add_sentence(why.text, "Account " + its.min_of + " has a reservation (min yield) of " +
                               print_ratio(its.min.raw) + " for each job.");
  const bool runs = why.reason == Reason::running_at_full_yield || why.reason == Reason::sharing_cpu;
  if (runs && limited_need(job) && job.demand.need == *limited_need(job))
    add_sentence(why.text, "Account " + its.max_of + " has a limit (max yield) of " +
                               print_ratio(its.max.raw) + ": it is counted with " +
                               text_of(job.demand.need) + " of the " + text_of(declared_need(job).need) +
                               " that a task declares.");
}

// It stays where it is, whatever the policy would rather have.
void name_cool_down(const CoreState& state, const Job& job, const JobRecord& record, Explanation& why) {
  const CoolDown& its = record.cool_down;
  if (!job.cools_down || its.until <= state.view.now) return;
  const std::string moves = its.moves == 1 ? "once" : std::to_string(its.moves) + " times in a row";
  add_sentence(why.text, "It has been moved " + moves + ": for another " +
                             about(its.until - state.view.now) +
                             " it is neither moved nor paused for others (moves.cool_down).");
}

// Of a job that is to be moved, and waits while others are.
void name_budget(const CoreState& state, const JobRecord& record, Explanation& why) {
  const std::uint32_t most = state.moves.at_a_time;
  if (std::ranges::none_of(record.vms, waits_to_move) || !is_budget_used(state)) return;
  add_sentence(why.text, "At most " + std::to_string(most) +
                             (most == 1 ? " VM of the cluster is" : " VMs of the cluster are") +
                             " moved at a time (moves.at_a_time): it waits for its turn.");
}

// Why the policy does not consider a job that is not placed.
std::optional<Explanation> not_looked_at(const CoreState& state, const PlanRefusal& refused) {
  if (state.mode != Mode::automatic)
    return by_the_manager(Reason::not_scheduled,
                          std::string("The manager's mode is ") + std::string(word(state.mode)) +
                              ": nothing is started or resumed. An operator changes it with `aliquot mode "
                              "set auto`.");
  if (!refused) return std::nullopt;
  Explanation why = by_the_manager(
      Reason::not_scheduled,
      "The policy's last plan broke a law (" + *refused +
          "), so nothing of it was done. The policy is asked again when something happens" +
          (state.wake_at ? ", at the latest in " + about(*state.wake_at - state.view.now) : "") +
          "; an operator may choose another with `aliquot policy set`.");
  why.retry_at = state.wake_at;
  return why;
}

}  // namespace

Result<Explanation> explain_job(const CoreState& state, const Policy& policy, JobId id,
                                const PlanRefusal& refused) {
  const Job* job = planned_or_leaving(state, id);
  if (job == nullptr) return tl::unexpected<Error>(no_such_job(id));
  const JobRecord& record = state.records.at(id);
  const JobState now = job_state(*job, record);
  if (record.leaving) return leaving(state, record);
  if (record.silence) return unreachable(state, record);
  if (now == JobState::deferred) return deferred(state, id, record.deferral);
  if (record.array && now != JobState::held)
    return by_the_manager(Reason::array_throttle, "It is an array: " + members_text(record) +
                                                      "; `aliquot list --array " + std::to_string(id.raw) +
                                                      "` shows them.");
  if (now == JobState::held)
    return by_the_manager(Reason::held, "It is held back; `aliquot release " + std::to_string(id.raw) +
                                            "` lets it be placed.");
  if (std::ranges::any_of(record.vms, &Vm::missing)) return is_missing(record);
  const bool placed = job->phase == Phase::running;
  if ((placed && now != JobState::running) || now == JobState::pausing) {
    Explanation why = under_way(state, *job, record, now);
    if (placed) name_budget(state, record, why);
    return why;
  }
  const auto its = state.checkpoints.find(id);
  if (placed && its != state.checkpoints.end() && its->second.under_way)
    return by_the_manager(Reason::in_flight, "It runs, and checkpoint " +
                                                 std::to_string(its->second.under_way->number) +
                                                 " of it is being made: it stands still for a moment.");
  if (placed)
    if (auto why = may_be_on_a_silent_node(state, record)) return std::move(*why);
  if (!placed)
    if (auto why = not_looked_at(state, refused)) return std::move(*why);
  Explanation why = policy.explain(state.view, id);
  if (why.reason == Reason::running_at_full_yield)
    if (auto stalled = after_a_restart(state, *job)) return std::move(*stalled);
  name_account_yields(*record.submission, why);
  name_cool_down(state, *job, record, why);
  return why;
}

}  // namespace aliquot
