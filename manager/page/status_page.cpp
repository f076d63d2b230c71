#include "manager/page/status_page.hpp"

#include <charconv>
#include <chrono>
#include <future>
#include <nlohmann/json.hpp>

#include "manager/page/page_files.hpp"

namespace aliquot {

using nlohmann::json;

namespace {

constexpr int kMostWaiting = 2;
constexpr auto kPatience = std::chrono::seconds(2);
constexpr std::size_t kDecisionsShown = 40;
constexpr const char* kJson = "application/json; charset=utf-8";

HttpAnswer refusal(int status, const std::string& message) {
  return {status, kJson, json{{"message", message}}.dump(-1, ' ', false, json::error_handler_t::replace)};
}

HttpAnswer of_error(const Error& error) {
  return refusal(error.kind == ErrorKind::not_found ? 404 : 500, error.message);
}

std::optional<JobId> job_of(const HttpParameters& parameters) {
  const auto found = parameters.find("job");
  if (found == parameters.end()) return std::nullopt;
  const std::string& text = found->second;
  JobId job;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), job.raw);
  if (error != std::errc{} || end != text.data() + text.size() || job.raw == 0) return std::nullopt;
  return job;
}

HttpPage file(const char* path, const char* type, const char* text) {
  return {path, [type, text](const HttpParameters&) { return HttpAnswer{200, type, text}; }};
}

}  // namespace

std::vector<HttpPage> StatusPage::pages() {
  return {file("/", "text/html; charset=utf-8", kPage_html),
          file("/status.css", "text/css; charset=utf-8", kPage_css),
          file("/status.js", "text/javascript; charset=utf-8", kPage_js),
          answering("/api/v1/status", sources_.picture),
          answering("/api/v1/plan", sources_.plan),
          answering("/api/v1/accounts", sources_.accounts),
          {"/api/v1/why", [this](const HttpParameters& parameters) {
             const auto job = job_of(parameters);
             if (!job) return refusal(400, "which job? write /api/v1/why?job=12");
             return ask([this, id = *job] { return sources_.why(id); });
           }}};
}

HttpPage StatusPage::answering(const char* path, const std::function<std::string()>& source) {
  return {path, [this, source](const HttpParameters&) {
            return ask([source]() -> Result<std::string> { return source(); });
          }};
}

HttpAnswer StatusPage::ask(std::function<Result<std::string>()> question) {
  if (waiting_.fetch_add(1) >= kMostWaiting) {
    waiting_.fetch_sub(1);
    return refusal(503, "too many ask at once; ask again");
  }
  // The loop may answer after the wait has timed out, so it shares ownership of what it writes to.
  auto promise = std::make_shared<std::promise<Result<std::string>>>();
  std::future<Result<std::string>> future = promise->get_future();
  inbox_.post(Continuation{[promise, question = std::move(question)] { promise->set_value(question()); }});
  const bool answered = future.wait_for(kPatience) == std::future_status::ready;
  waiting_.fetch_sub(1);
  if (!answered) return refusal(503, "the manager is busy; ask again");
  const Result<std::string> body = future.get();
  return body ? HttpAnswer{200, kJson, *body} : of_error(body.error());
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
