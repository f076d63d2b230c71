// Runs a command of the site for a node: it switches the node off or on, or proves that it is off
// (docs/fencing.md, docs/power.md). Blocks until the command has ended; called on the thread of a
// background task.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

struct SiteCommand {
  std::string setting;             // that has it: "fencing.command"
  std::vector<std::string> words;  // at least one; the name of the node follows
  Duration timeout;
  std::string timeout_setting;  // that has the timeout
};

// The last line that the command wrote, if it ended with exit status 0. Any other end is an error, and says
// nothing of the node. The command and its children are killed at the timeout, and when `stopping` becomes
// true.
[[nodiscard]] Result<std::string> run_site_command(const SiteCommand& command, const std::string& node,
                                                   const std::atomic<bool>& stopping);

}  // namespace aliquot
