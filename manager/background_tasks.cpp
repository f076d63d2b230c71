#include "manager/background_tasks.hpp"

namespace aliquot {

BackgroundTasks::BackgroundTasks(Inbox& inbox) : inbox_(inbox), thread_([this] { work(); }) {}

BackgroundTasks::~BackgroundTasks() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void BackgroundTasks::run(Task task) {
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back(std::move(task));
  }
  wake_.notify_one();
}

void BackgroundTasks::work() {
  for (;;) {
    Task task;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stop_ || !queue_.empty(); });
      if (stop_) return;
      task = std::move(queue_.front());
      queue_.pop_front();
    }
    if (std::function<void()> then = task()) inbox_.post(Continuation{std::move(then)});
  }
}

}  // namespace aliquot
