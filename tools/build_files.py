"""Reads BUILD files without Bazel: labels may be wrong, and nothing is fetched.

Starlark is close enough to Python that BUILD files, and the .bzl files they load, run
as Python: rules only record their attributes, and macros run as they are.
"""

import ast
import builtins
import inspect
import os
import pathlib
import re
import types

# What BUILD files call to get a value, not rules.
_FUNCTIONS = {"Label", "exports_files", "glob", "load", "package", "select"}

# Folders without targets of this workspace.
_SKIPPED = {"third_party", "tests/consumer"}


class Origin(str):
    """A label that remembers in which attribute of a call it is."""

    def __new__(cls, label, attribute, is_probe=False):
        self = super().__new__(cls, label)
        self.attribute, self.is_probe = attribute, is_probe
        return self


class Call:
    """A call in a BUILD file, and the rules that it makes."""

    def __init__(self, package, text, node, function, name):
        self.package, self.node, self.name = package, node, name
        self.text = text  # lines of the BUILD file
        self.rules = []
        self.attributes = {}  # those with deps: as they are in the BUILD file
        self.given = {}  # by rule: the deps that it has from macros
        signature = inspect.signature(function)
        self.required = {parameter.name for parameter in signature.parameters.values()
                         if parameter.default is None}

    def __str__(self):
        return f"//{self.package}:{self.name}"


class Rule:
    def __init__(self, kind, package, call, attributes):
        self.kind, self.package, self.call = kind, package, call
        self.attributes = attributes
        self.label = label_in(package, attributes.get("name", ""))

    def labels(self, attribute):
        """Returns the labels in an attribute, in full."""
        value = self.attributes.get(attribute) or []
        labels = [value] if isinstance(value, str) else value
        return [label_in(self.package, label) for label in labels
                if not getattr(label, "is_probe", False)]

    def files(self, attribute):
        """Returns the files of an attribute, as paths from the root."""
        return [path_of(label) for label in self.labels(attribute)]


def label_in(package, label):
    """Returns the full label: //folder:target, @repository//folder:target."""
    label = str(label)
    if re.match("@[^/]*$", label):
        return f"{label}//:{label[1:]}"
    if not label.startswith(("@", "//")):
        return f"//{package}:{label.removeprefix(':')}"
    if ":" not in label:
        return f"{label}:{label.rsplit('/', 1)[1]}"
    return label


def shortest(package, label):
    """Returns a full label as BUILD files of a package have it."""
    folder, name = label.split(":")
    if folder == "//" + package:
        return ":" + name
    if folder == f"@{name}//":
        return "@" + name
    return folder if folder.endswith("/" + name) else label


def path_of(label):
    return label.removeprefix("//").replace(":", "/").lstrip("/")


class _Label(str):
    workspace_name = ""


class _Select(list):
    """All branches of a select."""

    def __new__(cls, branches):
        if not all(isinstance(value, list) for value in branches.values()):
            return next(iter(branches.values()))
        return super().__new__(cls)

    def __init__(self, branches):
        super().__init__(dict.fromkeys(label for value in branches.values()
                                       for label in value))


class _Anything:
    """What .bzl files call or pass on when they are loaded, but this does not need."""

    def __getattr__(self, name):
        return self

    def __call__(self, *args, **kwargs):
        return self


class _Native:
    """native.<rule>, and the functions that a macro can call."""

    def __init__(self, workspace):
        self._workspace = workspace

    def __getattr__(self, kind):
        return self._workspace.rule(kind)

    def package_name(self):
        return self._workspace.package

    def repository_name(self):
        return "@"

    def existing_rules(self):
        package = self.package_name()
        return {rule.attributes["name"]: dict(rule.attributes, kind=rule.kind)
                for rule in self._workspace.rules if rule.package == package}

    def existing_rule(self, name):
        return self.existing_rules().get(name)

    def glob(self, include, exclude=(), allow_empty=True):
        return self._workspace.glob(include, exclude)

    def exports_files(self, *args, **kwargs):
        pass


