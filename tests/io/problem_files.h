// Contact problems in files of other projects' formats, made by hand for the tests of the readers.
#pragma once

#include <fmt/format.h>

#include <Eigen/LU>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cardhouse/io/hdf5_arrays.h"
#include "contact/small_problems.h"
#include "io/recording_files.h"

namespace cardhouse::testing {

/// A matrix in one of Siconos's ways to write it.
enum class TextStorage { dense, blocks, triplet, csc, csr };

inline std::string dense_text(const MatX& a) {
  std::string text = fmt::format("0\n{}\n{}\n{}\t{}\n", a.rows(), a.cols(), a.rows(), a.cols());
  for (Eigen::Index k = 0; k < a.size(); ++k) text += fmt::format("{:32.24e} ", a.data()[k]);  // column by column
  return text + "\n";
}

/// Blocks of `height` × `width`, without those that are zero.
inline std::string block_text(const MatX& a, int height, int width) {
  const auto rows = static_cast<int>(a.rows()) / height;
  const auto columns = static_cast<int>(a.cols()) / width;
  std::string ends;
  for (int i = 1; i <= rows; ++i) ends += fmt::format("{}\t", i * height);
  ends += "\n";
  for (int k = 1; k <= columns; ++k) ends += fmt::format("{}\t", k * width);
  std::string first = "0\t";
  std::string column;
  std::string values;
  int count = 0;
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < columns; ++k) {
      const MatX block = a.block(i * height, k * width, height, width);
      if (block.isZero(0.0)) continue;
      column += fmt::format("{}\t", k);
      values += fmt::format("{}\n", count++);
      for (Eigen::Index e = 0; e < block.size(); ++e) values += fmt::format("{:32.24e} \n", block.data()[e]);
    }
    first += fmt::format("{}\t", count);
  }
  return fmt::format("1\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}", a.rows(), a.cols(), count, rows, columns, ends,
                     rows + 1, count, first, column, values);
}

inline std::string sparse_text(const MatX& a, TextStorage storage) {
  const bool triplet = storage == TextStorage::triplet;
  const bool csr = storage == TextStorage::csr;
  const MatX outer = csr ? MatX(a.transpose()) : a;
  std::string lines;
  int count = 0;
  for (Eigen::Index k = 0; k < outer.cols(); ++k) {
    const auto filled = static_cast<int>((outer.col(k).array() != 0.0).count());
    if (!triplet) lines += fmt::format("    col {} : locations {} to {}\n", k, count, count + filled - 1);
    for (Eigen::Index i = 0; i < outer.rows(); ++i) {
      if (outer(i, k) == 0.0) continue;
      lines += triplet ? fmt::format("    {} {} : {:.17g}\n", i, k, outer(i, k))
                       : fmt::format("      {} : {:.17g}\n", i, outer(i, k));
      ++count;
    }
  }
  const std::string size = fmt::format("{}-by-{}, nzmax: {} nnz: {}", a.rows(), a.cols(), count + 5, count);
  return fmt::format(
      "2\n{}\n{}\n{}\nCSparse Version 3.1.9, May 4, 2016.  Copyright (c) Timothy A. Davis, 2006-2016\n{}\n{}", a.rows(),
      a.cols(), triplet ? 1 : (csr ? 3 : 2), triplet ? "triplet: " + size : size + ", 1-norm: 25584.9", lines);
}

inline std::string matrix_text(const MatX& a, TextStorage storage, int height, int width) {
  if (storage == TextStorage::dense) return dense_text(a);
  if (storage == TextStorage::blocks) return block_text(a, height, width);
  return sparse_text(a, storage);
}

inline std::string vector_text(const VecX& x) {
  std::string text;
  for (const double xi : x) text += fmt::format("{:32.24e} ", xi);
  return text + "\n";
}

struct LocalData {
  int dimension = 3;
  MatX w;
  VecX q;
  VecX mu;

  std::string text(TextStorage storage) const {
    return fmt::format("{}\n{}\n{}{}{}", dimension, mu.size(), matrix_text(w, storage, dimension, dimension),
                       vector_text(q), vector_text(mu));
  }
};

struct GlobalData {
  int dimension = 3;
  MatX m;
  MatX h;
  VecX f;
  VecX w;
  VecX mu;

  std::string text(TextStorage storage, int block) const {
    return fmt::format("{}\n{}\n{}{}{}{}{}", dimension, mu.size(), matrix_text(m, storage, block, block),
                       matrix_text(h, storage, block, dimension), vector_text(f), vector_text(w), vector_text(mu));
  }
  MatX delassus() const { return h.transpose() * m.inverse() * h; }
  VecX free_velocity() const { return h.transpose() * m.inverse() * f + w; }
};

