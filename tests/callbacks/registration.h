#pragma once

namespace callbacks {

// Add a test for each callback or network; false, after a message, if two have one name.
bool register_callbacks();
bool register_networks();

}  // namespace callbacks
