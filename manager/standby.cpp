#include "manager/standby.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "manager/api/wire/job_server.hpp"
#include "manager/ha/follower.hpp"
#include "manager/ha_requests.hpp"
#include "manager/hot_core.hpp"
#include "manager/hypervisor/descriptor.hpp"
#include "manager/shared_keys.hpp"
#include "manager/systemd_notice.hpp"
#include "monitor/exposer.hpp"
#include "monitor/ha_gauges.hpp"

namespace aliquot {
namespace {

constexpr int kTickMs = 1000;

std::string role(const Settings& settings, const ha::FollowerState& state) {
  std::string text = "manager " + settings.ha.name + " is a standby: ";
  if (state.trouble) return text + "it cannot follow now: " + state.trouble->message;
  if (!state.leader) return text + "no manager leads";
  text += state.leader->name + " leads, at " + state.leader->address;
  const std::uint64_t behind = state.newest - std::min(state.newest, state.batch);
  return behind == 0 ? text : text + "; " + std::to_string(behind) + " batches behind";
}

std::string metrics_of(const ha::FollowerState& state) {
  return text_of({.is_standby = true,
                  .leader_known = state.leader.has_value(),
                  .follows = !state.trouble,
                  .epoch = static_cast<std::uint64_t>(state.epoch),
                  .batches_behind = state.newest - std::min(state.newest, state.batch),
                  .is_hot = state.is_hot});
}

// True if the manager is to end.
bool take_signals(int signals, TextLog& log) {
  signalfd_siginfo info;
  bool end = false;
  while (read(signals, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo != SIGHUP) end = true;
    if (info.ssi_signo == SIGHUP)
      log.say(LogLevel::info, "reload_postponed a standby reads its settings when it becomes leader");
  }
  return end;
}

// Says each change once.
class RoleLog {
 public:
  RoleLog(const Settings& settings, TextLog& log) : settings_(settings), log_(log) {}
  void note(const ha::FollowerState& state) {
    const std::string leader = state.leader ? state.leader->name : "";
    const std::string trouble = state.trouble ? state.trouble->message : "";
    if (leader != leader_ || !said_)
      log_.say(LogLevel::info, "standing_by name=" + settings_.ha.name + " leader=" + leader + " epoch=" +
                                   std::to_string(state.epoch) + " batch=" + std::to_string(state.batch));
    if (trouble != trouble_)
      log_.say(LogLevel::warning, trouble.empty() ? "follows_again" : "cannot_follow " + trouble);
    leader_ = leader;
    trouble_ = trouble;
    said_ = true;
  }

 private:
  const Settings& settings_;
  TextLog& log_;
  std::string leader_;
  std::string trouble_;
  bool said_ = false;
};

}  // namespace

Result<TakenOver> stand_by(const Settings& settings, const ha::LeaderLease::Parts& leadership, int signals,
                           TextLog& log, ha::Leadership::Lost lost) {
  auto server = JobServer::open(settings.api, settings.state_dir + "/keys");
  if (!server) return tl::unexpected<Error>(server.error());
  const Descriptor ended(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  HotCore core(settings, [&log](LogLevel level, const std::string& line) { log.say(level, line); });
  auto follower = ha::Follower::open(
      settings.state_dir + "/aliquot.db",
      {leadership, std::move(lost),
       [fd = ended.get()] {
         constexpr std::uint64_t kOne = 1;
         static_cast<void>(!write(fd, &kOne, sizeof kOne));
       },
       [&core](const Db& store, ha::StoreNews news) { return core.follow(store, news); }});
  if (!follower) return tl::unexpected<Error>(follower.error());
  const ha::Follower& following = **follower;
  const auto exposer =
      Exposer::open(settings.http.host, settings.http.port,
                    {[&] { return metrics_of(following.state()); },
                     [&]() -> std::optional<std::string> { return role(settings, following.state()); }});
  if (!exposer) return tl::unexpected<Error>(exposer.error());
  log.say(LogLevel::info, "standby_started name=" + settings.ha.name + " socket=" + settings.api.socket +
                              " http_port=" + std::to_string((*exposer)->port()));
  RoleLog roles(settings, log);
  FollowedKeys keys(**server, settings.state_dir + "/aliquot.db", log);
  for (;;) {
    pollfd fds[] = {{(*server)->fd(), POLLIN, 0}, {ended.get(), POLLIN, 0}, {signals, POLLIN, 0}};
    if (!(*server)->pending()) static_cast<void>(poll(fds, std::size(fds), kTickMs));
    const ha::FollowerState state = following.state();
    roles.note(state);
    keys.look(state.batch);
    const std::string what = role(settings, state);
    tell_serving(what);
    if (take_signals(signals, log)) return TakenOver{};
    if (fds[1].revents != 0) {
      auto taken = (*follower)->take();
      if (!taken) return tl::unexpected<Error>(taken.error());
      return TakenOver{std::move(*taken), core.take()};
    }
    (*server)->drain([&](const Incoming& incoming) {
      if (!std::holds_alternative<HaStatus>(incoming.request))
        return (*server)->reply(incoming.client, Reply{Error{ErrorKind::not_leader, what}});
      auto status = ha_status(settings);
      (*server)->reply(incoming.client, status ? Reply{{}, std::move(*status)} : Reply{status.error()});
    });
  }
}

}  // namespace aliquot
