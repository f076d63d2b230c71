#include "manager/highly_available.hpp"

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <utility>

#include "config/changes.hpp"
#include "manager/ha/defragmentation.hpp"
#include "manager/ha/etcd_client.hpp"
#include "manager/ha/log_keeper.hpp"
#include "manager/ha/member_watch.hpp"
#include "manager/ha/shared_log.hpp"
#include "manager/standby.hpp"
#include "manager/systemd_notice.hpp"
#include "monitor/ha_gauges.hpp"
#include "monitor/log.hpp"

namespace aliquot {
namespace {

constexpr Duration kMembersAreAsked = seconds(15);  // so often

// Files may have changed while it stood by; what needs a restart stays as it was.
Settings newest_settings(Settings settings, const Reread& reread, TextLog& log) {
  const auto loaded = reread();
  if (!loaded) {
    log.say(LogLevel::error, "reload_refused " + as_error(loaded.error()).message);
    return settings;
  }
  settings = reloaded(std::move(settings), loaded->settings);
  settings.nodes = loaded->settings.nodes;
  return settings;
}

std::string metrics_of_leader(const HaSettings& settings, const ha::Leadership& leadership,
                              const ha::MemberWatch& members) {
  HaGauges gauges{.leader_known = true,
                  .follows = true,
                  .epoch = static_cast<std::uint64_t>(leadership.epoch()),
                  .lease = HaGauges::Lease{to_seconds(settings.lease_ttl), to_seconds(leadership.left())}};
  const auto statuses = members.newest();
  for (std::size_t i = 0; i < statuses.size(); ++i) {
    HaGauges::Member& member = gauges.etcd.emplace_back();
    member.endpoint = settings.endpoints[i];
    if (!statuses[i]) continue;
    member.db_bytes = statuses[i]->db_bytes;
    member.db_bytes_in_use = statuses[i]->db_bytes_in_use;
  }
  return text_of(gauges);
}

// Null: it is not wanted.
std::unique_ptr<ha::Defragmentation> begin_defragmentation(const HaSettings& settings,
                                                           std::shared_ptr<ha::BusyEndpoint> busy,
                                                           std::function<void(const std::string&)> say) {
  if (!settings.defragment) return nullptr;
  return std::make_unique<ha::Defragmentation>(
      ha::Defragmentation::Parts{etcd_settings(settings), std::move(busy), std::move(say)});
}

}  // namespace

Result<void> run_highly_available(Settings settings, const Reread& reread, int signals) {
  TextLog log(settings.log.level, settings.log.format == "json" ? LogFormat::json : LogFormat::text);
  const auto busy = std::make_shared<ha::BusyEndpoint>();
  const auto parts = leadership_parts(settings, busy);
  auto stood_by = stand_by(settings, parts, signals, log, [&log](const std::string& why) {
    log.say(LogLevel::error, "leadership_lost " + why + ": this manager ends, another may lead");
    // Whatever else this process would still do, it must not.
    _exit(kExitLostLeadership);
  });
  if (!stood_by) return tl::unexpected<Error>(stood_by.error());
  const std::unique_ptr<ha::Leadership> leadership = std::move(stood_by->leadership);
  if (!leadership) return {};
  log.say(LogLevel::info, "leadership_taken name=" + settings.ha.name +
                              " epoch=" + std::to_string(leadership->epoch()) +
                              " state=" + (stood_by->hot ? "hot" : "cold"));
  const auto say = [&log](const std::string& line) { log.say(LogLevel::info, line); };
  ha::SharedLog shared(parts.etcd, parts.keys, [&] { return leadership->surely_leads(); });
  const auto length = shared.length();
  if (!length) return tl::unexpected<Error>(length.error());
  ha::LogKeeper keeper({.etcd = parts.etcd,
                        .keys = parts.keys,
                        .leadership = *leadership,
                        .store = settings.state_dir + "/aliquot.db",
                        .say = say,
                        .batches = *length});
  const Replication replication{[&](const ChangeBatch& batch) {
                                  auto done = shared.append(leadership->condition(), batch);
                                  if (done) keeper.appended(batch.changes.size());
                                  return done;
                                },
                                [&] { return leadership->surely_leads(); },
                                static_cast<std::uint64_t>(leadership->epoch())};
  const ha::MemberWatch members([settings] { return ask_members(settings); }, kMembersAreAsked);
  const auto defragmentation = begin_defragmentation(settings.ha, busy, say);
  std::atomic<bool> steps_down{false};
  const HaRequests requests{[settings] { return ha_status(settings); },
                            [settings] { return may_step_down(settings); },
                            [&] {
                              steps_down = true;
                              kill(getpid(), SIGTERM);  // the orderly end
                            },
                            [&, of = settings.ha] { return metrics_of_leader(of, *leadership, members); }};
  auto ran = run_manager(newest_settings(settings, reread, log), reread, signals, &replication, requests,
                         std::move(stood_by->hot));
  if (ran && steps_down)
    return fail(ErrorKind::not_leader, "this manager has stepped down, as it was asked to");
  // Whatever failed first: that the leadership was lost is what there is to say, and to act on.
  if (!ran && !leadership->surely_leads())
    return fail(ErrorKind::not_leader, "the leadership was lost: " + ran.error().message);
  return ran;
}

Result<std::string> try_etcd(const Settings& settings) {
  ha::EtcdClient etcd(etcd_settings(settings.ha));
  // A member answers for its status also while the members have no leader.
  const auto read = etcd.transact({{}, {ha::Get{ha::Keys(settings.ha.prefix).leader()}}});
  if (!read) return tl::unexpected<Error>(read.error());
  std::string found;
  for (const auto& status : etcd.statuses()) {
    found += found.empty() ? "" : "\n";
    found += status ? "etcd " + status->version + ", " + std::to_string(status->db_bytes >> 20) + " MiB"
                    : status.error().message;
  }
  return found;
}

}  // namespace aliquot