class Workspace:
    """The rules of all BUILD files under a folder."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.rules = []
        self.calls = []
        self.package = ""
        self._call = None
        self._loaded = {}
        self._defaults = {}
        self._files = []
        self._native = _Native(self)
        for folder, folders, files in os.walk(self.root):
            path = pathlib.Path(folder).relative_to(self.root)
            folders[:] = sorted(
                name for name in folders
                if str(path / name) not in _SKIPPED and name not in (".git", ".cache"))
            if "BUILD" in files:
                self._read("" if path == pathlib.Path(".") else str(path))

    def build_file(self, package):
        return self.root / package / "BUILD"

    def glob(self, include, exclude=()):
        def pattern(globs):
            parts = [re.escape(one).replace(r"\*\*/", "(.*/)?").replace(r"\*\*", ".*")
                     .replace(r"\*", "[^/]*") for one in globs]
            return re.compile("|".join(parts) or "(?!)")
        included, excluded = pattern(include), pattern(exclude)
        return [file for file in self._files
                if included.fullmatch(file) and not excluded.fullmatch(file)]

    def rule(self, kind):
        """Returns a function that records a rule."""
        def record(**attributes):
            if kind == "package":
                self._defaults = {name.removeprefix("default_"): value
                                  for name, value in attributes.items()}
                return
            attributes = self._defaults | {
                name: value for name, value in attributes.items() if value is not None}
            rule = Rule(record.kind, self.package, self._call, attributes)
            self.rules.append(rule)
            if self._call:
                self._call.rules.append(rule)
        record.kind = kind
        return record

    def _environment(self):
        values = {
            "Label": _Label, "native": self._native, "select": _Select,
            "glob": self._native.glob, "exports_files": self._native.exports_files,
            "rule": lambda **kwargs: self.rule("rule"),
        }
        for name in ("aspect", "attr", "module_extension", "provider",
                     "repository_rule", "tag_class"):
            values[name] = _Anything()
        values["struct"] = types.SimpleNamespace
        values["load"] = lambda file, *names, **renamed: values.update(
            self._load(file, {**{name: name for name in names}, **renamed}))
        return values

    def _load(self, label, names):
        if label.startswith("@"):
            return {name: self.rule(there) for name, there in names.items()}
        path = path_of(label_in(self.package, label))
        if path not in self._loaded:
            values = self._environment()
            exec(compile((self.root / path).read_text(), path, "exec"), values)
            for name, value in values.items():
                if getattr(value, "kind", None) == "rule":
                    value.kind = name
            self._loaded[path] = values
        return {name: self._loaded[path][there] for name, there in names.items()}

    def _read(self, package):
        self.package = package
        self._defaults = {}
        folder = self.root / package
        self._files = sorted(
            os.path.relpath(os.path.join(at, file), folder)
            for at, folders, files in os.walk(folder) for file in files
            if _prune(at, folders))
        path = self.build_file(package)
        text = path.read_text()
        self._text = text.split("\n")
        tree = ast.parse(text, str(path))
        nodes = [node for node in ast.walk(tree)
                 if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
                 and not hasattr(builtins, node.func.id)]
        values = self._environment()
        for node in nodes:
            values.setdefault(node.func.id, self.rule(node.func.id))
        values["_call"] = lambda index, function, *args, **kwargs: self._run(
            nodes[index], function, args, kwargs)
        for index, node in enumerate(nodes):
            if node.func.id not in _FUNCTIONS:
                node.args = [ast.copy_location(ast.Constant(index), node), node.func,
                             *node.args]
                node.func = ast.copy_location(ast.Name("_call", ast.Load()), node)
        exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), values)

    def _run(self, node, function, args, kwargs):
        """Runs a call, with probes that find out which attributes reach a rule."""
        name = kwargs.get("name") or self.package.split("/")[-1]
        call = Call(self.package, self._text, node, function, name)
        parameters = inspect.signature(function).parameters
        takes_any = any(parameter.kind == parameter.VAR_KEYWORD
                        for parameter in parameters.values())
        absent = {name for name, parameter in parameters.items()
                  if name.endswith("deps") and parameter.default == []}
        absent |= {"deps"} if takes_any else set()
        probes = dict(kwargs)
        for attribute in sorted(absent | set(kwargs)):
            value = kwargs.get(attribute, [])
            if attribute.endswith("deps") and isinstance(value, list):
                call.attributes[attribute] = value
                probes[attribute] = [Origin(":" + attribute, attribute, True)]
                kwargs[attribute] = ([Origin(label, attribute) for label in value] +
                                     probes[attribute])
        outer, self._call = self._call, call
        # Macros leave out what they would give if it is listed.
        before = len(self.rules)
        function(*args, **probes)
        call.given = {rule.label: rule.labels("deps") for rule in call.rules}
        del self.rules[before:], call.rules[:]
        result = function(*args, **kwargs)
        self._call = outer
        self.calls.append(call)
        return result


def _prune(at, folders):
    """Leaves out the folders that are packages."""
    folders[:] = [name for name in folders
                  if not os.path.exists(os.path.join(at, name, "BUILD"))]
    return True
