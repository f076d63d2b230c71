// The manager's core, store and metrics on the model hypervisor, at speed: what dashboards are drawn from.
//
//   aliquot-model-cluster DIRECTORY [MINUTES [SPEED]]
//
// Lives through the first half hour at once, then opens a port, writes its number into DIRECTORY/port and,
// once it is looked at, goes on for MINUTES of its own time, SPEED of them in one; then it serves on until
// it is ended. Every sample carries its own time, which ends at the real present: so rates are those of the
// cluster, however fast the world turns. The rounds, the decisions, the store and the HTTP port are the
// live manager's own.
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <mutex>
#include <optional>
#include <sstream>
#include <thread>

#include "manager/account_gauges.hpp"
#include "manager/account_keeper.hpp"
#include "manager/api/answers/job_answers.hpp"
#include "manager/api/explain/chronicle.hpp"
#include "manager/clock.hpp"
#include "manager/core/scheduler.hpp"
#include "manager/cpu_accounting.hpp"
#include "manager/hypervisor/model/model_hypervisor.hpp"
#include "manager/run_time_keeper.hpp"
#include "manager/shares_in_force.hpp"
#include "manager/store/sqlite_store.hpp"
#include "manager/upkeep_gauges.hpp"
#include "monitor/exposer.hpp"
#include "monitor/metrics.hpp"
#include "policies/policy.hpp"
#include "test/integration/monitor/model_day.hpp"

namespace aliquot::test {
namespace {

constexpr Duration kWarmUp = seconds(1800);
constexpr Duration kSampleEvery = seconds(5);
constexpr Duration kHalfLife = seconds(3600);
constexpr auto kPolicy = "DYNMCB8-ASAP-PER-300+match";

Cluster day_cluster() {
  CoreState state;
  state.view.nodes = day_nodes();
  state.view.costs.restart = seconds(4);
  state.moves = {.at_a_time = 2, .cool_down = seconds(120)};
  const Instant noon = Instant{} + kWarmUp + seconds(1800);
  state.windows = {{"ram", {{2}, {3}}, noon, noon + seconds(900), seconds(600)}};
  return Cluster(std::move(state));
}

std::unique_ptr<Policy> day_policy() {
  auto policy = make_policy(kPolicy);
  if (!policy) throw std::runtime_error(policy.error().message);
  return std::move(*policy);
}

class ModelCluster {
 public:
  ModelCluster(const std::string& directory, double minutes)
      : born_(static_cast<double>(LiveClock::wall_us()) / 1e6 - minutes * 60 - to_seconds(kWarmUp)),
        directory_(directory),
        store_(directory + "/aliquot.db"),
        hypervisor_(day_nodes(), day_options(Instant{} + kWarmUp)),
        scheduler_(day_cluster(), day_policy(), LiveClock::stopwatch_ns),
        metrics_({"0", "model", "none",
                  [this](const ClusterView& view, JobId job) {
                    return scheduler_.policy().explain(view, job).reason;
                  },
                  [this] { return unix_time(); },
                  [this](JobId job) { return account_of(scheduler_.cluster().state(), job); },
                  [this] { return caps_in_force(scheduler_.cluster().state(), {}); },
                  [this](JobId job) { return charged_draw(scheduler_.cluster().state(), job, watts_); },
                  [this](JobId job) {
                    const Submission& submission = *scheduler_.cluster().record(job)->submission;
                    return DeclaredNeeds{declared_need(submission).need, declared_memory(submission)};
                  },
                  [this] { return upkeep_gauges(scheduler_.cluster().state()); }}) {
    if (const auto recovered = store_.recover(); !recovered)
      throw std::runtime_error(recovered.error().message);
    account_use_.emplace(
        AccountKeeper::Parts{
            scheduler_, kHalfLife, [this](JobId job, Instant at) { return book_->granted(job, at); },
            [](const std::string& line) { std::cerr << line << '\n'; }, [](const std::string&) {},
            [this](const AccountStandings& standings) {
              const Cluster& cluster = scheduler_.cluster();
              metrics_.show_accounts(account_gauges(standings, cluster.state(), cluster.account_uses()));
            }},
        "", Instant{});
    book_.emplace(CpuAccounting::Parts{scheduler_, store_, metrics_, speeds_, watts_, calendar_},
                  Instant{});
    store_.start([this](std::uint64_t step) { note_stored(step); },
                 [](const Error& error) { std::cerr << error.message << '\n'; });
    metrics_.policy_in_force(scheduler_.policy().name(), scheduler_.policy().period());
    metrics_.mode_in_force(Mode::automatic);
    metrics_.epoch(1);
  }

