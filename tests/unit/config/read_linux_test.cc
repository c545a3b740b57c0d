// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/support/config_doc.h"

namespace hardrun::config {
namespace {

TEST(ReadLinux, namespaces_and_mappings) {
    const Bad table[] = {
        {R"({"namespaces":[{"type":"net"}]})",
         R"(linux.namespaces[0].type: expected a namespace type, got "net")"},
        {R"({"namespaces":[{"path":"/x"}]})", "linux.namespaces[0].type: is required"},
        {R"({"namespaces":[{"type":"pid"},{"type":"ipc"},{"type":"pid"}]})",
         "linux.namespaces[2]: the pid namespace is there twice"},
        {R"({"namespaces":[{"type":"pid","path":"proc/1/ns/pid"}]})",
         "linux.namespaces[0].path: exp"},
        {R"({"timeOffsets":{"monotonic":{"secs":1}}})", "linux.timeOffsets: not supported"},
        {R"({"uidMappings":[{"containerID":0,"hostID":1,"size":1}]})",
         "linux.uidMappings: needs a"},
        {R"({"gidMappings":[{"containerID":0,"hostID":1,"size":1}]})",
         "linux.gidMappings: needs a"},
        {R"({"namespaces":[{"type":"user"}]})", "linux.uidMappings: a new user namespace needs"},
        {R"({"namespaces":[{"type":"user"}],"uidMappings":[{"containerID":0,"hostID":1,"size":1}]})",
         "linux.gidMappings: a new user namespace needs"},
        {R"({"namespaces":[{"type":"user"}],"uidMappings":[{"containerID":0,"hostID":1,"size":0}]})",
         "linux.uidMappings[0].size: expected a number above 0"},
        {R"({"namespaces":[{"type":"user"}],"uidMappings":[{"containerID":1,"hostID":0,"size":4294967295}]})",
         "linux.uidMappings[0]: the range goes beyond"},
        {R"({"namespaces":[{"type":"user"}],"uidMappings":[{"containerID":0,"hostID":-1,"size":1}]})",
         "linux.uidMappings[0].hostID: expected"},
        {R"({"maskedPaths":["/proc/kcore"]})", "linux.maskedPaths: needs a mount namespace"},
        {R"({"readonlyPaths":["/proc/sys"]})", "linux.readonlyPaths: needs a mount namespace"},
    };
    for (const Bad& bad : table)
        expect_starts(error_of(Doc::with_linux(bad.members).text()), bad);
    std::string many;
    for (int i = 0; i <= 340; ++i)
        many += (i == 0 ? "" : ",") + std::string(R"({"containerID":)") + std::to_string(i) +
                R"(,"hostID":1,"size":1})";
    expect_starts(
        error_of(Doc::with_linux(R"({"namespaces":[{"type":"user"}],"uidMappings":[)" + many + "]}")
                     .text()),
        {"341 mappings", "linux.uidMappings: more than 340"});
    EXPECT_EQ(
        error_of(
            Doc::with_linux(R"({"namespaces":[{"type":"user","path":"/proc/1/ns/user"}]})").text()),
        "");
}

TEST(ReadLinux, C28_devices_and_the_rest_of_linux) {
    const Bad table[] = {
        {R"("devices":[{"type":"z","path":"/dev/x","major":1,"minor":1}])",
         R"(linux.devices[0].type: expected c, u, b or p, got "z")"},
        {R"("devices":[{"type":"","path":"/dev/x","major":1,"minor":1}])", "linux.devices[0].type"},
        {R"("devices":[{"type":"c","path":"dev/x","major":1,"minor":1}])", "linux.devices[0].path"},
        {R"("devices":[{"type":"c","path":"/..","major":1,"minor":1}])", "linux.devices[0].path"},
        {R"("devices":[{"type":"c","path":"/dev/x","major":1}])",
         "linux.devices[0]: a device needs"},
        {R"("devices":[{"type":"c","path":"/dev/x","major":-1,"minor":1}])",
         "linux.devices[0].major: expected"},
        {R"("devices":[{"type":"c","path":"/dev/x","major":1,"minor":1,"uid":4294967295}])",
         "linux.devices[0].uid: expected"},
        {R"("cgroupsPath":"/a/../../b")", "linux.cgroupsPath: must not hold '..'"},
        {R"("cgroupsPath":"..")", "linux.cgroupsPath: must not hold '..'"},
        {R"("cgroupsPath":"a\nb")", "linux.cgroupsPath: must not hold a line break"},
        {R"("rootfsPropagation":"sideways")", "linux.rootfsPropagation: expected"},
        {R"("maskedPaths":["proc/kcore"])", "linux.maskedPaths[0]: expected an absolute path"},
        {R"("readonlyPaths":["/a","b"])", "linux.readonlyPaths[1]: expected an absolute path"},
        {R"("netDevices":{"eth0":{}})", "linux.netDevices: not supported"},
        {R"("intelRdt":{"closID":"x"})", "linux.intelRdt: not supported"},
        {R"("memoryPolicy":{"mode":"x"})", "linux.memoryPolicy: not supported"},
        {R"("personality":{"domain":"LINUX32"})", "linux.personality: not supported"},
        {R"("timeOffsets":{"boottime":{"secs":1}})", "linux.timeOffsets: not supported"},
        {R"("resources":{"rdma":{"mlx":{"hcaHandles":1}}})", "linux.resources.rdma: not supported"},
    };
    for (const Bad& bad : table)
        expect_starts(linux_error(bad.members), bad);
    Doc doc;
    doc.linux = R"({"rootfsPropagation":"rslave","devices":[
        {"type":"u","path":"/sub//dir/d","major":1,"minor":5,"fileMode":8630},
        {"type":"p","path":"/dev/f"}]})";
    const auto spec = read_text(doc.text());
    ASSERT_TRUE(spec) << spec.error().what();
    EXPECT_EQ(spec->linux.rootfs_propagation, "slave");
    EXPECT_EQ(spec->linux.devices[0].type, 'c');
    EXPECT_EQ(spec->linux.devices[0].path, "/sub/dir/d");
    EXPECT_EQ(spec->linux.devices[0].file_mode, 0666U);
}

