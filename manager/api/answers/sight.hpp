// What a client sees of the jobs of other users, according to the setting `api.privacy`:
//
//   open     everything but their output
//   queue    what a queue must show: owner, state, size, place, yield and times. Not what runs, under which
//            name and account, how it ended, and what CPU it used
//   private  nothing; sums over all jobs remain
//
// Users see the whole of their own jobs, operators of all jobs.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "manager/api/wire/request.hpp"
#include "policies/model/id.hpp"

namespace aliquot {

class Sight {
 public:
  using Owner = std::function<std::optional<std::uint32_t>(JobId)>;  // none: no such job is known
  enum class Part { whole, queue, nothing };

  Sight() = default;  // of everything
  // `owner` is asked for jobs whose owner the answer does not name.
  Sight(const std::string& privacy, const Peer& peer, Owner owner);

  [[nodiscard]] Part of(std::optional<std::uint32_t> owner) const;
  // Removes from the answer what the client may not see of any job in it: of every object with a `job`.
  void limit(nlohmann::json& answer) const;

 private:
  [[nodiscard]] Part part_shown(const nlohmann::json& object) const;

  Part others_ = Part::whole;
  std::optional<std::uint32_t> own_;  // none: the client has no ticket
  Owner owner_;
};

}  // namespace aliquot
