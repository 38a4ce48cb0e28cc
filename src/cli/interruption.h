#pragma once

#include <string>

namespace tonnx::cli {

// From now on Ctrl-C, SIGTERM and SIGHUP, where they end the process, first remove what a save to `output` has beside
// it under names of its own (.tonnx-PID-...): weights whose files wait for the last one, and the model where a file
// system knows no files without a name.
void clean_up_on_interruption(const std::string& output);

}  // namespace tonnx::cli
