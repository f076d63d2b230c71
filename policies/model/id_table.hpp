// A map from ids to values, made for ids that are handed out in increasing order: iteration in increasing
// id, constant time for everything else, references that stay valid until their value is erased.
//
// A hash of pointers finds a value; a doubly linked list keeps the order. An id that is larger than all
// others is appended; any other one walks to its place from the end. What is erased leaves its memory to
// what comes next (Slots). Copies deeply.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "policies/model/slots.hpp"

namespace aliquot {

template <class Key, class T>
class IdTable {
 public:
  using key_type = Key;
  using mapped_type = T;
  using value_type = std::pair<const Key, T>;
  using size_type = std::size_t;

 private:
  struct Entry {
    value_type value;
    Entry* previous = nullptr;
    Entry* next = nullptr;
  };

  template <bool constant>
  class Iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = IdTable::value_type;
    using difference_type = std::ptrdiff_t;
    using pointer = std::conditional_t<constant, const value_type*, value_type*>;
    using reference = std::conditional_t<constant, const value_type&, value_type&>;

    Iterator() = default;
    explicit Iterator(Entry* entry) : entry_(entry) {}
    // As every container's iterator does.
    operator Iterator<true>() const {  // NOLINT(google-explicit-constructor)
      return Iterator<true>(entry_);
    }
    reference operator*() const { return entry_->value; }
    pointer operator->() const { return &entry_->value; }
    Iterator& operator++() { return entry_ = entry_->next, *this; }
    Iterator operator++(int) { return std::exchange(*this, Iterator(entry_->next)); }
    friend bool operator==(Iterator a, Iterator b) { return a.entry_ == b.entry_; }

   private:
    friend IdTable;
    Entry* entry_ = nullptr;
  };

 public:
  using iterator = Iterator<false>;
  using const_iterator = Iterator<true>;

  IdTable() = default;
  IdTable(const IdTable& other) {
    for (const auto& [key, value] : other) emplace(key, value);
  }
  IdTable(IdTable&& other) noexcept { swap(other); }
  IdTable& operator=(IdTable other) noexcept { return swap(other), *this; }
  ~IdTable() { clear(); }

  void swap(IdTable& other) noexcept {
    std::swap(buckets_, other.buckets_);
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
    std::swap(size_, other.size_);
    std::swap(shift_, other.shift_);
    slots_.swap(other.slots_);
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] iterator begin() { return iterator(first_); }
  [[nodiscard]] iterator end() { return iterator(); }
  [[nodiscard]] const_iterator begin() const { return const_iterator(first_); }
  [[nodiscard]] const_iterator end() const { return const_iterator(); }

  [[nodiscard]] iterator find(Key key) { return iterator(look_up(key)); }
  [[nodiscard]] const_iterator find(Key key) const { return const_iterator(look_up(key)); }
  [[nodiscard]] bool contains(Key key) const { return look_up(key) != nullptr; }
  [[nodiscard]] T& at(Key key) { return known(key)->value.second; }
  [[nodiscard]] const T& at(Key key) const { return known(key)->value.second; }
  T& operator[](Key key) { return emplace(key).first->second; }

  // Nothing happens if the key is there already.
  template <class... Args>
  std::pair<iterator, bool> emplace(Key key, Args&&... args) {
    if (Entry* there = look_up(key)) return {iterator(there), false};
    if (2 * (size_ + 1) > buckets_.size()) grow();
    Entry* fresh = slots_.make(value_type(std::piecewise_construct, std::forward_as_tuple(key),
                                          std::forward_as_tuple(std::forward<Args>(args)...)));
    link(fresh);
    buckets_[free_bucket(key)] = fresh;
    ++size_;
    return {iterator(fresh), true};
  }

  iterator erase(const_iterator at) {
    Entry* entry = at.entry_;
    Entry* next = entry->next;
    unhash(entry);
    (entry->previous ? entry->previous->next : first_) = entry->next;
    (entry->next ? entry->next->previous : last_) = entry->previous;
    slots_.unmake(entry);
    --size_;
    return iterator(next);
  }
  std::size_t erase(Key key) {
    Entry* entry = look_up(key);
    if (entry) (void)erase(const_iterator(entry));
    return entry ? 1 : 0;
  }
  void clear() {
    while (first_) slots_.unmake(std::exchange(first_, first_->next));
    last_ = nullptr;
    buckets_.clear();
    size_ = 0;
  }

  friend bool operator==(const IdTable& a, const IdTable& b) {
    if (a.size_ != b.size_) return false;
    for (auto x = a.begin(), y = b.begin(); x != a.end(); ++x, ++y)
      if (!(*x == *y)) return false;
    return true;
  }

 private:
  // Fibonacci hashing: ids in a row spread over the buckets, and so do ids with any stride.
  [[nodiscard]] std::size_t home(Key key) const {
    return static_cast<std::size_t>((std::uint64_t{key.raw} * 0x9e3779b97f4a7c15U) >> shift_);
  }
  [[nodiscard]] std::size_t after(std::size_t bucket) const { return (bucket + 1) & (buckets_.size() - 1); }

  [[nodiscard]] Entry* look_up(Key key) const {
    if (size_ == 0) return nullptr;
    for (std::size_t at = home(key); buckets_[at]; at = after(at))
      if (buckets_[at]->value.first == key) return buckets_[at];
    return nullptr;
  }
  [[nodiscard]] Entry* known(Key key) const {
    Entry* entry = look_up(key);
    if (!entry) throw std::out_of_range("no value with id " + std::to_string(key.raw));
    return entry;
  }
  [[nodiscard]] std::size_t free_bucket(Key key) const {
    std::size_t at = home(key);
    while (buckets_[at]) at = after(at);
    return at;
  }

  void grow() {
    std::size_t count = 16;
    shift_ = 60;
    while (count < 4 * (size_ + 1)) count *= 2, --shift_;
    buckets_.assign(count, nullptr);
    for (Entry* entry = first_; entry; entry = entry->next)
      buckets_[free_bucket(entry->value.first)] = entry;
  }

  void link(Entry* fresh) {
    Entry* before = last_;
    while (before && fresh->value.first < before->value.first) before = before->previous;
    fresh->previous = before;
    fresh->next = before ? before->next : first_;
    (fresh->previous ? fresh->previous->next : first_) = fresh;
    (fresh->next ? fresh->next->previous : last_) = fresh;
  }

  // Closes the gap: what was pushed on by linear probing moves back towards its home.
  void unhash(const Entry* entry) {
    std::size_t gap = home(entry->value.first);
    while (buckets_[gap] != entry) gap = after(gap);
    for (std::size_t at = after(gap); buckets_[at]; at = after(at)) {
      const std::size_t wants = home(buckets_[at]->value.first);
      const bool stays = gap <= at ? gap < wants && wants <= at : gap < wants || wants <= at;
      if (!stays) buckets_[std::exchange(gap, at)] = buckets_[at];
    }
    buckets_[gap] = nullptr;
  }

  std::vector<Entry*> buckets_;
  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
  std::size_t size_ = 0;
  unsigned shift_ = 60;
  Slots<Entry> slots_;
};

}  // namespace aliquot
