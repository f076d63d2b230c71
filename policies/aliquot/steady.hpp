// Yields that hardly change are left as they are: every change of a cap is an action on every node of the
// job, and the predictions are not that good.
//
// Jobs that share crowded nodes, directly or through others, are one group. A group whose jobs all stand
// where they stood, and whose yields would all change by less than a twentieth, keeps those in force: they
// were lawful there before, and still are.
#pragma once

#include "policies/aliquot/floors.hpp"

namespace aliquot {

// `placed`: all placed entries.
void keep_steady(const Draft& draft, std::span<const std::uint32_t> placed, const Outlooks& outlooks,
                 const Floors& floors, Yields& yields);

}  // namespace aliquot
