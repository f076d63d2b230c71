// For tests of the command line: a server on a socket of its own that answers from a small state, with the
// manager's own functions. Job 1 runs, job 2 waits, job 3 has failed; a submitted job is number 4 and ends
// at once.
#pragma once

#include <poll.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>

#include "config/quantities.hpp"
#include "manager/api/answers/account_answers.hpp"
#include "manager/api/answers/account_tree_answers.hpp"
#include "manager/api/answers/accounts_in_force.hpp"
#include "manager/api/answers/admission.hpp"
#include "manager/api/answers/image_answers.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/answers/key_answers.hpp"
#include "manager/api/answers/knowledge_answers.hpp"
#include "manager/api/answers/maintenance_answers.hpp"
#include "manager/api/answers/node_answers.hpp"
#include "manager/api/answers/run_time_answers.hpp"
#include "manager/api/answers/terminal_answers.hpp"
#include "manager/api/answers/usage_answer.hpp"
#include "manager/api/explain/plan_answers.hpp"
#include "manager/api/explain/why_answer.hpp"
#include "manager/api/wire/job_server.hpp"
#include "manager/hypervisor/newc.hpp"
#include "monitor/sha256.hpp"
#include "test/support/json_form.hpp"
#include "test/unit/manager/api/answers/account_rows.hpp"
#include "test/unit/manager/api/answers/small_state.hpp"

namespace aliquot::test {

class LoopbackDaemon {
 public:
  LoopbackDaemon() {
    char name[] = "/tmp/aliquot-ctl-XXXXXX";
    directory_ = mkdtemp(name);
    settings_.nodes.emplace_back().name = "n0";
    settings_.api.socket = directory_ + "/api.sock";
    settings_.api.events = directory_ + "/events.sock";
    settings_.api.remote = "tcp://127.0.0.1:0";
    auto opened = JobServer::open(settings_.api, directory_ + "/keys");
    if (!opened) throw std::runtime_error(opened.error().message);
    server_ = std::move(*opened);
    thread_ = std::thread([this] { run(); });
  }
  ~LoopbackDaemon() {
    stop_ = true;
    thread_.join();
    server_.reset();
    std::filesystem::remove_all(directory_);
  }
  [[nodiscard]] const std::string& socket() const { return settings_.api.socket; }
  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] std::string added_from() const { return added_from_; }

