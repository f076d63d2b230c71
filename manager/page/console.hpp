// The web console on the HTTP port (docs/console.md): nodes and what stands on them, the queue, the life of
// each job and the reason for its state, the plan, the accounts; read without a login, and drawn by scripts
// in the page from JSON answers. A stream tells the page what has changed. With a token the page asks for
// changes too, through the same handler as the sockets of the job API.
//
// HTTP threads do not access the state of the loop: they post a question to the loop and wait for its
// answer for a bounded time. Only a few may wait at once, so that threads remain free for scrapes whatever
// the loop does. One more thread makes the pictures for the stream, while a page follows it.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "manager/api/wire/web_clients.hpp"
#include "manager/inbox.hpp"
#include "monitor/exposer.hpp"
#include "monitor/http_server.hpp"
#include "monitor/observer.hpp"

namespace aliquot {

class Console final : public Observer {
 public:
  // Called on the loop's thread. The results are JSON objects.
  struct Sources {
    std::function<std::string()> picture;
    std::function<std::uint64_t()> newest_event;  // that is in the picture
    std::function<Result<std::string>(JobId)> why;
    std::function<Result<std::string>(const std::string&)> node;
    std::function<std::string()> plan;
    std::function<std::string()> accounts;
    // For the client of a token: what it may see, and what it asks to have done.
    std::function<Result<std::string>(const WebRequest&)> read;
    std::function<void(const WebRequest&, WebClients::Answered)> act;
  };
  // `inbox` and what `sources` refers to must outlive the pages.
  Console(Inbox& inbox, Sources sources);
  ~Console() override;

  // "/", its style and scripts, "/api/v1/status", ".../why?job=N", ".../node?name=N", ".../plan",
  // ".../accounts", "/api/events", and, to which is posted with a token, ".../read?what=W" and
  // ".../request?method=M".
  [[nodiscard]] std::vector<HttpPage> pages();
  // What is on disk, a page that follows is to show soon.
  void on_durable(const Step& /*step*/) override { changed(); }
  void changed();  // waits for nothing
  // The loop answers no more: nothing waits for it any longer.
  void stop();

 private:
  using Question = std::function<Result<std::string>()>;
  [[nodiscard]] HttpPage answering(const char* path, const std::function<std::string()>& source);
  [[nodiscard]] HttpAnswer ask(Question question);
  [[nodiscard]] HttpAnswer read(const HttpPosted& posted);
  [[nodiscard]] HttpAnswer act(const HttpPosted& posted);
  // None: not within the time, or the loop is gone.
  [[nodiscard]] std::optional<Result<std::string>> answer_of(Question question);
  void draw();

  Inbox& inbox_;
  Sources sources_;
  std::atomic<int> waiting_{0};
  std::atomic<bool> stopped_{false};
  std::shared_ptr<LiveFeed> feed_;
  std::mutex mutex_;
  std::condition_variable wake_;
  bool changed_ = false;
  std::thread drawing_;
};

// The job of this number; none: it is no number of a job.
[[nodiscard]] std::optional<JobId> console_job(const std::string& text);

// The body of "/api/v1/status": status, nodes, jobs and decisions, from the answers to `status`,
// `node.list`, `list` and `events`.
[[nodiscard]] std::string page_picture(const std::string& status, const std::string& nodes,
                                       const std::string& jobs, const std::string& events);

}  // namespace aliquot
