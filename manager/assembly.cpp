#include "manager/assembly.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>

#include "config/changes.hpp"
#include "manager/account_gauges.hpp"
#include "manager/account_keeper.hpp"
#include "manager/api/answers/accounts_in_force.hpp"
#include "manager/api/answers/cluster_answers.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/audit_trail.hpp"
#include "manager/daemon.hpp"
#include "manager/housekeeping.hpp"
#include "manager/image_requests.hpp"
#include "manager/intake/content_store.hpp"
#include "manager/job_owner.hpp"
#include "manager/live_power.hpp"
#include "manager/measurements.hpp"
#include "manager/node_backends.hpp"
#include "manager/node_roster.hpp"
#include "manager/node_watch.hpp"
#include "manager/orphan_removal.hpp"
#include "manager/page_answers.hpp"
#include "manager/probe_answer.hpp"
#include "manager/recovery.hpp"
#include "manager/shared_keys.hpp"
#include "manager/shares_in_force.hpp"
#include "manager/spool_access.hpp"
#include "manager/spool_claim.hpp"
#include "manager/state_check.hpp"
#include "manager/store/sqlite_store.hpp"
#include "manager/systemd_notice.hpp"
#include "manager/upkeep_gauges.hpp"
#include "monitor/exposer.hpp"
#include "monitor/journal.hpp"
#include "monitor/log.hpp"
#include "monitor/metrics.hpp"
#include "monitor/provenance.hpp"

