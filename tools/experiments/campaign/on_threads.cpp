#include "tools/experiments/campaign/on_threads.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "tools/experiments/campaign/progress.hpp"

namespace aliquot {

Result<void> on_threads(std::size_t count, unsigned workers,
                        const std::function<Result<void>(std::size_t)>& run) {
  CampaignProgress progress(count, 0);
  std::map<std::size_t, Error> errors;
  std::mutex mutex;  // of both
  std::atomic<std::size_t> next{0};
  std::atomic<bool> failed{false};
  const auto work = [&] {
    while (!failed) {
      const std::size_t k = next++;
      if (k >= count) return;
      const auto done = run(k);
      const std::lock_guard lock(mutex);
      if (done) {
        progress.done();
      } else {
        errors.emplace(k, done.error());
        failed = true;
      }
    }
  };
  std::vector<std::thread> others;
  for (unsigned w = 1; w < workers; ++w) others.emplace_back(work);
  work();
  for (std::thread& other : others) other.join();
  progress.finish();
  if (!errors.empty()) return tl::unexpected(errors.begin()->second);
  return {};
}

}  // namespace aliquot
