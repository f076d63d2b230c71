#include "manager/page/console.hpp"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>

#include "manager/api/wire/error_names.hpp"
#include "manager/page/page_files.hpp"

namespace aliquot {

using nlohmann::json;
using std::chrono::steady_clock;

namespace {

constexpr int kMostWaiting = 2;
constexpr auto kPatience = std::chrono::seconds(2);
constexpr auto kPatienceToAct = std::chrono::seconds(6);
constexpr auto kLook = std::chrono::milliseconds(20);  // how soon it is noticed that the loop is gone
constexpr std::size_t kDecisionsShown = 40;
constexpr std::string_view kScheme = "Bearer ";  // of Authorization
constexpr const char* kJson = "application/json; charset=utf-8";
// Between two pictures: at least so long, at least so many times what one takes, and at most so long, since
// readings change without an event.
constexpr auto kBetween = std::chrono::milliseconds(250);
constexpr int kShare = 20;
constexpr auto kAtLatest = std::chrono::seconds(5);

HttpAnswer refusal(int status, std::string_view word, const std::string& message) {
  const json body{{"error", word}, {"message", message}};
  return {status, kJson, body.dump(-1, ' ', false, json::error_handler_t::replace)};
}

int status_of(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::invalid_argument:
      return 400;
    case ErrorKind::forbidden:
      return 403;
    case ErrorKind::not_found:
      return 404;
    case ErrorKind::conflict:
    case ErrorKind::refused:
      return 409;
    case ErrorKind::too_large:
      return 413;
    case ErrorKind::unavailable:
    case ErrorKind::no_space:
    case ErrorKind::not_leader:
      return 503;
    case ErrorKind::timeout:
      return 504;
    case ErrorKind::unsupported:
    case ErrorKind::internal:
      return 500;
  }
  return 500;
}

HttpAnswer of_error(const Error& error) {
  return refusal(status_of(error.kind), wire_name(error.kind), error.message);
}

std::string parameter(const HttpParameters& parameters, const char* name) {
  const auto found = parameters.find(name);
  return found == parameters.end() ? "" : found->second;
}

HttpPage page_of(const PageFile& file) {
  return {file.path, [&file](const HttpParameters&) { return HttpAnswer{200, file.type, file.text}; }};
}

// A script of another site's page has no token; it is refused all the same.
bool is_of_this_page(const HttpRequest& head) {
  return head.origin.empty() || head.origin == "http://" + head.host ||
         head.origin == "https://" + head.host;
}

// None: it may be handed to the loop.
std::optional<HttpAnswer> refused_at_once(const HttpPosted& posted) {
  if (!posted.from_here)
    return refusal(403, "forbidden",
                   "over plain HTTP from another machine nothing can be changed: put a reverse proxy with "
                   "TLS on the manager's machine (docs/console.md)");
  if (!is_of_this_page(posted.head))
    return refusal(403, "forbidden",
                   "the request comes from a page of " + posted.head.origin + ", not from this console");
  if (!posted.head.authorization.starts_with(kScheme) || posted.head.authorization.size() == kScheme.size())
    return refusal(401, "forbidden", "this needs a token; `aliquot token new` makes one");
  return std::nullopt;
}

std::string token_of(const HttpPosted& posted) { return posted.head.authorization.substr(kScheme.size()); }

}  // namespace

std::optional<JobId> console_job(const std::string& text) {
  JobId job;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), job.raw);
  if (error != std::errc{} || end != text.data() + text.size() || job.raw == 0) return std::nullopt;
  return job;
}

Console::Console(Inbox& inbox, Sources sources)
    : inbox_(inbox), sources_(std::move(sources)), feed_(std::make_shared<LiveFeed>()) {
  feed_->on_reader([this] { changed(); });
}

Console::~Console() {
  stop();
  feed_->on_reader({});
}

std::vector<HttpPage> Console::pages() {
  std::vector<HttpPage> pages;
  for (std::size_t i = 0; i < kPageFileCount; ++i) pages.push_back(page_of(kPageFiles[i]));
  pages.push_back(answering("/api/v1/status", sources_.picture));
  pages.push_back(answering("/api/v1/plan", sources_.plan));
  pages.push_back(answering("/api/v1/accounts", sources_.accounts));
  pages.push_back({"/api/v1/why", [this](const HttpParameters& parameters) {
                     const auto job = console_job(parameter(parameters, "job"));
                     if (!job)
                       return refusal(400, "invalid_argument", "which job? write /api/v1/why?job=12");
                     return ask([this, id = *job] { return sources_.why(id); });
                   }});
  pages.push_back({"/api/v1/node", [this](const HttpParameters& parameters) {
                     const std::string name = parameter(parameters, "name");
                     return ask([this, name] { return sources_.node(name); });
                   }});
  pages.push_back({"/api/v1/read", {}, [this](const HttpPosted& posted) { return read(posted); }});
  pages.push_back({"/api/v1/request", {}, [this](const HttpPosted& posted) { return act(posted); }});
  pages.push_back({"/api/events", {}, {}, feed_});
  if (!drawing_.joinable() && !stopped_) drawing_ = std::thread([this] { draw(); });
  return pages;
}

