// The part of a long answer that one reply has: it holds the loop for a few milliseconds, and clients ask
// for the next one.
#pragma once

#include <vector>

#include "manager/api/wire/request.hpp"
#include "manager/core/state.hpp"
#include "manager/store/store.hpp"

namespace aliquot {

// The request with a limit that one reply keeps.
[[nodiscard]] List page_of(List asked);
[[nodiscard]] Events page_of(Events asked);

// The ended jobs that may be on this page of the list, and one more.
[[nodiscard]] std::vector<JobOutcome> ended_of_page(const Store& store, const CoreState& state,
                                                    const List& page);
[[nodiscard]] std::vector<LoggedEvent> events_of_page(const Store& store, const Events& page);

}  // namespace aliquot
