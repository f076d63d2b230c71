// One thread for what the loop must not wait for: reading and writing files, asking a node for facts. A
// task returns what the loop is to do with its result, which goes to the loop through its inbox.
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
  // An empty function: the loop has nothing to do.
  using Task = std::function<std::function<void()>()>;

  explicit BackgroundTasks(Inbox& inbox);
  BackgroundTasks(const BackgroundTasks&) = delete;
  BackgroundTasks& operator=(const BackgroundTasks&) = delete;
  // Finishes the task that runs, and drops the others.
  ~BackgroundTasks();

  void run(Task task);

 private:
  void work();

  Inbox& inbox_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<Task> queue_;
  bool stop_ = false;
  std::thread thread_;
};

}  // namespace aliquot
