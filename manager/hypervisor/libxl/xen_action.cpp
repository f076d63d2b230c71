#include "manager/hypervisor/libxl/xen_action.hpp"

#include <utility>

#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/libxl/credit_cap.hpp"
#include "manager/hypervisor/libxl/unfinished_domains.hpp"
#include "manager/hypervisor/libxl/xen_survey.hpp"
#include "manager/hypervisor/status_channel.hpp"

namespace aliquot {
namespace {

// libxl creates it empty; a Linux guest sets it once its kernel watches for requests to suspend itself.
constexpr char kListensKey[] = "control/feature-suspend";
// Of a restored domain: its guest has been suspended before, and tells nothing of its start again.
constexpr char kRestoredKey[] = "aliquot/restored";
constexpr std::chrono::seconds kGuestPatience{40};
constexpr Duration kLook{100'000};

// Percent of a CPU. A guest needs tens of milliseconds of CPU to suspend itself, which a low cap stretches
// to seconds.
constexpr int kLeastCapOfSave = 25;

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

VmIdentity identity_of(const XenNode& node, const JobSpec& spec, std::uint32_t task) {
  return {node.setup().cluster, spec.job, task, spec.tasks[task].incarnation, node.setup().epoch};
}

}  // namespace

XenAction::XenAction(XenNode& node, Action action, std::shared_ptr<const JobSpec> spec, std::uint32_t task)
    : node_(node),
      action_(std::move(action)),
      spec_(std::move(spec)),
      task_(task),
      identity_(identity_of(node, *spec_, task)),
      uuid_(vm_uuid(identity_)),
      name_(vm_name(identity_)) {}

void XenAction::start() {
  (void)vm();
  const auto self = shared_from_this();
  if (std::holds_alternative<Abort>(action_)) return std::visit(*this, action_);
  node_.take_turn(uuid_, head(action_).op, [self](std::uint64_t turn) {
    self->turn_ = turn;
    self->node_.xen().after(self->node_.setup().deadline, [action = std::weak_ptr(self)] {
      if (const auto overdue = action.lock())
        overdue->finish(
            fail(ErrorKind::timeout, std::string(word(overdue->action_)) + " " + overdue->name_ +
                                         ": libxl did not complete it in time; inspect the VM"));
    });
    std::visit(*self, self->action_);
  });
}

void XenAction::finish(Result<void> result) {
  if (is_answered_) return;
  is_answered_ = true;
  Outcome outcome;
  outcome.op = head(action_).op;
  outcome.job = head(action_).job;
  outcome.tasks = {task_, 1};
  if (!result) outcome.error = result.error();
  outcome.took = {
      std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - since_)
          .count()};
  node_.events().post(outcome);
  node_.end_turn(uuid_, turn_);
}

void XenAction::call(const std::string& what, const Begin& begin, std::function<void()> then,
                     std::function<void(Error)> failed) {
  node_.xen().run(begin, [self = shared_from_this(), what, then = std::move(then),
                          failed = std::move(failed)](int code) {
    if (code == 0 && !self->is_answered_) return then();
    const Error error = xen_error(self->node_.xen(), what + " " + self->name_, code);
    if (failed) return failed(error);
    if (code != 0) self->finish(tl::unexpected(error));
  });
}

std::optional<XenDomain> XenAction::standing() {
  auto found = find_domain(node_.xen(), uuid_);
  if (!found) {
    finish(tl::unexpected(found.error()));
    return std::nullopt;
  }
  if (*found && !(*found)->has_shut_down) return *found;
  finish(fail(ErrorKind::not_found, name_ + " does not run on this node; inspect it"));
  return std::nullopt;
}

bool XenAction::has_ended() const {
  const auto status =
      read_exit_status(node_.files().spool.status(identity_.job, task_, identity_.incarnation));
  return status && status->has_value();
}

Result<void> XenAction::apply_cap(std::uint32_t domain, Yield yield) {
  const std::uint32_t units = spec_->tasks[task_].units;
  const auto percent = credit_cap(spec_->submission->demand.need * units, yield, node_.setup().speed_ppm,
                                  vcpus_of(*spec_->submission) * units);
  if (!percent) return tl::unexpected(percent.error());
  return set_cap(node_.xen(), domain, *percent);
}

Result<TaskConfig> XenAction::config(XenGuests guests) {
  if (auto able = check_guests(node_.xen(), guests); !able) return tl::unexpected(able.error());
  return task_config(node_.xen().context(), node_.files(), node_.max_output().get(), *spec_, task_,
                     identity_, guests);
}

void XenAction::make_anew_unless_done(Yield yield, std::function<void()> make) {
  const auto found = find_domain(node_.xen(), uuid_);
  if (!found) return finish(tl::unexpected(found.error()));
  if (!*found) return make();
  const XenDomain& domain = **found;
  if (!is_ready(node_.xen(), domain.id)) return destroy_domain(domain.id, std::move(make));
  if (!domain.is_paused)
    return finish(fail(ErrorKind::conflict, name_ + " stands here already and is not paused; inspect it"));
  complete_domain(domain.id, yield);
}

void XenAction::operator()(const Create& create) {
  make_anew_unless_done(create.yield,
                        [this, self = shared_from_this(), yield = create.yield] { build(yield); });
}

void XenAction::build(Yield yield) {
  auto made = config(guests_of(*spec_, node_.setup().guests));
  if (!made) return finish(tl::unexpected(made.error()));
  if (auto ready = prepare_task_files(node_.files(), *spec_, task_); !ready) return finish(ready);
  if (auto linked = node_.link_console(vm()); !linked) return finish(linked);
  if (auto noted = note_unfinished(node_.xen(), identity_); !noted) return finish(noted);
  // libxl uses both until the operation ends.
  const std::shared_ptr<libxl_domain_config> definition = std::move(*made);
  const auto domain = std::make_shared<std::uint32_t>(INVALID_DOMID);
  call(
      "create",
      [&](const auto* how) {
        return libxl_domain_create_new(node_.xen().context(), definition.get(), domain.get(), how, nullptr);
      },
      [this, definition, domain, yield] { complete_domain(*domain, yield); },
      [this](const Error& why) { was_not_built(why); });
}

void XenAction::operator()(const Restore& restore) {
  if (restore.checkpoint != 0)
    return finish(fail(ErrorKind::unsupported, name_ + ": checkpoints are not made under Xen yet"));
  make_anew_unless_done(restore.yield,
                        [this, self = shared_from_this(), yield = restore.yield] { load(yield); });
}

void XenAction::load(Yield yield) {
  auto image = open_image(node_.files().spool.image(identity_.job, task_), uuid_);
  if (!image) return finish(tl::unexpected(image.error()));
  auto made = config(image->guests);
  if (!made) return finish(tl::unexpected(made.error()));
  if (auto linked = node_.link_console(vm()); !linked) return finish(linked);
  if (auto noted = note_unfinished(node_.xen(), identity_); !noted) return finish(noted);
  image_ = std::move(image->stream);
  const std::shared_ptr<libxl_domain_config> definition = std::move(*made);
  const auto domain = std::make_shared<std::uint32_t>(INVALID_DOMID);
  const auto parameters = std::make_shared<libxl_domain_restore_params>();
  libxl_domain_restore_params_init(parameters.get());
  parameters->stream_version = 2;
  call(
      "restore",
      [&](const auto* how) {
        return libxl_domain_create_restore(node_.xen().context(), definition.get(), domain.get(),
                                           image_.get(), -1, parameters.get(), how, nullptr);
      },
      [this, definition, domain, parameters, yield] {
        if (auto told = write_key(node_.xen(), *domain, kRestoredKey, "1"); !told) return finish(told);
        complete_domain(*domain, yield);
      },
      [this](const Error& why) { was_not_built(why); });
}

// A restored domain has the scheduler's defaults: no stream carries a cap.
void XenAction::complete_domain(std::uint32_t domain, Yield yield) {
  if (auto capped = apply_cap(domain, yield); !capped) return finish(capped);
  if (auto watched = node_.watch(vm(), domain); !watched) return finish(watched);
  auto ready = set_ready(node_.xen(), domain);
  if (ready) note_finished(node_.xen(), identity_);
  finish(ready);
}

// libxl has destroyed what it had begun, unless it has completed it after the deadline.
void XenAction::was_not_built(const Error& why) {
  finish(tl::unexpected(why));
  node_.destroy_unfinished(identity_);
}

void XenAction::operator()(const Release&) {
  const auto domain = standing();
  if (!domain) return;
  if (!domain->is_paused) return finish({});
  call(
      "release",
      [&](const auto* how) { return libxl_domain_unpause(node_.xen().context(), domain->id, how); },
      [this] { finish({}); });
}

// Xen counts pauses, and a release ends one: a paused VM is not paused again.
void XenAction::operator()(const Suspend&) {
  const auto domain = standing();
  if (!domain) return;
  if (domain->is_paused) return finish({});
  call(
      "suspend",
      [&](const auto* how) { return libxl_domain_pause(node_.xen().context(), domain->id, how); },
      [this] { finish({}); });
}

void XenAction::operator()(const Cap& cap) {
  // The VM may end before the cap is set. That is no error: its end is reported as an event.
  const auto found = find_domain(node_.xen(), uuid_);
  const bool is_over = found && (!*found || (*found)->has_shut_down);
  if (is_over && has_ended()) return finish({});
  const auto domain = standing();
  if (domain) finish(apply_cap(domain->id, cap.yield));
}

void XenAction::operator()(const Save&) {
  const auto found = find_domain(node_.xen(), uuid_);
  const Spool& spool = node_.files().spool;
  if (found && !*found && is_image_of(spool.image(identity_.job, task_), uuid_)) return finish({});
  const auto domain = standing();
  if (!domain) return;
  // Before the VM is stopped: a job whose image does not fit runs on.
  if (node_.setup().space) {
    auto space = node_.setup().space->promise(guest_memory(*spec_->submission, spec_->tasks[task_].units),
                                              "save " + name_);
    if (!space) return finish(tl::unexpected(space.error()));
    space_.emplace(std::move(*space));
  }
  if (auto raised = raise_cap_for_save(domain->id); !raised) return finish(raised);
  const auto until = std::chrono::steady_clock::now() + kGuestPatience;
  if (!domain->is_paused) return await_guest(*domain, until);
  // The guest takes part in its own save, so a paused one runs for that moment.
  was_paused_ = true;
  call(
      "wake", [&](const auto* how) { return libxl_domain_unpause(node_.xen().context(), domain->id, how); },
      [this, domain = *domain, until] { await_guest(domain, until); },
      [this, domain = *domain](const Error& why) { undo_save(domain.id, why); });
}

Result<void> XenAction::raise_cap_for_save(std::uint32_t domain) {
  const auto cap = cap_of(node_.xen(), domain);
  if (!cap) return tl::unexpected(cap.error());
  if (*cap == 0 || *cap >= kLeastCapOfSave) return {};
  cap_before_save_ = *cap;
  return set_cap(node_.xen(), domain, kLeastCapOfSave);
}

// A guest that has just been created does not listen yet. One that never says that it does, such as a
// kernel of a user that is not Linux, is asked all the same.
void XenAction::await_guest(const XenDomain& domain, std::chrono::steady_clock::time_point until) {
  if (is_answered_ || !standing()) return undo_save(domain.id, {});  // it says why itself
  const bool is_overdue = std::chrono::steady_clock::now() >= until;
  if (is_overdue || can_suspend_itself(node_.xen(), domain.id, *spec_)) return write_image(domain);
  node_.xen().after(kLook,
                    [self = shared_from_this(), domain, until] { self->await_guest(domain, until); });
}

void XenAction::write_image(const XenDomain& domain) {
  const XenGuests guests = guests_of(*spec_, domain.is_paravirtualised ? XenGuests::pv : XenGuests::pvh);
  auto writer = ImageWriter::begin(node_.files().spool.image_part(identity_.job, task_), uuid_, guests);
  if (!writer) return undo_save(domain.id, writer.error());
  writer_ = std::move(*writer);
  constexpr int kNotLive = 0;
  call(
      "save",
      [&](const auto* how) {
        return libxl_domain_suspend(node_.xen().context(), domain.id, writer_->stream(), kNotLive, how);
      },
      [this, domain] { image_is_written(domain); },
      [this, domain](const Error& why) { undo_save(domain.id, why); });
}

void XenAction::image_is_written(const XenDomain& domain) {
  if (auto done = writer_->complete(node_.files().spool, identity_.job, task_); !done)
    return undo_save(domain.id, done.error());
  const auto last = find_domain(node_.xen(), uuid_);
  if (last && *last) node_.report_departure(vm(), **last);
  destroy_domain(domain.id, [this] { finish({}); });
}

// libxl leaves the guest suspended if the save fails after the guest has suspended itself. An image that
// cannot be written explains the failure better than libxl's own error. Answers when the VM is as it was.
void XenAction::undo_save(std::uint32_t domain, Error why) {
  if (writer_) {
    if (auto written = writer_->close(); !written) why = written.error();
    (void)remove_file(node_.files().spool.image_part(identity_.job, task_));
  }
  if (cap_before_save_) (void)set_cap(node_.xen(), domain, *cap_before_save_);
  const auto found = find_domain(node_.xen(), uuid_);
  const bool is_suspended =
      found && *found && (*found)->has_shut_down && (*found)->reason == LIBXL_SHUTDOWN_REASON_SUSPEND;
  const auto answer = [self = shared_from_this(), why] { self->finish(tl::unexpected(why)); };
  if (!is_suspended) return pause_again(domain, answer);
  node_.resume_suspended(
      vm(), domain, [self = shared_from_this(), domain, answer] { self->pause_again(domain, answer); });
}

// Xen counts pauses, so one that was never woken is not paused a second time: a release would not wake it.
void XenAction::pause_again(std::uint32_t domain, std::function<void()> then) {
  const auto found = find_domain(node_.xen(), uuid_);
  const bool runs = found && *found && !(*found)->is_paused && !(*found)->has_shut_down;
  if (!was_paused_ || !runs) return then();
  node_.xen().run([&](const auto* how) { return libxl_domain_pause(node_.xen().context(), domain, how); },
                  [then = std::move(then)](int) { then(); });
}

void XenAction::destroy_domain(std::uint32_t domain, std::function<void()> then) {
  node_.unwatch(vm());
  call(
      "destroy", [&](const auto* how) { return libxl_domain_destroy(node_.xen().context(), domain, how); },
      std::move(then));
}

void XenAction::operator()(const Destroy&) {
  const auto remove = [this] { finish(remove_images(node_.files().spool, identity_.job, task_)); };
  const auto found = find_domain(node_.xen(), uuid_);
  if (!found) return finish(tl::unexpected(found.error()));
  if (!*found) return remove();
  node_.report_departure(vm(), **found);
  destroy_domain((*found)->id, remove);
}

void XenAction::operator()(const Migrate&) {
  finish(fail(ErrorKind::unsupported, name_ + ": VMs do not migrate under Xen yet; save it instead"));
}

void XenAction::operator()(const Checkpoint&) {
  finish(fail(ErrorKind::unsupported, name_ + ": checkpoints are not made under Xen yet"));
}

// Takes no turn: it is about the action that has it.
void XenAction::operator()(const Abort& abort) {
  if (vm().turn == 0 || vm().op != abort.target) return finish({});
  finish(fail(ErrorKind::unsupported,
              name_ + ": an action under way is not given up under Xen yet; wait for its outcome"));
}

}  // namespace aliquot
