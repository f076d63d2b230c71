#include "policies/collocation/collocation_rule.hpp"

#include <algorithm>

#include "policies/batch/queue.hpp"
#include "policies/placement/allocation.hpp"

namespace aliquot {
namespace {

Placement placement_from(const std::vector<ip::NodeAllocation>& allocations) {
  Placement placement;
  for (const ip::NodeAllocation& each : allocations) placement.push_back({NodeId{each.node}, each.units});
  std::ranges::sort(placement);
  return placement;
}

Cpu percent_of(Cpu capacity, std::uint32_t percent) {
  return Cpu{multiply_divide(capacity.raw, percent, 100)};
}

}  // namespace

CollocationRule::CollocationRule(const Draft& draft, const CapeRmSpec& spec)
    : draft_(draft), spec_(spec), tenants_(draft.nodes()) {
  for (std::size_t i = 0; i < draft.size(); ++i)
    if (draft.placed(i)) placed(i);
}

void CollocationRule::placed(std::size_t entry) {
  const Job& job = draft_.job(entry);
  for (const Share& share : draft_.placement(entry)) {
    Tenants& here = tenants_[share.node.raw];
    if (!job.demand.devices.any()) {
      ++here.cpu_jobs;
      continue;
    }
    // Alone: what shares the CPU with it only makes it end later.
    const Instant ends = estimated_end(draft_.view(), job, kFullYield);
    here.gpu_job = true;
    here.gpu_job_ends = std::min(here.gpu_job_ends, ends == kNever ? draft_.view().now : ends);
  }
}

std::vector<bool> CollocationRule::closed_to_gpu_jobs() const {
  std::vector<bool> closed;
  for (const Tenants& here : tenants_) closed.push_back(here.gpu_job || here.cpu_jobs > spec_.jobs);
  return closed;
}

bool CollocationRule::needs_lent_nodes(const Demand& demand) const {
  ip::NodeResources empty(draft_.nodes());
  for (std::uint32_t n = 0; n < draft_.nodes(); ++n) {
    const Node& node = draft_.node(n);
    if (!node.devices.empty()) continue;
    const std::uint32_t tasks = tasks_within(node.capacity, node.memory, demand);
    if (tasks == 0) continue;
    empty[n].emplace();
    empty[n]->cpu = tasks;
  }
  return on_fewest_nodes(demand, empty).empty();
}

std::vector<CollocationRule::Verdict> CollocationRule::verdicts(std::size_t entry) const {
  const Job& job = draft_.job(entry);
  const Instant ends = estimated_end(draft_.view(), job, kFullYield);
  const bool lend = needs_lent_nodes(job.demand);
  std::vector<Verdict> verdicts;
  for (std::uint32_t n = 0; n < draft_.nodes(); ++n) {
    const Node& node = draft_.node(n);
    const Tenants& here = tenants_[n];
    Verdict verdict = Verdict::open;
    if (!node.usable())
      verdict = Verdict::not_usable;
    else if (here.gpu_job && here.cpu_jobs >= spec_.jobs)
      verdict = Verdict::crowded;
    else if (here.gpu_job && ends > here.gpu_job_ends)
      verdict = Verdict::outlasted;
    else if (!here.gpu_job && !node.devices.empty() && !lend)
      verdict = Verdict::kept;
    verdicts.push_back(verdict);
  }
  return verdicts;
}

std::uint32_t CollocationRule::tasks_on(std::uint32_t n, const Demand& demand) const {
  const Node& node = draft_.node(n);
  if (node.capacity < demand.need) return 0;
  const Cpu free =
      percent_of(node.capacity, tenants_[n].gpu_job ? spec_.load : 100) - draft_.ledger(n).load;
  const std::int64_t guaranteed = slots_beside(node, draft_.ledger(n), demand);
  return std::min(tasks_within(free, draft_.ledger(n).free, demand),
                  static_cast<std::uint32_t>(std::max<std::int64_t>(guaranteed, 0)));
}

Placement CollocationRule::placement_of(std::size_t entry) const {
  const Demand& demand = draft_.job(entry).demand;
  const std::vector<Verdict> verdict = verdicts(entry);
  ip::NodeResources nodes(draft_.nodes());
  for (std::uint32_t n = 0; n < draft_.nodes(); ++n) {
    if (verdict[n] != Verdict::open) continue;
    const std::uint32_t tasks = tasks_on(n, demand);
    if (tasks == 0) continue;
    nodes[n].emplace();
    nodes[n]->cpu = tasks;
    // What is filled first is what has the fewest devices: here, CPU-only jobs beside a GPU job.
    if (!draft_.node(n).devices.empty())
      nodes[n]->devices[0] = static_cast<std::uint16_t>(std::min(tenants_[n].cpu_jobs + 1, 0xffffU));
  }
  return placement_from(on_fewest_nodes(demand, nodes));
}

}  // namespace aliquot
