// SPDX-License-Identifier: Apache-2.0
#include "runtime/launch/create.h"

#include "runtime/launch/creation.h"

namespace hardrun::launch {

Result<Created> create(const state::Store& store, const CreateOptions& options) {
    Creation c(store, options);
    HARDRUN_CHECK(c.read_bundle());
    HARDRUN_CHECK(c.open_network());
    HARDRUN_CHECK(c.claim_id());
    HARDRUN_CHECK(c.make_groups());
    HARDRUN_CHECK(c.spawn_init());
    HARDRUN_CHECK(c.place_init());
    HARDRUN_CHECK(c.follow_init());
    HARDRUN_CHECK(c.settle());
    return c.finish();
}

}  // namespace hardrun::launch
