#include "onnx/weight_files.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <fcntl.h>
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
constexpr std::size_t kLongestName = 200;  // file systems allow 255 bytes, and a number may follow

[[noreturn]] void fail(const std::string& path, const std::error_code& error) {
  throw ir::Error(ir::Code::File, path + ": " + error.message());
}

std::string file_name(const std::string& weight) {
  std::size_t end = std::min(weight.size(), kLongestName);
  if (end < weight.size())  // does not split a UTF-8 character
    for (int i = 0; i < 3 && (static_cast<unsigned char>(weight[end]) & 0xc0) == 0x80; ++i) --end;
  std::string name = weight.substr(0, end);
  for (char& c : name)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f ||
        std::string_view("\\/:*?\"<>|").find(c) != std::string_view::npos)
      c = '_';
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
  std::error_code error;
  target_ = fs::is_symlink(fs::symlink_status(folder_, error)) ? fs::canonical(folder_, error).string() : folder_;
  if (target_.empty()) target_ = folder_;
}

WeightFiles::~WeightFiles() {
  std::error_code ignored;
  if (!temporary_.empty()) fs::remove_all(temporary_, ignored);
}

std::size_t WeightFiles::place(std::vector<Layout::Initializer>& initializers) const {
  const std::string folder = fs::path(folder_).filename().string() + "/";
  std::unordered_set<std::string> used;  // in lower case, for file systems that ignore case
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
  if (fs::exists(folder_, error) && !fs::is_directory(folder_, error))
    fail(folder_, std::make_error_code(std::errc::not_a_directory));
  const std::string temporary = temporary_name(target_);
  if (!fs::create_directory(temporary, error)) fail(folder_, error);
  temporary_ = temporary;
  WeightWriter weights = weights_of(initializers, true);
  for (const Layout::Initializer& initializer : initializers) {
    if (!initializer.external) continue;
    names_.push_back(fs::path(initializer.external->location).filename().string());
    const std::string path = (fs::path(temporary_) / names_.back()).string();
    OutputFile file(path);
    DescriptorSink sink(file.descriptor(), path, sync);
    sink.reserve(initializer.bytes);
    weights.write_next(sink);
    sink.flush();
    file.finish(sync);
    file.commit();
  }
}

void WeightFiles::commit() {
  std::error_code error;
  fs::rename(temporary_, target_, error);
  if (!error) {
    made_ = true;
    temporary_.clear();
    return;
  }
  if (!fs::is_directory(target_)) fail(folder_, error);
  for (const std::string& name : names_)
    if (const fs::path old = fs::path(target_) / name; fs::is_directory(fs::symlink_status(old, error)))
      fail((fs::path(folder_) / name).string(), std::make_error_code(std::errc::is_a_directory));
  fs::permissions(temporary_, fs::status(target_).permissions(), error);
  // From here on the name refers to the old content, which must not be mistaken for an unfinished export.
  const std::string held = temporary_name(target_, "held-");
  fs::rename(temporary_, held, error);
  if (error) fail(folder_, error);
  temporary_ = held;
  swap();
  swapped_ = true;
}

// Swaps the folder and the temporary one, and moves files of other exports along.
void WeightFiles::swap() {
  if (::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) != 0) {
    const std::string between = temporary_name(target_, "held-");
    std::error_code error, ignored;
    fs::rename(target_, between, error);
    if (error) fail(folder_, error);
    fs::rename(temporary_, target_, error);
    fs::rename(between, error ? target_ : temporary_, ignored);
    if (error) fail(folder_, error);
  }
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(temporary_, ignored))
    if (const fs::path name = entry.path().filename(); std::ranges::find(names_, name.string()) == names_.end())
      fs::rename(entry.path(), fs::path(target_) / name, ignored);
}

void WeightFiles::undo() {
  std::error_code ignored;
  if (made_) fs::remove_all(target_, ignored);
  if (swapped_) swap();
  made_ = swapped_ = false;
}

}  // namespace tonnx::onnx
