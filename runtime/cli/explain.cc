// SPDX-License-Identifier: Apache-2.0
#include "config/explain.h"

#include <fcntl.h>
#include <unistd.h>

#include "config/read_spec.h"
#include "runtime/base/facts.h"
#include "runtime/base/file.h"
#include "runtime/base/log.h"
#include "runtime/cli/command.h"
#include "runtime/cli/common.h"
#include "runtime/launch/bundle_facts.h"
#include "runtime/launch/container.h"

namespace hardrun::cli {
namespace {

struct Question {
    std::string config_json;
    std::string bundle;
    std::string id;
    config::Profile profile;
};

Result<Question> of_container(const Global& global, const std::string& id) {
    HARDRUN_TRY(const launch::Container container, launch::Container::open(global.store, id));
    HARDRUN_TRY(std::string json, container.entry().read_config());
    HARDRUN_TRY(const config::Profile profile, config::parse_profile(container.record().profile));
    return Question{std::move(json), container.record().bundle, id, profile};
}

Result<Question> of_bundle(const std::string& bundle, config::Profile profile) {
    HARDRUN_TRY(const Fd folder,
                open_at(FdRef::cwd(), bundle, O_PATH | O_DIRECTORY).context("--bundle"));
    HARDRUN_TRY(std::string json, read_file(folder, "config.json").context(bundle));
    return Question{std::move(json), bundle, "", profile};
}

Result<config::Judgement> answer(const Question& q) {
    config::Notes notes;
    HARDRUN_TRY(config::Spec spec, config::read_spec(q.config_json, notes).context("config.json"));
    for (const std::string& warning : notes.warnings)
        log::warning("config.json: " + warning);
    // A container's bundle may be gone; its sources are then unknown, as they are to an exec.
    auto folder = open_at(FdRef::cwd(), q.bundle, O_PATH | O_DIRECTORY);
    const config::BundleFacts bundle =
        launch::gather_bundle_facts(spec, folder ? FdRef(*folder) : FdRef::cwd(), q.id);
    return config::judge(std::move(spec), q.profile, probe_kernel(), bundle);
}

}  // namespace

Result<int> run_explain(const Global& global, const Args& args) {
    Options o("explain: what a profile makes of a config.json, and why");
    o.add_text("bundle,b", "the bundle's folder (default: the current one)")
        .add_text("profile", "instead of the one that the program's name asks for")
        .add_text("format,f", "table or json");
    HARDRUN_CHECK(o.parse_mixed(args));
    const std::string format = o.text("format", "table");
    if (format != "table" && format != "json")
        return Error(Errc::bad_config, "--format: expected table or json, got \"" + format + "\"");
    if (o.words().size() > 1 || (o.words().size() == 1 && o.is_set("bundle")))
        return Error(Errc::bad_config, "explain: expected one container or --bundle");
    HARDRUN_TRY(Question q, o.words().empty() ? of_bundle(o.text("bundle", "."), global.profile)
                                              : of_container(global, o.words().front()));
    if (o.is_set("profile")) {
        HARDRUN_TRY(q.profile, config::parse_profile(o.text("profile")).context("--profile"));
    }
    HARDRUN_TRY(const config::Judgement judgement, answer(q));
    const auto colour = ::isatty(STDOUT_FILENO) == 1 ? config::Colour::on : config::Colour::off;
    HARDRUN_CHECK(print(format == "json" ? config::explain_json(judgement)
                                         : config::explain_table(judgement, colour)));
    return judgement.refusals.empty() ? 0 : 1;
}

}  // namespace hardrun::cli
