// Recomputes the output of the hash-chain guest (docs/guest-contract.md) on the host: the proof that a VM
// lost, repeated or garbled nothing while it was paused, saved, restored and moved. Pure: text in, counts
// out. The cost is the guest's own work once more (total * unit steps), at the host's full speed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace aliquot {

// What the guest was started with.
struct ChainShape {
  std::uint32_t total = 0;  // blocks, hence lines
  std::uint32_t unit = 0;   // steps per block
};

struct ChainAudit {
  std::uint64_t recomputed = 0;  // lines in their place whose hash the host found as well
  std::uint64_t lost = 0;        // numbers that no line has
  std::uint64_t repeated = 0;    // lines whose number, or a later one, had been seen
  std::uint64_t wrong = 0;       // lines in their place with another hash, or a number beyond the total
  std::uint64_t foreign = 0;     // other lines, torn ones included
  std::uint64_t starts = 0;      // "MICRO start" lines
  std::uint64_t ends = 0;        // "MICRO done" lines
  std::uint64_t leaves = 0;      // "MICRO left" lines, of a guest that was told to leave
  std::string first_fault;       // the first line that is not as it should be, with its number; else empty

  // Every link stands once, in order, between one start and one end. The chain of a guest that was told to
  // leave has no other links after the last one.
  [[nodiscard]] bool whole(const ChainShape& shape) const;
};

[[nodiscard]] ChainAudit audit_chain(std::string_view log, const ChainShape& shape);

}  // namespace aliquot
