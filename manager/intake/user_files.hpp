// Opens a file in the name of a user. The manager may read more than the user may, so the kernel judges: a
// thread that lives for one call takes on the user's ids and opens the file.
//
// A manager that may not take on other ids (it is not root) cannot ask the kernel. It then opens files of
// its own user, and files that every user may read.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "manager/hypervisor/descriptor.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// As the kernel reported them of the process that asks.
struct UserIds {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  std::vector<std::uint32_t> groups;
};

// Opens a regular file below one of `roots` for reading. Symbolic links are followed if they stay below the
// root, other file systems mounted below it are not entered. Errors: refused outside of the roots and for
// what is not a regular file, not_found, forbidden for a file that the user may not read.
[[nodiscard]] Result<Descriptor> open_for(const UserIds& user, const std::string& path,
                                          const std::vector<std::string>& roots);

// The file if every user may read it and enter each directory above it; no symbolic link is followed. What
// a manager without privileges goes by.
[[nodiscard]] Result<Descriptor> open_public(const std::string& path);

}  // namespace aliquot
