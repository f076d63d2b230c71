// The result files of a task as its guest has sent them (docs/guest-contract.md): checked, read, and
// unpacked below a directory. The guest is the user's own, but whatever ran in it wrote these bytes:
// nothing in them may lead out of the directory.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"

namespace aliquot {

struct ResultEntry {
  std::string path;  // relative; its parts are names
  std::uint32_t mode = 0;
  std::string_view content;  // of a file; the target of a link
};

// Errors: not_found, the guest has sent nothing; conflict, it was ended in the middle; too_large, the files
// were more than the job may hand out; refused, the bytes are not those that were sent, or no such archive,
// or an entry has a path or is of a kind that may not be unpacked.
[[nodiscard]] Result<std::vector<ResultEntry>> read_results(std::string_view sent);

// Files get the permissions of the archive within the umask of this process; no other id, no set-user-id.
// Nothing is written if a path exists and is no directory, unless `replace`. Errors: conflict for that,
// forbidden, not_found, refused (a link of this machine stands in the way).
[[nodiscard]] Result<void> unpack(const std::vector<ResultEntry>& entries, const std::string& directory,
                                  bool replace);

// The paths of these (as given to --stage-out) that no entry has.
[[nodiscard]] std::vector<std::string> absent(const std::vector<std::string>& asked,
                                              const std::vector<ResultEntry>& entries);

}  // namespace aliquot
