// SPDX-License-Identifier: Apache-2.0
// A small valid config.json whose parts can be replaced, and what reading it says.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "config/read_spec.h"

namespace hardrun::config {

// A small valid document; each part can be replaced.
struct Doc {
    std::string process = R"({"cwd":"/","args":["sh"],"user":{"uid":0,"gid":0}})";
    std::string linux = R"({"namespaces":[{"type":"pid"},{"type":"network"},{"type":"ipc"},
                            {"type":"uts"},{"type":"mount"}]})";
    std::string more;  // further top-level members, each with a comma before it

    static Doc with_process(std::string text) {
        Doc doc;
        doc.process = std::move(text);
        return doc;
    }
    static Doc with_linux(std::string text) {
        Doc doc;
        doc.linux = std::move(text);
        return doc;
    }
    static Doc with_more(std::string text) {
        Doc doc;
        doc.more = std::move(text);
        return doc;
    }

    std::string text() const {
        return R"({"ociVersion":"1.2.0","root":{"path":"rootfs"},"process":)" + process +
               ",\"linux\":" + linux + more + "}";
    }
};

inline Result<Spec> read_text(const std::string& text) {
    Notes notes;
    return read_spec(text, notes);
}

inline std::string error_of(const std::string& text) {
    const auto spec = read_text(text);
    return spec ? "" : spec.error().what();
}

inline std::string process_error(const std::string& members) {
    return error_of(Doc::with_process("{" + members + "}").text());
}

inline std::string linux_error(const std::string& members) {
    Doc doc;
    doc.linux.insert(doc.linux.size() - 1, "," + members);
    return error_of(doc.text());
}

struct Bad {
    const char* members;
    const char* error;  // how the message starts
};

inline void expect_starts(const std::string& error, const Bad& bad) {
    EXPECT_EQ(error.rfind(bad.error, 0), 0U) << bad.members << "\n  gives: " << error;
    EXPECT_FALSE(error.empty()) << bad.members;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
}

}  // namespace hardrun::config
