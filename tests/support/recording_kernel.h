// SPDX-License-Identifier: Apache-2.0
// A kernel for init's steps that keeps one ordered list of every call, answers as a real one would,
// and can fail at any of them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "runtime/init/kernel.h"
#include "runtime/init/report.h"

namespace hardrun::test {

struct Call {
    long nr = 0;
    long args[6] = {};
    std::string text;  // the first string argument, where the call has one
};

class RecordingKernel final : public init::Kernel {
  public:
    // The call with this index gives -EPERM, once.
    std::optional<size_t> fail_at;
    uint64_t bounding = (uint64_t{1} << 41) - 1;
    // setresuid() claims success and changes nothing.
    bool lies_about_ids = false;
    // What openat2() says is not there, until something makes it.
    std::set<std::string> missing;

    const std::vector<Call>& calls() const { return calls_; }
    const std::vector<init::Message>& sent() const { return sent_; }
    // Where a call with this number (and first string) is first or last, or nothing.
    std::optional<size_t> first(long nr, const std::string& text = "") const;
    std::optional<size_t> last(long nr) const;
    size_t count(long nr) const;

  protected:
    long call(long nr, const long (&args)[6]) noexcept override;

  private:
    long answer(const Call& call);
    long open_file(const Call& call, const std::string& path);
    long stat_file(const Call& call);
    long identity(const Call& call);
    long prctl(const Call& call);

    std::vector<Call> calls_;
    std::vector<init::Message> sent_;
    std::map<long, std::string> open_;                    // descriptor -> path
    std::map<std::string, std::pair<long, long>> nodes_;  // name -> mode, device
    std::set<std::string> made_;
    long next_fd_ = 100;
    bool old_root_gone_ = false;
    uint32_t uid_ = 0;
    uint32_t gid_ = 0;
    uint32_t caps_[6] = {};
};

}  // namespace hardrun::test
