// One thread that does what the loop must not wait for: reading and writing files, asking a node for facts.
// What is to happen afterwards goes back to the loop through its inbox.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

#include "manager/inbox.hpp"

namespace aliquot {

class BackgroundTasks {
 public:
  // An errand returns what the loop shall do with its result; an empty function: nothing.
  using Errand = std::function<std::function<void()>()>;

  explicit BackgroundTasks(Inbox& inbox);
  BackgroundTasks(const BackgroundTasks&) = delete;
  BackgroundTasks& operator=(const BackgroundTasks&) = delete;
  // Finishes the errand under way and drops the others.
  ~BackgroundTasks();

  void run(Errand errand);

 private:
  void work();

  Inbox& inbox_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Errand> queue_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace aliquot
