// Limits of accounts and of their users: which jobs may be given to the policy.
//
// A job is counted from the moment it is given to the policy until it ends: as one job, with
// its tasks, their needs, their memory and its devices, as they are at the moment. Until it fits below the
// limits of its account and of those above it, it is deferred, so that no policy sees it. Jobs come to
// their turn by their numbers: where one does not fit, later ones of the account (or of the user) that is
// at its limit wait behind it, unless it can never fit. A job that has begun is not stopped by a limit, nor
// kept from growing: a limit that is lowered, or core-hours that have been served, hold back what has not
// begun.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "manager/core/cluster_state.hpp"

namespace aliquot {

// The account and those above it that have terms, from the bottom up.
[[nodiscard]] std::vector<const AccountTerms*> path_up(const std::map<std::string, AccountTerms>& terms,
                                                       const std::string& account);

// What the job counts with: nothing while it waits for something else than the policy.
[[nodiscard]] Amounts counted_of(const JobRecord& record);

// The limit that such a job can never keep, if there is one: its account may not have so much at all.
[[nodiscard]] std::optional<LimitWait> never_allowed(const std::map<std::string, AccountTerms>& terms,
                                                     const LimitUses::User& user, const Amounts& asked);
// "account lab may have 4 cores at a time, has 3 cores, and this job asks for 2 cores"
[[nodiscard]] std::string limit_text(const LimitWait& wait);
// "4 cores"
[[nodiscard]] std::string amount_text(LimitKind kind, std::int64_t amount);

void on(ClusterState& state, const AccountsChanged& event);
void on(ClusterState& state, const CoreHoursServed& event);

// A recovered state: builds the index.
void count_uses(ClusterState& state);
// The job has been submitted, and is to wait until it is counted. False: it has no limits.
[[nodiscard]] bool is_limited(const ClusterState& state, const Submission& submission);
// What the job counts with has changed, or it is to be looked at.
void recount(ClusterState& state, JobId job);
// The same of all jobs that were changed since the last update of what is derived.
void recount_touched(ClusterState& state);
// The record of the job is about to go.
void forget_use(ClusterState& state, JobId job);
// The job that waits, and has not begun, is not the policy's any more.
void withdraw(ClusterState& state, DerivedJob& known);
// Gives the policy what fits now.
void admit_within_limits(ClusterState& state);

}  // namespace aliquot
