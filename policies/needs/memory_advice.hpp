// The memory to declare for tasks like one that was watched. Pure. The CPU need of a job can be learned
// while it runs (need_watch.hpp); its memory is rigid (DFRS, II-B), so its user is told what to declare the
// next time.
#pragma once

#include <optional>
#include <string>

#include "policies/model/units.hpp"

namespace aliquot::needs {

// A task had `had` and its guest used at most `used` of that, its kernel included. The answer is the use
// and a quarter of it, and at least 32 MiB, more; never below `least`. None: the declaration is about
// right. It is not where the answer is less than three quarters of `had`, or where less than a sixteenth of
// it was never used.
[[nodiscard]] std::optional<Memory> memory_to_declare(Memory had, Memory used, Memory least);

// Of a task whose guest ran out of memory: half as much again. How much more it wanted is not known.
[[nodiscard]] Memory memory_after_running_out(Memory had);

// "--mem 384MiB", as users write it.
[[nodiscard]] std::string mem_option(Memory memory);

}  // namespace aliquot::needs
