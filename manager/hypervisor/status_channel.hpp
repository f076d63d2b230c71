// Reads what a guest wrote to its status channel (docs/guest-contract.md): its exit status, whether it ran
// out of memory, and the numbers of tasks that it wants its job to have. The guest is not trusted: only
// complete lines of the exact form count, and of its end only the last 4 KiB are read. An exit status does
// not mean that the VM has ended: the guest may still be powering off.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

struct GuestEnd {
  std::optional<int> status;    // none: it has not ended, or not by itself
  std::uint32_t oom_kills = 0;  // processes that its kernel ended because memory ran out
  friend bool operator==(const GuestEnd&, const GuestEnd&) = default;
};

// By the last complete `aliquot-status 1 exit N` and `aliquot-status 1 out_of_memory N` lines.
[[nodiscard]] GuestEnd guest_end(std::string_view text);
[[nodiscard]] inline std::optional<int> exit_status(std::string_view text) {
  return guest_end(text).status;
}

// The same from a file; nothing if the file does not exist.
[[nodiscard]] Result<GuestEnd> read_guest_end(const std::string& path);
[[nodiscard]] Result<std::optional<int>> read_exit_status(const std::string& path);
// Whether the file can be read and has one.
[[nodiscard]] bool has_exit_status(const std::string& path);

// The job is to have so many tasks, after a while.
struct AnnouncedSize {
  std::uint32_t tasks = 1;
  Duration in;
  friend bool operator==(const AnnouncedSize&, const AnnouncedSize&) = default;
};
// All complete `aliquot-status 1 tasks N in S` lines, in their order.
[[nodiscard]] std::vector<AnnouncedSize> announced_sizes(std::string_view text);

}  // namespace aliquot
