#include "manager/hypervisor/libxl/xen_node.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "manager/hypervisor/files.hpp"
#include "manager/hypervisor/libxl/unfinished_domains.hpp"
#include "manager/hypervisor/libxl/xen_image.hpp"
#include "manager/hypervisor/libxl/xen_survey.hpp"
#include "manager/hypervisor/status_channel.hpp"

namespace aliquot {
namespace {

// xenconsoled takes what is left in a console's ring when it is woken, but not from a destroyed domain.
constexpr Duration kLastOutput{300'000};
constexpr Duration kBetweenSurveys = seconds(10);

std::string note_of(const DomainEnd& end) {
  if (end.is_gone) return "its domain was destroyed from outside";
  switch (end.reason) {
    case LIBXL_SHUTDOWN_REASON_POWEROFF:
      return "powered off";
    case LIBXL_SHUTDOWN_REASON_REBOOT:
      return "the guest rebooted";
    case LIBXL_SHUTDOWN_REASON_CRASH:
    case LIBXL_SHUTDOWN_REASON_WATCHDOG:
      return "the guest crashed";
    default:
      return "the guest shut down";
  }
}

}  // namespace

XenNode::XenNode(LibxlSetup setup, Hypervisor::Sink sink)
    : setup_(std::move(setup)),
      files_{setup_.cluster, Spool(setup_.spool_dir), GuestFiles(setup_.guest_dir), setup_.calendar},
      events_(std::move(sink)),
      max_output_(setup_.max_output) {}

void XenNode::begin(XenLoop& xen) {
  xen_ = &xen;
  for (const VmIdentity& vm : unfinished_domains(xen)) destroy_unfinished(vm);
  const auto domains = list_domains(xen);
  for (const XenDomain& domain : domains.value_or(std::vector<XenDomain>{})) adopt(domain);
  look_around();
}

void XenNode::look_around() {
  const auto survey = survey_domains(*xen_, setup_.cluster);
  NodeChanged now{setup_.node, NodeState::up, ""};
  if (!survey) now = {setup_.node, NodeState::suspect, survey.error().message};
  held_by_other_ = survey && !survey->other_cluster.empty();
  if (held_by_other_)
    now = {setup_.node, NodeState::suspect, "VMs of another cluster run here: " + survey->other_cluster};
  if (!reported_ || reported_->state != now.state || reported_->why != now.why) events_.post(now);
  reported_ = now;
  if (survey && setup_.on_survey) events_.while_open([&] { setup_.on_survey(*survey); });
  xen_->after(kBetweenSurveys, [this] { look_around(); });
}

void XenNode::destroy(const Uuid& uuid, std::function<void(Result<void>)> done) {
  const auto domain = find_domain(*xen_, uuid);
  if (!domain) return done(tl::unexpected(domain.error()));
  if (!*domain) return done({});
  if (const auto known = vms_.find(uuid); known != vms_.end()) unwatch(known->second);
  xen_->run(
      [&, id = (*domain)->id](const auto* how) { return libxl_domain_destroy(xen_->context(), id, how); },
      [this, done = std::move(done)](int code) {
        done(code == 0 ? Result<void>()
                       : tl::unexpected(xen_error(*xen_, "cannot destroy a domain", code)));
      });
}

void XenNode::clear(std::function<void(Result<std::uint32_t>)> done) {
  const auto survey = survey_domains(*xen_, setup_.cluster);
  if (!survey) return done(tl::unexpected(survey.error()));
  struct Clearing {
    std::uint32_t left = 0;
    std::optional<Error> failure;
  };
  const auto count = static_cast<std::uint32_t>(survey->ours.size());
  if (count == 0) return done(0);
  const auto clearing = std::make_shared<Clearing>(Clearing{count, {}});
  for (const FoundDomain& domain : survey->ours)
    destroy(domain.uuid, [clearing, count, done](const Result<void>& one) {
      if (!one) clearing->failure = one.error();
      if (--clearing->left > 0) return;
      done(clearing->failure ? Result<std::uint32_t>(tl::unexpected(*clearing->failure)) : count);
    });
}

// Until it is gone, inspections answer that they do not know: the VM may still stand in an image.
void XenNode::destroy_unfinished(const VmIdentity& identity) {
  const Uuid uuid = vm(identity).uuid;
  take_turn(uuid, {}, [this, uuid, identity](std::uint64_t turn) {
    const auto domain = find_domain(*xen_, uuid);
    const auto done = [this, uuid, identity, turn](const Result<void>& gone) {
      if (gone) note_finished(*xen_, identity);
      end_turn(uuid, turn);
    };
    if (domain && *domain && !is_ready(*xen_, (*domain)->id)) return destroy(uuid, done);
    done(domain ? Result<void>() : tl::unexpected(domain.error()));
  });
}

void XenNode::adopt(const XenDomain& domain) {
  const auto text = read_key(*xen_, domain.id, kIdentityKey);
  if (!text) return;
  const auto identity = parse_metadata(*text);
  if (!identity || identity->cluster != setup_.cluster || vm_uuid(*identity) != domain.uuid) return;
  if (!is_ready(*xen_, domain.id)) return;
  (void)watch(vm(*identity), domain.id);
  // A save that its manager did not see through: the guest goes on.
  if (domain.has_shut_down && domain.reason == LIBXL_SHUTDOWN_REASON_SUSPEND)
    take_turn(domain.uuid, {}, [this, domain](std::uint64_t turn) {
      resume_suspended(vms_.at(domain.uuid), domain.id,
                       [this, domain, turn] { end_turn(domain.uuid, turn); });
    });
}

void XenNode::resume_suspended(XenVm& vm, std::uint32_t domain, std::function<void()> then) {
  xen_->run([&](const auto* how) { return libxl_domain_resume(xen_->context(), domain, 1, how); },
            [this, uuid = vm.uuid, domain, then = std::move(then)](int) {
              const auto known = vms_.find(uuid);
              if (known != vms_.end()) (void)watch(known->second, domain);
              then();
            });
}

Result<TaskConfig> XenNode::config(const JobSpec& spec, std::uint32_t task, XenGuests guests) const {
  if (auto able = check_guests(*xen_, guests); !able) return tl::unexpected(able.error());
  return task_config(xen_->context(), files_, max_output_.get(), spec, task, identity(spec, task), guests);
}

XenVm& XenNode::vm(const VmIdentity& identity) {
  const Uuid uuid = vm_uuid(identity);
  XenVm& vm = vms_[uuid];
  vm.identity = identity;
  vm.uuid = uuid;
  return vm;
}

void XenNode::take_turn(const Uuid& uuid, OpId op, std::function<void(std::uint64_t)> work) {
  XenVm& vm = vms_.at(uuid);
  if (vm.turn != 0) {
    vm.waiting.push_back([this, uuid, op, work = std::move(work)] { take_turn(uuid, op, work); });
    return;
  }
  vm.turn = ++last_turn_;
  vm.op = op;
  work(vm.turn);
}

void XenNode::end_turn(const Uuid& uuid, std::uint64_t turn) {
  const auto found = vms_.find(uuid);
  if (found == vms_.end() || found->second.turn != turn) return;
  XenVm& vm = found->second;
  vm.turn = 0;
  if (vm.waiting.empty()) return;
  const auto next = std::move(vm.waiting.front());
  vm.waiting.pop_front();
  next();
}

Result<void> XenNode::watch(XenVm& vm, std::uint32_t domain) {
  unwatch(vm);
  if (const int code = libxl_evenable_domain_death(xen_->context(), domain, 0, &vm.watch); code != 0)
    return tl::unexpected(xen_error(*xen_, "cannot watch " + vm_name(vm.identity), code));
  vm.domain = domain;
  return {};
}

void XenNode::unwatch(XenVm& vm) {
  if (vm.watch != nullptr) libxl_evdisable_domain_death(xen_->context(), vm.watch);
  vm.watch = nullptr;
  vm.domain.reset();
}

void XenNode::on_end(const DomainEnd& end) {
  if (!end.is_gone && end.reason == LIBXL_SHUTDOWN_REASON_SUSPEND) return;  // it is being saved
  const auto found = std::ranges::find_if(
      vms_, [&](const auto& entry) { return entry.second.domain == std::optional(end.domain); });
  if (found == vms_.end()) return;
  const Uuid uuid = found->first;
  take_turn(uuid, {}, [this, uuid, end](std::uint64_t turn) { end_task(uuid, turn, end); });
}

void XenNode::end_task(const Uuid& uuid, std::uint64_t turn, const DomainEnd& end) {
  XenVm& vm = vms_.at(uuid);
  if (vm.domain != std::optional(end.domain)) return end_turn(uuid, turn);  // destroyed meanwhile
  if (end.is_gone) {
    unwatch(vm);
    return report_end(uuid, turn, note_of(end));
  }
  keep_status(vm, end.domain);
  xen_->after(kLastOutput, [this, uuid, turn, note = note_of(end)] { destroy_ended(uuid, turn, note); });
}

void XenNode::destroy_ended(const Uuid& uuid, std::uint64_t turn, const std::string& note) {
  XenVm& vm = vms_.at(uuid);
  const auto domain = find_domain(*xen_, uuid);
  unwatch(vm);
  if (!domain || !*domain) return report_end(uuid, turn, note);
  report_departure(vm, **domain);
  xen_->run(
      [&, id = (*domain)->id](const auto* how) { return libxl_domain_destroy(xen_->context(), id, how); },
      [this, uuid, turn, note](int) { report_end(uuid, turn, note); });
}

void XenNode::report_end(const Uuid& uuid, std::uint64_t turn, const std::string& note) {
  const VmIdentity& vm = vms_.at(uuid).identity;
  TaskEnded ended;
  ended.job = vm.job;
  ended.tasks = {vm.task, 1};
  ended.incarnation = vm.incarnation;
  const auto said = read_guest_end(files_.spool.status(vm.job, vm.task, vm.incarnation));
  if (!said) ended.note = said.error().message;
  if (said) ended.exit_code = said->status, ended.oom_kills = said->oom_kills;
  if (said && !said->status) ended.note = note + ", and the guest wrote no exit status";
  events_.post(ended);
  end_turn(uuid, turn);
}

// Not trusted: at most what a value in xenstore may hold (4 KiB) is taken, as it is.
void XenNode::keep_status(const XenVm& vm, std::uint32_t domain) const {
  const auto said = read_key(*xen_, domain, kStatusKey);
  if (!said) return;
  const VmIdentity& id = vm.identity;
  std::ofstream(files_.spool.status(id.job, id.task, id.incarnation), std::ios::app) << *said;
}

void XenNode::inspect(const VmQuery& query) {
  Inspected out;
  out.job = query.job;
  out.task = query.task;
  out.incarnation = query.incarnation;
  const VmIdentity identity{setup_.cluster, query.job, query.task, query.incarnation, setup_.epoch};
  const Uuid uuid = vm_uuid(identity);
  const auto known = vms_.find(uuid);
  const bool is_busy = known != vms_.end() && known->second.turn != 0;
  const auto domain = find_domain(*xen_, uuid);
  if (domain && *domain && !(*domain)->has_shut_down) {
    out.node = setup_.node;
    if (is_ready(*xen_, (*domain)->id)) out.fact = (*domain)->is_paused ? VmFact::paused : VmFact::running;
  } else if (domain && !*domain && !is_busy) {
    const auto said = read_guest_end(files_.spool.status(query.job, query.task, query.incarnation));
    if (said && said->status) {
      out.fact = VmFact::ended;
      out.exit_code = said->status;
      out.oom_kills = said->oom_kills;
    } else if (said) {
      const bool is_saved = is_image_of(files_.spool.image(query.job, query.task), uuid);
      out.fact = is_saved ? VmFact::saved : VmFact::absent;
    }
  }
  events_.post(out);
}

VmSample XenNode::sample_of(const XenVm& vm, const XenDomain& domain) const {
  VmSample sample;
  sample.job = vm.identity.job;
  sample.task = vm.identity.task;
  sample.incarnation = vm.identity.incarnation;
  // Each machine counts its domains from 1.
  sample.run = std::int64_t{setup_.node.raw} << 32 | domain.id;
  sample.node = setup_.node;
  sample.vcpus = domain.vcpus;
  sample.cpu = domain.cpu;
  return sample;
}

void XenNode::sample(NodeId node, const Hypervisor::SampleSink& done) {
  std::vector<VmSample> samples;
  if (node == setup_.node) {
    const auto domains = list_domains(*xen_);
    for (const XenDomain& domain : domains.value_or(std::vector<XenDomain>{}))
      if (const auto known = vms_.find(domain.uuid); known != vms_.end())
        samples.push_back(sample_of(known->second, domain));
  }
  events_.while_open([&] { done(node, std::move(samples)); });
}

void XenNode::report_departure(const XenVm& vm, const XenDomain& domain) {
  if (!departures_) return;
  events_.while_open([&] { departures_(setup_.node, {sample_of(vm, domain)}); });
}

std::string XenNode::console_link(const XenVm& vm) const {
  return setup_.console_log_dir + "/guest-" + vm_name(vm.identity) + ".log";
}

Result<void> XenNode::link_console(const XenVm& vm) const {
  const std::string link = console_link(vm);
  std::error_code failure;
  std::filesystem::remove(link, failure);
  std::filesystem::create_symlink(
      std::filesystem::absolute(files_.spool.console(vm.identity.job, vm.identity.task)), link, failure);
  if (!failure) return {};
  return fail(ErrorKind::refused, "cannot link " + link + " to the spool: " + failure.message() +
                                      "; is it where xenconsoled writes its logs?");
}

void XenNode::forget(JobId job) {
  for (auto at = vms_.begin(); at != vms_.end();) {
    XenVm& vm = at->second;
    const bool is_over = vm.identity.job == job && vm.turn == 0;
    if (is_over) unwatch(vm);
    std::error_code ignored;
    if (is_over) std::filesystem::remove(console_link(vm), ignored);
    at = is_over ? vms_.erase(at) : std::next(at);
  }
}

}  // namespace aliquot
