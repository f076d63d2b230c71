// The read-only status page on the HTTP port: nodes with the fractions they give, the queue, why a job
// stands as it does, the last decisions. The page is drawn by its own script from two answers in JSON.
//
// HTTP's threads know nothing of the loop's state: a question goes to the loop as a continuation and waits
// for a bounded time. Few may wait at once, so that the threads are there for a scrape whatever the loop
// does.
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
  // Called in the loop. The bodies are JSON objects.
  struct Sources {
    std::function<std::string()> picture;
    std::function<Result<std::string>(JobId)> why;
  };
  // Both outlive the pages.
  StatusPage(Inbox& inbox, Sources sources) : inbox_(inbox), sources_(std::move(sources)) {}

  // "/", its style and script, "/api/v1/status" and "/api/v1/why?job=N".
  [[nodiscard]] std::vector<HttpPage> pages();

 private:
  HttpAnswer ask(std::function<Result<std::string>()> question);

  Inbox& inbox_;
  Sources sources_;
  std::atomic<int> waiting_{0};
};

// What "/api/v1/status" says: status, nodes, jobs and decisions, of the answers to `status`, `node.list`,
// `list` and `events`.
[[nodiscard]] std::string page_picture(const std::string& status, const std::string& nodes,
                                       const std::string& jobs, const std::string& events);

}  // namespace aliquot
