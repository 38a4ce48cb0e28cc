// Prints src/aten/schemas.inc for the LibTorch it is linked with.
#include <iostream>

#include "schema_listing.h"

int main() { std::cout << "R\"schemas(" << tonnx::torch::test::list_schemas() << ")schemas\"\n"; }
