#include "manager/hypervisor/libvirt/unreturned_calls.hpp"

#include <utility>

namespace aliquot {

UnreturnedCalls::Call::Call(std::shared_ptr<UnreturnedCalls> calls, const Uuid& vm)
    : calls_(std::move(calls)) {
  const std::lock_guard lock(calls_->mutex_);
  at_ = calls_->calls_.insert(vm);
}

void UnreturnedCalls::Call::has_returned() {
  const std::lock_guard lock(calls_->mutex_);
  if (!std::exchange(returned_, true)) calls_->calls_.erase(at_);
}

bool UnreturnedCalls::any_for(const Uuid& vm) const {
  const std::lock_guard lock(mutex_);
  return calls_.contains(vm);
}

}  // namespace aliquot