namespace aliquot {
namespace {

constexpr Duration kNodePatience = seconds(40);
constexpr std::size_t kEndedLately = 1000;
// What the store has kept for the power policy.
constexpr const char* kArrivals = "arrivals";
constexpr const char* kAccountUse = "account_use";

LogFormat log_format(const Settings& settings) {
  return settings.log.format == "json" ? LogFormat::json : LogFormat::text;
}

double unix_time() { return static_cast<double>(LiveClock::wall_us()) / 1e6; }

// Tells the roster, on the loop, what nodes have said of their hosts.
Hosts::Listener hosts_listener(Inbox& inbox, NodeRoster& roster) {
  const auto learned = [&inbox, &roster](NodeId node, const std::string& host) {
    inbox.post(Continuation{[&roster, node, host] { roster.learned(node, host); }});
  };
  const auto same_host = [&inbox, &roster](NodeId node, NodeId same) {
    inbox.post(Continuation{[&roster, node, same] { roster.same_host(node, same); }});
  };
  return {learned, same_host};
}

std::unique_ptr<Learning> open_learning(const Scheduler& scheduler, const Settings& settings, TextLog& log,
                                        Store& store, const std::map<std::string, std::string>& kept) {
  return std::make_unique<Learning>(
      Learning::Parts{scheduler.cluster().state(), settings.molding.entries,
                      [&log](const std::string& line) { log.say(LogLevel::warning, line); },
                      [&store](std::string name, std::string text) {
                        store.keep_learned(std::move(name), std::move(text));
                      }},
      kept);
}

// What the metrics ask for. All arguments outlive the functions.
CapsInForce caps_of(const Scheduler& scheduler, const NodeRoster& roster) {
  return [&] { return caps_in_force(scheduler.cluster().state(), roster.speeds()); };
}
using MeasuredWatts = std::function<std::optional<power::Watts>(NodeId)>;
// A reload may change the watts of the settings.
ChargedWatts charged_watts(const Settings& settings, const MeasuredWatts& measured) {
  return [&](NodeId node) { return measured(node).value_or(settings.power.policy.draw_of(node).full); };
}
ChargedDraw charged_draws(const Scheduler& scheduler, ChargedWatts watts) {
  return [&scheduler, watts = std::move(watts)](JobId job) {
    return charged_draw(scheduler.cluster().state(), job, watts);
  };
}
ExpectedRest expected_rests(const Scheduler& scheduler, const Learning& learning) {
  return [&](const Job& job, const JobRecord& record) {
    return learning.run_times().rest_of(job, record.submission, scheduler.cluster().view().now);
  };
}
std::unique_ptr<AccountKeeper> open_accounts(const Scheduler& scheduler, const Settings& settings,
                                             const CpuAccounting& accounting, TextLog& log, Store& store,
                                             Metrics& metrics, const std::string& kept, Instant now) {
  return std::make_unique<AccountKeeper>(
      AccountKeeper::Parts{scheduler, settings.fair_share.half_life,
                           [&accounting](JobId job, Instant at) { return accounting.granted(job, at); },
                           [&log](const std::string& line) { log.say(LogLevel::warning, line); },
                           [&store](std::string text) { store.keep_learned(kAccountUse, std::move(text)); },
                           [&scheduler, &metrics](const AccountStandings& standings) {
                             const Cluster& cluster = scheduler.cluster();
                             metrics.show_accounts(
                                 account_gauges(standings, cluster.state(), cluster.account_uses()));
                           }},
      kept, now);
}
std::string state_broken(const Violation& broken) {
  return "state_broken law=" + std::string(name(broken.law)) + " what=\"" + broken.text + "\"";
}
Declared declared_by_users(const Scheduler& scheduler) {
  return [&](JobId job) {
    const JobRecord* const record = scheduler.cluster().record(job);
    if (!record) return DeclaredNeeds{};
    return DeclaredNeeds{declared_need(record->submission).need, declared_memory(*record->submission)};
  };
}

// When the changed setting is.
std::string in_force(const SettingChange& change, const CoreState& state) {
  if (change.key == "policy.spec" && state.policy_origin.by) return "after_policy_reset";
  if (change.key == "policy.mode" && state.mode_origin.by) return "after_mode_reset";
  return change.reload == Reload::restart ? "after_restart" : "now";
}

// Any user can read the metrics.
std::optional<std::string_view> account_in_metrics(const CoreState& state, const Settings& settings,
                                                   JobId job) {
  const auto account = account_of(state, job);
  return account && settings.api.privacy == "private" ? "" : account;
}

// For `systemctl status`.
std::string status_line(const ClusterView& view) {
  const auto up = std::ranges::count_if(view.nodes, [](const Node& node) { return node.usable(); });
  return std::to_string(view.jobs.size()) + " jobs have not ended; " + std::to_string(up) + " of " +
         std::to_string(view.nodes.size()) + " nodes are up";
}

Result<std::unique_ptr<JobServer>> open_server(const Settings& settings, SqliteStore& store,
                                               const Recovered& recovered) {
  auto server = JobServer::open(settings.api, settings.state_dir + "/keys");
  if (!server) return server;
  const auto shared = share_keys((*server)->keys(), store, recovered, store.is_replicated());
  if (!shared) return tl::unexpected<Error>(shared.error());
  return server;
}

// Where its newest hash stands in the store. Managers that share a store each have an audit log.
std::string name_of_audit(const HaSettings& ha) {
  return ha.endpoints.empty() ? "audit" : "audit of " + ha.name;
}

Result<std::unique_ptr<AuditTrail>> open_audit(const Settings& settings, TextLog& log, Store& store,
                                               JobServer& server, Recovered& recovered,
                                               BackgroundTasks& reading) {
  const std::string name = name_of_audit(settings.ha);
  AuditTrail::Parts parts{LiveClock::wall_us,
                          [&store, name](std::string head) { store.keep_learned(name, std::move(head)); },
                          [&log](LogLevel level, const std::string& line) { log.say(level, line); }};
  return AuditTrail::open(settings.state_dir + "/audit", std::move(parts), server, recovered.learned[name],
                          reading);
}
void count_refused(Metrics& metrics, const JobServer& server, AuditTrail& audit) {
  audit.every_second();
  metrics.remote_refused(server.closed().closed_refused, server.counters().too_many);
  metrics.audit_lost(audit.lost());
}
// Both are made later.
std::function<void(const AnsweredRequest&)> answer_listener(const std::unique_ptr<Metrics>& metrics,
                                                            const std::unique_ptr<AuditTrail>& audit) {
  return [&](const AnsweredRequest& answered) {
    metrics->request_answered(answered.method, answered.code, answered.took);
    metrics->request_from(answered.facts.key.empty() ? "local" : "remote");
    audit->answered(answered);
  };
}
std::string sockets_in_log(const ApiSettings& api, const JobServer& server) {
  const std::string remote = server.remote_address();
  return " socket=" + api.socket + (remote.empty() ? "" : " remote=tcp://" + remote);
}
std::optional<std::string> why_not_ready(bool store_is_blocked, bool nodes_up) {
  if (store_is_blocked) return "the state disk is full: nothing can be stored";
  if (nodes_up) return std::nullopt;
  return "no node is up: see `aliquot node list`";
}
std::string started(const Recovered& recovered, const Scheduler& scheduler, const ApiSettings& api,
                    const JobServer& server) {
  return "manager_started version=" + std::string(kVersion) + " epoch=" + std::to_string(recovered.epoch) +
         " cluster=" + recovered.cluster_id + " policy=" + scheduler.policy().name() +
         sockets_in_log(api, server);
}
void log_changes(TextLog& log, const std::vector<SettingChange>& changes, const CoreState& state) {
  for (const SettingChange& change : changes)
    log.say(LogLevel::info, "setting_changed key=" + change.key + " before='" + change.before +
                                "' after='" + change.after + "' in_force=" + in_force(change, state));
}
// What the core is to take of the settings.
std::vector<Event> all_taken(const Settings& settings, const CoreState& state) {
  std::vector<Event> events = settings_taken(settings.policy, state);
  std::ranges::move(accounts_taken(settings.accounts, state), std::back_inserter(events));
  std::ranges::move(moves_taken(settings.moves, state), std::back_inserter(events));
  return events;
}
void tell_of_node(Metrics& metrics, const Node& node, const NodeHypervisor& hypervisor,
                  const PowerFacts& power) {
  metrics.held_by_other_cluster(node.name, hypervisor.held_by_other_cluster(node.id));
  metrics.energy(node.name, power(node.id).joules);
  metrics.messages_refused(node.name, hypervisor.messages_refused(node.id));
  metrics.epochs_refused(node.name, hypervisor.epochs_refused(node.id));
}
// A site may put files of keys there, or take them away, by hand.
void take_access(JobServer& server, Roles roles, TextLog& log) {
  server.set_roles(std::move(roles));
  const auto changed = server.keys().reload();
  server.close_those_without_key(changed.value_or(std::set<std::string>{}));
  if (!changed) log.say(LogLevel::error, "reload_refused keys: " + changed.error().message);
}

// All of them, or none.
AccountRows accounts_seen(const Settings& settings, bool by_operator, const CpuAccounting& accounting,
                          Instant now) {
  return settings.api.privacy == "private" && !by_operator ? AccountRows{} : accounting.accounts(now);
}

AccountFacts account_facts(AccountKeeper& keeper, CpuAccounting& accounting, const LiveClock& clock) {
  return {
      [&] { return keeper.standings(clock.now()); },
      [&](const auto& user) { return keeper.weight_of(user, clock.now()); },
      [&](auto first, auto end) { return accounting.cpu_between(first, end, clock.now()); },
      [&](const auto& span) { return accounting.cpu_of_jobs(span, clock.now()); },
  };
}

std::string stopped(const Recovered& recovered) {
  return "manager_stopped epoch=" + std::to_string(recovered.epoch) + " vms=left_running";
}

// Null: the settings name none.
Result<std::unique_ptr<Journal>> open_journal(const Settings& settings) {
  if (settings.log.journal.empty()) return nullptr;
  return Journal::open(settings.log.journal, Journal::WhenFull::drop);
}

// All parts, in the order in which they are made; they are destroyed in the opposite order.
class Assembly {
 public:
  Assembly(Settings settings, const Reread& reread, const Replication* replication, HaRequests ha)
      : settings_(std::move(settings)),
        reread_(reread),
        log_(settings_.log.level, log_format(settings_)),
        store_(
            settings_.state_dir + "/aliquot.db", {},
            [this](const auto& cluster) { return claim_->admit(cluster); }, replication),
        ha_(std::move(ha)),
        space_(SpoolSpace::make(settings_.spool_dir, settings_.spool.reserve)),
        contents_(Spool(settings_.spool_dir), space_),
        images_(Spool(settings_.spool_dir), contents_) {}

