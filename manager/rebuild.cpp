#include "manager/rebuild.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "manager/clock.hpp"
#include "manager/core/cluster.hpp"
#include "manager/hypervisor/checkpoint_files.hpp"
#include "manager/hypervisor/job_description.hpp"
#include "manager/hypervisor/libvirt/saved_image.hpp"
#include "manager/hypervisor/status_channel.hpp"
#include "manager/hypervisor/xen_image_header.hpp"
#include "manager/node_backends.hpp"
#include "manager/recovery.hpp"
#include "manager/spool_claim.hpp"
#include "manager/store/new_store.hpp"
#include "policies/model/hypervisor_kind.hpp"

namespace aliquot {
namespace {

constexpr Duration kAnswerPatience = seconds(10);
constexpr auto kNodePatience = std::chrono::seconds(40);  // to be connected
constexpr auto kBetween = std::chrono::milliseconds(200);

struct VmFound {
  NodeId node;
  FoundDomain domain;
};
// Of one job, by task: the VM with the highest incarnation.
using VmsByTask = std::map<std::uint32_t, VmFound>;

std::string plural(std::size_t count, const std::string& what) {
  return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
}

// A member of an array is a job of its own then: which of the other indices have ended, and how, is not
// known.
Submission without_array(Submission submission) {
  submission.member.reset();
  return submission;
}

class Rebuild {
 public:
  Rebuild(const Settings& settings, std::string cluster, std::ostream& out)
      : settings_(settings),
        spool_(settings.spool_dir),
        cluster_(std::move(cluster)),
        out_(out),
        state_(Cluster(std::vector<Node>{}).state()) {}

  Result<void> run() {
    out_ << "cluster " << cluster_.substr(0, 8) << ", spool " << spool_.root() << "\n";
    if (auto asked = ask_nodes(); !asked) return asked;
    read_descriptions();
    begin_state();
    for (const auto& [id, job] : described_) take_back(job);
    for (const auto& [id, vms] : vms_)
      if (!described_.contains(id)) leave_out(id, "", plural(vms.size(), "VM") + " and no description");
    const std::string path = settings_.state_dir + "/aliquot.db";
    const auto marked = EpochFence::marked(spool_);
    if (!marked) return tl::unexpected<Error>(marked.error());
    clock_.epoch = std::max({std::uint64_t{1}, newest_epoch_, *marked});
    if (auto made = make_store(path, {cluster_, clock_}, state_); !made) return made;
    out_ << "wrote " << path << ": " << plural(state_.view.jobs.size(), "job") << "; the next job is "
         << state_.next_job.raw << ". Start the manager\n";
    return {};
  }

 private:
  Result<void> ask_nodes() {
    const auto hypervisor =
        open_backends({settings_.hypervisor, settings_.nodes, settings_.spool_dir, cluster_}, nullptr,
                      [](const Event&) {});
    const auto give_up = std::chrono::steady_clock::now() + kNodePatience;
    for (std::uint32_t i = 0; i < settings_.nodes.size(); ++i) {
      const NodeId node{i};
      auto survey = hypervisor->survey(node, kAnswerPatience);
      while (!survey && std::chrono::steady_clock::now() < give_up) {
        std::this_thread::sleep_for(kBetween);
        survey = hypervisor->survey(node, kAnswerPatience);
      }
      if (!survey)
        return fail(survey.error().kind,
                    survey.error().message +
                        " (VMs of jobs may run there: start the node, or take it out of "
                        "the configuration, then try again)");
      for (FoundDomain& domain : survey->ours) note_vm({node, std::move(domain)});
      for (VmIdentity& vm : survey->saved) note_vm({node, {std::move(vm), {}, VmFact::saved, {}, {}, {}}});
    }
    return {};
  }

  void note_vm(VmFound vm) {
    const VmIdentity identity = vm.domain.identity;
    newest_epoch_ = std::max(newest_epoch_, identity.epoch);
    newest_job_ = std::max(newest_job_, identity.job);
    const auto [known, is_new] = vms_[identity.job].try_emplace(identity.task, vm);
    if (!is_new && known->second.domain.identity.incarnation < identity.incarnation)
      known->second = std::move(vm);
  }

  void read_descriptions() {
    newest_job_ = std::max(newest_job_, newest_job_in(spool_));
    for (JobId id{1}; id <= newest_job_; ++id.raw) {
      auto job = read_description(spool_, id);
      if (job && job->cluster == cluster_)
        described_.emplace(id, std::move(*job));
      else if (!job && job.error().kind != ErrorKind::not_found)
        leave_out(id, "", job.error().message);
    }
  }

  // Instant 0 is the earliest submission.
  void begin_state() {
    const std::int64_t now_us = LiveClock::wall_us();
    clock_.offset_us = now_us;
    for (const auto& [id, job] : described_)
      clock_.offset_us = std::min(clock_.offset_us, job.submitted_unix_us);
    Cluster cluster(std::vector<Node>{});
    cluster.advance({now_us - clock_.offset_us});
    cluster.apply(Event{configured_nodes(settings_, cluster)});
    state_ = cluster.state();
    state_.mode = mode_of(settings_.policy.mode);
    state_.tick_base = state_.view.now;
    state_.next_job = {newest_job_.raw + 1};
  }

