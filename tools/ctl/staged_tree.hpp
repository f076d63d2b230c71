// Finds out what a file or a directory that a user names with --stage-in holds, as this user: the entries
// of an archive.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "monitor/record/job_data.hpp"
#include "policies/model/error.hpp"
#include "tools/ctl/archive_writer.hpp"

namespace aliquot {

struct StagedTree {
  StagedInput input;
  std::vector<PackedEntry> entries;  // below `into`
};

// `into`: the directory in the guest, absolute, in which the file or directory stands under its own name. A
// link that is named itself is followed; within a directory, links are kept as links, and one that leads
// out of it is refused. Permissions are kept without set-user-id and the like; owner and times are not.
// Files are looked at, and read when the archive is written. Errors: not_found, forbidden, refused (a link,
// or neither file nor directory), too_large (more than `at_most` bytes).
[[nodiscard]] Result<StagedTree> read_staged(const std::filesystem::path& path,
                                             const std::filesystem::path& into, std::uint64_t at_most);

// One regular file, as the file `there` of the archive.
[[nodiscard]] Result<PackedEntry> read_regular(const std::filesystem::path& path, const std::string& there,
                                               std::uint64_t at_most);

}  // namespace aliquot
