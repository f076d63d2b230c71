#include "manager/hypervisor/libxl/xen_action.hpp"

#include <utility>

#include "manager/hypervisor/checkpoint_files.hpp"
#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/libxl/credit_cap.hpp"
#include "manager/hypervisor/libxl/unfinished_domains.hpp"
#include "manager/hypervisor/libxl/xen_restore.hpp"
#include "manager/hypervisor/libxl/xen_save.hpp"
#include "manager/hypervisor/libxl/xen_survey.hpp"
#include "manager/hypervisor/status_channel.hpp"

namespace aliquot {
XenAction::XenAction(XenNode& node, Action action, std::shared_ptr<const JobSpec> spec, std::uint32_t task)
    : node_(node),
      action_(std::move(action)),
      spec_(std::move(spec)),
      task_(task),
      identity_(node.identity(*spec_, task)),
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
  return has_exit_status(node_.files().spool.status(identity_.job, task_, identity_.incarnation));
}

Result<void> XenAction::apply_cap(std::uint32_t domain, Yield yield) {
  const std::uint32_t units = spec_->tasks[task_].units;
  const auto percent = credit_cap(spec_->submission->demand.need * units, yield, node_.setup().speed_ppm,
                                  vcpus_of(*spec_->submission) * units);
  if (!percent) return tl::unexpected(percent.error());
  return set_cap(node_.xen(), domain, *percent);
}

void XenAction::make_anew_unless_done(Yield yield, std::function<void()> make) {
  const auto found = find_domain(node_.xen(), uuid_);
  if (!found) return finish(tl::unexpected(found.error()));
  if (!*found) return make();
  const XenDomain& domain = **found;
  if (!is_ready(node_.xen(), domain.id)) {
    const auto& incoming = vm().incoming;
    const bool has_memory = incoming && incoming->move == head(action_).op && incoming->domain == domain.id;
    return has_memory ? was_restored(domain.id, yield) : destroy_domain(domain.id, std::move(make));
  }
  if (!domain.is_paused)
    return finish(fail(ErrorKind::conflict, name_ + " stands here already and is not paused; inspect it"));
  complete_domain(domain.id, yield);
}

void XenAction::operator()(const Create& create) {
  make_anew_unless_done(create.yield, [this, self = shared_from_this(), yield = create.yield] {
    with_whole_image([this, yield] { build(yield); });
  });
}

// Apart from the loop, since it reads all of the image.
void XenAction::with_whole_image(std::function<void()> then) {
  if (!has_disk()) return then();
  const auto whole = std::make_shared<Result<void>>();
  node_.xen().apart([whole, spool = node_.files().spool,
                     spec = spec_] { *whole = check_image(spool, *spec->submission); },
                    [this, self = shared_from_this(), whole, then = std::move(then)] {
                      if (is_answered_) return;
                      if (!*whole) return finish(*whole);
                      then();
                    });
}

void XenAction::build(Yield yield) {
  auto made = node_.config(*spec_, task_, guests_of(*spec_, node_.setup().guests));
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
  make_anew_unless_done(restore.yield, [this, self = shared_from_this(), restore] {
    with_whole_image([this, restore] {
      if (restore.checkpoint > 0) return go_back(restore);
      load(restore.yield, node_.files().spool.image(identity_.job, task_));
    });
  });
}

// Apart from the loop, since it reads all of the checkpoint to compare its checksums.
void XenAction::go_back(const Restore& restore) {
  const auto image = std::make_shared<Result<std::string>>();
  node_.xen().apart([image, spool = node_.files().spool, vm = identity_,
                     number = restore.checkpoint] { *image = go_back_to(spool, vm, number); },
                    [this, self = shared_from_this(), image, yield = restore.yield] {
                      if (is_answered_) return;
                      if (!*image) return finish(tl::unexpected(image->error()));
                      load(yield, **image);
                    });
}

void XenAction::load(Yield yield, const std::string& path) {
  auto image = open_image(path, uuid_);
  if (!image) return finish(tl::unexpected(image.error()));
  image_ = std::move(image->stream);
  restore_domain(node_, {spec_, task_, image_.get(), image->guests},
                 [this, self = shared_from_this(), yield](const Result<std::uint32_t>& domain) {
                   if (!domain) return was_not_built(domain.error());
                   if (!is_answered_) return was_restored(*domain, yield);
                   was_not_built({ErrorKind::timeout, name_ + " was restored too late"});
                 });
}