  void leave_out(JobId id, const std::string& name, const std::string& why) {
    out_ << "job " << id.raw << (name.empty() ? "" : " (" + name + ")") << ": left out: " << why << "\n";
  }

  void take_back(const JobDescription& described) {
    const Submission& submission = *described.submission;
    const Demand& demand = submission.demand;
    if (is_grouped(demand))
      return leave_out(described.job, submission.name, "it holds devices, and which ones is not known");
    const std::map<std::uint32_t, std::uint32_t> written = incarnations_in_spool(described.job);
    JobRecord record;
    record.submission = without_array(described.submission);
    const std::uint32_t tasks = std::max(demand.tasks, tasks_ever(described.job, written));
    for (std::uint32_t task = 0; task < tasks; ++task) {
      const auto of_task = written.find(task);
      auto vm = vm_of(described, task, of_task == written.end() ? 0 : of_task->second);
      if (!vm && task >= demand.tasks) vm = removed_by_force();
      if (!vm)
        return leave_out(described.job, submission.name,
                         "task " + std::to_string(task) + " has no VM, no image and no exit status");
      record.vms.push_back(*vm);
    }
    const auto has_ended = [](const Vm& vm) { return vm.state == VmState::ended; };
    if (std::ranges::all_of(record.vms, has_ended))
      return leave_out(described.job, submission.name, "it has ended; its output is in the spool");
    add(described, std::move(record));
  }

  // The newest incarnation of each task that has a status file.
  [[nodiscard]] std::map<std::uint32_t, std::uint32_t> incarnations_in_spool(JobId job) const {
    std::map<std::uint32_t, std::uint32_t> newest;
    std::error_code failure;
    for (std::filesystem::directory_iterator at(spool_.directory(job), failure), end; !failure && at != end;
         at.increment(failure)) {
      const std::string name = at->path().filename().string();
      std::uint32_t task = 0, incarnation = 1;
      const char* const stop = name.data() + name.size();
      const auto number = std::from_chars(name.data(), stop, task);
      if (number.ec != std::errc() || number.ptr == stop) continue;
      std::from_chars(number.ptr + 1, stop, incarnation);
      const bool is_status =
          name == std::filesystem::path(spool_.status(job, task, incarnation)).filename();
      if (is_status) newest[task] = std::max(newest[task], incarnation);
    }
    return newest;
  }

  // A job that has grown has had more tasks than were submitted.
  [[nodiscard]] std::uint32_t tasks_ever(JobId job,
                                         const std::map<std::uint32_t, std::uint32_t>& written) const {
    const auto vms = vms_.find(job);
    std::uint32_t tasks = written.empty() ? 0 : written.rbegin()->first + 1;
    if (vms != vms_.end() && !vms->second.empty()) tasks = std::max(tasks, vms->second.rbegin()->first + 1);
    return tasks;
  }

  // Its job has shrunk, and it did not leave by itself.
  [[nodiscard]] static Vm removed_by_force() {
    Vm vm;
    vm.state = VmState::ended;
    vm.incarnation = 1;
    vm.exit_code = 0;
    return vm;
  }

  // The VM as far as it is known; the manager inspects it at its next start. `newest`: see above.
  std::optional<Vm> vm_of(const JobDescription& described, std::uint32_t task, std::uint32_t newest) {
    Vm vm;
    vm.has_run = vm.unclear = vm.cap_stale = true;
    const auto job = vms_.find(described.job);
    if (job != vms_.end() && job->second.contains(task)) {
      const VmFound& found = job->second.at(task);
      if (found.domain.fact == VmFact::saved) return kept(vm, found);
      vm.state = found.domain.fact == VmFact::paused ? VmState::ready : VmState::running;
      vm.node = vm.wanted = found.node;
      vm.incarnation = found.domain.identity.incarnation;
      vm.cap = yield_of(found, described.submission->demand);
      return vm;
    }
    const auto status = read_exit_status(spool_.status(described.job, task, newest));
    if (status && status->has_value()) {
      vm.state = VmState::ended;
      vm.incarnation = newest;
      vm.exit_code = *status;
      vm.unclear = vm.cap_stale = false;
      return vm;
    }
    for (const std::string& path :
         {spool_.image_part(described.job, task), spool_.image(described.job, task)}) {
      const auto identity = identity_in_image(path);
      if (!identity || identity->cluster != cluster_ || identity->job != described.job) continue;
      if (identity->incarnation < newest) continue;  // the task has begun anew since
      newest_epoch_ = std::max(newest_epoch_, identity->epoch);
      vm.incarnation = identity->incarnation;
      return saved(vm, HypervisorKind::libvirt);
    }
    // The image of a Xen node names its VM by the UUID alone.
    const VmIdentity newest_vm{cluster_, described.job, task, std::max(1U, newest), 0};
    if (!guests_in_xen_image(spool_.image(described.job, task), vm_uuid(newest_vm))) return std::nullopt;
    vm.incarnation = newest_vm.incarnation;
    saved_on_xen_.insert(described.job);
    return saved(vm, HypervisorKind::xen);
  }

