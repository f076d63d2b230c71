// A bounded queue that serves its sources in turns: a source with many items delays the first item of
// another by one item only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <optional>
#include <utility>

namespace aliquot {

template <class Source, class Item>
class FairQueue {
 public:
  FairQueue(std::size_t of_source, std::size_t in_all) : of_source_(of_source), in_all_(in_all) {}

  // False: this source, or the queue, is full.
  [[nodiscard]] bool accepts(const Source& source) const {
    const auto at = items_.find(source);
    return size_ < in_all_ && (at == items_.end() || at->second.size() < of_source_);
  }
  void push(const Source& source, Item item) {
    std::deque<Item>& own = items_[source];
    if (own.empty()) turns_.push_back(source);
    own.push_back(std::move(item));
    ++size_;
  }
  // The next item of the source whose turn it is, of those whose first item `may` go; the turn of the
  // others comes when it may.
  template <class May>
  [[nodiscard]] std::optional<Item> pop(const May& may) {
    const auto turn =
        std::ranges::find_if(turns_, [&](const Source& source) { return may(first_of(source)); });
    if (turn == turns_.end()) return std::nullopt;
    const auto at = items_.find(*turn);
    std::optional<Item> item(std::move(at->second.front()));
    at->second.pop_front();
    turns_.erase(turn);
    if (at->second.empty())
      items_.erase(at);
    else
      turns_.push_back(at->first);
    --size_;
    return item;
  }
  [[nodiscard]] std::optional<Item> pop() {
    return pop([](const Item&) { return true; });
  }
  // Would pop(may) return an item?
  template <class May>
  [[nodiscard]] bool has(const May& may) const {
    return std::ranges::any_of(turns_, [&](const Source& source) { return may(first_of(source)); });
  }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  [[nodiscard]] const Item& first_of(const Source& source) const { return items_.at(source).front(); }

  std::size_t of_source_;
  std::size_t in_all_;
  std::size_t size_ = 0;
  std::map<Source, std::deque<Item>> items_;  // no source without an item
  std::deque<Source> turns_;                  // each source of `items_` once
};

}  // namespace aliquot
