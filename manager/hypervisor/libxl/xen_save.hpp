// Writes the memory of a VM to a file, with libxl. The guest takes part in that: it suspends itself. On the
// loop's thread.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "manager/hypervisor/libxl/xen_domain.hpp"
#include "manager/hypervisor/libxl/xen_image.hpp"
#include "manager/hypervisor/libxl/xen_node.hpp"

namespace aliquot {

class XenSave : public std::enable_shared_from_this<XenSave> {
 public:
  using Done = std::function<void(Result<void>)>;
  struct Task {
    VmIdentity vm;
    std::shared_ptr<const JobSpec> spec;
    std::string path;                  // of the image
    bool may_be_live = false;          // most of it may be written while the VM runs
    std::function<bool()> is_overdue;  // the result is not wanted any more
  };
  XenSave(XenNode& node, Task task);

  // At the end the image is complete and the guest suspended; or `done` gets an error, and the VM is as it
  // was.
  void begin(const XenDomain& domain, Done done);
  // After begin() has succeeded: lets the VM be as it was, but paused.
  void resume_paused(Done done);

 private:
  using Begin = std::function<int(const libxl_asyncop_how*)>;
  void call(const std::string& what, const Begin& begin, std::function<void()> then);
  [[nodiscard]] Result<void> prepare();
  [[nodiscard]] Result<void> promise_space();
  void await_guest(std::chrono::steady_clock::time_point until);
  void write();
  void complete();
  void undo(const Error& why);
  void pause_again();
  void answer(Result<void> result);

  XenNode& node_;
  const Task task_;
  const std::string name_;
  XenDomain domain_;
  Done done_;
  std::unique_ptr<ImageWriter> writer_;
  std::optional<SpoolSpace::Promise> space_;  // for the image
  bool is_live_ = false;
  bool was_paused_ = false;        // and runs for its save
  std::optional<int> cap_before_;  // percent; if it was raised
  Error failure_;                  // that is being undone
};

}  // namespace aliquot
