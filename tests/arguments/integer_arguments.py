"""The integers, shapes, axes, indices and slices that public headers take.

A public header is one that catena.h includes, through the headers of whole folders. The parser knows
as much C++ as those headers use: scopes, access, parameters, and fields of structs.
"""

import collections
import pathlib
import re

# Types with integers in them, wherever they stand in a parameter's type.
_INTEGRAL = re.compile(
    r"\b(int|int64_t|uint64_t|int32_t|uint32_t|size_t|unsigned|long|Shape|Strides|Axes|Axis|AxisSet|"
    r"AxisNumber|integral|Slice|Index|Indexes|Indices|Spatial|PadWidth|CooMatrix|ImageSize|TrainingLength)\b")
_SCOPE = re.compile(r"\b(namespace|class|struct|union|enum(?:\s+class)?)\s+((?:\[\[\w+\]\]\s*)?[\w:]*)[^()=]*$")
_ACCESS = re.compile(r"^\s*(public|private|protected)\s*:(?!:)")
_INCLUDE = re.compile(r'#include "catena/([^"]+)"')
# Names of arrays of indices, and of scalars, which may be integers.
_NUMBERS = re.compile(
    r"(index|indices|indexes|positions|labels|samples|input_length|label_length|row|col|t|ys|rois|"
    r"start|stop|step|period|points)_?$")
_OPTIONS = re.compile(r"\b([\w:]*Options?)\b")


def public_headers(root):
    """The headers that programs include, from the root."""
    folders = _INCLUDE.findall((root / "catena.h").read_text())
    return [name for folder in folders for name in _INCLUDE.findall((root / folder).read_text())]


def _without_comments(text):
    text = re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
    text = re.sub(r"'(?:\\.|[^'\\])'", "' '", text)
    return re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", "", text, flags=re.M)


def _closing(text, start):
    """The position after the bracket that closes the one at `start`."""
    depth = 0
    for position in range(start, len(text)):
        if text[position] in "({[":
            depth += 1
        elif text[position] in ")}]":
            depth -= 1
            if depth == 0:
                return position + 1
    return len(text)


def _split(text):
    """At commas outside brackets."""
    parts, depth, part = [], 0, ""
    for char in text:
        depth += char in "([{<"
        depth -= char in ")]}>"
        if char == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += char
    return [one.strip() for one in parts + [part] if one.strip()]


class Declarations:
    """Functions and fields of headers."""

    def __init__(self, root, headers):
        self.functions = collections.defaultdict(list)  # name -> lists of pairs: type, name
        self.fields = collections.defaultdict(list)  # struct -> pairs: type, name
        self.bases = {}
        for header in headers:
            self._read(_without_comments((root / header).read_text()), "", True)
        self._by_last_name = collections.defaultdict(list)
        for name in [*self.fields, *self.bases]:
            self._by_last_name[name.split("::")[-1]].append(name)

    def _read(self, text, scope, public):
        statement, position = "", 0
        while position < len(text):
            char = text[position]
            if char == "(":
                end = _closing(text, position)
                statement += text[position:end]
                position = end
            elif char == "{":
                end = _closing(text, position)
                opened = _SCOPE.search(re.sub(r"template\s*<[^{}]*?>\s*(?=class|struct)", "", statement))
                if opened:
                    self._read_scope(opened, statement, text[position + 1:end - 1], scope, public)
                    statement = ""
                elif "(" in statement and not re.match(r"\s*[;,{]", text[end:]):
                    self._add(statement, scope, public)
                    statement = ""
                else:
                    statement += "{}"
                position = end
            elif char == ";":
                self._add(statement, scope, public)
                statement = ""
                position += 1
            else:
                statement += char
                position += 1
                access = _ACCESS.match(statement)
                if access and not text[position:position + 1] == ":":
                    public = access.group(1) == "public"
                    statement = ""

    def _read_scope(self, opened, statement, body, scope, public):
        kind, name = opened.groups()
        name = re.sub(r"\[\[\w+\]\]\s*", "", name)
        if not public or kind.startswith("enum"):
            return
        inner = f"{scope}::{name}".strip(":") if name else scope
        if kind in ("class", "struct"):
            bases = re.search(r"(?<!:):(?!:)(.*)$", statement[opened.start():], flags=re.S)
            self.bases[inner] = [re.sub(r"<.*|\b(public|virtual)\b", "", one, flags=re.S).strip()
                                 for one in _split(bases.group(1))] if bases else []
        self._read(body, inner, kind != "class")

    def _add(self, statement, scope, public):
        statement = re.sub(r"\s+", " ", statement).strip()
        statement = re.sub(r"^(template\s*<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>\s*)+", "", statement)
        statement = re.sub(r"\brequires\s*\(.*?\)\s*(?=\w)|\[\[.*?\]\]\s*", "", statement)
        if not public or re.match(r"(using|typedef|friend|class|struct|enum|extern)\b", statement):
            return
        function = re.match(r"[^=(]*?(operator\s*(?:\(\)|\[\]|[^\s(]+)|~?\w+)\s*\(", statement)
        if function and "operator" not in statement[:function.start(1)]:
            name = function.group(1).replace(" ", "")
            opening = function.end() - 1
            inside = statement[opening + 1:_closing(statement, opening) - 1]
            key = scope if name == scope.split("::")[-1] else f"{scope}::{name}"
            self.functions[key].append([self._parameter(one) for one in _split(inside)])
        elif not function:
            for one in _split(re.sub(r"\b(static|constexpr|inline|mutable)\b", "", statement)):
                if not re.search(r"\bconst\b(?!\w)", one) and "static" not in statement:
                    self.fields[scope].append(self._parameter(one))

    @staticmethod
    def _parameter(text):
        text = re.sub(r"\s*(=|\{).*$", "", text)
        match = re.match(r"(.*?[\s&*>.])(\w+)(\[\w*\])?$", text)
        return (match.group(1).strip(), match.group(2)) if match else (text, "")

    def _fields_of(self, options, scope):
        """All fields of a struct of options, those of its bases among them."""
        parts = scope.split("::")
        candidates = ["::".join(parts[:count] + [options]) for count in range(len(parts), -1, -1)]
        known = [one for one in candidates if one in self.bases] or self._by_last_name[options.split("::")[-1]]
        if not known:
            return []
        inherited = [field for base in self.bases[known[0]]
                     for field in self._fields_of(base.split("::")[-1], known[0])]
        return inherited + self.fields[known[0]]

    def integer_arguments(self):
        """A dict: the functions with their integer arguments, fields of options among them."""
        result = {}
        for function, overloads in self.functions.items():
            names = []
            for parameters in overloads:
                for type_name, name in parameters:
                    options = _OPTIONS.search(type_name)
                    fields = self._fields_of(options.group(1), function) if options else [(type_name, name)]
                    names += [field.rstrip("_") for field_type, field in fields
                              if field and (_INTEGRAL.search(field_type) or _NUMBERS.match(field))]
            if names and "internal::" not in function:
                result[function] = list(dict.fromkeys(names))
        return result


def integer_arguments(root=pathlib.Path(".")):
    """Of all public headers: a dict of lists, without the namespace catena."""
    declarations = Declarations(root, public_headers(root))
    return {name.removeprefix("catena::"): names
            for name, names in sorted(declarations.integer_arguments().items())}


if __name__ == "__main__":
    for function, arguments in integer_arguments().items():
        for argument in arguments:
            print(f"{function},{argument}")
