// SPDX-License-Identifier: Apache-2.0
// A folder for one test, removed at its end with all that is in it.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace hardrun::test {

class TempDir {
  public:
    TempDir() {
        std::string name = std::filesystem::temp_directory_path() / "hardrun-test-XXXXXX";
        if (::mkdtemp(name.data()) == nullptr)
            std::abort();
        path_ = name;
    }
    TempDir(const TempDir&) = delete;
    TempDir& operator=(const TempDir&) = delete;
    ~TempDir() {
        std::error_code ignored;  // a leftover in /tmp is no failure of the test
        std::filesystem::remove_all(path_, ignored);
    }
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

inline std::string slurp(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
}

inline void write_text(const std::string& path, const std::string& text) {
    std::ofstream(path, std::ios::binary) << text;
}

}  // namespace hardrun::test
