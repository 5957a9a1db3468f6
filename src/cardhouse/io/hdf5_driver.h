// An HDF5 file driver on top of CommitFile: HDF5's flush becomes a commit.
#pragma once

#include <hdf5.h>

#include "cardhouse/io/commit_file.h"

namespace cardhouse {

/// The driver's identifier, for H5Pset_driver.
hid_t commit_driver();

/// The CommitFile under an open HDF5 file that was made with the driver.
CommitFile* commit_file_of(hid_t file);

/// Throws again what kept the driver from opening the last file that was asked for on this thread; returns when nothing
/// did.
void rethrow_commit_driver_failure();

}  // namespace cardhouse
