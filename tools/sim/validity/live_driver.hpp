// Starts the program that makes a live run (tools/validity) and waits for it. The simulator itself knows no
// hypervisor: what it learns of real nodes stands in the files that program leaves behind.
#pragma once

#include <string>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

// tools/validity of the source tree this program was built in; empty: it is not there.
[[nodiscard]] std::string live_driver();
// The folder of this program.
[[nodiscard]] std::string own_folder();

// Runs it to its end, its output ours; an interrupt reaches it too, and it ends first. Errors: it cannot be
// started, or did not succeed (it has said why).
[[nodiscard]] Result<void> run_to_end(const std::vector<std::string>& words);

}  // namespace aliquot
