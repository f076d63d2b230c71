#include "tools/ctl/session.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <set>
#include <thread>

#include "tools/ctl/job_filter.hpp"
#include "tools/ctl/progress.hpp"

namespace aliquot::ctl {

Result<Answer> Session::ask(Request request) {
  if (!client_)
    client_ = std::make_unique<Client>(ClientSettings{globals.server, globals.timeout, globals.key});
  auto reply = client_->ask(std::move(request));
  if (!reply) return tl::unexpected<Error>(reply.error());
  // Already known to be JSON: decode_reply has read it.
  return Answer{nlohmann::json::parse(reply->body, nullptr, false), std::move(reply->blob)};
}

Result<Answer> Session::ask_patiently(Request request, Duration at_least) {
  client_.reset();  // it has a shorter timeout
  globals.timeout = std::max(globals.timeout, at_least);
  return ask(std::move(request));
}

Result<Answer> Session::ask_and_show_copy(Request request) {
  constexpr Duration kLongestCopy = seconds(3600);
  constexpr std::chrono::milliseconds kBetween{50};
  Progress progress("sending:");
  std::atomic<bool> over{false};
  // On a connection of its own: an answer on the other one is the end.
  const auto look = [&] {
    Client client({globals.server, seconds(5), globals.key});
    while (!over) {
      const auto hello = client.ask(Hello{});
      const auto body = nlohmann::json::parse(hello ? hello->body : "", nullptr, false);
      if (body.is_object() && body.contains("copying") && !over)
        progress.tell({body["copying"]["bytes"].get<std::int64_t>()},
                      {body["copying"]["of_bytes"].get<std::int64_t>()});
      std::this_thread::sleep_for(kBetween);
    }
  };
  std::thread looking;
  if (progress.is_shown()) looking = std::thread(look);
  auto answer = ask_patiently(std::move(request), kLongestCopy);
  over = true;
  if (looking.joinable()) looking.join();
  return answer;
}

namespace {

// Takes over the jobs of one part of the answer, each once: a job may end between two parts, and be in
// both.
class Listing {
 public:
  Listing(std::size_t limit, const JobFilter* filter) : limit_(limit), filter_(filter) {}

  // Whether the listing is complete.
  bool take(nlohmann::json& part) {
    for (nlohmann::json& job : part["jobs"]) {
      if (filter_ != nullptr && filter_->is_past(job)) return end(false);
      if (filter_ != nullptr && !filter_->matches(job)) continue;
      if (!seen_.insert(job.value("job", std::uint64_t{0})).second) continue;
      if (jobs_.size() == limit_) return end(true);
      jobs_.push_back(std::move(job));
    }
    more_ = part["more"];
    return jobs_.size() == limit_;
  }
  [[nodiscard]] std::size_t left() const { return limit_ - jobs_.size(); }
  [[nodiscard]] nlohmann::json answer(const nlohmann::json& now) && {
    return {{"jobs", std::move(jobs_)}, {"now", now}, {"more", more_}};
  }

 private:
  bool end(bool more) {
    more_ = more;
    return true;
  }

  std::size_t limit_;
  const JobFilter* filter_;
  std::set<std::uint64_t> seen_;
  nlohmann::json jobs_ = nlohmann::json::array();
  nlohmann::json more_ = false;
};

}  // namespace

Result<Answer> Session::list(List list, const JobFilter* filter) {
  constexpr std::uint32_t kMostInAPart = 10'000;
  Listing listing(list.limit, filter);
  while (true) {
    if (filter != nullptr) list.limit = kMostInAPart;
    auto part = ask(list);
    if (!part) return part;
    nlohmann::json& body = part->body;
    const bool complete = listing.take(body);
    const nlohmann::json next = body.value("next", nlohmann::json());
    if (complete || !next.is_object()) {
      Answer all{std::move(listing).answer(body["now"]), {}};
      if (body.contains("motd")) all.body["motd"] = body["motd"];
      return all;
    }
    list.after.reset();
    list.ended_before.reset();
    if (next.contains("after")) list.after = JobId{next["after"].get<std::uint64_t>()};
    if (next.contains("ended_before")) list.ended_before = JobId{next["ended_before"].get<std::uint64_t>()};
    list.limit = static_cast<std::uint32_t>(listing.left());
  }
}

Result<Answer> Session::events(Events events) {
  Answer all;
  for (std::size_t left = events.limit;;) {
    auto part = ask(events);
    if (!part) return part;
    const std::size_t count = part->body["events"].size();
    const auto last = part->body["last"].get<std::uint64_t>();
    (events.before ? *events.before : events.after) = last;
    if (all.body.is_null()) {
      all.body = std::move(part->body);
    } else {
      for (nlohmann::json& row : part->body["events"]) all.body["events"].push_back(std::move(row));
      for (const char* key : {"last", "more"}) all.body[key] = part->body[key];
    }
    left -= std::min(left, count);
    if (left == 0 || count == 0 || all.body["more"] != true) return all;
    events.limit = static_cast<std::uint32_t>(left);
  }
}

Result<nlohmann::json> Session::hello() {
  if (hello_.is_null()) {
    auto answer = ask(Hello{});
    if (!answer) return tl::unexpected<Error>(answer.error());
    hello_ = std::move(answer->body);
  }
  return hello_;
}

Result<int> Session::show(const nlohmann::json& answer, const Looks& looks) const {
  const auto text = in_form(globals.form, answer, looks);
  if (!text) return tl::unexpected<Error>(text.error());
  print(without_direction_changes(*text));
  return 0;
}

void Session::say(const std::string& words) {
  std::fprintf(stderr, "%s\n", without_direction_changes(words).c_str());
}

bool print(const std::string& text) {
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
}

}  // namespace aliquot::ctl
