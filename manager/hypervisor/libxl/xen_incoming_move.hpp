// Prepares a move between Xen nodes (NodeHypervisor::prepare_move). The source remembers that the next save
// of the VM is live where the guest can. The destination builds the domain from the image while the source
// writes it. That domain stays unfinished (unfinished_domains.hpp) until the restore of the move completes
// it. If the restore does not come, the domain is destroyed; if the domain could not be built, the restore
// reads the whole image.
#pragma once

#include <chrono>
#include <memory>

#include "manager/hypervisor/libxl/xen_image.hpp"
#include "manager/hypervisor/libxl/xen_node.hpp"

namespace aliquot {

// On the loop's thread.
void prepare_move(XenNode& node, const VmMove& move, std::shared_ptr<const JobSpec> spec);

// One VM on its destination. It holds the VM's turn only while it reads, so that the restore waits for its
// end and a destruction need not wait for a save that has not begun.
class XenIncomingMove : public std::enable_shared_from_this<XenIncomingMove> {
 public:
  XenIncomingMove(XenNode& node, const VmMove& move, std::shared_ptr<const JobSpec> spec);
  // Polls until the source begins to write, at most for the deadline of an action.
  void await_image();

 private:
  void open();
  void load(XenImage image);
  void end(const Result<std::uint32_t>& domain);

  XenNode& node_;
  const VmMove move_;
  const std::shared_ptr<const JobSpec> spec_;
  const VmIdentity identity_;
  const Uuid uuid_;
  const std::string part_;   // the image while it is being written,
  const std::string whole_;  // and when it is complete
  const std::chrono::steady_clock::time_point until_;
  std::uint64_t turn_ = 0;
  std::unique_ptr<ImageReader> reader_;
};

}  // namespace aliquot
