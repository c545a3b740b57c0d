// SPDX-License-Identifier: Apache-2.0
// The folders of all containers: ROOT/ID with config.json (a copy: the bundle may go), record.json
// and the gate. Written by rename; a flock(2) on the folder serialises calls on one container, and
// calls on two never wait for each other. No lock is held while a program or a hook runs.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "runtime/base/fd.h"
#include "runtime/base/result.h"
#include "runtime/state/record.h"

namespace hardrun::state {

inline constexpr const char* kConfigFile = "config.json";
inline constexpr const char* kRecordFile = "record.json";
inline constexpr const char* kGateFile = "gate";

// runc's rule for names, without a leading dot: [A-Za-z0-9_+-][A-Za-z0-9_+.-]*, at most 255 (C15).
Status check_id(const std::string& id);

// One container's folder. The lock lasts as long as the Lock.
class Lock {
  public:
    explicit Lock(Fd fd) : fd_(std::move(fd)) {}

  private:
    Fd fd_;
};

class Entry {
  public:
    Entry(std::string id, std::string path, Fd dir)
        : id_(std::move(id)), path_(std::move(path)), dir_(std::move(dir)) {}

    const std::string& id() const { return id_; }
    const std::string& path() const { return path_; }
    FdRef dir() const { return dir_; }

    // Waits for other calls on this container. Errors: not_found when it was deleted meanwhile.
    Result<Lock> lock() const;

    Result<Record> read() const;
    Status write(const Record& record) const;
    Result<std::string> read_config() const;
    Status write_config(const std::string& json) const;
    bool gate_closed() const;
    Status open_gate() const;  // takes the gate's name away: it is started once

    // Keeps a namespace alive under a name in the folder, by a bind mount.
    Status pin(const std::string& name, FdRef fd) const;

    // Removes the folder and all in it. Of several that do so at once, one was it.
    enum class Removed { by_us, before };
    Result<Removed> remove() const;

  private:
    std::string id_;
    std::string path_;
    Fd dir_;
};

class Store {
  public:
    // `root` is made when it is missing (0700).
    explicit Store(std::string root) : root_(std::move(root)) {}
    const std::string& root() const { return root_; }

    // Errors: already_exists with runc's words.
    Result<Entry> create(const std::string& id) const;
    // Errors: not_found with runc's words.
    Result<Entry> open(const std::string& id) const;
    // Every folder, sorted; none where the root is missing.
    Result<std::vector<std::string>> ids() const;

  private:
    std::string root_;
};

}  // namespace hardrun::state
