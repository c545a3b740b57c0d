// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <climits>

#include "runtime/cli/command.h"
#include "runtime/cli/common.h"
#include "runtime/cli/install/config_file.h"
#include "runtime/cli/install/difference.h"
#include "runtime/cli/install/engine.h"
#include "runtime/cli/install/users.h"

namespace hardrun::cli {
namespace {

using install::ConfigFile;
using install::Engine;

Result<const Engine*> engine_of(const Options& o) {
    std::string known;
    for (const Engine& engine : install::engines()) {
        if (o.words().size() == 1 && o.words().front() == engine.name)
            return &engine;
        known.append(known.empty() ? "" : ", ").append(engine.name);
    }
    return Error(Errc::bad_config,
                 "expected one engine of " + known + ", got " +
                     (o.words().empty() ? "none" : "\"" + o.words().front() + "\""));
}

// The runtimes are this program and the links beside it, wherever they are.
Result<install::Runtimes> siblings(const Options& o) {
    char self[PATH_MAX];
    const ssize_t size = ::readlink("/proc/self/exe", self, sizeof self);
    if (size < 0 || size == sizeof self)
        return Error::sys("readlink /proc/self/exe");
    const std::string path(self, static_cast<size_t>(size));
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    install::Runtimes out;
    for (const std::string_view name : install::runtime_names()) {
        if (name == "hardrun-compat" && !o.flag("compat"))
            continue;
        out.push_back({std::string(name), folder + std::string(name)});
        if (::access(out.back().path.c_str(), X_OK) != 0)
            return Error::sys(out.back().path + " (a link to hardrun of that name must be there)");
    }
    return out;
}

struct Edit {
    const Engine& engine;
    ConfigFile file;
    std::string before;
    std::string after;
    bool dry = false;
};

Options& add_file_options(Options& o) {
    return o.add_text("config", "edit this file instead of the engine's usual one")
        .add_flag("dry-run", "only show what would change");
}

Result<Edit> open_edit(const Options& o) {
    HARDRUN_TRY(const Engine* engine, engine_of(o));
    HARDRUN_TRY(ConfigFile file, ConfigFile::open(o.text("config", std::string(engine->file))));
    std::string before = file.text().value_or(std::string(engine->fresh));
    return Edit{*engine, std::move(file), before, before, o.flag("dry-run")};
}

std::string shown(const Edit& edit, std::string_view after) {
    return install::difference(edit.file.path(), edit.file.text().value_or(""), after);
}

std::string farewell(const Edit& edit) {
    return edit.dry ? "dry run: nothing was written\n"
                    : "written; " + std::string(edit.engine.after) + "\n";
}

// The backup is what was there before any of ours.
Status write_installed(const Edit& edit) {
    HARDRUN_TRY(const std::string without, edit.engine.take(edit.before));
    if (without == edit.before)
        HARDRUN_CHECK(edit.file.text() ? edit.file.keep_backup() : edit.file.drop_backup());
    return edit.file.write(edit.after);
}

// Compared after the same edit to both, so that formatting alone is no difference.
bool differ_only_by_us(const Edit& edit, const std::string& backup, const std::string& without) {
    const install::Runtimes probe = {{"hardrun", "/hardrun"}};
    const auto a = edit.engine.add(backup, probe);
    const auto b = edit.engine.add(without, probe);
    return a && b && *a == *b;
}

// As it was, byte for byte, where nobody else has changed it since; else what is left without ours.
std::string restored(const Edit& edit, const std::string& without) {
    const auto& backup = edit.file.backup();
    return backup && differ_only_by_us(edit, *backup, without) ? *backup : without;
}

Status write_removed(const Edit& edit) {
    const bool made_by_us = !edit.file.backup() && edit.after == edit.engine.fresh;
    HARDRUN_CHECK(made_by_us ? edit.file.remove() : edit.file.write(edit.after));
    return edit.file.drop_backup();
}

std::string warn_of_users(const Engine& engine) {
    std::vector<std::string> roots = engine.state_roots();
    if (std::ranges::find(roots, "/run/hardrun") == roots.end())
        roots.emplace_back("/run/hardrun");
    std::string out;
    for (const std::string& user : install::running_below(roots))
        out += "  " + user + "\n";
    return out.empty() ? out
                       : "these containers still run with hardrun, which must stay on this "
                         "machine until they end:\n" +
                             out;
}

}  // namespace

Result<int> run_install(const Global&, const Args& args) {
    Options o("install: tell an engine of hardrun's runtimes");
    add_file_options(o).add_flag("compat", "also hardrun-compat, which hardens nothing");
    HARDRUN_CHECK(o.parse_mixed(args));
    HARDRUN_TRY(Edit edit, open_edit(o));
    HARDRUN_TRY(const install::Runtimes runtimes, siblings(o));
    HARDRUN_TRY(edit.after, edit.engine.add(edit.before, runtimes).context(edit.file.path()));
    if (edit.file.text() && edit.after == edit.before) {
        HARDRUN_CHECK(print(edit.file.path() + ": nothing to change\n"));
        return 0;
    }
    if (!edit.dry)
        HARDRUN_CHECK(write_installed(edit).context(edit.file.path()));
    HARDRUN_CHECK(print(shown(edit, edit.after) + farewell(edit)));
    return 0;
}

Result<int> run_uninstall(const Global&, const Args& args) {
    Options o("uninstall: take back what install did");
    add_file_options(o);
    HARDRUN_CHECK(o.parse_mixed(args));
    HARDRUN_TRY(Edit edit, open_edit(o));
    HARDRUN_TRY(const std::string without, edit.engine.take(edit.before).context(edit.file.path()));
    if (!edit.file.text() || without == edit.before) {
        HARDRUN_CHECK(print(edit.file.path() + ": nothing to change\n"));
        return 0;
    }
    edit.after = restored(edit, without);
    if (!edit.dry)
        HARDRUN_CHECK(write_removed(edit).context(edit.file.path()));
    HARDRUN_CHECK(print(shown(edit, edit.after) + farewell(edit) + warn_of_users(edit.engine)));
    return 0;
}

}  // namespace hardrun::cli
