#include "manager/ha/site_move.hpp"

#include <filesystem>
#include <memory>
#include <utility>

#include "manager/ha/leader_and_standbys.hpp"
#include "manager/ha/leadership.hpp"
#include "manager/ha/log_follower.hpp"
#include "manager/ha/shared_log.hpp"
#include "manager/store/maintenance.hpp"

namespace aliquot::ha {
namespace {

tl::unexpected<Error> runs(const std::string& what) {
  return fail(ErrorKind::conflict, what +
                                       ": stop all managers first; one that was killed counts for some "
                                       "seconds more");
}

Result<void> require_no_manager(const LeaderLease::Parts& parts) {
  const auto etcd = parts.etcd(kUsualPatience);
  const auto managers = read_managers(*etcd, parts.keys);
  if (!managers) return tl::unexpected<Error>(managers.error());
  if (managers->leader) return runs("manager " + managers->leader->name + " leads");
  if (!managers->standbys.empty()) return runs("manager " + managers->standbys.front().name + " stands by");
  return {};
}

// That a log is there, or is not.
Result<void> require_log(const LeaderLease::Parts& parts, bool is_there) {
  const auto view = SharedLog(parts.etcd, parts.keys).read(0);
  if (!view) return tl::unexpected<Error>(view.error());
  if (view->is_empty() != is_there) return {};
  if (is_there)
    return fail(ErrorKind::not_found,
                "etcd has no log at " + parts.keys.first() + ": is ha.prefix that of this cluster?");
  return fail(ErrorKind::conflict, "etcd has a log at " + parts.keys.first() +
                                       " already: name another ha.prefix, or move that site away first");
}

// A store that has all of the log, which no manager can go on with meanwhile.
struct Sole {
  std::unique_ptr<LogFollower> store;
  std::unique_ptr<Leadership> leadership;
};

// Begins the log if there is none.
Result<Sole> take_alone(const std::string& store, const LeaderLease::Parts& parts) {
  Sole sole;
  auto log = LogFollower::open(store, {parts, [&sole](const std::shared_ptr<LeaderLease>& lease) {
                                         sole.leadership = std::make_unique<Leadership>(lease, nullptr);
                                       }});
  if (!log) return tl::unexpected<Error>(log.error());
  sole.store = std::move(*log);
  for (;;) {
    const auto progress = sole.store->look();
    if (!progress) return tl::unexpected<Error>(progress.error());
    if (*progress == LogFollower::Progress::waits) return runs("a manager leads");
    if (*progress != LogFollower::Progress::leads) continue;
    static_cast<void>(sole.store->take_lease());  // which the leadership has, too
    return sole;
  }
}

Result<MovedSite> require_sound(const std::string& store, const std::string& what) {
  const auto found = check_store(store);
  if (!found) return tl::unexpected<Error>(found.error());
  if (!found->problems.empty())
    return fail(ErrorKind::refused, what + " is not sound: " + found->problems.front() +
                                        ": 'aliquot db check' lists all; nothing was removed");
  return MovedSite{found->cluster_id, found->last_step};
}

// What etcd has, as a store of its own beside the one that it was made of.
Result<MovedSite> read_back(const std::string& store, const LeaderLease::Parts& parts) {
  const auto copy = SharedLog(parts.etcd, parts.keys).read_base();
  if (!copy) return tl::unexpected<Error>(copy.error());
  const std::string folder = store + ".read-back";
  const auto check = [&]() -> Result<MovedSite> {
    auto replica = Replica::open(folder + "/aliquot.db");
    if (!replica) return tl::unexpected<Error>(replica.error());
    if (auto made = replica->become(*copy); !made) return tl::unexpected<Error>(made.error());
    return require_sound(folder + "/aliquot.db", "what etcd has of store " + store);
  };
  auto found = check();
  std::error_code absent;
  std::filesystem::remove_all(folder, absent);
  return found;
}

}  // namespace

Result<MovedSite> move_to_etcd(const std::string& store, const LeaderLease::Parts& parts) {
  const auto site = require_sound(store, "store " + store);
  if (!site) return site;
  if (auto none = require_no_manager(parts); !none) return tl::unexpected<Error>(none.error());
  if (auto none = require_log(parts, false); !none) return tl::unexpected<Error>(none.error());
  const auto sole = take_alone(store, parts);
  if (!sole) return tl::unexpected<Error>(sole.error());
  const auto there = read_back(store, parts);
  if (!there || (there->cluster == site->cluster && there->last_step == site->last_step)) return there;
  return fail(ErrorKind::internal, "etcd has the store to step " + std::to_string(there->last_step) +
                                       ", not to " + std::to_string(site->last_step) +
                                       ": a bug, please report it; the store is as it was");
}

Result<MovedSite> move_from_etcd(const std::string& store, const LeaderLease::Parts& parts) {
  if (auto none = require_no_manager(parts); !none) return tl::unexpected<Error>(none.error());
  if (auto one = require_log(parts, true); !one) return tl::unexpected<Error>(one.error());
  const auto sole = take_alone(store, parts);
  if (!sole) return tl::unexpected<Error>(sole.error());
  auto site = require_sound(store, "store " + store);
  if (!site) return site;
  const auto etcd = parts.etcd(kUsualPatience);
  const auto erased =
      etcd->transact({{sole->leadership->condition()}, {Erase{parts.keys.first(), parts.keys.end()}}});
  if (!erased) return tl::unexpected<Error>(erased.error());
  if (!erased->succeeded) return runs("a manager has begun to lead");
  return sole->store->go_on_alone().and_then([&] { return etcd->compact(erased->revision); }).map([&] {
    return *site;
  });
}

}  // namespace aliquot::ha
