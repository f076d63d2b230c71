// Of several managers, which one may act on the VMs of nodes that all of them reach: the one of the highest
// epoch. The spool, which all share, has a mark with it.
//
// A manager makes the mark before its first command. Each command is given while the mark is locked against
// the next manager, and only if no higher epoch stands there: so a manager that stood still between its
// decision and its command (SIGSTOP, a VM that was suspended) is refused when it goes on. What is left is
// one that stands still between the look at the mark and the end of the call itself: the next manager does
// not wait for it longer than `patience`.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "manager/hypervisor/descriptor.hpp"
#include "manager/hypervisor/spool.hpp"
#include "policies/model/error.hpp"
#include "policies/model/time.hpp"

namespace aliquot {

class EpochFence {
 public:
  // Marks the spool. ErrorKind::not_leader: with a higher epoch it is marked already.
  [[nodiscard]] static Result<std::shared_ptr<const EpochFence>> raise(
      const Spool& spool, std::uint64_t epoch, Duration patience = Duration{300'000});

  // The epoch that the spool is marked with; 0: none.
  [[nodiscard]] static Result<std::uint64_t> marked(const Spool& spool);

  // Keeps the next manager waiting as long as it is open. ErrorKind::not_leader: another may act. Any
  // thread.
  [[nodiscard]] Result<Descriptor> hold() const;

 private:
  EpochFence(std::string path, std::uint64_t epoch) : path_(std::move(path)), epoch_(epoch) {}

  const std::string path_;
  const std::uint64_t epoch_;
};

}  // namespace aliquot
