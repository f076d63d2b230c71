// Starts tools/validity, the program that makes a live run on libvirt nodes, and waits for its end. The
// simulator links no hypervisor: it reads only the files that this program leaves behind.
#pragma once

#include <string>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

// Path of tools/validity in the source tree that this program was built in; empty: it is not there.
[[nodiscard]] std::string live_driver();
// The folder of this program.
[[nodiscard]] std::string own_folder();

// Runs the program with our standard output and error. An interrupt from the terminal reaches the program,
// and this function returns after it has ended. Errors: it cannot be started; it failed, and has printed
// why.
[[nodiscard]] Result<void> run_to_end(const std::vector<std::string>& words);

}  // namespace aliquot