TEST(ReadLinux, resources) {
    const Bad table[] = {
        {R"("memory":{"limit":"1g"})", R"(memory.limit: expected an integer, got "1g")"},
        {R"("memory":{"limit":-2})", "memory.limit: expected -1 or more, got -2"},
        {R"("memory":{"limit":9223372036854775808})", "memory.limit: expected a number from"},
        {R"("memory":{"swappiness":101})", "memory.swappiness: expected"},
        {R"("cpu":{"shares":-1})", "cpu.shares: expected a number from 0 to"},
        {R"("cpu":{"cpus":"0\n1"})", "cpu.cpus: expected a list of numbers"},
        {R"("cpu":{"mems":"a"})", "cpu.mems: expected a list of numbers"},
        {R"("pids":{"limit":1.5})", "pids.limit: expected an integer, got 1.5"},
        {R"("pids":5)", "pids: expected an object, got 5"},
        {R"("devices":[{"access":"r"}])", "devices[0].allow: is required"},
        {R"("devices":[{"allow":true,"type":"p"}])", "devices[0].type: expected a, c or b"},
        {R"("devices":[{"allow":true,"access":"rx"}])", "devices[0].access: expected letters"},
        {R"("devices":[{"allow":true,"major":-2}])", "devices[0].major: expected"},
        {R"("blockIO":{"weight":5})", "blockIO.weight: expected a number from 10 to 1000"},
        {R"("blockIO":{"throttleReadBpsDevice":[{"major":8,"minor":0}]})",
         "blockIO.throttleReadBpsDevice[0].rate: is required"},
        {R"("hugepageLimits":[{"pageSize":"64kB","limit":1}])",
         "hugepageLimits[0].pageSize: expec"},
        {R"("hugepageLimits":[{"pageSize":"../2MB","limit":1}])",
         "hugepageLimits[0].pageSize: exp"},
        {R"("network":{"priorities":[{"name":"a b","priority":1}]})",
         "network.priorities[0].name: expected"},
        {R"("unified":{"../x.y":"1"})", R"(unified["../x.y"]: the key must be)"},
        {R"("unified":{"memory":"1"})", "unified.memory: the key must be"},
        {R"("unified":{"cgroup.procs":"1"})", R"(unified["cgroup.procs"]: this file)"},
        {R"("unified":{"memory.high":1})", R"(unified["memory.high"]: expected a string)"},
    };
    for (const Bad& bad : table) {
        const std::string where = "linux.resources." + std::string(bad.error);
        expect_starts(linux_error(R"("resources":{)" + std::string(bad.members) + "}"),
                      {bad.members, where.c_str()});
        Notes notes;
        const auto alone = read_resources("{" + std::string(bad.members) + "}", notes);
        ASSERT_FALSE(alone);
        expect_starts(alone.error().what(),
                      {bad.members, ("resources." + std::string(bad.error)).c_str()});
    }
}