  // Saved on a disk of its node.
  [[nodiscard]] static Vm kept(Vm vm, const VmFound& found) {
    vm.state = VmState::saved;
    vm.node = vm.wanted = found.node;
    vm.incarnation = found.domain.identity.incarnation;
    return vm;
  }

  // Any node of the kind can say whether the image is whole. Without one, the VM cannot go on.
  [[nodiscard]] std::optional<Vm> saved(Vm vm, HypervisorKind kind) const {
    const auto found = std::ranges::find(settings_.nodes, kind, &NodeSettings::hypervisor);
    if (found == settings_.nodes.end()) return std::nullopt;
    vm.state = VmState::saved;
    vm.node = vm.wanted = {static_cast<std::uint32_t>(found - settings_.nodes.begin())};
    return vm;
  }

  // What its cap gives it of its need.
  [[nodiscard]] Yield yield_of(const VmFound& found, const Demand& demand) const {
    const Int128 cpu = Int128{found.domain.cpu.raw} * settings_.nodes[found.node.raw].speed_ppm;
    const Int128 yield = cpu / std::max<std::int64_t>(1, demand.need.raw);
    return {static_cast<std::int64_t>(std::clamp<Int128>(yield, 1, kFullYield.raw))};
  }

  void add(const JobDescription& described, JobRecord record) {
    Job job;
    job.id = described.job;
    job.demand = described.submission->demand;
    job.submitted = {described.submitted_unix_us - clock_.offset_us};
    job.phase_since = job.progress.since = state_.view.now;
    record.started = job.submitted;
    std::map<NodeId, std::uint32_t> places;
    std::size_t saved = 0;
    job.yield = kFullYield;
    job.demand.tasks = 0;
    for (const Vm& vm : record.vms) {
      if (vm.state != VmState::ended) ++job.demand.tasks;
      if (vm.state == VmState::saved) ++saved;
      if (!exists(vm)) continue;
      ++places[vm.node];
      job.yield = std::min(job.yield, vm.cap);
    }
    // A job of which a part is saved is paused as a whole first.
    job.phase = saved > 0 ? Phase::paused : Phase::running;
    if (saved > 0 && !have_one_kind(state_.view.nodes))
      job.bound = saved_on_xen_.contains(job.id) ? HypervisorKind::xen : HypervisorKind::libvirt;
    if (saved > 0)
      job.yield = {};
    else
      for (const auto& [node, units] : places) job.placement.push_back({node, units});
    say(described, record);
    state_.view.jobs.emplace(job.id, job);
    if (is_checkpointed(described.submission))
      state_.checkpoints[job.id].last_number = newest_checkpoint(spool_, job.id);
    state_.records[job.id] = std::move(record);
  }

  // "on n1", "saved on n1" or "saved in the spool".
  [[nodiscard]] std::string place_of(JobId job, std::uint32_t task, const Vm& vm) const {
    const std::string on_node = "on " + settings_.nodes[vm.node.raw].name;
    if (vm.state != VmState::saved) return on_node;
    const auto found = vms_.find(job);
    const bool is_kept = found != vms_.end() && found->second.contains(task);
    return "saved " + (is_kept ? on_node : "in the spool");
  }

  void say(const JobDescription& described, const JobRecord& record) {
    std::map<std::string, std::size_t> places;
    for (std::uint32_t task = 0; task < record.vms.size(); ++task)
      if (const Vm& vm = record.vms[task]; vm.state != VmState::ended)
        ++places[place_of(described.job, task, vm)];
    const Submission& submission = *described.submission;
    out_ << "job " << described.job.raw << (submission.name.empty() ? "" : " (" + submission.name + ")")
         << ": taken back, of uid " << submission.uid;
    for (const auto& [place, vms] : places) out_ << ", " << plural(vms, "VM") << " " << place;
    out_ << "\n";
  }

  const Settings& settings_;
  const Spool spool_;
  const std::string cluster_;
  std::ostream& out_;
  CoreState state_;
  std::map<JobId, VmsByTask> vms_;
  std::map<JobId, JobDescription> described_;
  std::set<JobId> saved_on_xen_;  // at least in part
  std::uint64_t newest_epoch_ = 0;
  JobId newest_job_;
  // Instant 0 is the earliest submission. Without the uptime of the machine: the next start goes by the
  // wall clock, as the dates in the spool do.
  ClockRow clock_;
};

}  // namespace

Result<void> rebuild_from_nodes(const Settings& settings, std::ostream& out) {
  const Spool spool(settings.spool_dir);
  const auto claim = SpoolClaim::take(spool);
  if (!claim) return tl::unexpected<Error>(claim.error());
  const auto cluster = claim->owner();
  if (!cluster) return tl::unexpected<Error>(cluster.error());
  if (cluster->empty())
    return fail(ErrorKind::refused,
                "spool " + spool.root() +
                    " has no cluster.id, so the VMs of its cluster cannot be told; name the "
                    "spool_dir of the cluster whose store is lost");
  return Rebuild(settings, *cluster, out).run();
}

}  // namespace aliquot
