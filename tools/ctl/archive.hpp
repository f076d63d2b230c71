// Packs a command so that it runs in a task's guest (docs/guest-contract.md): the program, and what the
// kernel and the dynamic loader need to start it, at the absolute paths they have on this machine.
//
// What a program opens while it runs (its data, modules of an interpreter, plugins) does not travel: pack a
// self-contained program, or name a kernel and initrd of your own. Environment variables do not travel
// either, LD_LIBRARY_PATH included.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

inline constexpr std::size_t kMaxArchive = std::size_t{64} << 20;

// A newc archive: argv[0] as found here (in PATH unless it has a slash), its libraries and loader if it is
// dynamic, the interpreters of a script, and `aliquot/program`, the path to start. Equal files give equal
// bytes. Empty if argv[0] is not on this machine but is a command of the guest's own.
// Errors: invalid_argument, not_found, unsupported (not for this processor), too_large, timeout.
[[nodiscard]] Result<std::string> pack_command(const std::vector<std::string>& argv);

}  // namespace aliquot
