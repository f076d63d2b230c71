// Random schedules of faults: two or three managers with the real lease, log, follower, replicated store
// and core, on a model of etcd. Managers are killed, stopped and cut off, their clocks run apart and jump;
// calls to etcd are delayed, lost, carried out after they were given up. A checker that knows only what is
// promised finds nothing:
//
//   what was acknowledged is in the store of each manager that leads later;
//   the stores have one history: no two have different steps of one number;
//   a manager takes over with the state that a restart would make of its store, bit for bit;
//   a manager that surely leads is the leader that etcd has;
//   nodes carry out nothing of an epoch that is over;
//   when the faults end, one leads and all stores become the same.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "manager/ha/log_follower.hpp"
#include "manager/hot_core.hpp"
#include "manager/hypervisor/agent/epochs_heard.hpp"
#include "manager/recovery.hpp"
#include "manager/store/recovery.hpp"
#include "manager/store/state_codec.hpp"
#include "monitor/codec_step.hpp"
#include "test/support/temporary_directory.hpp"
#include "test/unit/manager/ha/model_etcd.hpp"
#include "test/unit/manager/ha/working_core.hpp"

namespace aliquot::ha::test {
namespace {

using aliquot::test::TemporaryDirectory;

constexpr std::uint64_t kSeeds = 200;
constexpr Duration kTtl = seconds(3);
constexpr Duration kFaults = seconds(18);  // that long there are faults
constexpr Duration kCalm = seconds(8);     // and that long there are none
constexpr std::size_t kNodes = 2;

// What has been promised, and what was seen against it.
class Checker {
 public:
  void acknowledged(std::int64_t number, std::int64_t write) { acknowledged_[number] = write; }
  // The steps of a store, as it stands at this instant.
  void saw(const std::string& name, const std::map<std::int64_t, std::int64_t>& steps) {
    for (const auto& [number, write] : steps)
      if (history_.try_emplace(number, write).first->second != write)
        fault(name + " has another step " + std::to_string(number) + " than a manager before it");
  }
  void leads(const std::string& name, std::uint64_t epoch,
             const std::map<std::int64_t, std::int64_t>& steps) {
    saw(name, steps);
    if (epoch <= newest_epoch_) fault(name + " leads with the epoch " + std::to_string(epoch) + " again");
    newest_epoch_ = std::max(newest_epoch_, epoch);
    for (const auto& [number, write] : acknowledged_)
      if (const auto at = steps.find(number); at == steps.end() || at->second != write)
        fault(name + " leads without the acknowledged step " + std::to_string(number));
    ++takeovers_;
  }
  void carried_out(std::size_t node, std::uint64_t epoch) {
    if (epoch < seen_at_[node])
      fault("node " + std::to_string(node) + " went back to epoch " + std::to_string(epoch));
    seen_at_[node] = std::max(seen_at_[node], epoch);
    ++commands_;
  }
  void fault(std::string what) { faults_.push_back(std::move(what)); }

  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
  [[nodiscard]] std::size_t acknowledged_steps() const { return acknowledged_.size(); }
  [[nodiscard]] std::size_t takeovers() const { return takeovers_; }
  [[nodiscard]] std::size_t commands() const { return commands_; }

 private:
  std::map<std::int64_t, std::int64_t> acknowledged_;  // by the number of the step
  std::map<std::int64_t, std::int64_t> history_;
  std::uint64_t newest_epoch_ = 0;
  std::array<std::uint64_t, kNodes> seen_at_{};
  std::vector<std::string> faults_;
  std::size_t takeovers_ = 0;
  std::size_t commands_ = 0;
};

struct Site {
  World& world;
  ModelEtcd& etcd;
  Checker& checker;
  std::vector<agent::EpochsHeard>& nodes;
  const Keys keys{"/model"};
  const Settings settings{};
  std::int64_t last_write = 0;
  std::size_t cuts = 0;  // of the log
};

class Contender {
 public:
  Contender(Site& site, Process process, std::string store)
      : site_(site), process_(std::move(process)), store_(std::move(store)) {}
  Process& process() { return process_; }
  void start() {
    site_.world.run(process_, [this] { live(); });
  }
  [[nodiscard]] bool leads() const { return leads_; }
  [[nodiscard]] std::map<std::int64_t, std::int64_t> steps() const {
    const auto db = Db::open(store_, Db::Access::read_only);
    std::map<std::int64_t, std::int64_t> found;
    auto rows = db->prepare("SELECT sequence, at FROM log");  // snapshots remove the steps
    while (rows->step().value_or(false)) found[rows->integer(0)] = rows->integer(1);
    return found;
  }

