// SPDX-License-Identifier: Apache-2.0
#include "config/explain.h"

#include <algorithm>

#include "runtime/base/json_writer.h"

namespace hardrun::config {
namespace {

// What became of one control.
enum class Outcome : uint8_t { off, as_given, changed, refused };

struct Control {
    RuleInfo rule;
    Outcome outcome = Outcome::off;
    std::vector<std::string> changes;
    std::vector<const Refusal*> refusals;
};

std::vector<Control> controls_of(const Judgement& j) {
    std::vector<Control> out;
    for (const RuleInfo& rule : rules_of(j.spec.profile())) {
        Control control{.rule = rule};
        for (const Finding& f : j.spec.findings())
            if (f.rule == rule.id)
                control.changes.push_back(f.what);
        for (const Refusal& r : j.refusals)
            if (r.rule == rule.id)
                control.refusals.push_back(&r);
        if (!control.refusals.empty())
            control.outcome = Outcome::refused;
        else if (!control.changes.empty())
            control.outcome = Outcome::changed;
        else if (rule.applies)
            control.outcome = Outcome::as_given;
        out.push_back(std::move(control));
    }
    return out;
}

std::string_view word(Outcome outcome) {
    switch (outcome) {
        case Outcome::off:
            return "off";
        case Outcome::as_given:
            return "as given";
        case Outcome::changed:
            return "changed";
        case Outcome::refused:
            return "refused";
    }
    return "";
}

std::string_view colour_of(Outcome outcome) {
    switch (outcome) {
        case Outcome::refused:
            return "\033[31m";
        case Outcome::changed:
            return "\033[32m";
        default:
            return "\033[2m";
    }
}

std::string padded(std::string_view text, size_t width) {
    std::string out(text);
    out.resize(std::max(width, out.size() + 1), ' ');
    return out;
}

constexpr size_t kRuleWidth = 17;
constexpr size_t kOutcomeWidth = 10;

std::string line(const Control& control, std::string_view what, Colour colour) {
    const bool on = colour == Colour::on;
    return padded(control.rule.id, kRuleWidth) + std::string(on ? colour_of(control.outcome) : "") +
           padded(word(control.outcome), kOutcomeWidth) + (on ? "\033[0m" : "") +
           std::string(what) + "\n";
}

}  // namespace

std::string explain_json(const Judgement& judgement) {
    json::Writer w(json::Layout::indented);
    w.begin_object().field("profile", name(judgement.spec.profile()));
    w.field("refused", !judgement.refusals.empty()).key("controls").begin_array();
    for (const Control& control : controls_of(judgement)) {
        w.begin_object().field("rule", control.rule.id).field("about", control.rule.about);
        w.field("outcome", word(control.outcome)).key("changes").begin_array();
        for (const std::string& change : control.changes)
            w.value(change);
        w.end_array().key("refusals").begin_array();
        for (const Refusal* const r : control.refusals) {
            w.begin_object().field("where", r->where).field("what", r->what);
            w.field("way", r->way).end_object();
        }
        w.end_array().end_object();
    }
    return w.end_array().end_object().take() + "\n";
}

std::string explain_table(const Judgement& judgement, Colour colour) {
    std::string out = "profile " + std::string(name(judgement.spec.profile())) + ": " +
                      (judgement.refusals.empty() ? "would be created" : "would be refused") + "\n";
    for (const Control& control : controls_of(judgement)) {
        for (const Refusal* const r : control.refusals)
            out += line(control, r->where + ": " + r->what + "; to go on: " + r->way, colour);
        for (const std::string& change : control.changes)
            out += line(control, change, colour);
        if (control.refusals.empty() && control.changes.empty())
            out += line(control, control.rule.about, colour);
    }
    return out;
}

}  // namespace hardrun::config
