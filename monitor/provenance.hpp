// Which program made a result.
#pragma once

namespace aliquot {

extern const char* const kVersion;  // of the project
extern const char* const kCommit;   // short hash, "+" when the tree differed from it; "unknown" outside git

}  // namespace aliquot
