// The setting `accounts`: the tree of accounts, with shares and limits, one entry for each:
//
//   physics shares=3 cpu=32                       at the top, with 3 shares; at most 32 cores at a time
//   lab parent=physics jobs=40 user.jobs=10       below physics; at most 40 jobs, of each user at most 10
//   web min_yield=0.5                             each job that runs has at least half of its need
//   batch max_yield=0.8                           each job has at most 0.8 of its need
//
// Limits are jobs, tasks, cpu (cores), memory (512GiB), devices and core_hours; with `user.` before them
// they are of each user in the account and below it. Parses text only. The same words are the options of
// `aliquot account set`.
#pragma once

#include <optional>
#include <string>

#include "config/form.hpp"
#include "policies/model/account_terms.hpp"

namespace aliquot {

[[nodiscard]] Form<AccountTerms> account_terms();

// The amount of a limit: "1.5" cores, "512GiB", "40".
[[nodiscard]] Result<std::int64_t> parse_limit(LimitKind kind, const std::string& text);
[[nodiscard]] std::string print_limit(LimitKind kind, std::int64_t most);

}  // namespace aliquot