  Result<void> open(std::unique_ptr<Scheduler> hot) {
    if (auto closed = close_to_others(settings_); !closed) return closed;
    auto claim = SpoolClaim::take(Spool(settings_.spool_dir), store_.is_replicated());
    if (!claim) return tl::unexpected<Error>(claim.error());
    claim_ = std::make_unique<SpoolClaim>(std::move(*claim));
    auto recovered = store_.recover(hot ? std::optional(newest_step(*hot)) : std::nullopt);
    if (!recovered) return tl::unexpected<Error>(recovered.error());
    if (auto marked = claim_->mark(recovered->cluster_id, recovered->epoch); !marked) return marked;
    recovered_ = std::move(*recovered);
    run_clock_ = std::make_unique<RunClock>(recovered_.epoch, recovered_.clocks, recovered_.last);
    store_.keep_clock(run_clock_->row());
    Recovered history = std::move(recovered_);
    recovered_.cluster_id = history.cluster_id;
    recovered_.epoch = history.epoch;
    recovered_.learned = history.learned;
    auto book = decode_book(history.nodes);
    if (!book) return tl::unexpected<Error>(book.error());
    auto scheduler = go_on_with(std::move(hot), std::move(history), settings_,
                                newest_job_in(Spool(settings_.spool_dir)));
    if (!scheduler) return tl::unexpected<Error>(scheduler.error());
    scheduler_ = std::move(*scheduler);
    learning_ = open_learning(*scheduler_, settings_, log_, store_, recovered_.learned);
    roster_ = std::make_unique<NodeRoster>(
        NodeRoster::Parts{*scheduler_, store_, input_, settings_, [this](NodeId node) { ask_node_(node); }},
        std::move(*book));
    if (auto contents = open_contents(); !contents) return contents;
    auto server = open_server(settings_, store_, recovered_);
    if (!server) return tl::unexpected<Error>(server.error());
    server_ = std::move(*server);
    auto audit = open_audit(settings_, log_, store_, *server_, recovered_, *probes_);
    if (!audit) return tl::unexpected<Error>(audit.error());
    server_->on_answer(answer_listener(metrics_, audit_ = std::move(*audit)));
    if (auto monitoring = open_monitoring(); !monitoring) return monitoring;
    open_hypervisor();
    const ChargedWatts watts = charged_watts(settings_, measured_);
    accounting_ = std::make_unique<CpuAccounting>(
        CpuAccounting::Parts{*scheduler_, store_, *metrics_, roster_->speeds(), watts,
                             run_clock_->calendar()},
        clock().now());
    account_use_ = open_accounts(*scheduler_, settings_, *accounting_, log_, store_, *metrics_,
                                 recovered_.learned[kAccountUse], clock().now());
    return {};
  }

