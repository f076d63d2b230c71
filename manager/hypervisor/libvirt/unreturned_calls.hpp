// The calls that may still bring a VM into being or take it away, by the VM's UUID: from the moment at
// which they are queued until they have returned or were withdrawn. A call that missed its deadline has
// been answered and has not returned. As long as one is left, whether the VM exists is not known: an
// inspection that said "absent" would let the manager create the VM anew beside it.
//
// Thread-safe. It outlives a backend where the next one must know what the last one has left under way: an
// agent opens a backend for each session, and a call does not end with it.
#pragma once

#include <memory>
#include <mutex>
#include <set>

#include "manager/hypervisor/vm_identity.hpp"

namespace aliquot {

class UnreturnedCalls : public std::enable_shared_from_this<UnreturnedCalls> {
 public:
  [[nodiscard]] static std::shared_ptr<UnreturnedCalls> make() {
    return std::shared_ptr<UnreturnedCalls>(new UnreturnedCalls);
  }

  // One call. It has returned when it says so, or when its last owner is gone.
  class Call {
   public:
    Call(std::shared_ptr<UnreturnedCalls> calls, const Uuid& vm);
    ~Call() { has_returned(); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    void has_returned();

   private:
    const std::shared_ptr<UnreturnedCalls> calls_;
    std::multiset<Uuid>::iterator at_;
    bool returned_ = false;
  };
  [[nodiscard]] std::shared_ptr<Call> begin(const Uuid& vm) {
    return std::make_shared<Call>(shared_from_this(), vm);
  }
  [[nodiscard]] bool any_for(const Uuid& vm) const;

 private:
  UnreturnedCalls() = default;

  mutable std::mutex mutex_;
  std::multiset<Uuid> calls_;
};

}  // namespace aliquot
