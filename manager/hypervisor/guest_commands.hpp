// Commands of the Linux task guest that every disk image gets, too, as scripts.
#pragma once

namespace aliquot {

extern const char* const kAliquotMpi;       // starts MPI programs
extern const char* const kAliquotTerminal;  // serves `aliquot attach`

}  // namespace aliquot
