// SPDX-License-Identifier: Apache-2.0
#include "config/secrets.h"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <utility>

namespace hardrun::config {
namespace {

using Example = std::pair<std::string, std::string>;

std::string some(size_t n, char c = 'x') {
    return std::string(n, c);
}

// Made up, all of them.
const std::array<Example, 52> kCredentials = {{
    {"GITHUB_TOKEN", "0123456789abcdef"},
    {"GH_TOKEN", "0123456789abcdef"},
    {"NPM_TOKEN", "0123456789"},
    {"CI_JOB_TOKEN", "0123456789"},
    {"HF_TOKEN", "0123456789"},
    {"VAULT_TOKEN", "s.0123456789"},
    {"SLACK_BOT_TOKEN", "0123456789"},
    {"DIGITALOCEAN_ACCESS_TOKEN", "0123456789"},
    {"token", "0123456789"},
    {"Token_For_CI", "0123456789"},
    {"AWS_SECRET_ACCESS_KEY", some(40)},
    {"AWS_SESSION_TOKEN", some(40)},
    {"AWS_ACCESS_KEY", some(20)},
    {"CLIENT_SECRET", "0123456789"},
    {"JWT_SECRET", "correct horse"},
    {"DJANGO_SECRET_KEY", "0123456789"},
    {"SESSION_SECRET", "0123456789"},
    {"secret", "0123456789"},
    {"POSTGRES_PASSWORD", "pg"},
    {"MYSQL_ROOT_PASSWORD", "root"},
    {"REDIS_PASSWORD", "r"},
    {"DB_PASSWD", "x1"},
    {"GPG_PASSPHRASE", "a b c"},
    {"DB_PASS", "0123456"},
    {"MYSQL_PWD", "0123456"},
    {"OPENAI_API_KEY", "0123456789"},
    {"ANTHROPIC_API_KEY", "0123456789"},
    {"STRIPE_APIKEY", "0123456789"},
    {"X_API_KEY", "0123456789"},
    {"AZURE_STORAGE_ACCOUNT_KEY", "0123456789"},
    {"TAILSCALE_AUTH_KEY", "0123456789"},
    {"RAILS_MASTER_KEY", "0123456789"},
    {"DEPLOY_PRIVATE_KEY", "0123456789"},
    {"COSIGN_SIGNING_KEY", "0123456789"},
    {"APP_ENCRYPTION_KEY", "0123456789"},
    {"SUPABASE_SERVICE_KEY", "0123456789"},
    {"GOOGLE_CREDENTIALS", "{\"type\": 1}"},
    {"AZURE_DEVOPS_EXT_PAT", some(52)},
    {"A", "AKIA" + some(16, 'A')},
    {"B", "AIza" + some(35, 'A')},
    {"C", "ghp_" + some(36)},
    {"D", "github_pat_" + some(40)},
    {"E", "glpat-" + some(20)},
    {"F", "npm_" + some(36)},
    {"G", "sk-" + some(40)},
    {"H", "xoxb-" + some(30)},
    {"I", "eyJ" + some(80)},
    {"J", "-----BEGIN OPENSSH PRIVATE KEY-----\n" + some(40)},
    {"K", "{\"type\": \"service_account\", \"private_key\": \"" + some(40)},
    {"DATABASE_URL", "postgres://app:hunter2@db:5432/app"},
    {"PROXY", "http://user:pw@proxy:3128"},
    {"L", "pypi-" + some(60)},
}};

const std::array<Example, 58> kOrdinary = {{
    {"PATH", "/usr/local/bin:/usr/bin"},
    {"HOME", "/root"},
    {"PWD", "/work/project"},
    {"OLDPWD", "/work"},
    {"LANG", "C.UTF-8"},
    {"TERM", "xterm"},
    {"HOSTNAME", "78ad025ff0f0"},
    {"GPG_KEY", "A035C8C19219BA821ECEA86B64E628F8D684696D"},
    {"PYTHON_SHA256", some(64, 'a')},
    {"NODE_VERSION", "20.1.0"},
    {"YARN_VERSION", "1.22.19"},
    {"GOLANG_VERSION", "1.21"},
    {"JAVA_HOME", "/opt/java"},
    {"TOKENIZERS_PARALLELISM", "false"},
    {"TOKEN_LIMIT", "200000"},
    {"MAX_TOKENS", "200000"},
    {"TOKEN_COUNT", "1234567"},
    {"TOKEN_URL_PATH", "/oauth/token"},
    {"TOKEN_FILE", "/run/secrets/token"},
    {"POSTGRES_PASSWORD_FILE", "/run/secrets/pg"},
    {"VAULT_TOKEN_PATH", "/vault"},
    {"AWS_WEB_IDENTITY_TOKEN_FILE", "/var/run/x"},
    {"AWS_SHARED_CREDENTIALS_FILE", "/root/.aws/credentials"},
    {"GOOGLE_APPLICATION_CREDENTIALS", "/secrets/sa.json"},
    {"SECRET_NAME", "my-secret"},
    {"SECRET_ROTATION", "enabled"},
    {"PASSWORD_POLICY", "strict1"},
    {"PASSWORD_MIN_LENGTH", "12"},
    {"PASSWORD", ""},
    {"USE_TOKEN", "true"},
    {"TOKEN", "none"},
    {"API_KEY", ""},
    {"API_KEY_HEADER", "X-Api-Key"},
    {"API_KEY_ID", "key-0001"},
    {"AWS_REGION", "eu-central-1"},
    {"AWS_PROFILE", "production"},
    {"SSH_AUTH_SOCK", "/tmp/agent.sock"},
    {"GIT_ASKPASS", "echo-askpass"},
    {"KEYBOARD_LAYOUT", "de-latin1"},
    {"COMPASS_MODE", "production"},
    {"BYPASS_CACHE", "always-on"},
    {"PASSENGER_APP_ENV", "production"},
    {"PATTERN", "a-long-pattern-of-words"},
    {"SECRETARY", "Miss Moneypenny"},
    {"TOKENIZER", "sentencepiece"},
    {"DATABASE_URL", "postgres://db:5432/app"},
    {"DATABASE_URL", "postgres://app@db:5432/app"},
    {"HTTP_PROXY", "http://proxy:3128"},
    {"URL", "https://example.com/a:b@c"},
    {"NPM_CONFIG_LOGLEVEL", "info"},
    {"npm_config_user_agent", "npm/10"},
    {"SK", "sk-short"},
    {"WORDS", "sk-is the beginning of a long sentence"},
    {"GREETING", "eyJ is how it starts"},
    {"CERT", "-----BEGIN CERTIFICATE-----\n" + some(40)},
    {"PUBLIC_KEY", "ssh-ed25519 AAAAC3Nza"},
    {"LICENSE", "Apache-2.0"},
    {"AUTH_TYPE", "password-or-key"},
}};

TEST(Secrets, credentials_are_seen) {
    for (const auto& [name, value] : kCredentials)
        EXPECT_TRUE(looks_like_credential(name, value)) << name << "=" << value;
}

TEST(Secrets, ordinary_variables_are_left_alone) {
    for (const auto& [name, value] : kOrdinary)
        EXPECT_FALSE(looks_like_credential(name, value)) << name << "=" << value;
}

TEST(Secrets, every_pattern_is_its_own) {
    std::set<std::string_view> seen;
    for (const CredentialPattern& p : credential_patterns())
        EXPECT_TRUE(seen.insert(p.text).second) << p.text;
}

}  // namespace
}  // namespace hardrun::config
