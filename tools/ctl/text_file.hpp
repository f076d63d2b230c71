// Texts that a command writes where its user has said.
#pragma once

#include <string>

#include "manager/api/wire/request.hpp"
#include "tools/ctl/session.hpp"

namespace aliquot::ctl {

// Asks for what has a CSV as its answer, and writes that to the file; to standard output if none is named.
[[nodiscard]] Result<int> export_csv(Session& session, const Request& request, const std::string& path);

}  // namespace aliquot::ctl