  Result<void> run(int signals) {
    NeedDiscovery needs({*scheduler_, roster_->speeds(), settings_.needs, input_});
    Housekeeping housekeeping(housekeeping_parts(needs));
    ask_node_ = [&housekeeping](NodeId node) { housekeeping.ask(node); };
    ImageRequests images({*scheduler_, images_, *files_, inbox_, settings_,
                          [this](const std::string& line) { log_.say(LogLevel::info, line); }});
    SubmissionFiles submissions(*intake_, contents_, images_, settings_, inbox_);
    RequestHandler requests(request_parts(submissions, images, housekeeping));
    take_ = [&requests](Incoming incoming) { requests.take(std::move(incoming)); };
    NodeWatch nodes({*scheduler_, *hypervisor_, inbox_, *fences_, settings_, stopping_});
    open_levers(housekeeping);
    LivePower power(power_parts(), recovered_.learned[kArrivals]);
    power_facts_ = [&power](NodeId node) { return power.facts(node); };
    measured_ = [&power](NodeId node) { return power.measured(node); };
    is_asleep_ = [&power](const NodeChanged& event) { return power.takes(event); };
    // An earlier run may have died before it removed the files of ended jobs.
    housekeeping.clear_away(store_.ended_jobs(kEndedLately));
    std::vector<Observer*> observers{&refused_,          metrics_.get(), &log_,  accounting_.get(),
                                     &housekeeping,      &nodes,         &power, learning_.get(),
                                     account_use_.get(), &console_};
    if (journal_) observers.push_back(journal_.get());
    Chronicle chronicle(scheduler_->cluster().state());
    StateCheck state_check(
        [this](const Violation& broken) { log_.say(LogLevel::error, state_broken(broken)); });
    std::vector<std::function<void(Instant)>> every_second{
        [&](Instant now) { housekeeping.every_second(now); }, [this](Instant now) { show_state(now); },
        [&](Instant now) {
          terminals_->every_second(Terminals::Clock::now());
          if (const auto& use = housekeeping.spool_use(); use.free)
            metrics_->spool(*use.free, settings_.spool.reserve, use.ended);
          if (state_check.every_second(scheduler_->cluster().view()))
            metrics_->state_violations(state_check.violations());
          if (store_is_blocked_) return;
          roster_->sweep();
          nodes.every_second(now);
          power.every_second(now);
          account_use_->every_second(now);
        }};
    Daemon daemon({*scheduler_, store_, *hypervisor_, *server_, requests, input_, inbox_, clock(),
                   chronicle, std::move(observers), std::move(every_second),
                   [this](Duration took) { metrics_->step_stored(took); }, [&] { reload(housekeeping); },
                   [this](const std::optional<Error>& why) { store_blocked(why); },
                   [&](std::vector<Event>& events) {
                     power.before_step(events);
                     account_use_->before_step(events, clock().now());
                   },
                   [&] { return std::min(power.next_due(), account_use_->next_due()); }});
    store_.on_blocked([this](std::optional<Error> why) { inbox_.post(StoreBlocked{std::move(why)}); });
    store_.start([this](std::uint64_t step) { inbox_.post(Durable{step}); },
                 [this](Error error) { inbox_.post(StoreFailed{std::move(error)}); });
    log_.say(LogLevel::info, started(recovered_, *scheduler_, settings_.api, *server_) +
                                 " http_port=" + std::to_string(exposer_->port()));
    auto ran = daemon.run(
        signals, start_events(roster_->at_start(), settings_, scheduler_->cluster(), recovered_.epoch),
        store_.newest_event());
    log_.say(LogLevel::info, stopped(recovered_));
    // What may still call back goes before what it calls.
    stopping_ = true;
    console_.stop();
    exposer_->stop();
    fences_.reset();
    power_levers_.reset();
    probes_.reset();
    files_.reset();
    intake_.reset();
    terminals_.reset();
    hypervisor_.reset();
    return ran;
  }

