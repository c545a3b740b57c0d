// SPDX-License-Identifier: Apache-2.0
// Rollback for a create that fails half way: every step that leaves something behind says, at once,
// how to take it away. Undone in reverse order unless commit() was reached.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/base/result.h"

namespace hardrun {

class UndoStack {
  public:
    using Action = std::move_only_function<Status()>;
    // Where a failed undo goes. The caller's own error is what the user sees, so a second failure
    // is reported beside it and never replaces it.
    using Report = std::function<void(const std::string& what, const Error&)>;

    explicit UndoStack(Report report) : report_(std::move(report)) {}
    UndoStack(const UndoStack&) = delete;
    UndoStack& operator=(const UndoStack&) = delete;
    ~UndoStack() { roll_back(); }

    void push(std::string what, Action action) {
        actions_.push_back({std::move(what), std::move(action)});
    }

    // Everything worked: what was built stays.
    void commit() noexcept { actions_.clear(); }

    void roll_back() noexcept {
        while (!actions_.empty()) {
            Entry entry = std::move(actions_.back());
            actions_.pop_back();
            if (Status st = entry.action(); !st)
                report_(entry.what, st.error());
        }
    }

  private:
    struct Entry {
        std::string what;
        Action action;
    };
    Report report_;
    std::vector<Entry> actions_;
};

}  // namespace hardrun
