#include "policies/reasons.hpp"

#include <algorithm>

#include "policies/feasibility.hpp"

namespace aliquot {

namespace {

// At most two decimals, none that are 0.
std::string decimal(double value) {
  const auto hundredths = static_cast<std::int64_t>(value * 100 + 0.5);
  std::string text = std::to_string(hundredths / 100);
  if (hundredths % 100 != 0) {
    text += '.' + std::to_string(hundredths % 100 / 10);
    if (hundredths % 10 != 0) text += std::to_string(hundredths % 10);
  }
  return text;
}

Explanation sharing(const Draft& draft, std::size_t i) {
  const Job& job = draft.job(i);
  std::size_t fullest = job.placement.front().node.raw;
  const auto fuller = [&](std::size_t a, std::size_t b) {
    return static_cast<Int128>(draft.ledger(a).load.raw) * draft.node(b).capacity.raw >
           static_cast<Int128>(draft.ledger(b).load.raw) * draft.node(a).capacity.raw;
  };
  for (const Share& share : job.placement) {
    if (fuller(share.node.raw, fullest)) fullest = share.node.raw;
  }
  Explanation why;
  why.reason = Reason::sharing_cpu;
  why.tightest = "cpu";
  why.held_by = largest_holders(draft, i, [&](std::size_t j) {
    std::int64_t given = 0;
    for (const Share& share : draft.placement(j)) {
      if (share.node.raw == fullest)
        given += (draft.job(j).demand.need * draft.job(j).yield).raw * share.units;
    }
    return given;
  });
  why.text = "runs at yield " + decimal(static_cast<double>(job.yield.raw) / kMillion) +
             ": the tasks on node " + draft.node(fullest).name + " ask for " +
             text_of(draft.ledger(fullest).load) + ", it has " + text_of(draft.node(fullest).capacity);
  return why;
}

Explanation never_fits(const Draft& draft, std::size_t i) {
  const Demand& demand = draft.job(i).demand;
  Explanation why;
  why.reason = Reason::never_fits;
  std::uint32_t short_of_memory = 0;
  std::uint32_t short_of_cpu = 0;
  std::int64_t room = 0;
  for (const Node& node : draft.view().nodes) {
    room += slots_beside(node, {node.memory, {}, {}, 0}, demand);
    if (node.memory < demand.memory)
      ++short_of_memory;
    else if (node.capacity < guaranteed_cpu(demand))
      ++short_of_cpu;
  }
  const std::string guaranteed = text_of(guaranteed_cpu(demand));
  if (short_of_memory > 0)
    why.nodes.push_back({"memory below " + text_of(demand.memory) + " even when empty", short_of_memory});
  if (short_of_cpu > 0) why.nodes.push_back({"capacity below the guaranteed " + guaranteed, short_of_cpu});
  why.tightest = short_of_cpu > short_of_memory ? "cpu" : "memory";
  why.text = "asks for " + tasks_text(demand) + "; even empty, the " + std::to_string(draft.nodes()) +
             " nodes have room for " + std::to_string(room) +
             " such tasks: submit it with fewer or smaller tasks, or add nodes";
  return why;
}

Explanation other_policy(const Demand& demand, const std::vector<std::string>& models) {
  const std::string what =
      demand.devices.any()
          ? "asks for " + text_of(demand.devices, models) + " on each node: this policy places no devices"
          : "asks for certain nodes, or tasks on each: this policy does not look at that";
  return explained(Reason::other_policy, what + "; HYBRID(IPSCHED,...), IPSCHED and AUCSCHED do");
}

}  // namespace

std::string text_of(Memory memory) { return decimal(static_cast<double>(memory.raw) / (1 << 20)) + " MiB"; }
std::string text_of(Cpu cpu) {
  const std::string amount = decimal(static_cast<double>(cpu.raw) / kMillion);
  return amount + (amount == "1" ? " core" : " cores");
}
std::string text_of(Duration duration) { return decimal(to_seconds(duration)) + " s"; }

std::string tasks_text(const Demand& demand) {
  return std::to_string(demand.tasks) + (demand.tasks == 1 ? " task of " : " tasks of ") +
         text_of(demand.memory) + " and " + text_of(demand.need);
}

// What is said of a node that takes nothing new; 0: it does.
static std::size_t why_unusable(const Node& node) {
  if (node.usable()) return 0;
  if (node.service == NodeService::removed) return 5;
  if (node.power != NodePower::on) return 6;
  return node.answers() ? 1 : 1 + static_cast<std::size_t>(node.state);
}

std::vector<NodeCount> count_nodes(const ClusterView& view, std::vector<std::string> words,
                                   const std::function<std::size_t(std::size_t n)>& kind_of) {
  const std::size_t kinds = words.size();
  words.insert(words.end(),
               {"up", "draining", "suspect", "down", "fenced", "removed", "asleep"});  // why_unusable()
  std::vector<NodeCount> counts;
  for (std::string& word : words) counts.push_back({std::move(word), 0});
  for (const Node& node : view.nodes) {
    const bool of_kind = node.usable() && kind_of;
    ++counts[of_kind ? kind_of(node.id.raw) : kinds + why_unusable(node)].nodes;
  }
  counts[kinds].nodes = 0;  // those that are up are told by kind
  std::erase_if(counts, [](const NodeCount& count) { return count.nodes == 0; });
  return counts;
}

Explanation explained(Reason reason, std::string text) {
  Explanation why;
  why.reason = reason;
  why.text = std::move(text);
  return why;
}

std::optional<Explanation> plain_reason(const Draft& draft, std::size_t i) {
  const Job& job = draft.job(i);
  if (job.held)
    return explained(Reason::held,
                     job.placement.empty() ? "is held: release it to have it scheduled"
                     : draft.fixed(i)
                         ? "is held, but runs on until it can be paused: it is pinned to its nodes now"
                         : "is held and about to be paused");
  if (!job.placement.empty()) {
    if (job.in_flight)
      return explained(
          Reason::in_flight,
          "its machines are being created, restored, moved or capped; it goes on when they are done");
    if (job.yield < kFullYield) return sharing(draft, i);
    return explained(Reason::running_at_full_yield, "runs at yield 1: all it needs");
  }
  if (!draft.fits_when_empty(job.demand, false)) return never_fits(draft, i);
  if (is_constrained(job.demand)) {
    if (auto never = impossible(draft.view().nodes, draft.view().device_models, job.demand))
      return explained(Reason::never_fits, std::move(*never));
    if (draft.beyond_policy(i)) return other_policy(job.demand, draft.view().device_models);
  }
  if (draft.fits_when_empty(job.demand, true)) return std::nullopt;
  Explanation why =
      explained(Reason::nodes_unavailable,
                "asks for " + tasks_text(job.demand) +
                    ", which would fit if nodes came back that are draining, suspect, down or asleep now");
  why.tightest = "memory";
  why.nodes = count_nodes(draft.view(), {}, {});
  return why;
}

Explanation capacity_reason(const Draft& draft, std::size_t i) {
  const Demand& demand = draft.job(i).demand;
  std::int64_t room = 0;             // for tasks, in all
  std::int64_t slots_in_memory = 0;  // the same if nothing were guaranteed to others
  Explanation why;
  enum : std::size_t { short_of_memory, short_of_cpu, with_capacity };
  why.nodes = count_nodes(draft.view(),
                          {"free memory below " + text_of(demand.memory),
                           "less than " + text_of(guaranteed_cpu(demand)) + " not guaranteed to others",
                           "room for at least one task"},
                          [&](std::size_t n) {
                            const Memory free = draft.ledger(n).free;
                            const std::int64_t slots = draft.slots(n, demand);
                            room += slots;
                            slots_in_memory += slots_beside(draft.node(n), {free, {}, {}, 0}, demand);
                            if (slots > 0) return with_capacity;
                            return free < demand.memory ? short_of_memory : short_of_cpu;
                          });
  why.reason = slots_in_memory < demand.tasks ? Reason::memory : Reason::min_yield;
  why.tightest = why.reason == Reason::memory ? "memory" : "cpu";
  why.held_by = largest_holders(draft, i, [&](std::size_t j) {
    const Demand& d = draft.job(j).demand;
    return why.reason == Reason::memory ? (d.memory * d.tasks).raw : (guaranteed_cpu(d) * d.tasks).raw;
  });
  why.text = "asks for " + tasks_text(demand) + "; there is room for " + std::to_string(room) + " of " +
             std::to_string(demand.tasks) +
             (why.reason == Reason::memory ? ": memory has to become free"
                                           : ": CPU guaranteed to others has to become free");
  return why;
}

}  // namespace aliquot
