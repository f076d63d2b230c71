// The read-only status page on the HTTP port: nodes and the fractions in use, the queue, the life of each
// job and the reason for its state, the last decisions, the plan, the accounts. A script in the page draws
// it from JSON answers.
//
// HTTP threads do not access the state of the loop: they post a question to the loop and wait for its
// answer for a bounded time. Only a few may wait at once, so that threads remain free for scrapes whatever
// the loop does.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "manager/inbox.hpp"
#include "monitor/exposer.hpp"

namespace aliquot {

class StatusPage {
 public:
  // Called on the loop's thread. The results are JSON objects.
  struct Sources {
    std::function<std::string()> picture;
    std::function<Result<std::string>(JobId)> why;
    std::function<std::string()> plan;
    std::function<std::string()> accounts;
  };
  // `inbox` and what `sources` refers to must outlive the pages.
  StatusPage(Inbox& inbox, Sources sources) : inbox_(inbox), sources_(std::move(sources)) {}

  // "/", its style and script, "/api/v1/status", ".../why?job=N", ".../plan" and ".../accounts".
  [[nodiscard]] std::vector<HttpPage> pages();

 private:
  HttpPage answering(const char* path, const std::function<std::string()>& source);
  HttpAnswer ask(std::function<Result<std::string>()> question);

  Inbox& inbox_;
  Sources sources_;
  std::atomic<int> waiting_{0};
};

// The body of "/api/v1/status": status, nodes, jobs and decisions, from the answers to `status`,
// `node.list`, `list` and `events`.
[[nodiscard]] std::string page_picture(const std::string& status, const std::string& nodes,
                                       const std::string& jobs, const std::string& events);

}  // namespace aliquot
