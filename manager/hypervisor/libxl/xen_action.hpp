// One action on one VM, from its start to its one Outcome, on the loop's thread. Each is idempotent,
// because a restarted manager does not know how far the one before it came.
//
// An action waits until nothing else is under way for its VM. If it misses its deadline, its outcome is
// ErrorKind::timeout, the next action of the VM begins, and what libxl completes later has no further
// effect than libxl's own.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "manager/hypervisor/libxl/xen_image.hpp"
#include "manager/hypervisor/libxl/xen_node.hpp"

namespace aliquot {

class XenSave;

class XenAction : public std::enable_shared_from_this<XenAction> {
 public:
  // `action` is of this task alone.
  XenAction(XenNode& node, Action action, std::shared_ptr<const JobSpec> spec, std::uint32_t task);
  void start();

  // What std::visit calls; each ends with finish().
  void operator()(const Create& create);
  void operator()(const Restore& restore);
  void operator()(const Release&);
  void operator()(const Suspend&);
  void operator()(const Notify&);
  void operator()(const Cap& cap);
  void operator()(const Save&);
  void operator()(const Destroy&);
  void operator()(const Migrate&);
  void operator()(const Checkpoint& checkpoint);
  void operator()(const Abort& abort);

 private:
  using Begin = std::function<int(const libxl_asyncop_how*)>;
  // Makes an asynchronous call of libxl; `then` runs if it has succeeded in time. In the other
  // case the action fails, or `failed`, if there is one, makes it fail.
  void call(const std::string& what, const Begin& begin, std::function<void()> then,
            std::function<void(Error)> failed = {});
  void finish(Result<void> result);

  // The domain of the VM; without one, the action has failed when this returns no value.
  [[nodiscard]] std::optional<XenDomain> standing();
  [[nodiscard]] Result<void> apply_cap(std::uint32_t domain, Yield yield);
  // Whether an earlier attempt has made the domain already: completes the action, or removes an unfinished
  // domain, or calls `make`.
  void make_anew_unless_done(Yield yield, std::function<void()> make);
  // Calls `then` unless the disk image of the job has changed since it was added to the image store.
  void with_whole_image(std::function<void()> then);
  void build(Yield yield);
  void load(Yield yield, const std::string& path);
  // libxl has restored the memory of this domain.
  void was_restored(std::uint32_t domain, Yield yield);
  void go_back(const Restore& restore);
  // A domain was made: caps it, watches it, marks it as whole.
  void complete_domain(std::uint32_t domain, Yield yield);
  void destroy_domain(std::uint32_t domain, std::function<void()> then);
  [[nodiscard]] std::shared_ptr<XenSave> save_to(const std::string& path, bool may_be_live);
  [[nodiscard]] Result<void> keep_part(std::uint32_t number) const;
  [[nodiscard]] bool has_disk() const {
    return std::holds_alternative<ImageBoot>(spec_->submission->program);
  }
  void was_not_built(const Error& why);
  [[nodiscard]] XenVm& vm() { return node_.vm(identity_); }
  [[nodiscard]] bool has_ended() const;

  XenNode& node_;
  const Action action_;
  const std::shared_ptr<const JobSpec> spec_;
  const std::uint32_t task_;
  const VmIdentity identity_;
  const Uuid uuid_;
  const std::string name_;
  const std::chrono::steady_clock::time_point since_ = std::chrono::steady_clock::now();
  std::uint64_t turn_ = 0;
  bool is_answered_ = false;
  Descriptor image_;  // that is being read
};

}  // namespace aliquot
