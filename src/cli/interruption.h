#pragma once

#include <string>

namespace tonnx::cli {

// Makes Ctrl-C, SIGTERM and SIGHUP remove temporary files before they end the process: the files named .tonnx-PID-...
// that a save to `output` creates beside it. These are weights written before the last file is complete, and the model
// itself if the file system has no unnamed files.
void clean_up_on_interruption(const std::string& output);

}  // namespace tonnx::cli
