#include "manager/ha/defragmentation.hpp"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace aliquot::ha {
namespace {

constexpr std::size_t kFewestMembers = 3;  // of fewer, none can be spared

std::chrono::microseconds chrono_of(Duration span) { return std::chrono::microseconds(span.raw); }

bool is_mostly_free(const MemberStatus& member, std::int64_t least_free) {
  const bool is_known = member.db_bytes_in_use > 0;
  return is_known && member.db_bytes_free() > member.db_bytes / 2 && member.db_bytes_free() >= least_free;
}

EtcdSettings with(EtcdSettings settings, Duration patience, std::function<bool()> is_given_up) {
  settings.patience = patience;
  settings.is_given_up = std::move(is_given_up);
  return settings;
}

}  // namespace

std::optional<DefragmentationStep> next_step(const std::vector<MemberStatus>& members,
                                             const std::set<std::string>& had_their_turn,
                                             std::int64_t least_free) {
  if (members.size() < kFewestMembers) return std::nullopt;
  if (std::ranges::count_if(members, &MemberStatus::leads) != 1) return std::nullopt;
  std::set<std::string> ids;
  for (const MemberStatus& member : members)
    if (!member.has_leader || !ids.insert(member.id).second) return std::nullopt;
  const auto is_next = [&](const MemberStatus& member) {
    return is_mostly_free(member, least_free) && !had_their_turn.contains(member.id);
  };
  std::optional<DefragmentationStep> last;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!is_next(members[i])) continue;
    if (!members[i].leads) return DefragmentationStep{i};
    last = DefragmentationStep{i, members[i == 0 ? 1 : 0].id};
  }
  return last;
}

Defragmentation::Defragmentation(Parts parts)
    : parts_(std::move(parts)),
      etcd_(with(parts_.etcd, parts_.etcd.patience, [this] { return is_stopping(); })),
      patient_(with(parts_.etcd, parts_.limits.longest, [this] { return is_stopping(); })),
      thread_([this] { run(); }) {}

Defragmentation::~Defragmentation() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stopped_.notify_all();
  thread_.join();
}

bool Defragmentation::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

bool Defragmentation::wait(Duration span) {
  std::unique_lock lock(mutex_);
  stopped_.wait_for(lock, chrono_of(span), [this] { return stopping_; });
  return !stopping_;
}

void Defragmentation::run() {
  for (Duration pause = parts_.limits.look_every; wait(pause);)
    pause = look() ? parts_.limits.rest : parts_.limits.look_every;
}

bool Defragmentation::look() {
  const auto members = all_members();
  if (!members) return false;
  const auto step = next_step(*members, had_their_turn(), parts_.limits.least_free);
  if (step) carry_out(*step, (*members)[step->endpoint]);
  return step.has_value();
}

// None: one of them is busy or away, or there are others than those that are named.
std::optional<std::vector<MemberStatus>> Defragmentation::all_members() {
  std::vector<MemberStatus> members;
  for (auto& status : etcd_.statuses()) {
    if (!status) return std::nullopt;
    members.push_back(std::move(*status));
  }
  const auto count = etcd_.count_members();
  if (!count || *count != members.size()) return std::nullopt;
  // One that is being defragmented says how it is all the same.
  for (std::size_t i = 0; i < members.size(); ++i)
    if (!etcd_.try_read(i)) return std::nullopt;
  return members;
}

std::set<std::string> Defragmentation::had_their_turn() {
  std::set<std::string> members;
  const auto since = Clock::now() - chrono_of(parts_.limits.turn_every);
  for (const auto& [member, at] : turns_)
    if (at > since) members.insert(member);
  return members;
}

void Defragmentation::carry_out(const DefragmentationStep& step, const MemberStatus& before) {
  const std::string& endpoint = parts_.etcd.endpoints[step.endpoint];
  const Clock::time_point now = Clock::now();
  const bool moved_lately = moved_ && *moved_ > now - chrono_of(parts_.limits.turn_every);
  if (!step.heir || moved_lately) turns_[before.id] = now;
  if (!step.heir) return defragment(step.endpoint, before);
  if (moved_lately)
    return parts_.say("etcd_not_defragmented endpoint=" + endpoint + " it leads etcd again");
  moved_ = now;
  const auto moved = etcd_.move_leadership(step.endpoint, *step.heir);
  if (moved) return parts_.say("etcd_leadership_moved from=" + endpoint + " to_member=" + *step.heir);
  parts_.say("etcd_leadership_not_moved from=" + endpoint + " " + moved.error().message);
}

void Defragmentation::defragment(std::size_t endpoint, const MemberStatus& before) {
  const std::string& url = parts_.etcd.endpoints[endpoint];
  parts_.busy->set(endpoint);
  // Calls of other clients that are under way are over then.
  const bool goes_on = wait(kUsualPatience);
  const Clock::time_point began = Clock::now();
  const auto done = goes_on ? patient_.defragment(endpoint) : Result<void>();
  const auto took = std::chrono::duration<double>(Clock::now() - began).count();
  parts_.busy->reset();
  if (!goes_on) return;
  if (!done) return parts_.say("etcd_not_defragmented endpoint=" + url + " " + done.error().message);
  const auto after = etcd_.statuses()[endpoint];
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%.3f", took);
  parts_.say("etcd_defragmented endpoint=" + url + " seconds=" + seconds +
             " bytes_before=" + std::to_string(before.db_bytes) +
             " bytes_after=" + (after ? std::to_string(after->db_bytes) : "unknown"));
}

}  // namespace aliquot::ha
