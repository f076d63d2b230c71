// The independent runs of a study, on several threads, with the study's progress on standard error.
#pragma once

#include <cstddef>
#include <functional>

#include "policies/model/error.hpp"

namespace aliquot {

// Calls run(k) for every k below `count`, each once, on `workers` threads. What it writes for its own k
// needs no lock. Once a run has failed no other is begun. Error: that of the failed run with the lowest k,
// which does not depend on the number of threads, since runs are begun in the order of k.
[[nodiscard]] Result<void> on_threads(std::size_t count, unsigned workers,
                                      const std::function<Result<void>(std::size_t)>& run);

}  // namespace aliquot
