#include "manager/hypervisor/libxl/xen_save.hpp"

#include <utility>

#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/libxl/task_config.hpp"

namespace aliquot {
namespace {

// libxl creates it empty; a guest sets it once it watches for requests to suspend itself.
constexpr char kListensKey[] = "control/feature-suspend";
constexpr std::chrono::seconds kGuestPatience{40};
constexpr Duration kLook{100'000};
constexpr char kUnfinished[] = ".part";  // as Spool::image_part has it

// Percent of a CPU. A guest needs tens of milliseconds of CPU to suspend itself, which a low cap stretches
// to seconds.
constexpr int kLeastCap = 25;

// A live save writes all memory once and then, at most six times, what has changed meanwhile (Xen's
// tools/libs/guest/xg_sr_save.c).
constexpr std::int64_t kMostPasses = 7;

// A kernel that is still booting takes the request and may never act on it, so the Linux task guest must
// have said that its task begins. libxl itself suspends an HVM guest that has no drivers for Xen, and asks
// one that has them.
bool can_suspend_itself(const XenLoop& xen, std::uint32_t domain, const JobSpec& spec) {
  if (std::holds_alternative<ImageBoot>(spec.submission->program)) return true;
  if (read_key(xen, domain, kRestoredKey)) return true;
  const bool listens = !read_key(xen, domain, kListensKey).value_or("").empty();
  const bool tells_its_start = std::holds_alternative<LinuxCommand>(spec.submission->program);
  return listens && (!tells_its_start || read_key(xen, domain, kStatusKey));
}

}  // namespace

XenSave::XenSave(XenNode& node, Task task)
    : node_(node), task_(std::move(task)), name_(vm_name(task_.vm)) {}

void XenSave::answer(Result<void> result) {
  if (const Done done = std::exchange(done_, {})) done(std::move(result));
}

void XenSave::call(const std::string& what, const Begin& begin, std::function<void()> then) {
  node_.xen().run(begin, [self = shared_from_this(), what, then = std::move(then)](int code) {
    if (code == 0 && !self->task_.is_overdue()) return then();
    self->undo(xen_error(self->node_.xen(), what + " " + self->name_, code));
  });
}

void XenSave::begin(const XenDomain& domain, Done done) {
  domain_ = domain;
  done_ = std::move(done);
  if (auto ready = prepare(); !ready) return answer(ready);
  const auto until = std::chrono::steady_clock::now() + kGuestPatience;
  if (!domain_.is_paused) return await_guest(until);
  // The guest takes part in its own save, so a paused one runs for that moment.
  was_paused_ = true;
  call(
      "wake", [&](const auto* how) { return libxl_domain_unpause(node_.xen().context(), domain_.id, how); },
      [this, until] { await_guest(until); });
}

// Before the VM is stopped: a job whose image does not fit runs on.
Result<void> XenSave::prepare() {
  const auto cap = cap_of(node_.xen(), domain_.id);
  if (!cap) return tl::unexpected(cap.error());
  const bool is_low = *cap != 0 && *cap < kLeastCap;
  // Debian's Xen cannot tell which pages of a PV guest change. A raised cap is for a moment only.
  is_live_ = task_.may_be_live && !domain_.is_paravirtualised && !domain_.is_paused && !is_low;
  if (auto promised = promise_space(); !promised) return promised;
  if (!is_low) return {};
  cap_before_ = *cap;
  return set_cap(node_.xen(), domain_.id, kLeastCap);
}

Result<void> XenSave::promise_space() {
  if (!node_.setup().space) return {};
  const std::uint32_t units = task_.spec->tasks[task_.vm.task].units;
  const Memory memory = guest_memory(*task_.spec->submission, units);
  auto space = node_.setup().space->promise(is_live_ ? memory * kMostPasses : memory, "save " + name_);
  if (!space && is_live_) {
    is_live_ = false;
    return promise_space();
  }
  if (!space) return tl::unexpected(space.error());
  space_.emplace(std::move(*space));
  return {};
}

// A guest that has just been created does not listen yet. One that never says that it does, such as a
// kernel of a user that is not Linux, is asked all the same.
void XenSave::await_guest(std::chrono::steady_clock::time_point until) {
  const auto found = find_domain(node_.xen(), domain_.uuid);
  if (!found) return undo(found.error());
  const bool is_gone = !*found || (*found)->has_shut_down;
  if (is_gone || task_.is_overdue())
    return undo({ErrorKind::not_found, name_ + " does not run on this node any more; inspect it"});
  const bool is_late = std::chrono::steady_clock::now() >= until;
  if (is_late || can_suspend_itself(node_.xen(), domain_.id, *task_.spec)) return write();
  node_.xen().after(kLook, [self = shared_from_this(), until] { self->await_guest(until); });
}

void XenSave::write() {
  const XenGuests guests =
      guests_of(*task_.spec, domain_.is_paravirtualised ? XenGuests::pv : XenGuests::pvh);
  auto writer = ImageWriter::begin(task_.path + kUnfinished, domain_.uuid, guests);
  if (!writer) return undo(writer.error());
  writer_ = std::move(*writer);
  const int flags = is_live_ ? LIBXL_SUSPEND_LIVE : 0;
  call(
      "save",
      [&](const auto* how) {
        return libxl_domain_suspend(node_.xen().context(), domain_.id, writer_->stream(), flags, how);
      },
      [this] { complete(); });
}

void XenSave::complete() {
  const auto done = std::make_shared<Result<void>>();
  node_.xen().apart(
      [self = shared_from_this(), done] { *done = self->writer_->complete(self->task_.path); },
      [self = shared_from_this(), done] {
        if (!*done) return self->undo(done->error());
        if (!self->task_.is_overdue()) return self->answer({});
        // Too late: the manager takes the VM for one that may run.
        (void)remove_file(self->task_.path);
        self->undo({ErrorKind::timeout, self->name_ + " was saved too late"});
      });
}

// libxl leaves the guest suspended if the save fails after the guest has suspended itself. An image that
// cannot be written explains the failure better than libxl's own error.
void XenSave::undo(const Error& why) {
  failure_ = why;
  if (writer_) {
    if (auto written = writer_->close(); !written) failure_ = written.error();
    (void)remove_file(task_.path + kUnfinished);
  }
  if (cap_before_) (void)set_cap(node_.xen(), domain_.id, *cap_before_);
  const auto found = find_domain(node_.xen(), domain_.uuid);
  const bool is_suspended =
      found && *found && (*found)->has_shut_down && (*found)->reason == LIBXL_SHUTDOWN_REASON_SUSPEND;
  if (!is_suspended) return pause_again();
  node_.resume_suspended(node_.vm(task_.vm), domain_.id,
                         [self = shared_from_this()] { self->pause_again(); });
}

// Xen counts pauses, so one that was never woken is not paused a second time: a release would not wake it.
void XenSave::pause_again() {
  const auto found = find_domain(node_.xen(), domain_.uuid);
  const bool runs = found && *found && !(*found)->is_paused && !(*found)->has_shut_down;
  if (!was_paused_ || !runs) return answer(tl::unexpected(failure_));
  node_.xen().run(
      [&](const auto* how) { return libxl_domain_pause(node_.xen().context(), domain_.id, how); },
      [self = shared_from_this()](int) { self->answer(tl::unexpected(self->failure_)); });
}

// It is paused before it is resumed, so that it does not run in between.
void XenSave::resume_paused(Done done) {
  done_ = std::move(done);
  if (cap_before_) (void)set_cap(node_.xen(), domain_.id, *cap_before_);
  call(
      "pause", [&](const auto* how) { return libxl_domain_pause(node_.xen().context(), domain_.id, how); },
      [this] {
        node_.resume_suspended(node_.vm(task_.vm), domain_.id,
                               [self = shared_from_this()] { self->answer({}); });
      });
}

}  // namespace aliquot
