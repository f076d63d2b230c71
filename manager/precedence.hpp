// Where the machine is busy, the loop's thread goes before the manager's other threads and before other
// programs: it decides and answers requests, and needs little.
#pragma once

namespace aliquot {

inline constexpr int kNiceOfLoop = -20;

// Of the calling thread; threads and programs that it starts have none. It takes root's CAP_SYS_NICE, or
// the unit's LimitNICE. False: the system refuses it, and nothing is changed.
bool take_precedence();

}  // namespace aliquot