void Console::changed() {
  {
    const std::lock_guard lock(mutex_);
    changed_ = true;
  }
  wake_.notify_all();
}

void Console::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  wake_.notify_all();
  if (drawing_.joinable()) drawing_.join();
}

// Waits until something has changed, and no longer than kAtLatest; asks for a picture only if it is read.
void Console::draw() {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    wake_.wait_for(lock, kAtLatest, [this] { return stopped_ || changed_; });
    if (stopped_) return;
    changed_ = false;
    if (feed_->readers() == 0) continue;
    lock.unlock();
    const auto begun = steady_clock::now();
    auto newest = std::make_shared<std::uint64_t>(0);
    const auto picture = answer_of([this, newest]() -> Result<std::string> {
      *newest = sources_.newest_event();
      return sources_.picture();
    });
    if (picture && *picture) feed_->publish(std::to_string(*newest), **picture);
    const auto took = steady_clock::now() - begun;
    lock.lock();
    wake_.wait_for(lock, std::clamp<steady_clock::duration>(took * kShare, kBetween, kAtLatest),
                   [this] { return stopped_.load(); });
  }
}

HttpPage Console::answering(const char* path, const std::function<std::string()>& source) {
  return {path, [this, source](const HttpParameters&) {
            return ask([source]() -> Result<std::string> { return source(); });
          }};
}

std::optional<Result<std::string>> Console::answer_of(Question question) {
  // The loop may answer after the wait has timed out, so it shares ownership of what it writes to.
  auto promise = std::make_shared<std::promise<Result<std::string>>>();
  std::future<Result<std::string>> future = promise->get_future();
  inbox_.post(Continuation{[promise, question = std::move(question)] { promise->set_value(question()); }});
  const auto until = steady_clock::now() + kPatience;
  while (!stopped_ && steady_clock::now() < until)
    if (future.wait_for(kLook) == std::future_status::ready) return future.get();
  return std::nullopt;
}

HttpAnswer Console::ask(Question question) {
  if (waiting_.fetch_add(1) >= kMostWaiting) {
    waiting_.fetch_sub(1);
    return refusal(503, "unavailable", "too many ask at once; ask again");
  }
  const auto body = answer_of(std::move(question));
  waiting_.fetch_sub(1);
  if (!body) return refusal(503, "unavailable", "the manager is busy; ask again");
  return *body ? HttpAnswer{200, kJson, **body} : of_error(body->error());
}

HttpAnswer Console::read(const HttpPosted& posted) {
  if (auto refused = refused_at_once(posted)) return *refused;
  const HttpParameters& asked = posted.head.parameters;
  const std::string what = parameter(asked, "what");
  WebRequest request{token_of(posted), what, parameter(asked, what == "node" ? "name" : "job"),
                     posted.address};
  return ask([this, request = std::move(request)] { return sources_.read(request); });
}

HttpAnswer Console::act(const HttpPosted& posted) {
  if (auto refused = refused_at_once(posted)) return *refused;
  if (waiting_.fetch_add(1) >= kMostWaiting) {
    waiting_.fetch_sub(1);
    return refusal(503, "unavailable", "too many ask at once; ask again");
  }
  auto promise = std::make_shared<std::promise<Reply>>();
  std::future<Reply> future = promise->get_future();
  WebRequest request{token_of(posted), parameter(posted.head.parameters, "method"), posted.body,
                     posted.address};
  inbox_.post(Continuation{[this, promise, request = std::move(request)] {
    sources_.act(request, [promise](const Reply& reply) { promise->set_value(reply); });
  }});
  const auto until = steady_clock::now() + kPatienceToAct;
  bool answered = false;
  while (!answered && !stopped_ && steady_clock::now() < until)
    answered = future.wait_for(kLook) == std::future_status::ready;
  waiting_.fetch_sub(1);
  if (!answered)
    return refusal(504, "timeout",
                   "the manager has not answered in time; whether it was carried out is not known: look");
  const Reply reply = future.get();
  return reply.error ? of_error(*reply.error) : HttpAnswer{200, kJson, reply.body};
}

std::string page_picture(const std::string& status, const std::string& nodes, const std::string& jobs,
                         const std::string& events) {
  json decisions = json::array();
  json logged = json::parse(events);
  for (json& row : logged["events"])
    if (row["event"].is_object() && row["event"].contains("turn")) decisions.push_back(std::move(row));
  while (decisions.size() > kDecisionsShown) decisions.erase(0);
  json picture{{"status", json::parse(status)},
               {"nodes", std::move(json::parse(nodes)["nodes"])},
               {"decisions", std::move(decisions)}};
  json listed = json::parse(jobs);
  picture["jobs"] = std::move(listed["jobs"]);
  picture["more"] = listed["more"];
  return picture.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace aliquot
