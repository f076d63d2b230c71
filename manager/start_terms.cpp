#include "manager/start_terms.hpp"

#include <algorithm>

#include "manager/array_members.hpp"
#include "manager/core/array_transitions.hpp"
#include "manager/core/deferral.hpp"
#include "manager/job_owner.hpp"

namespace aliquot {
namespace {

Result<void> check(const Dependency& one, const Cluster& cluster, const Store& store, const Sight* sight) {
  const std::string job = "job " + std::to_string(one.job.raw);
  const auto owner = owner_of(one.job, cluster, store);
  if (!owner || (sight && sight->of(owner) == Sight::Part::nothing))
    return fail(ErrorKind::not_found, "it is to wait for " + awaited_text(one) + ", and there is no " +
                                          job + "; see `aliquot list --all`");
  const JobRecord* const record = cluster.record(one.job);
  if (one.member) {
    if (record && is_to_come(*record, *one.member)) return {};
    return job_meant(cluster.state(), store, {one.job, one.member}).and_then([&](JobId member) {
      return check({member, one.what}, cluster, store, nullptr);
    });
  }
  if (record) return {};
  const auto ended = store.ended(one.job);
  if (!ended || is_met(one.what, ended->result == JobResult::completed)) return {};
  return fail(ErrorKind::refused, "it would wait for ever: " + never_met_text(one) +
                                      "; see `aliquot show " + std::to_string(one.job.raw) +
                                      "`, and leave this dependency out");
}

}  // namespace

Instant instant_of(std::int64_t unix_us, const AnswerClock& clock) {
  return clock.now + Duration{std::max<std::int64_t>(0, unix_us - clock.calendar.unix_us(clock.now))};
}

Result<void> check_start(const Submission& submission, const Cluster& cluster, const Store& store,
                         const Sight* sight) {
  const StartTerms& start = submission.start;
  if (start.singleton && submission.name.empty())
    return fail(ErrorKind::invalid_argument,
                "one job of its name is to run at a time, and it has no name; give it one (--name)");
  for (const Dependency& one : start.after)
    if (auto ok = check(one, cluster, store, sight); !ok) return ok;
  return {};
}

}  // namespace aliquot
