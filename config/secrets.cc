// SPDX-License-Identifier: Apache-2.0
#include "config/secrets.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "runtime/base/text.h"

namespace hardrun::config {
namespace {

using Where = CredentialPattern::Where;

constexpr size_t kLeastByName = 6;  // "true", "none" and "1" are settings

constexpr auto kPatterns = std::to_array<CredentialPattern>({
    {Where::name_word, "TOKEN", kLeastByName},
    {Where::name_word, "SECRET", kLeastByName},
    {Where::name_word, "PASSWORD", 1},
    {Where::name_word, "PASSWD", 1},
    {Where::name_word, "PASSPHRASE", 1},
    {Where::name_word, "PWD", kLeastByName},
    {Where::name_word, "PASS", kLeastByName},
    {Where::name_word, "APIKEY", kLeastByName},
    {Where::name_word, "CREDENTIALS", kLeastByName},
    {Where::name_word, "CREDENTIAL", kLeastByName},
    {Where::name_word, "PAT", 20},
    {Where::name_words, "API_KEY", kLeastByName},
    {Where::name_words, "ACCESS_KEY", kLeastByName},
    {Where::name_words, "ACCOUNT_KEY", kLeastByName},
    {Where::name_words, "AUTH_KEY", kLeastByName},
    {Where::name_words, "ENCRYPTION_KEY", kLeastByName},
    {Where::name_words, "LICENSE_KEY", kLeastByName},
    {Where::name_words, "MASTER_KEY", kLeastByName},
    {Where::name_words, "PRIVATE_KEY", kLeastByName},
    {Where::name_words, "SIGNING_KEY", kLeastByName},
    {Where::name_words, "SERVICE_KEY", kLeastByName},
    {Where::value_prefix, "AKIA", 20},  // AWS access key
    {Where::value_prefix, "ASIA", 20},  // AWS temporary key
    {Where::value_prefix, "AIza", 35},  // Google API key
    {Where::value_prefix, "ghp_", 36},  // GitHub, and its kin
    {Where::value_prefix, "gho_", 36},
    {Where::value_prefix, "ghs_", 36},
    {Where::value_prefix, "ghu_", 36},
    {Where::value_prefix, "github_pat_", 40},
    {Where::value_prefix, "glpat-", 20},  // GitLab
    {Where::value_prefix, "hf_", 30},     // Hugging Face
    {Where::value_prefix, "npm_", 36},
    {Where::value_prefix, "pypi-", 40},
    {Where::value_prefix, "sk-", 20},       // model providers
    {Where::value_prefix, "sk_live_", 20},  // Stripe
    {Where::value_prefix, "rk_live_", 20},
    {Where::value_prefix, "xoxb-", 20},  // Slack
    {Where::value_prefix, "xoxp-", 20},
    {Where::value_prefix, "xapp-", 20},
    {Where::value_prefix, "SG.", 50},        // SendGrid
    {Where::value_prefix, "dckr_pat_", 20},  // Docker Hub
    {Where::value_prefix, "eyJ", 60},        // JSON web token
    {Where::value_inside, " PRIVATE KEY-----", 40},
    {Where::value_inside, "\"private_key\":", 40},
});

// Names that hold such a word and mean something else: where it lies, not what it is.
constexpr auto kHarmlessLastWords = std::to_array<std::string_view>(
    {"FILE",     "PATH",        "DIR",     "FOLDER",  "NAME",     "ENDPOINT", "ISSUER",
     "AUDIENCE", "TTL",         "TIMEOUT", "EXPIRY",  "LENGTH",   "LIMIT",    "MAX",
     "MIN",      "COUNT",       "TYPE",    "ENABLED", "DISABLED", "HEADER",   "ID",
     "SOCK",     "PARALLELISM", "ASKPASS", "POLICY",  "ROTATION", "ALGORITHM"});

std::string upper(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'a' && c <= 'z')
            c = static_cast<char>(c - 'a' + 'A');
        else if (c == '-' || c == '.')
            c = '_';
    return out;
}

bool points_elsewhere(std::string_view name, std::string_view value) {
    const std::vector<std::string_view> words = split(name, '_');
    return value.starts_with('/') || name == "PWD" || name == "OLDPWD" ||
           std::ranges::find(kHarmlessLastWords, words.back()) != kHarmlessLastWords.end();
}

bool has_words(std::string_view name, std::string_view wanted) {
    const std::string padded = "_" + std::string(name) + "_";
    return padded.find("_" + std::string(wanted) + "_") != std::string::npos;
}

bool matches(const CredentialPattern& p, std::string_view name, std::string_view value) {
    if (value.size() < p.least)
        return false;
    switch (p.where) {
        case Where::name_word:
        case Where::name_words:
            return has_words(name, p.text) && !points_elsewhere(name, value);
        case Where::value_prefix:
            return value.starts_with(p.text) && value.find(' ') == std::string_view::npos;
        case Where::value_inside:
            return value.find(p.text) != std::string_view::npos;
    }
    return false;
}

// scheme://user:password@host
bool has_password_in_url(std::string_view value) {
    const size_t scheme = value.find("://");
    if (scheme == std::string_view::npos)
        return false;
    const std::string_view rest = value.substr(scheme + 3);
    const std::string_view authority = rest.substr(0, rest.find_first_of("/?#"));
    const size_t at = authority.rfind('@');
    const size_t colon = authority.find(':');
    return at != std::string_view::npos && colon < at && at - colon > 1;
}

}  // namespace

std::span<const CredentialPattern> credential_patterns() {
    return kPatterns;
}

bool looks_like_credential(std::string_view name, std::string_view value) {
    const std::string upper_name = upper(name);
    return has_password_in_url(value) ||
           std::ranges::any_of(kPatterns, [&](const CredentialPattern& p) {
               return matches(p, upper_name, value);
           });
}

}  // namespace hardrun::config
