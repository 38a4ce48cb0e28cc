# Networks of other packages for slow tests, in a folder of their own: the Python of the tests does not see them otherwise.
install_wheels "$out/site" "transformers==$TRANSFORMERS_VERSION" "diffusers==$DIFFUSERS_VERSION"
