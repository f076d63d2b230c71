// Why a job does not start under a policy that gives every job all it needs: what its nodes lack.
#pragma once

#include <optional>

#include "policies/draft.hpp"

namespace aliquot {

// For a job that would not fit if nothing else ran; none if it would.
[[nodiscard]] std::optional<Explanation> never_whole(const Draft& draft, std::size_t i);

// For a job that finds no room now: too few free devices, too little CPU or memory beside them, or no such
// nodes as it asks for.
[[nodiscard]] Explanation no_room(const Draft& draft, std::size_t i);

}  // namespace aliquot
