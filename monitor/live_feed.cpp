#include "monitor/live_feed.hpp"

#include <utility>

namespace aliquot {

void LiveFeed::publish(std::string id, const std::string& data) {
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = newest_ ? newest_->number + 1 : 1;
  std::string text = "id: " + id + "\ndata: " + data + "\n\n";
  newest_ = std::make_shared<const Message>(Message{number, std::move(id), std::move(text)});
  if (wake_) wake_();
}

std::shared_ptr<const LiveFeed::Message> LiveFeed::newest() const {
  const std::lock_guard lock(mutex_);
  return newest_;
}

void LiveFeed::on_reader(std::function<void()> called) {
  const std::lock_guard lock(mutex_);
  on_reader_ = std::move(called);
}

void LiveFeed::attach(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

void LiveFeed::reader_came() {
  ++readers_;
  const std::lock_guard lock(mutex_);
  if (on_reader_) on_reader_();
}

}  // namespace aliquot
