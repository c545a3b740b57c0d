// SPDX-License-Identifier: Apache-2.0
// config-linux.md, "Block IO".
#include "config/readers.h"

namespace hardrun::config {
namespace {

// 0 is what engines write for "not set".
Status weight(const At& at, const std::optional<uint16_t>& value) {
    if (value && *value != 0 && (*value < 10 || *value > 1000))
        return at.expected("a number from 10 to 1000");
    return {};
}

constexpr Field<BlkioWeightDevice> kWeightDevice[] = {
    {"major", Need::required, member<&BlkioWeightDevice::major>},
    {"minor", Need::required, member<&BlkioWeightDevice::minor>},
    {"weight", Need::optional, checked<&BlkioWeightDevice::weight, weight>},
    {"leafWeight", Need::optional, checked<&BlkioWeightDevice::leaf_weight, weight>},
};

Status read_weight_device(const At& at, BlkioWeightDevice& out, Notes& notes) {
    return read_fields<BlkioWeightDevice>(at, kWeightDevice, out, notes);
}

constexpr Field<BlkioThrottle> kThrottle[] = {
    {"major", Need::required, member<&BlkioThrottle::major>},
    {"minor", Need::required, member<&BlkioThrottle::minor>},
    {"rate", Need::required, member<&BlkioThrottle::rate>},
};

Status read_throttle(const At& at, BlkioThrottle& out, Notes& notes) {
    return read_fields<BlkioThrottle>(at, kThrottle, out, notes);
}

constexpr Field<BlockIo> kBlockIo[] = {
    {"weight", Need::optional, checked<&BlockIo::weight, weight>},
    {"leafWeight", Need::optional, checked<&BlockIo::leaf_weight, weight>},
    {"weightDevice", Need::optional, list_of<&BlockIo::weight_device, read_weight_device>},
    {"throttleReadBpsDevice", Need::optional, list_of<&BlockIo::read_bps, read_throttle>},
    {"throttleWriteBpsDevice", Need::optional, list_of<&BlockIo::write_bps, read_throttle>},
    {"throttleReadIOPSDevice", Need::optional, list_of<&BlockIo::read_iops, read_throttle>},
    {"throttleWriteIOPSDevice", Need::optional, list_of<&BlockIo::write_iops, read_throttle>},
};

}  // namespace

Status read(const At& at, BlockIo& out, Notes& notes) {
    return read_fields<BlockIo>(at, kBlockIo, out, notes);
}

}  // namespace hardrun::config
