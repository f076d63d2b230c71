#include "manager/api/explain/remedies.hpp"

#include <algorithm>

#include "config/quantities.hpp"
#include "manager/api/answers/answer_values.hpp"
#include "manager/api/explain/cause_words.hpp"
#include "manager/core/account_limits.hpp"
#include "policies/reasons.hpp"

namespace aliquot {
namespace {

using Words = std::vector<std::string>;

std::int64_t room(const std::vector<NodeOffer>& offers) {
  std::int64_t tasks = 0;
  for (const NodeOffer& offer : offers) tasks += offer.tasks;
  return tasks;
}

// The greatest memory per task with which all tasks would fit now; 0: none.
Memory memory_that_fits(const ClusterView& view, const std::vector<NodeOffer>& offers, const Job& job) {
  const Demand& demand = job.demand;
  const auto bound = job.bound;
  const Cpu each = guaranteed_cpu(demand);
  const auto fits = [&](Memory memory) {
    std::int64_t tasks = 0;
    for (const NodeOffer& offer : offers) {
      const Node& node = view.nodes[offer.node.raw];
      if (!node.usable() || node.hypervisor != bound.value_or(node.hypervisor) || offer.free < memory)
        continue;
      std::int64_t here = offer.free.raw / memory.raw;
      if (each.raw > 0) here = std::min(here, offer.unpromised.raw / each.raw);
      tasks += std::max<std::int64_t>(here, 0);
    }
    return tasks >= demand.tasks;
  };
  std::int64_t low = 0;                                          // fits, in MiB
  std::int64_t high = demand.memory.raw / mebibytes(1).raw + 1;  // does not
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (fits(mebibytes(middle)) ? low : high) = middle;
  }
  return mebibytes(low);
}

void holders_end(Words& out, const Explanation& why) {
  if (why.held_by.empty()) return;
  out.push_back((why.held_by.size() == 1 ? "" : "one or more of ") + jobs_words(why.held_by) +
                (why.held_by.size() == 1 ? " ends, or is paused" : " end, or are paused"));
}

// What jobs declare and do not use can be lent to others (docs/needs.md): whether it is to be, and how much
// of it, is the operator's to say.
std::string lend_more(const CoreState& state) {
  const auto lends = [](const auto& each) { return each.second.submission->declared_memory.has_value(); };
  if (std::ranges::any_of(state.records, lends))
    return "an operator has jobs lend more of what they do not use: a lower needs.memory_kept";
  return "jobs lend what they do not use of it, where an operator sets `needs.memory: learned`";
}

// Of a job that is counted with less memory than it declares: how it has all of it again.
Words its_memory_back(const CoreState& state, const Job& job, const std::vector<NodeOffer>& offers) {
  const Submission& said = *state.records.at(job.id).submission;
  const Memory lent = declared_memory(said) - job.demand.memory;
  if (lent.raw <= 0) return {};
  Memory missing;
  if (!job.placement.empty())
    for (const NodeOffer& offer : offers) missing += std::max(Memory{}, lent * offer.tasks - offer.free);
  Words out{"a task wants more than " + text_of(guest_memory_counted(said)) + " of memory: it has all " +
            text_of(said.guest_memory) + " again at once"};
  if (missing.raw > 0) out.back() += ", and other jobs on its nodes make way for " + text_of(missing);
  out.emplace_back(
      "submitted with --needs declared, a job keeps all the memory that it declares; an operator gives all "
      "jobs theirs with `needs.memory: declared`");
  return out;
}

Words more_memory(const CoreState& state, const Job& job, const Explanation& why,
                  const std::vector<NodeOffer>& offers) {
  Words out;
  const std::int64_t missing = job.demand.tasks - room(offers);
  if (missing > 0)
    out.push_back(text_of(job.demand.memory * missing) + " more become free, in pieces of " +
                  text_of(job.demand.memory) + " on a node");
  holders_end(out, why);
  const Memory fitting = memory_that_fits(state.view, offers, job);
  if (fitting.raw > 0 && fitting < job.demand.memory)
    out.push_back("with at most " + text_of(fitting) +
                  " a task, the VM's overhead included, it would fit now");
  out.push_back(lend_more(state));
  return out;
}

Words more_guarantees(const Job& job, const Explanation& why, const std::vector<NodeOffer>& offers) {
  Words out;
  const std::int64_t missing = std::max<std::int64_t>(1, job.demand.tasks - room(offers));
  out.push_back(text_of(guaranteed_cpu(job.demand) * missing) +
                " more become free of guarantees, in pieces of " + text_of(guaranteed_cpu(job.demand)) +
                " on a node");
  holders_end(out, why);
  if (job.demand.min_yield.raw > 1)
    out.push_back("a lower --min-yield than " + print_ratio(job.demand.min_yield.raw) + " asks for less");
  return out;
}

// The CPU situation on the most loaded of its nodes.
Words more_cpu(const CoreState& state, const Explanation& why, const std::vector<NodeOffer>& offers) {
  Words out;
  const NodeOffer* fullest = nullptr;
  Cpu most;
  for (const NodeOffer& offer : offers) {
    const Cpu over = offer.load - state.view.nodes[offer.node.raw].capacity;
    if (fullest == nullptr || over > most) {
      fullest = &offer;
      most = over;
    }
  }
  if (fullest != nullptr && most.raw > 0)
    out.push_back("what is asked for on node " + state.view.nodes[fullest->node.raw].name + " falls by " +
                  text_of(most));
  holders_end(out, why);
  out.push_back("a minimum yield, given when it is submitted (--min-yield), would guarantee it more");
  return out;
}

Words unavailable(const ClusterView& view) {
  constexpr std::size_t kMostNamed = 4;
  std::string names;
  std::size_t count = 0;
  for (const Node& node : view.nodes) {
    if (node.usable()) continue;
    if (++count <= kMostNamed) names += (names.empty() ? "" : ", ") + node.name;
  }
  if (count > kMostNamed) names += " and " + std::to_string(count - kMostNamed) + " more";
  return {std::string(count == 1 ? "node " : "some of the nodes ") + names +
          (count == 1 ? " comes back" : " come back")};
}

Words idle_nodes(const Job& job, const Explanation& why, const std::vector<NodeOffer>& offers) {
  Words out;
  const std::int64_t missing = job.demand.tasks - room(offers);
  if (missing > 0)
    out.push_back(std::to_string(missing) + (missing == 1 ? " more node" : " more nodes") +
                  " with room become idle");
  holders_end(out, why);
  return out;
}

std::string option_of(LimitKind kind) {
  std::string option(limit_name(kind));
  std::ranges::replace(option, '_', '-');
  return option;
}

Words look_again(const CoreState& state, const Explanation& why) {
  if (!why.retry_at || *why.retry_at <= state.view.now || why.reason == Reason::waiting_for_tick) return {};
  return {"the policy looks again in " + wire::about(*why.retry_at - state.view.now)};
}

Words not_scheduled(const CoreState& state) {
  if (state.mode != Mode::automatic) return {"an operator sets the mode: `aliquot mode set auto`"};
  return {"the policy makes a lawful plan: it is asked again at the next event",
          "an operator chooses another policy: `aliquot policy set`"};
}

constexpr const char* kAfterMaintenance =
    "the maintenance of those nodes is over, or is given up: `aliquot maintenance list`, and `aliquot node "
    "show NODE` for a drain that is announced";

Words or_holders_end(const char* first, const Explanation& why) {
  Words out{first};
  holders_end(out, why);
  return out;
}

Words raised_limit(const CoreState& state, const Job& job) {
  const auto& wait = state.records.at(job.id).deferral.limit;
  if (!wait) return {};
  const std::string option = (wait->uid ? "--user-" : "--") + option_of(wait->kind);
  Words out;
  if (wait->kind == LimitKind::core_hours)
    out.emplace_back(
        "time passes: what was served is forgotten by half in each half-life, where fair share is on");
  else if (wait->asked <= wait->most)
    out.emplace_back("other jobs of the account end");
  else
    out.emplace_back("it is submitted anew, with " + amount_text(wait->kind, wait->most) + " at most");
  out.push_back("an operator raises the limit: `aliquot account set " + wait->account + " " + option +
                " N`");
  return out;
}

Words by_reason(const CoreState& state, const Job& job, const Explanation& why,
                const std::vector<NodeOffer>& offers) {
  switch (why.reason) {
    case Reason::running_at_full_yield:
      return {};
    case Reason::sharing_cpu:
      return more_cpu(state, why, offers);
    case Reason::in_flight:
      return {"what is under way for its VMs comes to an end"};
    case Reason::deferred:
      return {"what it waits for has come",
              "it is cancelled, and submitted anew with other terms (--after, --singleton, --begin)"};
    case Reason::array_throttle:
      return {"members of it end: then the next ones are made"};
    case Reason::account_limit:
      return raised_limit(state, job);
    case Reason::held:
      return {"`aliquot release " + std::to_string(job.id.raw) + "` lets it be placed"};
    case Reason::waiting_for_tick:
      return {why.retry_at ? "the period is over, in " + wire::about(*why.retry_at - state.view.now)
                           : std::string("the policy's next turn comes"),
              "an operator shortens it: `aliquot period set SECONDS`"};
    case Reason::backing_off:
      return {"the policy tries it again"};
    case Reason::memory:
      return more_memory(state, job, why, offers);
    case Reason::min_yield:
      return more_guarantees(job, why, offers);
    case Reason::nodes_busy:
    case Reason::behind_in_queue:
    case Reason::reserved: {
      Words out = idle_nodes(job, why, offers);
      if (why.reason == Reason::behind_in_queue) out.insert(out.begin(), "the jobs before it have started");
      if (why.reason == Reason::reserved)
        out.insert(out.begin(), "the reservation that it would delay is over or moves");
      if (!job.demand.estimate)
        out.push_back("an --estimate, given when it is submitted, may let it go first");
      return out;
    }
    case Reason::lower_priority:
      return or_holders_end("time: its priority grows while it waits", why);
    case Reason::nodes_unavailable:
      return unavailable(state.view);
    case Reason::never_fits:
      return {"fewer or smaller tasks, or larger nodes: it has to be submitted anew, or nodes added"};
    case Reason::not_scheduled:
      return not_scheduled(state);
    case Reason::other_policy:
      return {"an operator chooses a policy that places it: `aliquot policy set`"};
    case Reason::devices:
      return or_holders_end("devices such as it asks for become free", why);
    case Reason::save_space:
      return {
          "an operator makes room in the spool, or on the disk of a node with local_saves, or lowers "
          "spool.reserve"};
    case Reason::tied:
      return or_holders_end("the nodes that keep its saved VMs can take it again", why);
    case Reason::maintenance:
      return or_holders_end(kAfterMaintenance, why);
    case Reason::node_silent:
      return {"the node answers again",
              "an operator confirms that it is off: `aliquot node confirm-down NODE`"};
    case Reason::spread:
      return or_holders_end(
          "room on such a set of nodes as it asks for; fewer --nodes or --tasks-per-node ask for less",
          why);
  }
  return {};
}

}  // namespace

std::vector<std::string> remedies(const CoreState& state, const Job& job, const Explanation& why,
                                  const std::vector<NodeOffer>& offers) {
  Words out = by_reason(state, job, why, offers);
  if (std::ranges::any_of(offers, [&](const NodeOffer& offer) {
        return job.placement.empty() && job.bound &&
               state.view.nodes[offer.node.raw].hypervisor != *job.bound;
      }))
    out.push_back("submitted anew, it may run on nodes of another hypervisor kind, too: its VMs may not");
  for (std::string& more : look_again(state, why)) out.push_back(std::move(more));
  for (std::string& more : its_memory_back(state, job, offers)) out.push_back(std::move(more));
  if (out.empty() && why.reason != Reason::running_at_full_yield)
    out.emplace_back("something ends, arrives or changes: the policy is asked again then");
  return out;
}

}  // namespace aliquot
