// The scheduling priority of the manager's loop. The loop makes every decision and answers every request,
// and uses little CPU. On a busy machine the kernel would let it wait for each of the many threads of the
// manager and of other programs; with this priority it runs first.
#pragma once

namespace aliquot {

// Nice values are weights: threads share a core in their proportion. -10 weighs as much as ten threads of
// nice 0, and the loop still waited for tens of milliseconds where dozens of threads were ready.
inline constexpr int kNiceOfLoop = -20;

// Gives the calling thread this nice value. Threads and programs that it starts have nice 0. It needs
// CAP_SYS_NICE or a limit RLIMIT_NICE of 40 (LimitNICE=-20 in the systemd unit). False: the kernel refused,
// and nothing has changed.
bool raise_priority_of_loop();

}  // namespace aliquot