 private:
  std::function<void(const std::string&)> warnings() {
    return [this](const std::string& line) { log_.say(LogLevel::warning, line); };
  }
  Housekeeping::Parts housekeeping_parts(NeedDiscovery& needs) {
    lending_.emplace(MemoryLending::Parts{*scheduler_, *hypervisor_, settings_, input_});
    return {*scheduler_, *hypervisor_, inbox_,  *files_,   *probes_,         contents_, *accounting_,
            needs,       *lending_,    clock(), settings_, roster_->nodes(), input_,    warnings()};
  }
  LivePower::Parts power_parts() {
    return {*scheduler_,
            input_,
            *power_levers_,
            settings_.power,
            warnings(),
            [this](std::string text) { store_.keep_learned(kArrivals, std::move(text)); },
            [this](NodeId node) { accounting_->draw_changed(node, clock().now()); }};
  }

  RequestHandler::Parts request_parts(SubmissionFiles& submissions, ImageRequests& images,
                                      Housekeeping& housekeeping) {
    return {*scheduler_,
            store_,
            *server_,
            *files_,
            *probes_,
            submissions,
            images,
            *terminals_,
            *learning_,
            expected_rests(*scheduler_, *learning_),
            input_,
            settings_,
            [this] { return answer_clock(); },
            [this] { return facts(); },
            refused_,
            [&housekeeping, this](NodeId node) { return question_for_facts(node, housekeeping); },
            [this](JobId job) { return accounting_->use(job, clock().now()); },
            [this] { return accounting_->accounts(clock().now()); },
            *roster_,
            [this](NodeId node) { return hypervisor_->held_by_other_cluster(node); },
            [this] { return foreign_vms_.orphans(scheduler_->cluster().state()); },
            [this](const OrphanVm& vm, std::uint32_t uid) {
              return orphan_removal_->remove(vm, "by_uid=" + std::to_string(uid));
            },
            [this](NodeId node) { return power_facts_(node); },
            account_facts(*account_use_, *accounting_, clock()),
            ha_};
  }

