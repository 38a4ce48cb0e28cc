// An archive of torch.export as a whole: its programs, their calling conventions and their example inputs. Checksums of
// the corpus are 0, which means that there are none.
#include "archive/archive_file.h"
#include "exported/archive.h"
#include "ir/error.h"
#include "target.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* bytes = reinterpret_cast<const std::byte*>(data);
  try {
    const auto file = tonnx::archive::ArchiveFile::from_bytes(std::vector<std::byte>(bytes, bytes + size));
    const auto archive = tonnx::exported::Archive::open(file);
    if (!archive) return 0;
    for (const std::string& model : archive->models()) {
      tonnx::ir::Arguments examples;
      try {
        examples = archive->examples(model);
      } catch (const tonnx::ir::Error&) {
      }
      const tonnx::ir::RawProgram program = archive->import(model);
      if (!program.form) continue;
      program.form->json(std::vector<std::string>(program.graph->inputs().size()),
                         std::vector<std::string>(program.graph->outputs().size()));
      program.form->inputs(examples);
    }
  } catch (const tonnx::ir::Error&) {
  }
  return 0;
}
