#include <algorithm>

#include "manager/core/account_limits.hpp"
#include "test/faults/invariants.hpp"

namespace aliquot {
namespace {

std::string job_name(JobId job) { return "job " + std::to_string(job.raw); }

}  // namespace

// What is counted against the limits of accounts is what a look at all jobs gives. No account has more jobs
// than it may, but those that had begun when it got its limits; and no more run than are counted.
void Invariants::check_uses(const Cluster& cluster) {
  const LimitUses& uses = cluster.account_uses();
  if (!uses.limited) return;
  const CoreState& state = cluster.state();
  std::map<std::string, Amounts> accounts;
  std::map<std::string, std::int64_t> running;
  for (const auto& [id, record] : state.records) {
    const auto known = uses.counted.find(id);
    if (counted_of(record) != (known == uses.counted.end() ? Amounts{} : known->second))
      say(state.view.now, "job " + std::to_string(id.raw) + " counts otherwise than against its limits");
    if (record.deferral.only_limited() != uses.waits(id) && !record.leaving)
      say(state.view.now, "job " + std::to_string(id.raw) + " waits for a limit, and is not known to");
    const auto job = state.view.jobs.find(id);
    const bool runs = job != state.view.jobs.end() && job->second.phase == Phase::running;
    for (const AccountTerms* account : path_up(uses.terms, record.submission->account)) {
      accounts[account->name] += counted_of(record);
      running[account->name] += runs ? 1 : 0;
    }
  }
  std::map<std::string, std::int64_t> jobs;
  for (const auto& [name, terms] : uses.terms) {
    const auto sum = uses.of_accounts.find(name);
    const Amounts used = sum == uses.of_accounts.end() ? Amounts{} : sum->second;
    jobs[name] = used.of(LimitKind::jobs);
    if (used != accounts[name])
      say(state.view.now, "the use of account " + name + " is not that of its jobs");
  }
  if (!jobs_before_) jobs_before_ = jobs;
  for (const auto& [name, terms] : uses.terms) {
    const auto most = terms.limits.find(LimitKind::jobs);
    if (most == terms.limits.end()) continue;
    if (std::max(jobs[name], running[name]) > std::max(most->second, (*jobs_before_)[name]))
      say(state.view.now, "account " + name + " has " + std::to_string(jobs[name]) + " jobs of " +
                              std::to_string(most->second));
  }
}

// No job is counted with more than the limit of its account, and each is guaranteed what its account
// reserves, whatever has become of its need.
void Invariants::check_yields(const Cluster& cluster) {
  for (const auto& [id, record] : cluster.state().records) {
    const Submission& job = *record.submission;
    if (!job.account_yields) continue;
    const Cpu declared = declared_need(job).need;
    if (const std::optional<Cpu> most = limited_need(job);
        most && job.demand.need > std::max(*most, Cpu{1}))
      say(cluster.view().now, job_name(id) + " is counted with more than its account allows");
    // Rounded down in each of two conversions.
    const Cpu reserved = std::min(declared * job.account_yields->min, job.demand.need);
    if (guaranteed_cpu(job.demand) + Cpu{2 + declared.raw / kMillion} < reserved)
      say(cluster.view().now, job_name(id) + " is guaranteed less than its account reserves");
  }
}

}  // namespace aliquot