  // Everything that is due until then.
  void live_until(Instant end) {
    for (;;) {
      const Instant next = std::min({hypervisor_.next(), scheduler_.next_due(), jobs_.next(), sample_at_});
      if (next > end) break;
      live(std::max(next, now_));
    }
    now_ = std::max(now_, end);
    seconds_ = to_seconds(now_);
  }

  // Prometheus has read the metrics.
  [[nodiscard]] bool scraped() const { return scraped_; }

  void open_port() {
    auto exposer =
        Exposer::open("127.0.0.1", 0, {[this] { return stamped(); }, [] { return std::nullopt; }});
    if (!exposer) throw std::runtime_error(exposer.error().message);
    exposer_ = std::move(*exposer);
    std::ofstream(directory_ + "/port.new") << exposer_->port() << '\n';
    std::filesystem::rename(directory_ + "/port.new", directory_ + "/port");
  }

 private:
  [[nodiscard]] double unix_time() const { return born_ + seconds_; }

  void live(Instant now) {
    now_ = now;
    seconds_ = to_seconds(now);
    std::vector<Event> events = hypervisor_.take_due(now);
    while (jobs_.next() <= now) timed("submit", [&] { events.emplace_back(predicted(jobs_.take())); });
    for (Event& found : jobs_.found(now)) events.push_back(std::move(found));
    if (sample_at_ <= now) {
      sample_at_ = now + kSampleEvery;
      sample();
    }
    if (events.empty() && scheduler_.next_due() > now) return;
    Step step = scheduler_.round(now, std::move(events));
    step.chronicle = chronicle_.note(step, scheduler_.cluster().state(), scheduler_.policy());
    {
      const std::lock_guard lock(mutex_);
      handed_over_.emplace_back(step.number, LiveClock::stopwatch_ns());
    }
    store_.append(step);
    for (const Action& action : step.actions)
      hypervisor_.perform(action, scheduler_.cluster().spec(head(action).job));
    for (const JobOutcome& outcome : step.ended) hypervisor_.forget(outcome.job);
    run_times_.on_durable(step);
    tell_stored();
    metrics_.on_step(step, scheduler_.cluster().view());
    book_->on_step(step, scheduler_.cluster().view());
    account_use_->on_step(step, scheduler_.cluster().view());
  }

  [[nodiscard]] Submitted predicted(Submitted job) const {
    Submission submission = *job.submission;
    submission.demand.predicted = run_times_.predicted(submission);
    job.submission = std::move(submission);
    return job;
  }

  // A request is answered without its way through a socket.
  template <class Answer>
  void timed(const char* method, Answer answer) {
    const std::int64_t begun = LiveClock::stopwatch_ns();
    (void)answer();
    metrics_.request_answered(method, "ok", {(LiveClock::stopwatch_ns() - begun) / 1000});
  }

  // On the writer's thread.
  void note_stored(std::uint64_t step) {
    const std::lock_guard lock(mutex_);
    for (; !handed_over_.empty() && handed_over_.front().first <= step; handed_over_.pop_front())
      commits_.push_back({(LiveClock::stopwatch_ns() - handed_over_.front().second) / 1000});
  }

  void tell_stored() {
    const std::lock_guard lock(mutex_);
    for (const Duration took : std::exchange(commits_, {})) metrics_.step_stored(took);
  }

