// A bounded queue that serves its sources in turns: a source with many items delays the first item of
// another by one item only.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace aliquot {

template <class Item>
class FairQueue {
 public:
  FairQueue(std::size_t of_source, std::size_t in_all) : of_source_(of_source), in_all_(in_all) {}

  // False: this source, or the queue, is full.
  [[nodiscard]] bool accepts(const std::string& source) const {
    const auto at = items_.find(source);
    return size_ < in_all_ && (at == items_.end() || at->second.size() < of_source_);
  }
  void push(const std::string& source, Item item) {
    std::deque<Item>& own = items_[source];
    if (own.empty()) turns_.push_back(source);
    own.push_back(std::move(item));
    ++size_;
  }
  // The next item of the source whose turn it is.
  [[nodiscard]] std::optional<Item> pop() {
    if (turns_.empty()) return std::nullopt;
    const auto at = items_.find(turns_.front());
    std::optional<Item> item(std::move(at->second.front()));
    at->second.pop_front();
    if (at->second.empty())
      items_.erase(at);
    else
      turns_.push_back(turns_.front());
    turns_.pop_front();
    --size_;
    return item;
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  std::size_t of_source_;
  std::size_t in_all_;
  std::size_t size_ = 0;
  std::map<std::string, std::deque<Item>> items_;  // no source without an item
  std::deque<std::string> turns_;                  // each source of `items_` once
};

}  // namespace aliquot