 private:
  void run() {
    while (!stop_) {
      pollfd wait{server_->fd(), POLLIN, 0};
      if (!server_->pending()) poll(&wait, 1, 20);
      server_->drain([this](const Incoming& in) { server_->reply(in.client, answer(in)); });
      server_->publish("job.4.completed", 18, "{}");
    }
  }
  static Reply of(Result<std::string> body) {
    if (!body) return {body.error(), "{}", ""};
    return {std::nullopt, std::move(*body), ""};
  }
  Reply answer(const Incoming& in) {
    const auto allowed = authorize(in.request, in.peer, in.peer.uid);
    if (!allowed) return {allowed.error(), "{}", ""};
    peer_ = in.peer;
    Reply reply = std::visit([this](const auto& request) { return answer(request); }, in.request);
    if (!reply.error) in_form(method_name(in.request), reply.body);
    return reply;
  }
  Reply answer(const Hello&) { return of(hello_answer(small_.state, settings_, small_.facts(), peer_)); }
  Reply answer(const Submit& submit) {
    AdmissionRules rules;
    rules.max_archive = mebibytes(64);
    const auto admitted = admit(submit, small_.state.view.nodes, 2, rules);
    if (!admitted) return {admitted.error(), "{}", ""};
    if (submit.dry_run)
      return of(
          dry_run_answer(small_.state.view, {2}, submit.submission, *small_.policy, {}, small_.clock));
    submitted_ = small_.ended();
    submitted_->job = {4};
    submitted_->submission = submit.submission;
    const bool good = submit.submission.name != "bad";
    submitted_->result = good ? JobResult::completed : JobResult::failed;
    submitted_->exit_code = good ? 0 : 3;
    return of(submitted_answer(small_.state, {4}, submit.submission));
  }
  Reply answer(const SubmitMany& many) {
    std::vector<JobId> ids;
    for (const Submit& one : many.jobs) {
      const Reply reply = answer(one);
      if (reply.error) return reply;
      ids.push_back({4 + ids.size()});
    }
    return of(submitted_answer(small_.state, ids));
  }
  Reply answer(const List& list) {
    std::vector<JobOutcome> ended;
    if (list.all) ended.push_back(small_.ended());
    return of(list_answer(small_.state, ended, list.limit, small_.clock));
  }
  Reply answer(const Show& show) {
    if (show.index) return of(show_answer(small_.state, {1}, {}, small_.clock));
    if (show.job == JobId{3}) return of(show_answer(small_.state.view, small_.ended(), {}, small_.clock));
    if (submitted_ && show.job == JobId{4})
      return of(show_answer(small_.state.view, *submitted_, {}, small_.clock));
    return of(show_answer(small_.state, show.job, {}, small_.clock));
  }
  Reply answer(const Why& why) {
    if (why.job == JobId{3}) return of(why_answer(small_.ended(), small_.clock));
    return of(why_answer(small_.state, *small_.policy, why.job, small_.clock));
  }
  Reply answer(const Events& events) {
    std::vector<LoggedEvent> logged{{17, {1}, JobId{1}, R"({"event":"submitted"})"},
                                    {18, {2}, JobId{4}, R"({"event":"task_ended"})"}};
    while (!logged.empty() && logged.front().sequence <= events.after) logged.erase(logged.begin());
    return of(events_answer(small_.state.view, logged, events.after, events.limit, small_.clock));
  }
  template <class R>
  Reply change(const R& request, const std::string& done) {
    if (!small_.state.records.contains(request.job)) return {no_such_job(request.job), "{}", ""};
    return of(done_answer(request.job, done));
  }
  Reply answer(const Cancel& cancel) {
    const std::uint32_t members = count_of(cancel.indices);
    return change(cancel, members > 0 ? std::to_string(members) + " members cancelled" : "cancelled");
  }
  Reply answer(const Requeue& requeue) { return change(requeue, "it starts anew"); }
  Reply answer(const Hold& hold) { return change(hold, "held"); }
  Reply answer(const SetNeed& set) { return change(set, "a task needs " + say_cores(set.need)); }
  Reply answer(const Evolve& evolve) {
    return change(evolve, "it is to have " + std::to_string(evolve.tasks) + " tasks");
  }
  Reply answer(const ReleaseJob& release) { return change(release, "released"); }
  // The file `made` that says "one", as a guest sends it.
  static std::string results() {
    const std::string archive = newc_archive({{"made", 0100644, "one\n"}});
    return archive + "aliquot-stage-out 1 sha256 " + sha256_hex(archive) + "\n";
  }
  static Reply results_answer(const Logs& logs) {
    const std::string all = results();
    const std::string part = all.substr(std::min<std::size_t>(logs.offset, all.size()), 100);
    Reply reply = of(logs_answer(logs.offset, part.size(), logs.offset + part.size() >= all.size()));
    reply.blob = part;
    return reply;
  }
  Reply answer(const Logs& logs) {
    if (logs.results) return results_answer(logs);
    const std::string all("line 1\nline \0 2\n", 16);
    const std::string part = logs.offset < all.size() ? all.substr(logs.offset, 7) : "";
    Reply reply = of(logs_answer(logs.offset, part.size(), true));
    reply.blob = part;
    return reply;
  }
  // A terminal that gives back what was typed, and ends then.
  Reply answer(const Attach& attach) { return of(attached_answer(attach.job, attach.task, 5)); }
  Reply answer(const TerminalRead&) {
    Reply reply = of(terminal_answer(typed_.empty() ? std::nullopt : std::optional<std::string>("gone")));
    reply.blob = typed_;
    return reply;
  }
  Reply answer(const TerminalWrite& typed) {
    typed_ += typed.bytes;
    return of(terminal_answer({}));
  }
  Reply answer(const TerminalClose&) { return of(terminal_answer("it was closed")); }
  Reply answer(const Accounts& accounts) {
    return of(accounts_answer(account_rows(), accounts, small_.clock));
  }
  static std::vector<AccountTerms> account_terms() {
    return {{"physics", "", 3, {{LimitKind::cpu, 8 * kMillion}}},
            {"lab", "physics", 1, {{LimitKind::jobs, 4}}, {{LimitKind::jobs, 2}}, 0}};
  }
  Reply answer(const AccountShow& show) {
    CoreState state;
    state.accounts = account_terms();
    LimitUses uses;
    uses.of_accounts["physics"].of(LimitKind::cpu) = 2'500'000;
    uses.of_accounts["lab"].of(LimitKind::jobs) = 1;
    uses.of_users[{"lab", 0}].of(LimitKind::jobs) = 1;
    const AccountStandings standings{seconds(3600),
                                     400,
                                     {{{"lab", 0}, {0.5, 300, Weight{kMillion / 2}, 1}},
                                      {{"guests", 0}, {0.5, 100, Weight{2 * kMillion}, 2}}}};
    return of(account_tree_answer(state, uses, standings, show, small_.clock));
  }
  Reply answer(const AccountUsage& usage) {
    const CpuByUser sums{{{"", 0}, {seconds(3600), seconds(1800)}},
                         {{"lab", 0}, {seconds(7200), seconds(3600)}},
                         {{"lab", 4711}, {seconds(900) + Duration{1}, seconds(36)}}};
    if (usage.by == UsageBy::job)
      return of(
          job_usage_answer({{{7}, {{"lab", 0}, {seconds(7200), seconds(3600)}}}}, usage, small_.clock));
    return of(account_usage_answer(sums, usage, small_.clock));
  }
  Reply answer(const AccountSet& set) {
    const auto changed = with_account_set(account_terms(), set, 0);
    if (!changed) return Reply{changed.error(), "{}", ""};
    return of(account_changed_answer(set.account, changed->back(), small_.clock));
  }
  Reply answer(const AccountReset& reset) {
    const auto changed = with_account_reset(account_terms(), reset.account, {});
    if (!changed) return Reply{changed.error(), "{}", ""};
    return of(account_changed_answer(reset.account, std::nullopt, small_.clock));
  }
  static StoredImage image(const ImageName& name) {
    return {name, std::string(64, 'a'), ImageFormat::qcow2, mebibytes(300), mebibytes(2048),
            1000, 1'767'225'600'000'000};
  }
  // That of one run of the application cfd.
  static moldable::KnowledgeBase knowledge() {
    const auto base = moldable::KnowledgeBase::import_csv(
        "application,problem_size,iterations,tasks,time_us,memory_bytes\ncfd,1000,50,6,90000000,"
        "268435456\n",
        10);
    return base.value();
  }
  Reply answer(const KnowledgeList&) { return of(knowledge_list_answer(knowledge(), 10)); }
  Reply answer(const KnowledgeExport&) { return of(knowledge_export_answer(knowledge())); }
  Reply answer(const KnowledgeImport& import) {
    const auto read = moldable::KnowledgeBase::import_csv(import.csv, 10);
    return read ? of(knowledge_imported_answer(read->size(), 0)) : Reply{read.error(), "{}", ""};
  }
  Reply answer(const KnowledgeForget&) { return of(knowledge_forgotten_answer(1)); }
  static prediction::RunTimeHistory run_times() {
    prediction::RunTimeHistory history(1);
    history.learn({"physics", 1000, "cfd", 6, seconds(3600)}, seconds(90));
    history.learn({"physics", 1000, "cfd", 6, seconds(3600)}, seconds(150));
    return history;
  }
  Reply answer(const RunTimesList&) { return of(run_times_list_answer(run_times())); }
  Reply answer(const RunTimesExport&) { return of(run_times_export_answer(run_times())); }
  Reply answer(const RunTimesImport& import) {
    const auto read = prediction::RunTimeHistory::import_csv(import.csv, 10);
    return read ? of(run_times_imported_answer(read->size())) : Reply{read.error(), "{}", ""};
  }
  Reply answer(const RunTimesForget&) { return of(run_times_forgotten_answer(3)); }
  Reply answer(const ImageList&) {
    return of(image_list_answer(small_.state, {image({"debian"}), image({"fedora-41"})}));
  }
  Reply answer(const ImageShow& show) { return of(image_show_answer(small_.state, image(show.image))); }
  Reply answer(const ImageAdd& add) {
    added_from_ = add.file;
    return of(image_show_answer(small_.state, image(add.image)));
  }
  Reply answer(const ImageRemove& remove) { return of(image_removed_answer(remove.image)); }
  Reply answer(const NodeList&) { return of(node_list_answer(small_.state)); }
  Reply answer(const NodeShow& node) { return of(node_show_answer(small_.state, node.node)); }
  Reply answer(const NodeProbe&) {
    return of(std::string(R"({"acceleration":"kvm","cores":4,"devices":[],"devices_unknown":null,
      "cells":[{"cell":0,"cpus":"0-1","memory_bytes":4294967296,"vms":1,"vcpus":2,
                "vm_memory_bytes":1073741824},
               {"cell":1,"cpus":"2-3","memory_bytes":4294967296,"vms":0,"vcpus":0,"vm_memory_bytes":0}],
      "hypervisor":"libvirt 9.0.0","memory_bytes":8589934592,"note":null})"));
  }
  Reply answer(const NodeOrphans&) { return of(std::string(R"({"orphans":[]})")); }
  Reply answer(const NodeReclaim&) { return of(std::string(R"({"orphans":[],"destroyed":0})")); }
  static Reply changed(const std::string& node, const std::string& done, bool dry_run) {
    return of(node_change_answer(node, done, dry_run, {{7}}));
  }
  Reply answer(const NodeAdd& add) { return changed(add.node.name, "added", add.dry_run); }
  Reply answer(const NodeRemove& remove) { return changed(remove.node, "removed", remove.dry_run); }
  Reply answer(const NodeRename& name) { return changed(name.node, "renamed to " + name.to, name.dry_run); }
  Reply answer(const NodeAcceptHost& host) { return changed(host.node, "accepted its host", host.dry_run); }
  // Of a node that is known; `made` makes the body.
  template <class Made>
  Reply about(const std::string& name, Made made) {
    const auto node = node_named(small_.state, name);
    return node ? of(made(*node)) : Reply{node.error(), "{}", ""};
  }
  Reply answer(const NodeConfirmDown& down) {
    return about(down.node,
                 [&](NodeId node) { return confirm_down_answer(small_.state, node, down.dry_run); });
  }
  Reply answer(const NodeDrain& asked) {
    Drain drain{asked.mode, {}, small_.clock.now, "uid 0", asked.then};
    if (asked.within) drain.deadline = small_.clock.now + *asked.within;
    return about(asked.node, [&](NodeId node) {
      return drain_answer(small_.state, node, drain, {}, asked.dry_run, small_.clock);
    });
  }
  Reply answer(const NodeResume& resume) {
    return about(resume.node, [&](NodeId) { return resumed_answer(resume.node); });
  }
  Reply answer(const MaintenanceAdd& add) {
    return of(window_answer(small_.state, window(add.name), add.dry_run, small_.clock));
  }
  Reply answer(const MaintenanceList&) {
    small_.state.windows = {window("ram")};
    return of(window_list_answer(small_.state, small_.clock));
  }
  Reply answer(const MaintenanceRemove& remove) {
    if (remove.name != "ram") return Reply{no_such_window(small_.state, remove.name), "{}", ""};
    return of(window_removed_answer(small_.state, remove.name, {{0}}));
  }
  Reply motd() { return of(motd_answer(small_.state.message, small_.clock)); }
  Reply answer(const MotdSet& set) {
    small_.state.message = {set.text, peer_.uid, small_.clock.now};
    return motd();
  }
  Reply answer(const MotdShow&) { return motd(); }
  Reply answer(const MotdClear&) {
    small_.state.message = {};
    return motd();
  }
  Reply answer(const HaStatus&) {
    return of(
        R"({"answered_by":"b","leader":"a","epoch":7,"since":"2026-11-29T08:00:00.000Z","fault":null,)"
        R"("managers":[{"name":"a","role":"leader","address":"tcp://a:7447","batches_behind":0,)"
        R"("state":null},)"
        R"({"name":"b","role":"standby","address":"tcp://b:7447","batches_behind":3,"state":"hot"}],)"
        R"("etcd":[{"endpoint":"http://127.0.0.1:2379","version":"3.4.23","leads":true,)"
        R"("db_bytes":20480,"fault":null},)"
        R"({"endpoint":"http://127.0.0.1:2479","version":null,"leads":false,)"
        R"("db_bytes":null,"fault":"it is away"}]})");
  }
  Reply answer(const HaStepDown&) { return of(R"({"name":"a","epoch":7})"); }
  [[nodiscard]] MaintenanceWindow window(const std::string& name) const {
    MaintenanceWindow its{name, {{0}}, small_.clock.now + seconds(600), small_.clock.now + seconds(1200)};
    its.lead = seconds(60);
    its.by = "uid 0";
    return its;
  }
  Reply policy(std::optional<std::uint32_t> by) {
    return of(
        policy_answer(small_.state.mode, *small_.policy, {by, small_.clock.now}, "EASY", small_.clock));
  }
  Reply mode(std::optional<std::uint32_t> by) {
    return of(mode_answer(small_.state.mode, {by, small_.clock.now}, "auto", small_.clock));
  }
  Reply answer(const PolicyShow&) { return policy({}); }
  Reply answer(const PolicySet& set) {
    small_.state.policy = set.spec;
    return policy(peer_.uid);
  }
  template <KeyRequest R>
  Reply answer(const R& request) {
    return of(key_answer(*server_, request, std::time(nullptr)));
  }
  Reply answer(const PolicyReset&) { return policy({}); }
  Reply answer(const PeriodSet&) { return policy(peer_.uid); }
  Reply answer(const ModeShow&) { return mode({}); }
  Reply answer(const ModeReset&) { return mode({}); }
  Reply answer(const ModeSet& set) {
    small_.state.mode = set.mode;
    return mode(peer_.uid);
  }
  Reply answer(const PlanShow& asked) {
    Plan plan;
    plan.changes = {{{1}, {}, {0}}};
    const SavedPlan saved{"here", "2026-01-01", "FCFS", {{{1}, {}, {0}}}, {{{1}, "running"}}, {}};
    PlanRemarks remarks{.what_if = asked.what_if};
    if (!asked.what_if.empty()) remarks.lost = {{{1}, "rerun", "it starts anew"}};
    if (asked.save) remarks.saved = &saved;
    return of(plan_answer(small_.state, *small_.policy, plan, {}, small_.clock, {}, remarks));
  }
  Reply answer(const PlanApply& asked) {
    if (asked.plan.jobs.at(0).facts != "running")
      return Reply{Error{ErrorKind::conflict, "the plan is stale"}, "{}", ""};
    const Plan plan{{{asked.plan.changes.at(0).job, {}, {0}}}, {}, {}};
    return of(plan_answer(small_.state, *small_.policy, plan, {}, small_.clock, {},
                          {.carried_out = !asked.dry_run}));
  }
  Reply answer(const Status&) {
    return of(status_answer(small_.state, *small_.policy, small_.facts(), small_.clock));
  }

  std::string directory_;
  Settings settings_;
  SmallState small_;
  Peer peer_;
  std::string typed_;       // on the terminal
  std::string added_from_;  // the file of the newest image
  std::optional<JobOutcome> submitted_;
  std::unique_ptr<JobServer> server_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

}  // namespace aliquot::test
