// Saved datasets: the elements of a dataset in files. Dataset::load reads them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <penstock/base/export.h>
#include <penstock/data/dataset.h>

namespace penstock::data {

struct SaveOptions {
  std::string compression = "";  // "" or "GZIP"
  // The structure of the elements in the host's words, for SavedDataset::structure.
  std::string structure = "";
  // The number of an element's shard, an integer. Undefined: all are in one.
  ElementFunction shard = {};
};

// Writes all elements into the folder `path`, which is made if need be. What was saved there before is
// replaced when all is written. Throws UnimplementedError for elements that contain datasets.
PEN_API void save(const Dataset& dataset, const std::string& path, const SaveOptions& options = {});

// What is known about a saved dataset.
struct SavedDataset {
  std::string compression;
  Spec spec;
  std::string structure;
  std::vector<int64_t> shards;  // the number of elements in each
};
// Throws NotFoundError if nothing is saved there, DataLossError if it is damaged.
PEN_API SavedDataset saved_dataset(const std::string& path);

}  // namespace penstock::data
