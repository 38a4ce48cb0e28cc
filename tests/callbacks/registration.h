#pragma once

namespace callbacks {

// Register a test for each callback or network. Return false, after a message, if two have the same name.
bool register_callbacks();
bool register_networks();

}  // namespace callbacks
