#include "manager/long_work.hpp"

#include <chrono>
#include <future>

namespace aliquot {
namespace {

// Where all cores are busy, a thread that begins waits for its turn: what is shorter is done sooner here.
constexpr Duration kLong{20'000};
constexpr std::chrono::milliseconds kLook{1};  // a request waits no longer for its answer

}  // namespace

void LongWork::run(const std::function<void()>& work) {
  const auto begun = std::chrono::steady_clock::now();
  if (last_took_ < kLong) {
    work();
  } else {
    std::future<void> done = std::async(std::launch::async, work);
    while (done.wait_for(kLook) != std::future_status::ready) meanwhile_();
    done.get();
  }
  const auto took = std::chrono::steady_clock::now() - begun;
  last_took_ = Duration{std::chrono::duration_cast<std::chrono::microseconds>(took).count()};
}

}  // namespace aliquot