void XenAction::was_restored(std::uint32_t domain, Yield yield) {
  // From here on the disk changes, and the saved memory would no longer be consistent with it.
  if (has_disk())
    if (auto removed = remove_images(node_.files().spool, identity_.job, task_); !removed)
      return finish(removed);
  complete_domain(domain, yield);
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

// The guest hears of it by `control/shutdown`; one without drivers for Xen, by its power button.
void XenAction::operator()(const Notify&) {
  const auto domain = standing();
  if (!domain) return;
  call(
      "notify",
      [&](const auto* how) { return libxl_domain_shutdown(node_.xen().context(), domain->id, how); },
      [this] { finish({}); },
      [this, id = domain->id](const Error&) {
        call(
            "press the power button of",
            [&](const auto* how) {
              return libxl_send_trigger(node_.xen().context(), id, LIBXL_TRIGGER_POWER, 0, how);
            },
            [this] { finish({}); });
      });
}

void XenAction::operator()(const Cap& cap) {
  // The VM may end before the cap is set. That is no error: its end is reported as an event.
  const auto found = find_domain(node_.xen(), uuid_);
  const bool is_over = found && (!*found || (*found)->has_shut_down);
  if (is_over && has_ended()) return finish({});
  const auto domain = standing();
  if (domain) finish(apply_cap(domain->id, cap.yield));
}

std::shared_ptr<XenSave> XenAction::save_to(const std::string& path, bool may_be_live) {
  return std::make_shared<XenSave>(
      node_, XenSave::Task{identity_, spec_, path, may_be_live,
                           [self = shared_from_this()] { return self->is_answered_; }});
}

void XenAction::operator()(const Save&) {
  const auto found = find_domain(node_.xen(), uuid_);
  const std::string path = node_.files().spool.image(identity_.job, task_);
  if (found && !*found && is_image_of(path, uuid_)) return finish({});
  const auto domain = standing();
  if (!domain) return;
  // Any other save is made to free the node, and a live one would take longer.
  const bool is_of_move = vm().outgoing_move == head(action_).op;
  save_to(path, is_of_move)
      ->begin(*domain, [this, self = shared_from_this(), id = domain->id](const Result<void>& done) {
        if (!done) return finish(done);
        if (const auto last = find_domain(node_.xen(), uuid_); last && *last)
          node_.report_departure(vm(), **last);
        destroy_domain(id, [this] { finish({}); });
      });
}

// The manager's side has suspended all VMs of the job, and releases them when it has all parts.
void XenAction::operator()(const Checkpoint& checkpoint) {
  if (!checkpoint.is_part)
    return finish(fail(ErrorKind::unsupported,
                       name_ + ": under Xen the parts of a checkpoint are written one by one"));
  const auto domain = standing();
  if (!domain) return;
  if (!domain->is_paused)
    return finish(fail(ErrorKind::conflict, name_ + " is to be written and does not stand still"));
  const std::uint32_t number = checkpoint.number;
  const auto save = save_to(node_.files().spool.checkpoint_memory(identity_.job, number, task_), false);
  save->begin(*domain, [this, self = shared_from_this(), save, number](const Result<void>& done) {
    if (!done) return finish(done);
    const auto kept = std::make_shared<Result<void>>();
    node_.xen().apart([this, self, kept, number] { *kept = keep_part(number); },
                      [this, self, save, kept] {
                        save->resume_paused([this, self, kept](const Result<void>& resumed) {
                          finish(resumed ? *kept : resumed);
                        });
                      });
  });
}

// The guest is suspended, so neither its outputs nor its disk change meanwhile.
Result<void> XenAction::keep_part(std::uint32_t number) const {
  const Spool& spool = node_.files().spool;
  if (has_disk())
    if (auto copied = copy_file(spool.overlay(identity_.job, task_),
                                spool.checkpoint_disk(identity_.job, number, task_));
        !copied)
      return copied;
  return write_part(spool, identity_.job, number, checkpoint_of(spool, identity_));
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

// Takes no turn: it is about the action that has it.
void XenAction::operator()(const Abort& abort) {
  if (vm().turn == 0 || vm().op != abort.target) return finish({});
  finish(fail(ErrorKind::unsupported,
              name_ + ": an action under way is not given up under Xen yet; wait for its outcome"));
}

}  // namespace aliquot
