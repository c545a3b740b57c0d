// SPDX-License-Identifier: Apache-2.0
// House error style: a value or an Error that says where it happened.
//
// We own this type instead of using std::expected for two reasons, both checked on the project's
// toolchain: the class is [[nodiscard]], so dropping a failure is a compile error; and clang 14
// (clang-tidy, libFuzzer) cannot compile libstdc++ 12's <expected>. The names follow std::expected
// so that a later switch is mechanical.
#pragma once

#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace hardrun {

// What the caller can do about it. Code decides by kind (the shim maps each one to an RPC status);
// the text is for people, and no code ever looks into it.
enum class Errc {
    bad_config,      // config.json is wrong: the user must edit it
    unsupported,     // valid, but this build or this kernel cannot do it
    policy_denied,   // a hardening rule refused it
    not_found,       // no such container
    already_exists,  // the id is taken
    bad_state,       // the container is not in a state that allows this
    kernel,          // a system call failed; sys_errno() is set
    internal,        // our bug
    help_wanted,     // no failure: the text is what the user asked to read
};

class Error {
  public:
    Error(Errc kind, std::string what) : kind_(kind), what_(std::move(what)) {}

    // A failed system call. Reads errno first, so nothing may come between the call and this.
    static Error sys(std::string_view call, int err = errno) {
        Error e(Errc::kernel, std::string(call) + ": " + std::strerror(err));
        e.errno_ = err;
        return e;
    }

    // Adds the outer half of the sentence: context("mount /proc") gives "mount /proc: <inner>".
    Error context(std::string_view outer) && {
        what_.insert(0, std::string(outer) + ": ");
        return std::move(*this);
    }

    Errc kind() const { return kind_; }
    int sys_errno() const { return errno_; }
    const std::string& what() const { return what_; }

  private:
    Errc kind_;
    int errno_ = 0;
    std::string what_;
};

template <class T>
class [[nodiscard]] Result {
  public:
    using value_type = T;
    Result(T value) : v_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : v_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return v_.index() == 0; }
    T& operator*() & { return *std::get_if<0>(&v_); }
    const T& operator*() const& { return *std::get_if<0>(&v_); }
    T&& operator*() && { return std::move(*std::get_if<0>(&v_)); }
    T* operator->() { return std::get_if<0>(&v_); }
    const T* operator->() const { return std::get_if<0>(&v_); }
    Error& error() & { return *std::get_if<1>(&v_); }
    const Error& error() const& { return *std::get_if<1>(&v_); }
    Error&& error() && { return std::move(*std::get_if<1>(&v_)); }

    // Adds context on failure, passes a value through untouched.
    Result context(std::string_view outer) && {
        if (v_.index() == 1)
            return Result(std::move(*std::get_if<1>(&v_)).context(outer));
        return std::move(*this);
    }

  private:
    std::variant<T, Error> v_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : e_(std::move(error)) {}

    explicit operator bool() const { return !e_.has_value(); }
    Error& error() & { return *e_; }
    const Error& error() const& { return *e_; }
    Error&& error() && { return std::move(*e_); }

    Result context(std::string_view outer) && {
        if (e_)
            return Result(std::move(*e_).context(outer));
        return {};
    }

  private:
    std::optional<Error> e_;
};

using Status = Result<void>;

}  // namespace hardrun

// The only two macros of the project. HARDRUN_TRY binds the value or returns the error;
// HARDRUN_CHECK is the same for a Status. Write the context on the expression: HARDRUN_TRY(Fd fd,
// open_dir(p).context(p)).
#define HARDRUN_CAT2(a, b) a##b
#define HARDRUN_CAT(a, b) HARDRUN_CAT2(a, b)
#define HARDRUN_TRY_IMPL(tmp, decl, ...) \
    auto tmp = (__VA_ARGS__);            \
    if (!tmp)                            \
        return std::move(tmp).error();   \
    decl = *std::move(tmp)
#define HARDRUN_TRY(decl, ...) \
    HARDRUN_TRY_IMPL(HARDRUN_CAT(hardrun_try_, __LINE__), decl, __VA_ARGS__)
#define HARDRUN_CHECK(...)                                \
    do {                                                  \
        if (auto hardrun_st = (__VA_ARGS__); !hardrun_st) \
            return std::move(hardrun_st).error();         \
    } while (false)
