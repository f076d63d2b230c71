#include "manager/assembly.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <memory>

#include "config/changes.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/wire/error_names.hpp"
#include "manager/daemon.hpp"
#include "manager/foreign_vms.hpp"
#include "manager/housekeeping.hpp"
#include "manager/hypervisor/libvirt/libvirt_hypervisor.hpp"
#include "manager/intake/content_store.hpp"
#include "manager/job_owner.hpp"
#include "manager/page_answers.hpp"
#include "manager/probe_answer.hpp"
#include "manager/recovery.hpp"
#include "manager/shares_in_force.hpp"
#include "manager/spool_access.hpp"
#include "manager/spool_claim.hpp"
#include "manager/state_check.hpp"
#include "manager/store/sqlite_store.hpp"
#include "monitor/exposer.hpp"
#include "monitor/journal.hpp"
#include "monitor/log.hpp"
#include "monitor/metrics.hpp"
#include "monitor/provenance.hpp"

namespace aliquot {
namespace {

constexpr Duration kNodePatience = seconds(40);
constexpr std::size_t kEndedLately = 1000;

// As the kernel counts it for this process.
std::int64_t resident_bytes() {
  std::ifstream statm("/proc/self/statm");
  std::int64_t all = 0;
  std::int64_t resident = 0;
  statm >> all >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

// Of the database and its write-ahead log.
std::uintmax_t store_bytes(const std::string& state_dir) {
  std::uintmax_t all = 0;
  for (const auto* name : {"/aliquot.db", "/aliquot.db-wal"}) {
    std::error_code absent;
    const auto size = std::filesystem::file_size(state_dir + name, absent);
    if (!absent) all += size;
  }
  return all;
}

double unix_time() { return static_cast<double>(LiveClock::wall_us()) / 1e6; }

// The backend numbers nodes as the core does: first those that the store knows, in its order, then new
// ones. A node that is not configured any more keeps its number and is never called.
std::vector<NodeSettings> in_core_order(const std::vector<Node>& known,
                                        const std::vector<NodeSettings>& configured) {
  std::vector<NodeSettings> ordered;
  const auto find = [](const auto& list, const std::string& name) {
    return std::find_if(list.begin(), list.end(), [&](const auto& node) { return node.name == name; });
  };
  for (const Node& node : known) {
    const auto setting = find(configured, node.name);
    NodeSettings gone;
    gone.name = node.name;
    ordered.push_back(setting == configured.end() ? gone : *setting);
  }
  for (const NodeSettings& setting : configured)
    if (find(known, setting.name) == known.end()) ordered.push_back(setting);
  return ordered;
}

// Carries measurements of libvirt calls to the metrics, which belong to the loop, through its inbox.
CallObserver libvirt_measures(Inbox& inbox, Metrics& metrics, const std::vector<NodeSettings>& nodes) {
  const auto call = [&inbox, &metrics, &nodes](const CallReport& report) {
    inbox.post(Continuation{[&metrics, &nodes, report] {
      const std::string error(report.error ? wire_name(*report.error) : "");
      metrics.libvirt_called(nodes.at(report.node.raw).name, std::string(report.kind), report.took, error);
    }});
  };
  const auto downtime = [&inbox, &metrics](Duration took) {
    inbox.post(Continuation{[&metrics, took] { metrics.migrated(took); }});
  };
  return {call, downtime};
}

// All parts, in the order in which they are made; they are destroyed in the opposite order.
class Assembly {
 public:
  Assembly(Settings settings, const Reread& reread)
      : settings_(std::move(settings)),
        reread_(reread),
        log_(settings_.log.level, settings_.log.format == "json" ? LogFormat::json : LogFormat::text),
        store_(settings_.state_dir + "/aliquot.db", {},
               [this](const std::string& cluster) { return claim_->admit(cluster); }),
        space_(SpoolSpace::make(settings_.spool_dir, settings_.spool.reserve)),
        contents_(Spool(settings_.spool_dir), space_) {}

  Result<void> open() {
    if (auto closed = close_to_others(settings_); !closed) return closed;
    auto claim = SpoolClaim::take(Spool(settings_.spool_dir));
    if (!claim) return tl::unexpected<Error>(claim.error());
    claim_ = std::make_unique<SpoolClaim>(std::move(*claim));
    auto recovered = store_.recover();
    if (!recovered) return tl::unexpected<Error>(recovered.error());
    if (auto marked = claim_->mark(recovered->cluster_id); !marked) return marked;
    recovered_ = std::move(*recovered);
    clock_ = std::make_unique<LiveClock>(recovered_.born_unix_us, recovered_.last);
    started_ = clock_->now();
    Recovered history = std::move(recovered_);
    recovered_ = {history.cluster_id, history.epoch, history.born_unix_us, history.last, {}, {}};
    auto scheduler = recover_scheduler(std::move(history), settings_, LiveClock::stopwatch_ns,
                                       newest_job_in(Spool(settings_.spool_dir)));
    if (!scheduler) return tl::unexpected<Error>(scheduler.error());
    scheduler_ = std::move(*scheduler);
    if (auto contents = open_contents(); !contents) return contents;
    auto server = JobServer::open(settings_.api);
    if (!server) return tl::unexpected<Error>(server.error());
    server_ = std::move(*server);
    server_->on_answer([this](const AnsweredRequest& answered) {
      metrics_->request_answered(answered.method, answered.code, answered.took);
    });
    if (auto monitoring = open_monitoring(); !monitoring) return monitoring;
    open_hypervisor();
    return {};
  }

  Result<void> run(int signals) {
    CpuAccounting accounting({*scheduler_, store_, *metrics_, speeds_}, clock_->now());
    Housekeeping housekeeping({*scheduler_, *hypervisor_, inbox_, *files_, *probes_, contents_, accounting,
                               *clock_, settings_, nodes_});
    RequestHandler requests({*scheduler_, store_, *server_, *files_, *probes_, *intake_, contents_, input_,
                             settings_, [this] { return answer_clock(); }, [this] { return facts(); },
                             refused_,
                             [this, &housekeeping](NodeId node) { return node_facts(node, housekeeping); },
                             [&accounting, this](JobId job) { return accounting.use(job, clock_->now()); },
                             [&accounting, this] { return accounting.accounts(clock_->now()); },
                             [this] { return foreign_vms_.orphans(scheduler_->cluster().state()); },
                             [this](const OrphanVm& vm, std::uint32_t uid) { return reclaim(vm, uid); }});
    // An earlier run may have died before it removed the files of ended jobs.
    housekeeping.clear_away(store_.ended_jobs(kEndedLately));
    std::vector<Observer*> observers{&refused_, metrics_.get(), &log_, &accounting, &housekeeping};
    if (journal_) observers.push_back(journal_.get());
    Chronicle chronicle(scheduler_->cluster().state());
    StateCheck state_check([this](const Violation& broken) {
      log_.say(LogLevel::error,
               "state_broken law=" + std::string(name(broken.law)) + " what=\"" + broken.text + "\"");
    });
    Daemon daemon({*scheduler_, store_, *hypervisor_, *server_, requests, input_, inbox_, *clock_,
                   chronicle, std::move(observers),
                   [&](Instant now) {
                     housekeeping.every_second(now);
                     set_gauges(now);
                     if (const auto& use = housekeeping.spool_use(); use.free)
                       metrics_->spool(*use.free, settings_.spool.reserve, use.ended);
                     state_check.every_second(scheduler_->cluster().view());
                   },
                   [this](Duration took) { metrics_->step_stored(took); }, [this] { reload(); },
                   [this](const std::optional<Error>& why) { store_blocked(why); }});
    store_.on_blocked([this](std::optional<Error> why) { inbox_.post(StoreBlocked{std::move(why)}); });
    store_.start([this](std::uint64_t step) { inbox_.post(Durable{step}); },
                 [this](Error error) { inbox_.post(StoreFailed{std::move(error)}); });
    log_.say(LogLevel::info,
             "manager_started version=" + std::string(kVersion) +
                 " epoch=" + std::to_string(recovered_.epoch) + " cluster=" + recovered_.cluster_id +
                 " policy=" + scheduler_->policy().name() + " socket=" + settings_.api.socket +
                 " http_port=" + std::to_string(exposer_->port()));
    auto ran = daemon.run(signals, start_events(settings_, scheduler_->cluster(), recovered_.epoch),
                          store_.newest_event());
    log_.say(LogLevel::info,
             "manager_stopped epoch=" + std::to_string(recovered_.epoch) + " vms=left_running");
    // What may still call back goes before what it calls.
    exposer_->stop();
    probes_.reset();
    files_.reset();
    intake_.reset();
    hypervisor_.reset();
    return ran;
  }

 private:
  // Counts the contents of the spool that jobs need, and removes the rest.
  Result<void> open_contents() {
    std::vector<const Program*> programs;
    for (const auto& [id, record] : scheduler_->cluster().state().records)
      programs.push_back(&record.submission->program);
    return contents_.open(programs).and_then([&] { return contents_.remove_unused(); });
  }

  Result<void> open_monitoring() {
    metrics_ = std::make_unique<Metrics>(MetricsOptions{
        kVersion, kCommit, libvirt_version(), [this](const ClusterView&, JobId job) { return reason(job); },
        unix_time, [this](JobId job) { return account_in_metrics(job); },
        [this] { return caps_in_force(scheduler_->cluster().state(), speeds_); }});
    metrics_->epoch(recovered_.epoch);
    auto exposer =
        Exposer::open(settings_.http.host, settings_.http.port,
                      {[this] { return metrics_->text(); }, [this] { return not_ready(); },
                       settings_.http.status_page == "on" ? page_.pages() : std::vector<HttpPage>{}});
    if (!exposer) return tl::unexpected<Error>(exposer.error());
    exposer_ = std::move(*exposer);
    if (settings_.log.journal.empty()) return {};
    auto journal = Journal::open(settings_.log.journal, Journal::WhenFull::drop);
    if (!journal) return tl::unexpected<Error>(journal.error());
    journal_ = std::move(*journal);
    return {};
  }

  void open_hypervisor() {
    nodes_ = in_core_order(scheduler_->cluster().view().nodes, settings_.nodes);
    device_names_ = settings_.device_models;
    for (const NodeSettings& node : nodes_) speeds_.push_back(node.speed_ppm);
    hypervisor_ = std::make_unique<LibvirtHypervisor>(
        LibvirtSetup{settings_.hypervisor, nodes_, settings_.spool_dir, recovered_.cluster_id,
                     recovered_.epoch, settings_.limits.max_output,
                     libvirt_measures(inbox_, *metrics_, nodes_), space_, recovered_.born_unix_us,
                     [this](NodeId node, NodeSurvey survey) {
                       inbox_.post(Continuation{
                           [this, node, survey = std::move(survey)] { take_survey(node, survey); }});
                     }},
        [this](Event event) { inbox_.post(std::move(event)); });
  }

  void store_blocked(const std::optional<Error>& why) {
    metrics_->store_blocked(why.has_value());
    store_is_blocked_ = why.has_value();
    if (why) return log_.say(LogLevel::error, "store_blocked " + why->message);
    log_.say(LogLevel::warning, "store_writes_again");
  }

  void take_survey(NodeId node, const NodeSurvey& survey) {
    auto event =
        foreign_vms_.take(node, survey, speeds_.at(node.raw), scheduler_->cluster().state(), clock_->now());
    if (event) input_.events.push_back(std::move(*event));
  }

  // Called on the thread of a background task.
  [[nodiscard]] Result<void> reclaim(const OrphanVm& vm, std::uint32_t uid) {
    auto destroyed = hypervisor_->destroy_orphan(vm.node, vm.domain.uuid, kNodePatience);
    inbox_.post(Continuation{[this, vm, uid, ok = destroyed.has_value()] {
      log_.say(ok ? LogLevel::warning : LogLevel::error,
               std::string(ok ? "orphan_destroyed" : "orphan_not_destroyed") +
                   " node=" + nodes_.at(vm.node.raw).name + " vm=" + vm.domain.name +
                   " by_uid=" + std::to_string(uid));
    }});
    return destroyed;
  }

  // Any user can read the metrics.
  [[nodiscard]] std::optional<std::string_view> account_in_metrics(JobId job) const {
    const auto account = account_of(scheduler_->cluster().state(), job);
    return account && settings_.api.privacy == "private" ? "" : account;
  }

  [[nodiscard]] AnswerClock answer_clock() const { return {clock_->now(), recovered_.born_unix_us}; }

  [[nodiscard]] Reason reason(JobId job) const {
    const auto explanation =
        explain_job(scheduler_->cluster().state(), scheduler_->policy(), job, refused_.last());
    return explanation ? explanation->reason : Reason::in_flight;
  }

  // Called on the thread of a background task. The core learns at once what the operator gets to see.
  [[nodiscard]] Result<std::string> node_facts(NodeId node, Housekeeping& housekeeping) {
    const auto facts = hypervisor_->node_facts(node, kNodePatience, true);
    if (!facts) return tl::unexpected<Error>(facts.error());
    inbox_.post(Continuation{[&housekeeping, node, facts = *facts] { housekeeping.learn(node, facts); }});
    return probe_answer(*facts, take_stock(nodes_.at(node.raw).devices, device_names_, facts->devices));
  }

  [[nodiscard]] DaemonFacts facts() const {
    DaemonFacts facts;
    facts.version = kVersion;
    facts.cluster = settings_.cluster;
    facts.epoch = recovered_.epoch;
    facts.up = clock_->now() - started_;
    facts.resident_bytes = resident_bytes();
    facts.replies_dropped = server_->counters().dropped_gone + server_->closed().messages_unread;
    facts.last_event = store_.newest_event();
    return facts;
  }

  // Sets the gauges of the present state, and whether the manager is ready.
  void set_gauges(Instant now) {
    metrics_->policy_in_force(scheduler_->policy().name(), scheduler_->policy().period());
    metrics_->mode_in_force(scheduler_->cluster().state().mode);
    metrics_->refresh(scheduler_->cluster().view(), now);
    metrics_->store_size(store_bytes(settings_.state_dir));
    metrics_->clock_offset({LiveClock::wall_us() - recovered_.born_unix_us - now.raw});
    metrics_->replies_dropped(server_->counters().dropped_gone, server_->closed().messages_unread);
    const auto& nodes = scheduler_->cluster().view().nodes;
    for (const Node& node : nodes) {
      metrics_->held_by_other_cluster(node.name, hypervisor_->held_by_other_cluster(node.id));
      metrics_->orphans(node.name, foreign_vms_.count_orphans(node.id));
    }
    nodes_up_ = std::any_of(nodes.begin(), nodes.end(), [](const Node& node) { return node.usable(); });
  }
  [[nodiscard]] std::optional<std::string> not_ready() const {
    if (store_is_blocked_) return "the state disk is full: nothing can be stored";
    if (nodes_up_) return std::nullopt;
    return "no node is up: see `aliquot node list`";
  }

  [[nodiscard]] PageParts page_parts() const {
    return {*scheduler_,
            store_,
            refused_,
            facts(),
            answer_clock(),
            Sight(settings_.api.privacy, Peer{},
                  [this](JobId job) { return owner_of(job, scheduler_->cluster(), store_); })};
  }

  // Validates the settings first, then takes those that can change while the manager runs. The log names
  // the others, which need a restart.
  void reload() {
    if (journal_) journal_->reopen();
    auto loaded = reread_();
    metrics_->reloaded(loaded.has_value());
    if (!loaded) return log_.say(LogLevel::error, "reload_refused " + as_error(loaded.error()).message);
    Settings next = settings_;
    next.log.level = loaded->settings.log.level;
    next.limits = loaded->settings.limits;
    next.files = loaded->settings.files;
    next.spool.keep = loaded->settings.spool.keep;
    next.spool.keep_size = loaded->settings.spool.keep_size;
    next.api.operators = loaded->settings.api.operators;
    next.api.submitters = loaded->settings.api.submitters;
    next.api.accounts = loaded->settings.api.accounts;
    next.api.privacy = loaded->settings.api.privacy;
    auto roles = resolve_roles(next.api);
    if (!roles) return log_.say(LogLevel::error, "reload_refused " + roles.error().message);
    for (const SettingChange& change : diff_settings(settings_, loaded->settings))
      log_.say(LogLevel::info, "setting_changed key=" + change.key + " before='" + change.before +
                                   "' after='" + change.after + "' in_force=" +
                                   (change.reload == Reload::restart ? "after_restart" : "now"));
    server_->set_roles(std::move(*roles));
    log_.set_level(next.log.level);
    settings_ = std::move(next);
  }

  Settings settings_;
  Reread reread_;
  TextLog log_;
  std::unique_ptr<SpoolClaim> claim_;  // outlives all that uses the spool
  SqliteStore store_;
  std::shared_ptr<SpoolSpace> space_;
  ContentStore contents_;
  Recovered recovered_;  // except its history, which the scheduler has taken
  Instant started_;
  Inbox inbox_;
  StepInput input_;
  RefusedPlan refused_;
  std::unique_ptr<LiveClock> clock_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<JobServer> server_;
  std::unique_ptr<Metrics> metrics_;
  StatusPage page_{inbox_,
                   {[this] { return page_picture(page_parts()); },
                    [this](JobId job) { return page_why(page_parts(), job); }}};
  std::unique_ptr<Exposer> exposer_;
  std::unique_ptr<Journal> journal_;
  std::vector<NodeSettings> nodes_;  // by NodeId; with the names below as they were at the start
  std::vector<DeviceName> device_names_;
  std::unique_ptr<LibvirtHypervisor> hypervisor_;
  std::vector<std::int64_t> speeds_;  // by NodeId
  ForeignVms foreign_vms_;
  std::atomic<bool> nodes_up_{false};
  std::atomic<bool> store_is_blocked_{false};
  std::unique_ptr<BackgroundTasks> files_ = std::make_unique<BackgroundTasks>(inbox_);
  std::unique_ptr<BackgroundTasks> probes_ = std::make_unique<BackgroundTasks>(inbox_);
  std::unique_ptr<BackgroundTasks> intake_ = std::make_unique<BackgroundTasks>(inbox_);
};

}  // namespace

Result<void> run_manager(Settings settings, const Reread& reread, int signals) {
  Assembly assembly(std::move(settings), reread);
  if (auto opened = assembly.open(); !opened) return opened;
  return assembly.run(signals);
}

}  // namespace aliquot
