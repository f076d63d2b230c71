// Decides which NFS shares a job gets, and whether its program can have any (docs/shares.md). Pure.
#pragma once

#include <vector>

#include "manager/api/wire/request.hpp"
#include "policies/model/error.hpp"

namespace aliquot {

// Those that its user names, each once. Refused: the configuration has none of this name.
[[nodiscard]] Result<std::vector<NfsShare>> shares_to_give(const Submit& asked,
                                                           const std::vector<NfsShare>& of_site);

// Refused: the program is no command, a share would hide the job's input files, or the job asks for
// checkpoints.
[[nodiscard]] Result<void> check_shares(const Submission& job);

}  // namespace aliquot