  void sample() {
    for (const Node& node : scheduler_.cluster().view().nodes) {
      hypervisor_.sample(node.id, [this](NodeId, const std::vector<VmSample>& samples) {
        std::vector<VmUsage> usage;
        for (const VmSample& s : samples)
          usage.push_back({s.job,
                           s.task,
                           s.incarnation,
                           s.run,
                           s.node,
                           s.vcpus,
                           {s.cpu, s.waited, s.throttled},
                           memory_of(s)});
        book_->read(usage, now_);
      });
    }
    if (std::vector<VmQuery> unclear = scheduler_.cluster().unclear(); !unclear.empty())
      hypervisor_.inspect(std::move(unclear));
    book_->keep(now_);
    account_use_->every_second(now_);
    metrics_.refresh(scheduler_.cluster().view(), now_);
    metrics_.store_size(std::filesystem::file_size(directory_ + "/aliquot.db"));
    metrics_.spool(mebibytes(200 << 10), mebibytes(1 << 10), mebibytes(3 << 10));
    metrics_.images(7, mebibytes(2 << 10));
    metrics_.clock_offset({});
    timed("list", [&] {
      return list_answer(scheduler_.cluster().state(), {}, 1000,
                         {now_, Calendar(std::int64_t(born_ * 1e6))});
    });
  }

  // The model has no guests: each uses a half to nine tenths of its memory, by its job and the minute.
  [[nodiscard]] std::optional<GuestMemory> memory_of(const VmSample& sample) const {
    const JobRecord* const record = scheduler_.cluster().record(sample.job);
    if (!record) return std::nullopt;
    const Memory given = record->submission->demand.memory;
    const auto second = static_cast<std::int64_t>(unix_time());
    const std::int64_t part = 50 + (static_cast<std::int64_t>(sample.job.raw) * 7 + second / 60) % 40;
    return GuestMemory{given, given - Memory{multiply_divide(given.raw, part, 100)}, second};
  }

  // Each sample with the time that it is of.
  [[nodiscard]] std::string stamped() {
    scraped_ = true;
    const std::string stamp = " " + std::to_string(static_cast<std::int64_t>(unix_time() * 1000)) + "\n";
    std::istringstream lines(metrics_.text());
    std::string text;
    for (std::string line; std::getline(lines, line);)
      text += line + (line.starts_with('#') ? "\n" : stamp);
    return text;
  }

  double born_;  // Unix time of Instant 0
  std::string directory_;
  std::atomic<double> seconds_{0};
  std::atomic<bool> scraped_{false};
  Instant now_;
  Instant sample_at_ = Instant{} + kSampleEvery;
  DayJobs jobs_{11};
  std::mutex mutex_;
  std::deque<std::pair<std::uint64_t, std::int64_t>> handed_over_;  // step, when
  std::vector<Duration> commits_;                                   // not yet told
  SqliteStore store_;
  ModelHypervisor hypervisor_;
  Scheduler scheduler_;
  Chronicle chronicle_{scheduler_.cluster().state()};
  RunTimeKeeper run_times_{{scheduler_.cluster().state(), [](const std::string&) {}, [](std::string) {}},
                           ""};
  Metrics metrics_;
  const std::vector<std::int64_t> speeds_;
  const ChargedWatts watts_ = [](NodeId) { return power::PowerSettings{}.draw.full; };
  const Calendar calendar_;
  std::optional<CpuAccounting> book_;  // this and the next: once the store is recovered
  std::optional<AccountKeeper> account_use_;
  std::unique_ptr<Exposer> exposer_;
};

void run(const std::string& directory, double minutes, double speed) {
  ModelCluster cluster(directory, minutes);
  cluster.live_until(Instant{} + kWarmUp);
  cluster.open_port();
  while (!cluster.scraped()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  const auto begin = std::chrono::steady_clock::now();
  for (double gone = 0; gone < minutes * 60;) {
    const std::chrono::duration<double> real = std::chrono::steady_clock::now() - begin;
    gone = std::min(real.count() * speed, minutes * 60);
    cluster.live_until(Instant{} + kWarmUp + Duration{static_cast<std::int64_t>(gone * 1e6)});
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::ofstream(directory + "/done") << "done\n";
  for (;;) std::this_thread::sleep_for(std::chrono::seconds(1));
}

}  // namespace
}  // namespace aliquot::test

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4 || *argv[1] == '-') {
    std::cerr << "usage: aliquot-model-cluster DIRECTORY [MINUTES [SPEED]]\n";
    return 2;
  }
  try {
    aliquot::test::run(argv[1], argc > 2 ? std::atof(argv[2]) : 50, argc > 3 ? std::atof(argv[3]) : 100);
  } catch (const std::exception& failure) {
    std::cerr << "aliquot-model-cluster: " << failure.what() << '\n';
  }
  return 1;
}
