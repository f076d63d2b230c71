// What a node does of a move before the move's own save and restore (NodeHypervisor::expect_move): it saves
// the VM while it runs, where the guest can, and reads the image while it is being written. The domain then
// stands here, unfinished, when the restore comes, which completes it; if none comes, it is destroyed.
#pragma once

#include <chrono>
#include <memory>

#include "manager/hypervisor/libxl/xen_image.hpp"
#include "manager/hypervisor/libxl/xen_node.hpp"

namespace aliquot {

// On the loop's thread.
void expect_move(XenNode& node, const VmMove& move, std::shared_ptr<const JobSpec> spec);

// One VM that is read ahead. It has the VM's turn on this node meanwhile: the restore waits for its end.
class XenArrival : public std::enable_shared_from_this<XenArrival> {
 public:
  XenArrival(XenNode& node, const VmMove& move, std::shared_ptr<const JobSpec> spec);
  void start();

 private:
  void await_image();
  void load(XenImage image);
  void end(const Result<std::uint32_t>& domain);

  XenNode& node_;
  const VmMove move_;
  const std::shared_ptr<const JobSpec> spec_;
  const VmIdentity identity_;
  const Uuid uuid_;
  const std::chrono::steady_clock::time_point until_;
  std::uint64_t turn_ = 0;
  std::unique_ptr<ImageReader> reader_;
};

}  // namespace aliquot