TEST(ReadLinux, resources_values_arrive) {
    Notes notes;
    const auto r =
        read_resources(R"({"devices":[{"allow":false},{"allow":true,"type":"c","major":10,
        "minor":-1,"access":"rw"}],"memory":{"limit":0,"swap":-1,"disableOOMKiller":true},
        "cpu":{"burst":5,"idle":1,"cpus":"0-3,7"},"pids":{"limit":-1},
        "unified":{"memory.high":"max","cgroup.max.depth":"3"},"hugepageLimits":[{"pageSize":"2MB","limit":18446744073709551615}]})",
                       notes);
    ASSERT_TRUE(r) << r.error().what();
    EXPECT_EQ(r->devices[0].type, 'a');
    EXPECT_TRUE(r->devices[0].read && r->devices[0].write && r->devices[0].mknod);
    EXPECT_EQ(r->devices[1].major, 10U);
    EXPECT_FALSE(r->devices[1].minor);
    EXPECT_FALSE(r->devices[1].mknod);
    EXPECT_EQ(r->memory->limit, 0);
    EXPECT_EQ(r->memory->swap, -1);
    EXPECT_FALSE(r->memory->reservation);
    EXPECT_EQ(r->cpu->idle, 1);
    EXPECT_EQ(r->pids_limit, -1);
    EXPECT_EQ(r->hugepage_limits[0].limit, UINT64_MAX);
}

TEST(ReadLinux, C35_seccomp) {
    const Bad table[] = {
        {R"({"syscalls":[]})", "linux.seccomp.defaultAction: is required"},
        {R"({"defaultAction":"SCMP_ACT_BOGUS"})",
         R"(linux.seccomp.defaultAction: unknown value "SCMP_ACT_BOGUS")"},
        {R"({"defaultAction":"SCMP_ACT_ALLOW","defaultErrnoRet":1})",
         "linux.seccomp.defaultErrnoRet: goes only with"},
        {R"({"defaultAction":"SCMP_ACT_ALLOW","architectures":["SCMP_ARCH_X86","x"]})",
         R"(linux.seccomp.architectures[1]: unknown value "x")"},
        {R"({"defaultAction":"SCMP_ACT_ALLOW","flags":["SECCOMP_FILTER_FLAG_NEW_LISTENER"]})",
         "linux.seccomp.flags[0]: unknown value"},
        {R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"action":"SCMP_ACT_LOG"}]})",
         "linux.seccomp.syscalls[0].names: is required"},
        {R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":[],"action":"SCMP_ACT_LOG"}]})",
         "linux.seccomp.syscalls[0].names: must not be empty"},
        {R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":[""],"action":"SCMP_ACT_LOG"}]})",
         "linux.seccomp.syscalls[0].names[0]: must not be empty"},
        {R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["a"],"action":"X"}]})",
         "linux.seccomp.syscalls[0].action: unknown value"},
        {R"({"defaultAction":"SCMP_ACT_ERRNO","syscalls":[{"names":["a"],"action":"SCMP_ACT_ALLOW","errnoRet":1}]})",
         "linux.seccomp.syscalls[0].errnoRet: goes only with"},
        {R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["a"],"action":"SCMP_ACT_ERRNO","errnoRet":4096}]})",
         "linux.seccomp.syscalls[0].errnoRet: expected"},
        {R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["a"],"action":"SCMP_ACT_ERRNO","args":[{"index":6,"value":1,"op":"SCMP_CMP_EQ"}]}]})",
         "linux.seccomp.syscalls[0].args[0].index: expected a number from 0 to 5, got 6"},
        {R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["a"],"action":"SCMP_ACT_ERRNO","args":[{"index":0,"value":-1,"op":"SCMP_CMP_EQ"}]}]})",
         "linux.seccomp.syscalls[0].args[0].value: expected"},
        {R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["a"],"action":"SCMP_ACT_ERRNO","args":[{"index":0,"value":1,"op":"=="}]}]})",
         "linux.seccomp.syscalls[0].args[0].op: unknown value"},
        {R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["a"],"action":"SCMP_ACT_NOTIFY"}]})",
         "linux.seccomp: SCMP_ACT_NOTIFY needs a listenerPath"},
        {R"({"defaultAction":"SCMP_ACT_ALLOW","listenerPath":"/s","syscalls":[{"names":["a"],"action":"SCMP_ACT_NOTIFY"}]})",
         "linux.seccomp.listenerPath: not supported"},
    };
    for (const Bad& bad : table)
        expect_starts(linux_error(R"("seccomp":)" + std::string(bad.members)), bad);
    Doc doc;
    doc.linux = R"({"seccomp":{"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"names":["no_such"],
        "action":"SCMP_ACT_ERRNO","args":[{"index":5,"value":18446744073709551615,"op":"SCMP_CMP_EQ"}]}]}})";
    const auto spec = read_text(doc.text());
    ASSERT_TRUE(spec) << spec.error().what();
    EXPECT_EQ(spec->linux.seccomp->syscalls[0].args[0].value, UINT64_MAX);
}

