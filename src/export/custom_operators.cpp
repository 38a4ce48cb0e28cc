#include "export/custom_operators.h"

#include "backend/libtorch.h"
#include "exported/declared_schemas.h"
#include "ir/dependency_error.h"

namespace tonnx::exporting {

void register_operator(const std::string& schema) {
  bool is_known = false;
  try {
    backend::libtorch().register_schema(schema);
    is_known = true;
  } catch (const ir::DependencyError&) {
    // Programs of torch.export need no LibTorch; a program that does reports it.
  }
  try {
    exported::declare_schema(schema);
  } catch (const ir::Error&) {
    if (!is_known) throw;  // LibTorch may know types that operators of an exported program cannot have
  }
}

}  // namespace tonnx::exporting