  // Counts the contents of the spool that jobs and images need, and removes the rest.
  Result<void> open_contents() {
    if (auto images = images_.open(); !images) return images;
    std::vector<std::string> needed = images_.needed();
    for (const auto& [id, record] : scheduler_->cluster().state().records)
      for (std::string& content : contents_to_keep(*record.submission))
        needed.push_back(std::move(content));
    return contents_.open(needed).and_then([&] { return contents_.remove_unused(); });
  }

  Result<void> open_monitoring() {
    metrics_ = std::make_unique<Metrics>(MetricsOptions{
        kVersion, kCommit, libvirt_version(), [this](const ClusterView&, JobId job) { return reason(job); },
        unix_time,
        [this](JobId job) { return account_in_metrics(scheduler_->cluster().state(), settings_, job); },
        caps_of(*scheduler_, *roster_), charged_draws(*scheduler_, charged_watts(settings_, measured_)),
        declared_by_users(*scheduler_), [this] { return upkeep_gauges(scheduler_->cluster().state()); }});
    metrics_->epoch(recovered_.epoch);
    auto exposer =
        Exposer::open(settings_.http.host, settings_.http.port,
                      {[this] { return metrics_->text() + (ha_.metrics ? ha_.metrics() : ""); },
                       [this] { return not_ready(); },
                       settings_.http.status_page == "on" ? console_.pages() : std::vector<HttpPage>{}});
    if (!exposer) return tl::unexpected<Error>(exposer.error());
    exposer_ = std::move(*exposer);
    return open_journal(settings_).map([this](auto journal) { journal_ = std::move(journal); });
  }

  void open_hypervisor() {
    LibvirtSetup setup{settings_.hypervisor,
                       roster_->nodes(),
                       settings_.spool_dir,
                       recovered_.cluster_id,
                       recovered_.epoch,
                       settings_.limits.max_output,
                       libvirt_measures(inbox_, *metrics_, *roster_),
                       space_,
                       roster_->hosts(),
                       hosts_listener(inbox_, *roster_),
                       run_clock_->calendar(),
                       [this](NodeId node, NodeSurvey survey) {
                         inbox_.post(Continuation{
                             [this, node, survey = std::move(survey)] { take_survey(node, survey); }});
                       }};
    hypervisor_ = open_backends(std::move(setup), claim_->fence(), [this](Event event) {
      if (auto* changed = std::get_if<NodeChanged>(&event))
        return inbox_.post(Continuation{[this, e = std::move(*changed)] {
          if (!is_asleep_(e)) roster_->changed(e);
        }});
      inbox_.post(std::move(event));
    });
    roster_->use(*hypervisor_);
    orphan_removal_.emplace(OrphanRemoval::Parts{*hypervisor_, *roster_, inbox_, log_});
    terminals_ = std::make_unique<Terminals>(Terminals::Parts{
        *scheduler_, inbox_,
        [this](const auto& target, auto listener) { return hypervisor_->open_terminal(target, listener); },
        [this](const auto& line) { log_.say(LogLevel::info, line); }});
  }

  void open_levers(Housekeeping& housekeeping) {
    power_levers_ = std::make_unique<SitePowerLevers>(SitePowerLevers::Parts{
        *hypervisor_, *roster_, inbox_, settings_, stopping_,
        [&housekeeping](NodeId node, const NodeFacts& facts) { housekeeping.learn(node, facts); }});
  }

  void store_blocked(const std::optional<Error>& why) {
    metrics_->store_blocked(store_is_blocked_ = why.has_value());
    if (why) return log_.say(LogLevel::error, "store_blocked " + why->message);
    log_.say(LogLevel::warning, "store_writes_again");
  }

