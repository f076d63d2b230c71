// Where libvirt's events are made out: what is our own doing is dropped, an end becomes TaskEnded with what
// the guest left in its status channel, the rest is a foreign move. On a thread of its own, because the
// status channel is a file and the event loop must not wait for one.
#pragma once

#include <memory>

#include "manager/hypervisor/backend.hpp"

namespace aliquot {

void hand_to_desk(Lane& desk, const std::shared_ptr<Backend>& backend, NodeId node, const Uuid& vm,
                  NodeEvent event);

}  // namespace aliquot
