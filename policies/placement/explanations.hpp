// Why a job does not start under a policy that gives each job all it needs: what the nodes lack.
#pragma once

#include <optional>
#include <string>

#include "policies/draft.hpp"

namespace aliquot {

// plain_reason, and the reason of a job that does not fit the empty cluster with all it needs.
[[nodiscard]] std::optional<Explanation> plain_whole_reason(const Draft& draft, std::size_t i);

// For a job that does not fit now: too few free devices, too little CPU or memory, or not on such nodes as
// it asks for.
[[nodiscard]] Explanation does_not_fit_now(const Draft& draft, std::size_t i);

// For a job that waits under a policy that looks at the waiting jobs at its intervals. `looks`: what it
// does then, "this policy starts jobs"; `passed_over`: why it did not start this one, if it has looked at
// it and the job fits alone.
[[nodiscard]] Explanation interval_reason(Draft& draft, std::size_t i, const std::string& looks,
                                          Duration interval, Explanation passed_over);

}  // namespace aliquot