  void take_survey(NodeId node, const NodeSurvey& survey) {
    auto event = foreign_vms_.take(node, survey, roster_->speeds().at(node.raw),
                                   scheduler_->cluster().state(), clock().now());
    if (event) input_.add(std::move(*event));
    orphan_removal_->remove_outlived(
        foreign_vms_.take_outlived(scheduler_->cluster().state(), run_clock_->calendar(), clock().now()),
        *probes_);
  }

  [[nodiscard]] const LiveClock& clock() const { return run_clock_->clock(); }
  [[nodiscard]] AnswerClock answer_clock() const { return {clock().now(), run_clock_->calendar()}; }

  [[nodiscard]] Reason reason(JobId job) const {
    const auto explanation =
        explain_job(scheduler_->cluster().state(), scheduler_->policy(), job, refused_.last());
    return explanation ? explanation->reason : Reason::in_flight;
  }

  // Asked on the thread of a background task. The core learns at once what the operator gets to see.
  [[nodiscard]] std::function<Result<std::string>()> question_for_facts(NodeId node,
                                                                        Housekeeping& housekeeping) {
    return [this, node, &housekeeping, devices = roster_->nodes().at(node.raw).devices,
            names = settings_.device_models]() -> Result<std::string> {
      const auto facts = hypervisor_->node_facts(node, kNodePatience, true);
      if (!facts) return tl::unexpected<Error>(facts.error());
      inbox_.post(Continuation{[&housekeeping, node, facts = *facts] { housekeeping.learn(node, facts); }});
      return probe_answer(*facts, take_stock(devices, names, facts->devices));
    };
  }

  [[nodiscard]] DaemonFacts facts() const {
    DaemonFacts facts{kVersion, settings_.cluster, recovered_.epoch, clock().now() - clock().first()};
    facts.resident_bytes = resident_bytes();
    facts.replies_dropped = server_->counters().dropped_gone + server_->closed().messages_unread;
    facts.last_event = store_.newest_event();
    return facts;
  }

  // For /metrics, /readyz and the service manager.
  void show_state(Instant now) {
    metrics_->policy_in_force(scheduler_->policy().name(), scheduler_->policy().period());
    metrics_->mode_in_force(scheduler_->cluster().state().mode);
    metrics_->keep_fresh(scheduler_->cluster().view(), now);
    metrics_->store_size(store_bytes(settings_.state_dir));
    metrics_->images(images_.count(), images_.size());
    metrics_->clock_offset(run_clock_->moved());
    if (run_clock_->follow_wall()) store_.keep_clock(run_clock_->row());
    metrics_->replies_dropped(server_->counters().dropped_gone, server_->closed().messages_unread);
    count_refused(*metrics_, *server_, *audit_);
    const auto& nodes = scheduler_->cluster().view().nodes;
    for (const Node& node : nodes) {
      tell_of_node(*metrics_, node, *hypervisor_, power_facts_);
      metrics_->orphans(node.name, foreign_vms_.count_orphans(scheduler_->cluster().state(), node.id));
    }
    nodes_up_ = std::any_of(nodes.begin(), nodes.end(), [](const Node& node) {
      return node.usable() || (node.state == NodeState::up && node.power != NodePower::on);
    });
    tell_serving(not_ready().value_or(status_line(scheduler_->cluster().view())));
  }
  [[nodiscard]] std::optional<std::string> not_ready() const {
    return why_not_ready(store_is_blocked_, nodes_up_);
  }

  [[nodiscard]] PageParts page_parts(const Peer& peer) const {
    return {*scheduler_,
            store_,
            refused_,
            facts(),
            answer_clock(),
            Sight(settings_.api.privacy, peer,
                  [this](JobId job) { return owner_of(job, scheduler_->cluster(), store_); }),
            [this, all = peer.is_operator] {
              return accounts_seen(settings_, all, *accounting_, clock().now());
            },
            [this](JobId job) { return accounting_->use(job, clock().now()); }};
  }

