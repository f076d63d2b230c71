// Runs the command by which a site switches a node off, or proves that it is off (docs/fencing.md). Blocks
// until the command has ended; called on the thread of a background task.
#pragma once

#include <atomic>
#include <string>

#include "config/settings.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// The last line that the command wrote, if it ended with exit status 0. Any other end is an error, and says
// nothing of the node. The command and its children are killed at the timeout, and when `stopping` becomes
// true.
[[nodiscard]] Result<std::string> run_fence_command(const FencingSettings& fencing, const std::string& node,
                                                    const std::atomic<bool>& stopping);

}  // namespace aliquot