/// W is not symmetric, and has blocks of zeros.
inline LocalData local_data(int dimension, int contacts) {
  Random random(static_cast<unsigned>(17 * dimension + contacts));
  const int n = dimension * contacts;
  LocalData data{dimension, random.positive_definite(n), random.vector(n), VecX(contacts)};
  data.w(0, n - 1) += 1e-4;
  for (int i = 0; i < contacts; ++i) {
    data.mu[i] = 0.1 * i;
    for (int k = 0; k < contacts; ++k) {
      if ((i + k) % 3 == 1) data.w.block(i * dimension, k * dimension, dimension, dimension).setZero();
    }
  }
  return data;
}

/// Bodies of `block` velocities each; a contact touches two of them.
inline GlobalData global_data(int dimension, int contacts, int bodies, int block) {
  Random random(static_cast<unsigned>(31 * dimension + contacts));
  const int dofs = bodies * block;
  const int n = dimension * contacts;
  GlobalData data{dimension,           MatX::Zero(dofs, dofs), MatX::Zero(dofs, n),
                  random.vector(dofs), random.vector(n),       VecX::Constant(contacts, 0.3)};
  for (int b = 0; b < bodies; ++b) {
    data.m.block(b * block, b * block, block, block) = random.positive_definite(block);
  }
  for (int i = 0; i < contacts; ++i) {
    for (const int b : {i % bodies, (i + 1) % bodies}) {
      data.h.block(b * block, i * dimension, block, dimension) = random.matrix(block, dimension);
    }
  }
  return data;
}

/// W of a problem in either form, from what the problem says of unit impulses.
inline MatX delassus_of(const ContactProblem& problem) {
  const int n = problem.rows();
  MatX w(n, n);
  VecX v;
  VecX u;
  VecX q;
  free_velocity(problem, q);
  for (int k = 0; k < n; ++k) {
    contact_velocity(problem, VecX::Unit(n, k), v, u);
    w.col(k) = u - q;
  }
  return w;
}

inline VecX free_velocity_of(const ContactProblem& problem) {
  VecX q;
  free_velocity(problem, q);
  return q;
}

inline void write_text_file(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// How a matrix is kept in HDF5: FCLIB's nz is the number of entries, −1 or −2.
enum class ArrayStorage { triplet, csc, csr };

inline void write_matrix(ArrayWriter& file, const std::string& path, const MatX& a, ArrayStorage storage) {
  std::vector<int> p;
  std::vector<int> i;
  std::vector<double> x;
  const bool by_rows = storage == ArrayStorage::csr;
  const MatX outer = by_rows ? MatX(a.transpose()) : a;
  for (Eigen::Index k = 0; k < outer.cols(); ++k) {
    if (storage != ArrayStorage::triplet) p.push_back(static_cast<int>(x.size()));
    for (Eigen::Index e = 0; e < outer.rows(); ++e) {
      if (outer(e, k) == 0.0) continue;
      if (storage == ArrayStorage::triplet) p.push_back(static_cast<int>(k));
      i.push_back(static_cast<int>(e));
      x.push_back(outer(e, k));
    }
  }
  const auto count = static_cast<int>(x.size());
  if (storage != ArrayStorage::triplet) p.push_back(count);
  file.make_group(path);
  file.write(path + "/m", static_cast<int>(a.rows()));
  file.write(path + "/n", static_cast<int>(a.cols()));
  file.write(path + "/nzmax", count + 3);
  file.write(path + "/nz", storage == ArrayStorage::triplet ? count : (by_rows ? -2 : -1));
  file.write(path + "/p", p);
  file.write(path + "/i", i);
  file.write(path + "/x", x);
}

inline void write_fclib(const std::filesystem::path& path, const LocalData& data, ArrayStorage storage) {
  ArrayWriter file(path);
  file.make_group("/fclib_local");
  file.write("/fclib_local/spacedim", data.dimension);
  write_matrix(file, "/fclib_local/W", data.w, storage);
  file.make_group("/fclib_local/vectors");
  file.write("/fclib_local/vectors/q", data.q);
  file.write("/fclib_local/vectors/mu", data.mu);
  file.close();
}

inline void write_fclib(const std::filesystem::path& path, const GlobalData& data, ArrayStorage storage) {
  ArrayWriter file(path);
  file.make_group("/fclib_global");
  file.write("/fclib_global/spacedim", data.dimension);
  write_matrix(file, "/fclib_global/M", data.m, storage);
  write_matrix(file, "/fclib_global/H", data.h, storage);
  file.make_group("/fclib_global/vectors");
  file.write("/fclib_global/vectors/f", data.f);
  file.write("/fclib_global/vectors/w", data.w);
  file.write("/fclib_global/vectors/mu", data.mu);
  file.close();
}

}  // namespace cardhouse::testing
