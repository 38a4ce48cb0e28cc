#include "onnx/weight_files.h"

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <system_error>
#include <unordered_set>

#include "ir/dtype.h"
#include "ir/error.h"
#include "onnx/sink.h"

namespace tonnx::onnx {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kSmall = 1024;
constexpr std::size_t kLongestName = 200;  // file systems take 255 bytes, and a number may follow

[[noreturn]] void fail(const std::string& path, const std::error_code& error) {
  throw ir::Error(ir::Code::File, path + ": " + error.message());
}

std::string file_name(const std::string& weight) {
  std::size_t end = std::min(weight.size(), kLongestName);
  if (end < weight.size())  // no character of UTF-8 is cut
    for (int i = 0; i < 3 && (static_cast<unsigned char>(weight[end]) & 0xc0) == 0x80; ++i) --end;
  std::string name = weight.substr(0, end);
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f || std::string_view("\\/:*?\"<>|").find(c) != std::string_view::npos) c = '_';
  if (name.empty()) return "weight";
  if (name.front() == '.') name.front() = '_';
  return name;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

}  // namespace

WeightFiles::WeightFiles(const std::string& model) {
  const fs::path path = model;
  const std::string name =
      path.extension() == ".onnx" ? path.stem().string() + "_initializers" : path.filename().string() + ".initializers";
  folder_ = (path.parent_path() / name).string();
}

WeightFiles::~WeightFiles() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
  if (!before_.empty()) fs::remove_all(before_, ignored);
}

std::size_t WeightFiles::place(std::vector<Layout::Initializer>& initializers) const {
  const std::string folder = fs::path(folder_).filename().string() + "/";
  std::unordered_set<std::string> used;  // in lower case, for file systems that do not tell the cases apart
  std::size_t count = 0;
  for (Layout::Initializer& initializer : initializers) {
    const ir::DType dtype = initializer.weight->weight()->dtype;
    if (initializer.bytes == 0 || (ir::is_integral(dtype) && initializer.bytes < kSmall)) continue;
    const std::string base = file_name(initializer.weight->name());
    std::string name = base;
    for (int n = 2; !used.insert(lower(name)).second; ++n) name = base + "_" + std::to_string(n);
    initializer.external = Layout::External{folder + name, 0};
    ++count;
  }
  return count;
}

void WeightFiles::write(const std::vector<Layout::Initializer>& initializers, bool sync) {
  std::error_code error;
  if (fs::exists(folder_, error) && !fs::is_directory(folder_, error)) fail(folder_, std::make_error_code(std::errc::not_a_directory));
  const std::string temporary = temporary_name(folder_);
  if (!fs::create_directory(temporary, error)) fail(folder_, error);
  temporary_ = temporary;
  for (const Layout::Initializer& initializer : initializers) {
    if (!initializer.external) continue;
    names_.push_back(fs::path(initializer.external->location).filename().string());
    const std::string path = (fs::path(temporary_) / names_.back()).string();
    OutputFile file(path);
    DescriptorSink sink(file.descriptor(), path, sync);
    sink.reserve(initializer.bytes);
    write_tensor(*initializer.weight->weight(), sink);
    sink.flush();
    file.finish(sync);
    file.commit();
  }
}

void WeightFiles::commit() {
  std::error_code error;
  fs::rename(temporary_, folder_, error);
  if (!error) {
    made_ = true;
    temporary_.clear();
    return;
  }
  if (!fs::is_directory(folder_)) fail(folder_, error);
  const std::string before = temporary_name(folder_);
  if (!fs::create_directory(before, error)) fail(folder_, error);
  before_ = before;
  try {
    for (const std::string& name : names_) replace(name);
  } catch (...) {
    undo();
    throw;
  }
}

void WeightFiles::replace(const std::string& name) {
  const fs::path target = fs::path(folder_) / name;
  std::error_code error;
  if (fs::is_directory(fs::symlink_status(target, error))) fail(target.string(), std::make_error_code(std::errc::is_a_directory));
  fs::rename(target, fs::path(before_) / name, error);
  if (error && error != std::errc::no_such_file_or_directory) fail(target.string(), error);
  replaced_.push_back({name, !error});
  fs::rename(fs::path(temporary_) / name, target, error);
  if (error) fail(target.string(), error);
}

void WeightFiles::undo() {
  std::error_code ignored;
  if (made_) fs::remove_all(folder_, ignored);
  for (const auto& [name, had_one] : replaced_) {
    const fs::path target = fs::path(folder_) / name;
    if (had_one) {
      fs::rename(fs::path(before_) / name, target, ignored);
    } else {
      fs::remove(target, ignored);
    }
  }
  replaced_.clear();
}

}  // namespace tonnx::onnx
