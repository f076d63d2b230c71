// The version and commit of this program, for results and reports.
#pragma once

namespace aliquot {

extern const char* const kVersion;  // of the project
extern const char* const kCommit;   // short hash, with "+" for local changes; "unknown" outside git

}  // namespace aliquot
