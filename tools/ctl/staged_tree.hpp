// Reads a file or a directory that a user names with --stage-in, as this user, into entries of an archive.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "manager/hypervisor/newc.hpp"
#include "monitor/record/job_data.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

struct StagedTree {
  StagedInput input;
  std::vector<NewcEntry> entries;  // below `into`
};

// `into`: the directory in the guest, absolute, in which the file or directory stands under its own name. A
// link that is named itself is followed; within a directory, links are kept as links, and one that leads
// out of it is refused. Permissions are kept without set-user-id and the like; owner and times are not.
// Errors: not_found, forbidden, refused (a link, or neither file nor directory), too_large (more than
// `at_most` bytes).
[[nodiscard]] Result<StagedTree> read_staged(const std::filesystem::path& path,
                                             const std::filesystem::path& into, std::size_t at_most);

// The content of one regular file.
[[nodiscard]] Result<std::string> read_regular(const std::filesystem::path& path, std::size_t at_most);

}  // namespace aliquot
