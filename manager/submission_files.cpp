#include "manager/submission_files.hpp"

#include "manager/api/wire/protocol.hpp"

namespace aliquot {
namespace {

constexpr std::size_t kCopies = 64, kCopiesOfUser = 4;  // that wait, at most

Result<Program> take(SubmissionFiles::Handed handed, const IntakeRules& rules, ContentStore& contents,
                     ImageStore& images) {
  const std::string* named = archive_of(handed.program);
  if (named && !named->empty() && handed.archive_file.empty())
    if (auto whole = check_archive(handed.archive.bytes, *named); !whole)
      return tl::unexpected<Error>(whole.error());
  if (handed.dry_run) return check_files(std::move(handed.program), handed.user, rules, images);
  const HandedArchive archive{handed.archive.bytes, handed.archive_file, handed.archive_size};
  return take_in(std::move(handed.program), archive, handed.user, rules, contents, images);
}

}  // namespace

void SubmissionFiles::take(Handed handed, Done done) {
  const std::size_t size = handed.archive.bytes.size();
  const auto limit = static_cast<std::size_t>(2 * settings_.api.max_request.raw);
  if (archive_bytes_ > 0 && archive_bytes_ + size > limit)
    return done(fail(ErrorKind::unavailable, "the manager is busy storing programs of " +
                                                 std::to_string(archive_bytes_) +
                                                 " bytes; ask again in a second"));
  const bool is_file = !handed.archive_file.empty();
  const std::uint32_t uid = handed.user.uid;
  if (is_file && (copying_for_.size() >= kCopies || copying_for_.count(uid) >= kCopiesOfUser))
    return done(fail(ErrorKind::unavailable, "the input files of " + std::to_string(copying_for_.size()) +
                                                 " submissions wait to be copied, " +
                                                 std::to_string(copying_for_.count(uid)) +
                                                 " of them yours; ask again in a minute"));
  archive_bytes_ += size;
  if (is_file) copying_for_.insert(uid);
  IntakeRules rules{settings_.files.roots, settings_.files.max_size, handed.guest_memory,
                    handed.hypervisor};
  BackgroundTasks& tasks = is_file ? copies_ : tasks_;
  tasks.run([this, size, is_file, uid, rules = std::move(rules), handed = std::move(handed),
             done = std::move(done)]() mutable -> std::function<void()> {
    auto program = aliquot::take(std::move(handed), rules, contents_, images_);
    return [this, size, is_file, uid, program = std::move(program), done = std::move(done)]() mutable {
      archive_bytes_ -= size;
      if (is_file) copying_for_.extract(uid);
      done(std::move(program));
    };
  });
}

std::optional<CopyUnderWay> SubmissionFiles::copying(std::uint32_t uid) const {
  const auto copy = contents_.copying(uid);
  return copy ? std::optional(CopyUnderWay{copy->done, copy->of}) : std::nullopt;
}

void SubmissionFiles::release(const Program& program) {
  tasks_.run([this, contents = contents_of(program)]() -> std::function<void()> {
    contents_.release(contents);
    return {};
  });
}

}  // namespace aliquot
