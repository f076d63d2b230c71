// Reservations and limits of yields by account: what a job of an account gets of the CPU that it declares.
//
// A reservation (min yield) raises the job's own minimum yield: whenever the job runs it has at least this
// part of its need, so the policy starts it only where that is free. A limit (max yield) bounds the need
// that the job is counted with: a job that declares 2 cores in an account with a max yield of 0.5 is a job
// of 1 core to every policy, in VMs that keep their 2 virtual CPUs. Its yields and its virtual time count
// in that need; so the times of which its user has said how long they are at full speed grow by the same
// factor. Both are taken from the account and those above it when the job is submitted, and stay with the
// job. Pure.
#pragma once

#include <map>
#include <string>

#include "monitor/record/submission.hpp"
#include "policies/model/account_terms.hpp"

namespace aliquot {

// The largest reservation and the smallest limit of the account and of those above it.
[[nodiscard]] AccountYields account_yields(const std::map<std::string, AccountTerms>& terms,
                                           const std::string& account);

// The job as it is accepted with these; unchanged, if they say nothing or it has been accepted already.
[[nodiscard]] Submission with_account_yields(Submission job, const AccountYields& yields);

// The job with a need that its user changes, and with one that is learned: within the limit of its account.
[[nodiscard]] Submission with_declared_need_within(Submission job, Cpu need);
[[nodiscard]] Submission with_learned_need_within(Submission job, Cpu need);

}  // namespace aliquot
