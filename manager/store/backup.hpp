// Implements `aliquot db backup` and `aliquot db restore`.
#pragma once

#include <string>

#include "policies/model/error.hpp"

namespace aliquot {

// A copy of the store as of now, in one file, also while a manager uses it. `to` must not exist; it is
// complete and flushed when it appears under this name, with mode 0600.
[[nodiscard]] Result<void> back_up_store(const std::string& store, const std::string& to);

// Puts a sound backup in the place of the store, and sets aside what stood there: the result is the name
// under which it is kept, empty if there was no store. Refused while a manager uses the store (conflict).
[[nodiscard]] Result<std::string> restore_store(const std::string& backup, const std::string& store);

}  // namespace aliquot
