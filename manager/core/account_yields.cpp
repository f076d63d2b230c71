#include "manager/core/account_yields.hpp"

#include <algorithm>
#include <utility>

#include "manager/core/account_limits.hpp"

namespace aliquot {
namespace {

// What takes this span at full speed takes longer at a part of it.
void lengthen(Duration& span, Yield most) { span.raw = multiply_divide(span.raw, kMillion, most.raw); }
void lengthen(std::optional<Duration>& span, Yield most) {
  if (span) lengthen(*span, most);
}

void lengthen_times(Submission& job, Yield most) {
  lengthen(job.demand.estimate, most);
  lengthen(job.time_limit, most);
  for (LaterStep& step : job.profile) lengthen(step.after, most);
  if (auto* work = std::get_if<ModelWork>(&job.program)) lengthen(work->alone, most);
}

Submission within_limit(Submission job) {
  const std::optional<Cpu> most = limited_need(job);
  if (!most || job.demand.need <= *most) return job;
  return with_learned_need(std::move(job), *most);
}

}  // namespace

AccountYields account_yields(const std::map<std::string, AccountTerms>& terms, const std::string& account) {
  AccountYields yields;
  for (const AccountTerms* one : path_up(terms, account)) {
    if (one->min_yield > yields.min) {
      yields.min = one->min_yield;
      yields.min_of = one->name;
    }
    if (one->max_yield < yields.max) {
      yields.max = one->max_yield;
      yields.max_of = one->name;
    }
  }
  return yields;
}

Submission with_account_yields(Submission job, const AccountYields& yields) {
  if (job.account_yields || yields == AccountYields{}) return job;
  job.account_yields = yields;
  job.demand.min_yield = std::min(std::max(job.demand.min_yield, yields.min), yields.max);
  if (yields.max < kFullYield) lengthen_times(job, yields.max);
  return within_limit(std::move(job));
}

Submission with_declared_need_within(Submission job, Cpu need) {
  return within_limit(with_need(std::move(job), need));
}

Submission with_learned_need_within(Submission job, Cpu need) {
  const std::optional<Cpu> most = limited_need(job);
  return with_learned_need(std::move(job), most ? std::min(need, *most) : need);
}

}  // namespace aliquot
