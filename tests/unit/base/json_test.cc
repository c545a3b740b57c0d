// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "runtime/base/json_value.h"
#include "runtime/base/json_writer.h"

namespace hardrun::json {
namespace {

using namespace std::string_literals;

std::string error_of(const std::string& text) {
    const auto value = parse(text);
    return value ? "" : value.error().what();
}

TEST(JsonValue, keeps_integers_exact) {
    const auto v = parse(
        R"({"a":18446744073709551615,"b":-9223372036854775808,"c":9223372036854775807,"d":-1,"e":0})");
    ASSERT_TRUE(v);
    EXPECT_EQ(v->find("a")->as_uint(), UINT64_MAX);
    EXPECT_EQ(v->find("a")->as_int(), std::nullopt);
    EXPECT_EQ(v->find("b")->as_int(), INT64_MIN);
    EXPECT_EQ(v->find("c")->as_int(), INT64_MAX);
    EXPECT_EQ(v->find("c")->as_uint(), static_cast<uint64_t>(INT64_MAX));
    EXPECT_EQ(v->find("d")->as_uint(), std::nullopt);
    EXPECT_EQ(v->find("e")->as_int(), 0);
}

TEST(JsonValue, a_number_that_is_no_integer_is_never_one) {
    const auto v =
        parse(R"({"a":100.0,"b":1e2,"c":18446744073709551616,"d":-9223372036854775809,"e":"1"})");
    ASSERT_TRUE(v);
    for (const Member& m : *v->as_object()) {
        EXPECT_EQ(m.value.as_int(), std::nullopt) << m.key;
        EXPECT_EQ(m.value.as_uint(), std::nullopt) << m.key;
    }
    EXPECT_EQ(v->find("a")->describe(), "100.0");
    EXPECT_EQ(v->find("b")->describe(), "1e2");
}

TEST(JsonValue, reads_every_kind_in_order) {
    const auto v = parse(R"({"z":null,"a":[true,{"x":"\u00e9\ud83d\ude00\n"},[]],"m":{}})");
    ASSERT_TRUE(v);
    ASSERT_EQ(v->as_object()->size(), 3U);
    EXPECT_EQ((*v->as_object())[0].key, "z");
    EXPECT_TRUE(v->find("z")->is_null());
    const Value::Array& a = *v->find("a")->as_array();
    EXPECT_EQ(a[0].as_bool(), true);
    EXPECT_EQ(*a[1].find("x")->as_string(), "\u00e9\U0001F600\n");
    EXPECT_TRUE(a[2].as_array()->empty());
    EXPECT_EQ(v->find("nosuch"), nullptr);
    EXPECT_EQ(a[0].find("x"), nullptr);
}

TEST(JsonValue, C13_refuses_what_is_not_strict_json) {
    const std::string bad[] = {
        "",
        " \n",
        "[]",
        "1",
        "\"x\"",
        "null",
        "\xEF\xBB\xBF{}",
        "// c\n{}",
        "{}//",
        "/* c */{}",
        "{\"a\":1,}",
        "{\"a\":[1,]}",
        "{} x",
        "{}{}",
        "{\"a\":1",
        "{\"a\"",
        "{\"a",
        "{\"a\\",
        "{\"a\\u",
        "{\"a\\ud83",
        "{a:1}",
        "{'a':1}",
        "{\"a\":01}",
        "{\"a\":+1}",
        "{\"a\":NaN}",
        "{\"a\":.5}",
        "{\"a\":1.}",
        "{\"a\":0x10}",
        "{\"a\":tru}",
        "{\"a\":\"\\u0000\"}",
        "{\"a\\u0000b\":1}",
        "{\"a\":\"x\0y\"}"s,
        "{}\0"s,
        "{\"a\":\"\xFF\xFE\"}",
        "{\"a\":\"\xC0\x80\"}",
        "{\"a\":\"\xED\xA0\x80\"}",
        "{\"\xFF\":1}",
        "{\"a\":\"\\ud800\"}",
        "{\"a\":\"\\ud800x\"}",
        "{\"a\":\"\\ud800\\u0041\"}",
        "{\"a\":\"\\udc00\"}",
        "{\"a\":\"\\x41\"}",
        "{\"a\":\"tab\there\"}",
        "{\"a\":1 \"b\":2}",
        "{\"a\":1,\"a\":1}",
        "{\"a\":1,\"\\u0061\":1}",
    };
    for (const std::string& text : bad) {
        EXPECT_NE(error_of(text), "") << text;
        EXPECT_EQ(error_of(text).find('\n'), std::string::npos) << text;
    }
}

TEST(JsonValue, errors_say_where) {
    EXPECT_EQ(error_of("{\n  \"a\": [1,\n  x]}").rfind("line 3, column 3: ", 0), 0U)
        << error_of("{\n  \"a\": [1,\n  x]}");
    EXPECT_EQ(error_of(R"({"a":[{"b":1},{"c":{"d":1,"e":2,"d":3}}]})"),
              "a[1].c.d: the key is there twice");
    EXPECT_EQ(error_of(R"({"annotations":{"x.y":"\u0000"}})"),
              R"(annotations["x.y"]: a string with a NUL)");
    EXPECT_EQ(error_of("[]"), "expected an object at the top level");
}

TEST(JsonValue, hostile_sizes_are_errors) {
    const std::string deep = "{\"a\":" + std::string(20000, '[') + std::string(20000, ']') + "}";
    EXPECT_NE(error_of(deep).find("nested deeper than 128"), std::string::npos) << error_of(deep);
    EXPECT_NE(error_of("{\"a\":\"" + std::string(5U << 20, 'x') + "\"}"), "");
    std::string many = "{\"a\":[0";
    for (int i = 0; i < 400000; ++i)
        many += ",0";
    EXPECT_EQ(error_of(many + "]}").rfind("a[", 0), 0U);
    EXPECT_NE(error_of("{\"a\":" + std::string(100, '9') + "}"), "");
    EXPECT_NE(error_of("{" + std::string(64U << 20, ' ') + "}"), "");
    std::string keys = "{\"k\":0";
    for (int i = 0; i < 200000; ++i)
        keys += ",\"" + std::to_string(i) + "\":0";
    EXPECT_EQ(error_of(keys + "}"), "");
}

TEST(JsonWriter, writes_compact_and_indented) {
    const auto write = [](Layout layout) {
        Writer w(layout);
        w.begin_object().field("s", "a\"\xFF").field("n", -1).field("u", UINT64_MAX);
        w.field("b", true).key("e").begin_array().end_array();
        w.key("a").begin_array().value(1).value("x").null().begin_object().end_object();
        w.end_array().key("r").raw("[0]").end_object();
        return w.take();
    };
    EXPECT_EQ(write(Layout::compact),
              R"({"s":"a\"\ufffd","n":-1,"u":18446744073709551615,"b":true,"e":[],)"
              R"("a":[1,"x",null,{}],"r":[0]})");
    EXPECT_EQ(
        write(Layout::indented),
        "{\n  \"s\": \"a\\\"\\ufffd\",\n  \"n\": -1,\n  \"u\": 18446744073709551615,\n"
        "  \"b\": true,\n  \"e\": [],\n  \"a\": [\n    1,\n    \"x\",\n    null,\n    {}\n  ],\n"
        "  \"r\": [0]\n}");
    EXPECT_TRUE(parse(write(Layout::indented)));
}

}  // namespace
}  // namespace hardrun::json
