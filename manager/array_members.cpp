#include "manager/array_members.hpp"

#include <string>

namespace aliquot {

Result<JobId> job_meant(const CoreState& state, const Store& store, const Show& request) {
  if (!request.index) return request.job;
  const std::string array = "array " + std::to_string(request.job.raw),
                    index = std::to_string(*request.index);
  const auto record = state.records.find(request.job);
  if (record != state.records.end() && record->second.array)
    for (const StandingMember& member : record->second.array->standing)
      if (member.index == *request.index) return member.job;
  if (const auto ended = store.ended_member({request.job, *request.index})) return ended->job;
  if (record == state.records.end() || !record->second.array)
    return fail(ErrorKind::not_found, "job " + std::to_string(request.job.raw) + " has no member " + index +
                                          "; `aliquot show " + std::to_string(request.job.raw) + "`");
  if (!contains(record->second.submission->array->indices, *request.index))
    return fail(ErrorKind::not_found, array + " has no index " + index);
  return fail(ErrorKind::not_found, "member " + index + " of " + array +
                                        " has not been made; `aliquot why " +
                                        std::to_string(request.job.raw) + "` tells how many are to come");
}

}  // namespace aliquot
