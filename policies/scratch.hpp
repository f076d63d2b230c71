// Memory for the working out of a decision, handed from one decision to the next: nothing is allocated or
// given back piece by piece, and what is used is warm.
//
// A cache in the sense of the laws: it changes no result. It belongs to one thread, as a policy does; a
// decision within a decision gets memory of its own. What was allocated lives until the lease ends; nothing
// of it may outlive it.
#pragma once

#include <cstddef>
#include <memory_resource>
#include <vector>

namespace aliquot {

class Scratch {
  using Block = std::vector<std::byte>;

 public:
  Scratch() = default;
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch() { delete spare_; }

  class Lease {
   public:
    explicit Lease(Scratch& owner);
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease();
    [[nodiscard]] std::pmr::memory_resource* memory() { return &arena_; }

   private:
    // Where the block does not suffice; counts how much was missing.
    class Overflow : public std::pmr::memory_resource {
     public:
      std::size_t bytes = 0;

     private:
      void* do_allocate(std::size_t size, std::size_t alignment) override;
      void do_deallocate(void* at, std::size_t size, std::size_t alignment) override;
      [[nodiscard]] bool do_is_equal(const memory_resource& other) const noexcept override;
    };

    Scratch& owner_;
    Block* block_;
    Overflow overflow_;
    std::pmr::monotonic_buffer_resource arena_;
  };

 private:
  Block* take();

  Block* spare_ = nullptr;
};

}  // namespace aliquot