TEST(ReadLinux, C37_sysctls) {
    const Bad table[] = {
        {R"("kernel.hostname":"x")", R"(linux.sysctl["kernel.hostname"]: is not a sysctl that)"},
        {R"("kernel.pid_max":"1")", R"(linux.sysctl["kernel.pid_max"]: is not a sysctl that)"},
        {R"("vm.swappiness":"1")", R"(linux.sysctl["vm.swappiness"]: is not a sysctl that)"},
        {R"("vm/swappiness":"1")", R"(linux.sysctl["vm/swappiness"]: is not a sysctl that)"},
        {R"("kernel.shm_rmid_forced_":"1")", R"(linux.sysctl["kernel.shm_rmid_forced_"]: is not)"},
        {R"("kernel.sem.x":"1")", R"(linux.sysctl["kernel.sem.x"]: is not)"},
        {R"("net/ipv4/../../vm/swappiness":"1")",
         R"(linux.sysctl["net/ipv4/../../vm/swappiness"]: is)"},
        {R"("net.ipv4/../../vm.swappiness":"1")", "linux.sysctl["},
        {R"("net.ipv4.//.//.vm":"1")", "linux.sysctl["},
        {R"("net/./x":"1")", "linux.sysctl["},
        {R"("net..x":"1")", "linux.sysctl["},
        {R"("net.":"1")", "linux.sysctl["},
        {R"("net":"1")", "linux.sysctl.net: is not"},
        {R"("/net/ipv4/ip_forward":"1")", "linux.sysctl["},
        {R"("":"1")", "linux.sysctl: a key is empty"},
        {R"("net.ipv4.x y":"1")", "linux.sysctl["},
        {R"("net.ipv4.ip_forward":1)", R"(linux.sysctl["net.ipv4.ip_forward"]: expected a string)"},
        {R"("net.ipv4.ip_forward":"1\n2")", R"(linux.sysctl["net.ipv4.ip_forward"]: a value with)"},
        {R"("net.ipv4.ip_forward":"1","net/ipv4/ip_forward":"0")", "linux.sysctl["},
    };
    for (const Bad& bad : table)
        expect_starts(linux_error(R"("sysctl":{)" + std::string(bad.members) + "}"), bad);
    EXPECT_NE(linux_error(R"("sysctl":{"net.x.y":")" + std::string(4097, '1') + "\"}"), "");
}

TEST(ReadLinux, C37_sysctls_need_their_namespace) {
    const auto error = [](const char* key, const char* type) {
        return error_of(Doc::with_linux(R"({"namespaces":[{"type":")" + std::string(type) +
                                        R"("}],"sysctl":{")" + key + R"(":"1"}})")
                            .text());
    };
    EXPECT_EQ(error("net.ipv4.ip_forward", "network"), "");
    EXPECT_NE(error("net.ipv4.ip_forward", "ipc"), "");
    EXPECT_EQ(error("kernel.msgmax", "ipc"), "");
    EXPECT_EQ(error("kernel.shm_rmid_forced", "ipc"), "");
    EXPECT_EQ(error("fs.mqueue.msg_max", "ipc"), "");
    EXPECT_NE(error("kernel.msgmax", "network"), "");
    EXPECT_EQ(error("kernel.domainname", "uts"), "");
    EXPECT_NE(error("kernel.domainname", "ipc"), "");
}

TEST(ReadLinux, C37_sysctl_keys_are_made_paths) {
    Doc doc;
    doc.linux.insert(doc.linux.size() - 1, R"(,"sysctl":{"net.ipv4.ip_forward":"1",
        "net/ipv4/ip_default_ttl":"77","net/ipv4/conf/eth0.1/forwarding":"1",
        "net.ipv4.conf.eth1/2.forwarding":"0"})");
    const auto spec = read_text(doc.text());
    ASSERT_TRUE(spec) << spec.error().what();
    EXPECT_EQ(spec->linux.sysctl,
              (std::map<std::string, std::string>{{"net/ipv4/ip_forward", "1"},
                                                  {"net/ipv4/ip_default_ttl", "77"},
                                                  {"net/ipv4/conf/eth0.1/forwarding", "1"},
                                                  {"net/ipv4/conf/eth1.2/forwarding", "0"}}));
}

}  // namespace
}  // namespace hardrun::config
