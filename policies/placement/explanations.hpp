// Why a job does not start under a policy that gives each job all it needs: what the nodes lack.
#pragma once

#include <optional>

#include "policies/draft.hpp"

namespace aliquot {

// For a job that does not fit the empty cluster; none if it does.
[[nodiscard]] std::optional<Explanation> never_fits_whole(const Draft& draft, std::size_t i);

// For a job that does not fit now: too few free devices, too little CPU or memory, or not on such nodes as
// it asks for.
[[nodiscard]] Explanation does_not_fit_now(const Draft& draft, std::size_t i);

}  // namespace aliquot