 private:
  [[nodiscard]] World& world() const { return site_.world; }
  [[nodiscard]] OpenEtcd way() {
    return [this](Duration patience) {
      return std::make_unique<WayToEtcd>(site_.world, site_.etcd, process_, patience);
    };
  }
  // Stands by, leads, and ends as a process does that has lost the leadership: systemd starts it again.
  void live() {
    leads_ = cuts_ = false;
    HotCore core(site_.settings, [this](LogLevel level, const std::string& line) {
      if (level != LogLevel::info) site_.checker.fault(process_.name + ": " + line);
    });
    LogFollower::Parts parts{
        {way(), site_.keys, {process_.name, ""}, kTtl, [this] { return world().now_of(process_); }},
        [this](const std::shared_ptr<LeaderLease>& lease) {
          renew(lease);
          watch(lease);
        }};
    parts.changed = [&core](const Db& store, StoreNews news) { return core.follow(store, news); };
    auto follower = LogFollower::open(store_, std::move(parts));
    if (!follower) return site_.checker.fault(process_.name + ": " + follower.error().message);
    for (;;) {
      const auto progress = (*follower)->look();
      if (progress && *progress == LogFollower::Progress::leads) break;
      const bool passes = progress || progress.error().kind == ErrorKind::unavailable ||
                          progress.error().kind == ErrorKind::not_leader;
      if (!passes) return site_.checker.fault(process_.name + ": " + progress.error().message);
      if (!progress || *progress == LogFollower::Progress::waits) world().sleep(Duration{200'000});
    }
    const auto lease = (*follower)->take_lease();
    follower->reset();
    lead(lease, core.take());
    leads_ = false;
    world().later(world().now() + seconds(1), [this, life = process_.life] {
      if (process_.life == life) start();
    });
  }
  void renew(const std::shared_ptr<LeaderLease>& lease) {
    world().run(process_, [this, weak = std::weak_ptr<LeaderLease>(lease)] {
      const auto etcd = way()(Duration{kTtl.raw / 4});
      Duration pause{kTtl.raw / 3};
      for (;;) {
        world().sleep(pause);
        const auto held = weak.lock();
        if (!held || !held->surely_leads()) return;
        const Renewal last = held->renew(*etcd);
        if (last == Renewal::ended) return;
        pause = held->until_next(last);
      }
    });
  }
  // Whether it takes itself for the leader is looked at all the time: it may act at any instant.
  void watch(const std::shared_ptr<LeaderLease>& lease) {
    world().run(process_, [this, weak = std::weak_ptr<LeaderLease>(lease)] {
      while (!weak.expired()) {
        if (const auto held = weak.lock()) leads_rightly(*held);
        world().sleep(Duration{20'000});
      }
    });
  }
  void leads_rightly(const LeaderLease& lease) {
    if (lease.surely_leads() && site_.etcd.created(site_.keys.leader()) != lease.epoch())
      site_.checker.fault(process_.name + " takes itself for the leader, and is not");
  }
  void check_hot(const Scheduler* hot, const Db& db) {
    const auto cold = recover_scheduler(*read_state(db), site_.settings, {});
    if (hot == nullptr)
      site_.checker.fault(process_.name + " takes over cold");
    else if (encode_state(hot->cluster().state()) != encode_state((*cold)->cluster().state()))
      site_.checker.fault(process_.name + " takes over with another state than its store has");
  }
  void lead(const std::shared_ptr<LeaderLease>& held, std::unique_ptr<Scheduler> hot) {
    const LeaderLease& lease = *held;
    SharedLog log(way(), site_.keys, [&] { return lease.surely_leads(); });
    const Replication replication{[&](const ChangeBatch& batch) {
                                    auto done = log.append(lease.condition(), batch);
                                    if (!done && done.error().kind == ErrorKind::conflict)
                                      site_.checker.fault(process_.name + ": " + done.error().message);
                                    return done;
                                  },
                                  [&] { return lease.surely_leads(); },
                                  static_cast<std::uint64_t>(lease.epoch())};
    auto db = open_for_writing(store_);
    Recovered recovered;
    if (!db || !begin_epoch(*db, recovered, &replication)) return;
    // It may have been stopped meanwhile: then it ends, as soon as it goes on (leadership.hpp).
    if (!lease.surely_leads()) return;
    site_.checker.leads(process_.name, recovered.epoch, steps());
    leads_ = true;
    check_hot(hot.get(), *db);
    if (!hot) return;
    snapshot_.reset();
    WorkingCore core(std::move(hot), [this](std::uint64_t below) {
      return static_cast<std::uint64_t>(world().between({}, {static_cast<std::int64_t>(below) - 1}).raw);
    });
    while (work(core, *db, lease, replication, recovered.epoch)) {
      world().sleep(world().between(Duration{50'000}, Duration{600'000}));
      if (world().one_in(25)) cut_log(held);
    }
  }
  // A step, and its command to a node when it is durable. False: the process ends.
  bool work(WorkingCore& core, Db& db, const LeaderLease& lease, const Replication& replication,
            std::uint64_t epoch) {
    const std::int64_t write = ++site_.last_write;
    const std::string text = encode_step(core.step());
    const auto number = static_cast<std::int64_t>(core.state().steps);
    if (world().one_in(15)) snapshot_.emplace(number, encode_state(core.state()));
    auto transaction = ShippedTransaction::begin(db, &replication);
    if (!transaction) return false;
    const auto insert = [&db](const char* sql, std::int64_t key, std::int64_t value, std::string_view its) {
      return db.prepare(sql)->bind(key).bind(value).bind(its).run().has_value();
    };
    const std::string padding(world().one_in(40) ? 600'000 : 20, 'x');
    if (!insert("INSERT INTO steps VALUES(?, ?, ?)", number, write, text) ||
        !insert("INSERT INTO log VALUES(?1, ?2, NULL, ?3)", number, write, padding))
      return false;
    // With this step, or later.
    if (snapshot_ && world().one_in(2)) {
      if (!insert("INSERT INTO snapshots VALUES(?, ?, ?)", snapshot_->first, 0, snapshot_->second))
        return false;
      for (const char* sql :
           {"DELETE FROM steps WHERE number <= ?", "DELETE FROM snapshots WHERE steps < ?"})
        if (!db.prepare(sql)->bind(snapshot_->first).run()) return false;
      snapshot_.reset();
    }
    if (!transaction->commit()) return false;
    site_.checker.acknowledged(number, write);
    if (!lease.surely_leads()) return false;
    leads_rightly(lease);
    const std::size_t node = world().one_in(2) ? 0 : 1;
    world().sleep(world().between({}, Duration{50'000}));  // it may be stopped here
    if (site_.nodes[node].hear("c", epoch)) site_.checker.carried_out(node, epoch);
    return true;
  }
  // Steps are made meanwhile, as beside LogKeeper.
  void cut_log(const std::shared_ptr<LeaderLease>& held) {
    if (std::exchange(cuts_, true)) return;
    world().run(process_, [this, weak = std::weak_ptr<LeaderLease>(held)] {
      const auto lease = weak.lock();
      if (!lease) return;
      SharedLog log(way(), site_.keys, [&] { return lease->surely_leads(); });
      const auto copy = copy_of_store(store_);
      world().sleep(world().between({}, seconds(1)));  // of a large store
      if (copy && log.write_base(lease->condition(), *copy)) ++site_.cuts;
      cuts_ = false;
    });
  }

  Site& site_;
  Process process_;
  const std::string store_;
  bool leads_ = false;
  bool cuts_ = false;                                             // the log, now
  std::optional<std::pair<std::int64_t, std::string>> snapshot_;  // to be kept, by its step
};

class Schedule {
 public:
  explicit Schedule(std::uint64_t seed) : world_(seed) {
    for (std::size_t i = 0; i < kNodes; ++i) nodes_.push_back(*agent::EpochsHeard::open(""));
    const std::size_t count = world_.one_in(2) ? 2 : 3;
    for (std::size_t i = 0; i < count; ++i) {
      const std::string name(1, static_cast<char>('a' + i));
      Process process{name, 1'000'000 + world_.between({-70'000}, {70'000}).raw,
                      world_.between({}, seconds(1000))};
      managers_.push_back(std::make_unique<Contender>(site_, process, directory_.file(name + ".db")));
      managers_.back()->start();
    }
  }
  ~Schedule() { world_.end(); }

  [[nodiscard]] std::size_t cuts() const { return site_.cuts; }

  const Checker& run() {
    while (world_.now() < kFaults) {
      world_.go_on_until(world_.now() + world_.between(Duration{300'000}, seconds(5)));
      strike();
    }
    world_.go_on_until(kFaults + seconds(8));  // the longest fault is over
    etcd_.is_reached_well = true;
    world_.go_on_until(kFaults + seconds(8) + kCalm);
    look_at_the_end();
    world_.end();
    return checker_;
  }

 private:
  Contender& any() {
    const auto most = static_cast<std::int64_t>(managers_.size()) - 1;
    return *managers_[static_cast<std::size_t>(world_.between({}, {most}).raw)];
  }
  void strike() {
    Contender& struck = any();
    Process& process = struck.process();
    const Duration until = world_.now() + world_.between(Duration{300'000}, seconds(8));
    switch (world_.between({}, {5}).raw) {
      case 0:
        ++process.life;
        process.stopped_until = {};
        return world_.later(until, [&struck, life = process.life] {
          if (struck.process().life == life) struck.start();
        });
      case 1:
        process.stopped_until = until;
        return;
      case 2:
        process.cut_off_until = until;
        return;
      case 3:  // etcd has no quorum
        for (const auto& manager : managers_) manager->process().cut_off_until = until;
        return;
      case 4:  // the machine was suspended
        process.stopped_until = until;
        process.boot.raw += world_.between({}, seconds(5)).raw;
        return;
      default:
        return;
    }
  }
  void look_at_the_end() {
    std::size_t leaders = 0;
    std::size_t most = 0;
    for (const auto& manager : managers_) {
      const auto steps = manager->steps();
      checker_.saw(manager->process().name, steps);
      leaders += manager->leads() ? 1 : 0;
      most = std::max(most, steps.size());
    }
    if (leaders != 1) checker_.fault(std::to_string(leaders) + " managers lead when all is well again");
    for (const auto& manager : managers_)
      if (manager->steps().size() + 20 < most)
        checker_.fault(manager->process().name + " does not follow when all is well again");
  }

  const TemporaryDirectory directory_{in_memory()};
  World world_;
  ModelEtcd etcd_{world_};
  Checker checker_;
  std::vector<agent::EpochsHeard> nodes_;
  Site site_{world_, etcd_, checker_, nodes_};
  std::vector<std::unique_ptr<Contender>> managers_;
};

TEST(Schedules, OfFaultsBreakNoPromise) {
  const char* only = std::getenv("ALIQUOT_SEED");
  const std::uint64_t first = only != nullptr ? std::strtoull(only, nullptr, 10) : 1;
  std::size_t steps = 0;
  std::size_t takeovers = 0;
  std::size_t commands = 0;
  std::size_t cuts = 0;
  for (std::uint64_t seed = first; seed < first + (only != nullptr ? 1 : kSeeds); ++seed) {
    Schedule schedule(seed);
    const Checker& found = schedule.run();
    for (const std::string& fault : found.faults()) ADD_FAILURE() << "seed " << seed << ": " << fault;
    if (HasFailure()) return;
    steps += found.acknowledged_steps();
    takeovers += found.takeovers();
    commands += found.commands();
    cuts += schedule.cuts();
  }
  RecordProperty("takeovers", static_cast<int>(takeovers));
  std::cout << steps << " steps acknowledged, " << takeovers << " takeovers, " << commands
            << " commands, the log cut " << cuts << " times\n";
}

}  // namespace
}  // namespace aliquot::ha::test
