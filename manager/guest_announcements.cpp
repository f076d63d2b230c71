#include "manager/guest_announcements.hpp"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "manager/api/answers/size_check.hpp"
#include "manager/hypervisor/files.hpp"

namespace aliquot {
namespace {

struct Heard {
  RunningTask task;
  std::vector<AnnouncedSize> sizes;
};

// 0: there is none yet.
std::uintmax_t length_of(const std::string& path) {
  std::error_code failure;
  const auto length = std::filesystem::file_size(path, failure);
  return failure ? 0 : length;
}

std::uint32_t newest_of(const std::vector<GuestAnnouncement>& known, const RunningTask& task) {
  for (const GuestAnnouncement& said : known)
    if (said.task == task.task && said.incarnation == task.incarnation) return said.number;
  return 0;
}

// Accepted or refused.
std::uint32_t newest_of(const Evolution& its, const RunningTask& task) {
  return std::max(newest_of(its.heard, task), newest_of(its.refused, task));
}

}  // namespace

void GuestAnnouncements::look(std::vector<RunningTask> running) {
  if (std::exchange(looking_, true)) return;
  parts_.files.run([this, running = std::move(running),
                    before = std::exchange(lengths_, {})]() -> std::function<void()> {
    Lengths lengths;
    std::vector<Heard> heard;
    for (const RunningTask& task : running) {
      const Key key{task.job, task.task, task.incarnation};
      const std::string path = spool_.status(task.job, task.task, task.incarnation);
      const std::uintmax_t length = lengths[key] = length_of(path);
      const auto known = before.find(key);
      if (length == 0 || (known != before.end() && known->second == length)) continue;
      const auto text = read_head(path, static_cast<std::size_t>(kMostStatus.raw));
      if (!text) continue;
      if (auto sizes = announced_sizes(*text); !sizes.empty()) heard.push_back({task, std::move(sizes)});
    }
    return [this, lengths = std::move(lengths), heard = std::move(heard)] {
      looking_ = false;
      if (parts_.input.blocked) return;  // all of it is looked at again when it is not
      lengths_ = lengths;
      for (const auto& [task, sizes] : heard) take(task, sizes);
    };
  });
}

void GuestAnnouncements::take(const RunningTask& task, const std::vector<AnnouncedSize>& sizes) {
  const CoreState& state = parts_.scheduler.cluster().state();
  const auto record = state.records.find(task.job);
  if (record == state.records.end() || !state.view.jobs.contains(task.job)) return;
  const std::string who = "task " + std::to_string(task.task) + " of it has announced it";
  for (auto number = newest_of(record->second.evolution, task) + 1; number <= sizes.size(); ++number) {
    const AnnouncedSize& size = sizes[number - 1];
    const GuestAnnouncement guest{task.task, task.incarnation, number};
    const Instant at = state.view.now + size.in;
    if (auto ok = check_size(state, task.job, size.tasks, parts_.settings.limits); !ok) {
      parts_.input.events.emplace_back(
          AnnouncementRefused{task.job, guest, size.tasks, at, std::move(ok.error().message)});
      continue;
    }
    TasksChanged change{task.job, size.tasks, at, who};
    change.guest = guest;
    parts_.input.events.emplace_back(std::move(change));
  }
}

}  // namespace aliquot
