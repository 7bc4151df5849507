"""Who may include whom.

The table is what the CMake files say: muster_layer(NAME PUBLIC headers... USES layers...).
"""

import posixpath
import re
from dataclasses import dataclass

from tree import CODE, Offence, code_only

# Never seen by, whatever a CMake file says.
FORBIDDEN = {
    "accord": {"store", "client_core", "client_driver", "net", "server_core", "server_driver"},
    "server_core": {"client_core", "client_driver", "net", "server_driver"},
    "server_driver": {"client_core", "client_driver"},
    "client_core": {"server_core", "server_driver", "net", "client_driver"},
    "client_driver": {"server_core", "server_driver"},
}
# Decisions without I/O: the simulator and production run the same code.
PURE = {"wire", "server_core", "client_core", "accord"}
IMPURE_HEADERS = re.compile(
    r"<(?:thread|mutex|condition_variable|future|fstream|uv\.h|poll\.h|unistd\.h|fcntl\.h|netdb\.h"
    r"|pthread\.h|sys/(?!types\.h)\w+\.h|netinet/.*|arpa/.*)>")
IMPURE_CALLS = re.compile(r"\b(?:\w*[Cc]lock::now|system_random)\s*\(")
# Folders whose headers are found by other folders' rules than the layers'.
OUTSIDE = ("tests/", "tools/", "bench/", "plugins/", "bindings/")
# The simulator has no sockets.
SIMULATED = "tests/sim/"
REAL = {"net", "client_driver", "server_driver"}

_CALL = re.compile(r"muster_layer\(\s*(\w+)([^)]*)\)")
_INCLUDE = re.compile(r'^\s*#\s*include\s*([<"][^>"]+[>"])')


@dataclass
class Layer:
    """Value. One call of muster_layer."""

    name: str
    folder: str
    public: list
    uses: list
    cmake: str


def read_layers(tree):
    """Every layer by its folder."""
    layers = {}
    for path in tree.under("src/", ends=("CMakeLists.txt",)):
        for name, rest in _CALL.findall(re.sub(r"#[^\n]*", "", tree.files[path])):
            lists = {"PUBLIC": [], "USES": [], "EXTERNAL": []}
            current = None
            for word in rest.split():
                if word in lists:
                    current = lists[word]
                elif current is not None:
                    current.append(word)
            folder = posixpath.dirname(path)
            layers[folder] = Layer(name, folder, lists["PUBLIC"], lists["USES"], path)
    return layers


def check(tree):
    layers = read_layers(tree)
    owner = {}
    offences = list(_check_owners(tree, layers, owner))
    offences += _check_order(tree, layers)
    for path in sorted(tree.files):
        if path.endswith(CODE):
            offences += _check_file(tree, layers, owner, path)
    return offences


def _check_owners(tree, layers, owner):
    """Every public header belongs to one layer, and exists. Fills `owner`: header to layer."""
    for layer in layers.values():
        for header in layer.public:
            name = f"muster/{header}" if header.endswith(".h") else f"muster/{header}.hpp"
            if name in owner:
                yield Offence(layer.cmake, 1, f"<{name}> is owned by {owner[name]} already")
                continue
            if f"include/{name}" not in tree.files:
                yield Offence(layer.cmake, 1, f"owns <{name}>, which does not exist")
            owner[name] = layer.name
    for path in tree.under("include/", ends=(".hpp", ".h")):
        name = path[len("include/"):]
        if name not in owner:
            yield Offence(path, 1, "is owned by no layer: name it after PUBLIC of one")
            owner[name] = None


def _check_order(tree, layers):
    """USES points up in the root file's list, so there is no circle; and to nothing forbidden."""
    order = re.findall(r"add_subdirectory\((src/[\w/]+)\)", tree.files.get("CMakeLists.txt", ""))
    seen = set()
    for folder in order + sorted(set(layers) - set(order)):
        layer = layers.get(folder)
        if layer is None:
            continue
        if folder not in order:
            yield Offence(layer.cmake, 1, f"{folder} is not added by the root CMakeLists.txt")
        for used in layer.uses:
            if used not in seen:
                yield Offence(layer.cmake, 1, f"{layer.name} uses {used}, which does not stand "
                              "above it in the root CMakeLists.txt: layers only point down")
            if used in FORBIDDEN.get(layer.name, ()):
                yield Offence(layer.cmake, 1, f"{layer.name} must not see {used}")
        seen.add(layer.name)


def _check_file(tree, layers, owner, path):
    layer = layers.get(posixpath.dirname(path))
    pure = layer is not None and layer.name in PURE and not path.endswith("_test.cpp")
    for number, line in tree.lines(path):
        found = _INCLUDE.match(line)
        if not found:
            continue
        named = found.group(1)
        target = named[1:-1]
        if pure and IMPURE_HEADERS.search(named):
            yield Offence(path, number, f"{layer.name} is pure: no {named} here; what needs it "
                          "belongs to a driver")
        if named[0] == "<" and not target.startswith("muster/"):
            continue
        if named[0] == "<":
            text = _public_include(owner, layers, layer, path, target)
        else:
            text = _private_include(tree, layers, layer, path, target)
        if text:
            yield Offence(path, number, text)
    if pure:
        for number, line in enumerate(code_only(tree.files[path]).splitlines(), 1):
            if IMPURE_CALLS.search(line):
                yield Offence(path, number, f"{layer.name} is pure: it is told the time and given "
                              "its random source")


def _public_include(owner, layers, layer, path, target):
    if target not in owner:
        return f"<{target}> does not exist"
    owning = owner[target]
    if path.startswith("include/"):
        own = owner.get(path[len("include/"):])
        layer = next((l for l in layers.values() if l.name == own), None)
    if layer is None or owning is None or owning == layer.name or owning in layer.uses:
        return None
    return (f"<{target}> belongs to {owning}, which {layer.name} does not use: include less, or "
            f"add it to USES in {layer.cmake}")


def _private_include(tree, layers, layer, path, target):
    if path.startswith("include/"):
        return f'a public header includes the private "{target}"'
    if path.startswith("examples/"):
        return f'an example shows the public API only, not "{target}"'
    used = layers.get("src/" + posixpath.dirname(target))
    if used is None or f"src/{target}" not in tree.files:
        of_tests = path.endswith("_test.cpp") and f"tests/{target}" in tree.files
        if layer is not None and not of_tests:
            return f'"{target}" is no header of a layer: write the path from src/'
        known = any(p == target or p.endswith("/" + target) for p in tree.under(*OUTSIDE))
        return None if known else f'"{target}" does not exist'
    if path.startswith(SIMULATED) and used.name in REAL:
        return f'the simulator must not see {used.name}: "{target}"'
    if layer is None or used.name == layer.name or used.name in layer.uses:
        return None
    return (f'"{target}" belongs to {used.name}, which {layer.name} does not use: include less, '
            f"or add it to USES in {layer.cmake}")