  // If all settings are valid, takes those that can change now. The log says when each is in force.
  void reload(Housekeeping& housekeeping) {
    if (journal_) journal_->reopen();
    auto loaded = reread_();
    metrics_->reloaded(loaded.has_value() && !store_is_blocked_);
    if (!loaded) return log_.say(LogLevel::error, "reload_refused " + as_error(loaded.error()).message);
    if (store_is_blocked_)
      return log_.say(LogLevel::error,
                      "reload_refused the state disk is full: send SIGHUP again when it is not");
    Settings next = reloaded(settings_, loaded->settings);
    auto roles = resolve_roles(next.api);
    if (!roles) return log_.say(LogLevel::error, "reload_refused " + roles.error().message);
    Settings read = loaded->settings;
    read.nodes = roster_->in_force_with(read.nodes);
    log_changes(log_, diff_settings(settings_, read), scheduler_->cluster().state());
    const bool other_devices = next.device_models != settings_.device_models;
    settings_ = std::move(next);
    take_access(*server_, std::move(*roles), log_);
    log_.set_level(settings_.log.level);
    log_.set_format(log_format(settings_));
    hypervisor_->set_max_output(settings_.limits.max_output);
    roster_->reload(loaded->settings.nodes);
    for (Event& event : all_taken(settings_, scheduler_->cluster().state()))
      input_.events.push_back(std::move(event));
    if (other_devices) housekeeping.ask_for_devices();
  }

  Settings settings_;
  Reread reread_;
  TextLog log_;
  std::unique_ptr<SpoolClaim> claim_;  // outlives all that uses the spool
  SqliteStore store_;
  const HaRequests ha_;
  std::shared_ptr<SpoolSpace> space_;
  ContentStore contents_;
  ImageStore images_;
  Recovered recovered_;  // except its history, which the scheduler has taken
  Inbox inbox_;
  StepInput input_;
  RefusedPlan refused_;
  std::unique_ptr<RunClock> run_clock_;
  std::unique_ptr<Scheduler> scheduler_;
  std::unique_ptr<AuditTrail> audit_;
  std::unique_ptr<JobServer> server_;
  std::unique_ptr<Metrics> metrics_;
  std::function<void(Incoming)> take_ = [](const Incoming&) {};
  Console console_{inbox_, console_sources({[this](const Peer& peer) { return page_parts(peer); },
                                            [this]() -> JobServer& { return *server_; }, take_})};
  std::unique_ptr<Exposer> exposer_;
  std::unique_ptr<Journal> journal_;
  std::function<void(NodeId)> ask_node_ = [](NodeId) {};
  // Whether it answers does not matter now.
  std::function<bool(const NodeChanged&)> is_asleep_ = [](const NodeChanged&) { return false; };
  PowerFacts power_facts_;
  MeasuredWatts measured_ = [](NodeId) { return std::nullopt; };
  std::unique_ptr<NodeRoster> roster_;
  std::unique_ptr<NodeHypervisor> hypervisor_;
  std::optional<MemoryLending> lending_;
  ForeignVms foreign_vms_;
  std::optional<OrphanRemoval> orphan_removal_;
  std::atomic<bool> nodes_up_{false};
  std::atomic<bool> store_is_blocked_{false};
  std::atomic<bool> stopping_{false};
  std::unique_ptr<BackgroundTasks> files_ = std::make_unique<BackgroundTasks>(inbox_);
  std::unique_ptr<BackgroundTasks> fences_ = std::make_unique<BackgroundTasks>(inbox_);
  std::unique_ptr<PowerLevers> power_levers_;
  std::unique_ptr<Terminals> terminals_;
  std::unique_ptr<Learning> learning_;
  std::unique_ptr<CpuAccounting> accounting_;
  std::unique_ptr<AccountKeeper> account_use_;
  std::unique_ptr<BackgroundTasks> probes_ = std::make_unique<BackgroundTasks>(inbox_);
  std::unique_ptr<BackgroundTasks> intake_ = std::make_unique<BackgroundTasks>(inbox_);
};

}  // namespace

Result<void> run_manager(Settings settings, const Reread& reread, int signals,
                         const Replication* replication, HaRequests ha, std::unique_ptr<Scheduler> hot) {
  Assembly assembly(std::move(settings), reread, replication, std::move(ha));
  if (auto opened = assembly.open(std::move(hot)); !opened) return opened;
  auto ran = assembly.run(signals);
  tell_stopping();
  return ran;
}

}  // namespace aliquot
