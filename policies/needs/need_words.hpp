// Why a need is another from now on, for people: "its tasks use 0.3 of the 1 cores that they declare".
#pragma once

#include <string>

#include "policies/needs/need_watch.hpp"

namespace aliquot::needs {

// A clause, without a full stop.
[[nodiscard]] std::string explain(const NeedChange& change, const NeedTerms& terms);

}  // namespace aliquot::needs
