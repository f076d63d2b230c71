#include "policies/collocation/cape_rm.hpp"

#include <algorithm>
#include <tuple>

#include "policies/collocation/collocation_rule.hpp"
#include "policies/placement/allocation.hpp"
#include "policies/placement/explanations.hpp"
#include "policies/reasons.hpp"

namespace aliquot {
namespace {

constexpr std::int64_t kMostJobs = 1'000;
constexpr std::int64_t kMostLoad = 1'000;  // percent

// The jobs that may start, with devices or without, in their order.
std::vector<std::size_t> queue(const Draft& draft, bool with_devices) {
  std::vector<std::size_t> entries;
  for (std::size_t i = 0; i < draft.size(); ++i)
    if (draft.candidate(i) && draft.job(i).demand.devices.any() == with_devices) entries.push_back(i);
  std::ranges::sort(entries, {}, [&](std::size_t i) {
    const Job& job = draft.job(i);
    return std::tuple(-job.demand.priority, job.submitted, job.id);
  });
  return entries;
}

Explanation gpu_job_reason(Draft& draft, std::size_t i, const CapeRmSpec& spec) {
  if (!Allocation(draft).fits_alone(i)) return does_not_fit_now(draft, i);
  Explanation why = explained(Reason::nodes_busy, "");
  const std::vector<bool> closed = CollocationRule(draft, spec).closed_to_gpu_jobs();
  why.nodes = count_nodes(
      draft.view(),
      {"another GPU job, or more than " + std::to_string(spec.jobs) + " CPU-only jobs", "neither"},
      [&](std::size_t n) { return closed[n] ? std::size_t{0} : std::size_t{1}; });
  why.text = "its devices are free, but only on nodes with another GPU job, or with more than " +
             std::to_string(spec.jobs) + " CPU-only jobs, and a node is for one GPU job and so many others";
  return why;
}

Explanation cpu_job_reason(const Draft& draft, std::size_t i, const CapeRmSpec& spec) {
  using Verdict = CollocationRule::Verdict;
  const Demand& demand = draft.job(i).demand;
  const CollocationRule rule(draft, spec);
  const std::vector<Verdict> verdicts = rule.verdicts(i);
  std::uint32_t room = 0;
  Explanation why = explained(Reason::nodes_busy, "");
  why.tightest = "cpu";
  why.nodes = count_nodes(draft.view(),
                          {"too little free for a task", "a GPU job that is not expected to outlast it",
                           "a GPU job with " + std::to_string(spec.jobs) + " CPU-only jobs",
                           "kept for GPU jobs", "room for at least one task"},
                          [&](std::size_t n) -> std::size_t {
                            if (verdicts[n] == Verdict::outlasted) return 1;
                            if (verdicts[n] == Verdict::crowded) return 2;
                            if (verdicts[n] == Verdict::kept) return 3;
                            const std::uint32_t tasks =
                                rule.tasks_on(static_cast<std::uint32_t>(n), demand);
                            room += tasks;
                            return tasks > 0 ? 4 : 0;
                          });
  why.text =
      "asks for " + tasks_text(demand) + "; on nodes without devices and beside GPU jobs that it would " +
      "not outlast there is room for " + std::to_string(room) + " of " + std::to_string(demand.tasks);
  if (!draft.job(i).demand.estimate)
    why.text += "; with an estimate of its run time it might stand beside a GPU job";
  return why;
}

}  // namespace

const PolicyGrammar<CapeRmSpec>& cape_rm_grammar() {
  static const PolicyGrammar<CapeRmSpec> grammar{
      "CAPE-RM",
      {},
      ':',
      {number("jobs", "n", &CapeRmSpec::jobs, 0, kMostJobs, 1),
       number("load", "percent", &CapeRmSpec::load, 1, kMostLoad, 150)}};
  return grammar;
}

Plan CapeRm::decide(const ClusterView& view) const {
  Draft draft = placing_draft(view);
  Allocation allocation(draft);
  CollocationRule rule(draft, spec_);
  for (const std::size_t i : queue(draft, true))
    if (allocation.place_alone(i, rule.closed_to_gpu_jobs())) rule.placed(i);
  for (const std::size_t i : queue(draft, false)) {
    const Placement placement = rule.placement_of(i);
    if (placement.empty()) continue;
    allocation.place(i, placement, {});
    rule.placed(i);
  }
  return allocation.plan();
}

Explanation CapeRm::explain(const ClusterView& view, JobId id) const {
  Draft draft = placing_draft(view);
  const std::size_t i = draft.index_of(id);
  if (auto plain = plain_whole_reason(draft, i)) return *plain;
  return view.jobs.at(id).demand.devices.any() ? gpu_job_reason(draft, i, spec_)
                                               : cpu_job_reason(draft, i, spec_);
}

}  // namespace aliquot
