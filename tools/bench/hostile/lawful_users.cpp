#include "tools/bench/hostile/lawful_users.hpp"

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "tools/ctl/client.hpp"

namespace aliquot::siege {
namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

constexpr milliseconds kBetweenQuestions{50};
constexpr milliseconds kBetweenJobs{150};
constexpr milliseconds kBetweenLists{1000};
constexpr int kHealthTimeoutMs = 5000;

double ms_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

bool is_healthy(std::uint16_t port) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in name{};
  name.sin_family = AF_INET;
  name.sin_port = htons(port);
  name.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  constexpr std::string_view kAsked = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  bool healthy = connect(fd, reinterpret_cast<sockaddr*>(&name), sizeof name) == 0 &&
                 send(fd, kAsked.data(), kAsked.size(), MSG_NOSIGNAL) == ssize_t{kAsked.size()};
  pollfd wait{fd, POLLIN, 0};
  char answer[64]{};
  healthy = healthy && poll(&wait, 1, kHealthTimeoutMs) == 1 && read(fd, answer, sizeof answer - 1) > 0 &&
            std::string_view(answer).starts_with("HTTP/1.1 200");
  close(fd);
  return healthy;
}

std::optional<JobId> submit_one(ctl::Client& client) {
  Submit submit;
  submit.submission.demand.need = cores(1);
  submit.submission.guest_memory = mebibytes(128);
  submit.submission.program = HashChain{3, 1'000'000};
  submit.submission.name = "lawful";
  submit.idempotency_key = ctl::new_idempotency_key();
  const auto reply = client.ask(submit);
  if (!reply) return std::nullopt;
  const auto body = nlohmann::json::parse(reply->body, nullptr, false);
  return JobId{body.value("job", std::uint64_t{0})};
}

}  // namespace

double Latencies::percentile99() const {
  const std::size_t count = ms.size() + failures;
  if (count == 0) return std::numeric_limits<double>::infinity();
  const auto place = static_cast<std::size_t>(std::ceil(0.99 * static_cast<double>(count))) - 1;
  if (place >= ms.size()) return std::numeric_limits<double>::infinity();
  std::vector<double> sorted = ms;
  std::ranges::sort(sorted);
  return sorted[place];
}

double Latencies::most() const { return ms.empty() ? 0 : *std::ranges::max_element(ms); }

LawfulUsers::LawfulUsers(const Target& target) : target_(target) {
  threads_.emplace_back([this] { ask_status(); });
  threads_.emplace_back([this] { ask_health(); });
  threads_.emplace_back([this] { ask_lists(); });
  threads_.emplace_back([this] { submit_jobs(); });
}

void LawfulUsers::stop() {
  stop_ = true;
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

// As the command line does: with a new connection each time.
void LawfulUsers::ask_status() {
  for (; !stop_; std::this_thread::sleep_for(kBetweenQuestions)) {
    const auto start = Clock::now();
    ctl::Client client({target_.api, seconds(20)});
    if (client.ask(Status{}))
      status_.ms.push_back(ms_since(start));
    else
      ++status_.failures;
  }
}

void LawfulUsers::ask_health() {
  for (; !stop_; std::this_thread::sleep_for(kBetweenQuestions)) {
    const auto start = Clock::now();
    if (is_healthy(target_.http))
      health_.ms.push_back(ms_since(start));
    else
      ++health_.failures;
  }
}

void LawfulUsers::ask_lists() {
  for (; !stop_; std::this_thread::sleep_for(kBetweenLists)) {
    const auto start = Clock::now();
    ctl::Client client({target_.api, seconds(20)});
    if (client.ask(List{true, 100}))
      lists_.ms.push_back(ms_since(start));
    else
      ++lists_.failures;
  }
}

void LawfulUsers::submit_jobs() {
  ctl::Client client({target_.api, seconds(20)});
  for (; !stop_; std::this_thread::sleep_for(kBetweenJobs)) {
    if (const auto job = submit_one(client))
      jobs_.push_back(*job);
    else
      ++refused_;
  }
}

std::vector<JobId> submit(const Target& target, std::size_t jobs) {
  ctl::Client client({target.api, seconds(20)});
  std::vector<JobId> taken;
  for (std::size_t i = 0; i < jobs; ++i)
    if (const auto job = submit_one(client)) taken.push_back(*job);
  return taken;
}

std::size_t count_lost(const Target& target, const std::vector<JobId>& jobs) {
  ctl::Client client({target.api, seconds(20)});
  return static_cast<std::size_t>(
      std::ranges::count_if(jobs, [&](JobId job) { return !client.ask(Show{job}).has_value(); }));
}

}  // namespace aliquot::siege
