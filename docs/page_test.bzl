"""Tests of pages: what a page shows is compiled, run, and compared with the page."""

load("//:build_defs.bzl", "library", "unit_test")

def page_code(name, page, deps, out):
    """The first block of code of a page, as a file.

    Args:
      name: a target.
      page: the Markdown file.
      deps: what the code needs; the page must name them, as "@catena//array".
      out: the file.
    """
    named = [
        "{ grep -qF '\"@catena%s\"' $< || { echo '%s does not name %s'; exit 1; }; }" %
        ("" if dep == "//:catena" else dep, page, dep)
        for dep in deps
    ]
    native.genrule(
        name = name,
        testonly = True,
        srcs = [page],
        outs = [out],
        cmd = " && ".join(named + [
            "sed '1,/^```cpp$$/d; /^```$$/,$$d' $< > $@",
        ]),
    )

def page_test(name, page = None, deps = ["//:catena"], test_deps = [], data = [], **kwargs):
    """A unit_test of the code of a page, in <name>.cc.

    The page's first block, includes and using declarations, is the header
    <name without _test>.h, the only header of catena that <name>.cc includes,
    except for test support. The other blocks are in <name>.cc, word for word.

    Args:
      name: the test.
      page: the Markdown file; defaults to <page>.md for <page>_md_test.
      deps: what the page's code needs; the page must name them, as "@catena//array".
      test_deps: what <name>.cc includes besides.
      data: files that it reads.
      **kwargs: passed to unit_test.
    """
    header = name[:-len("_test")]
    page = page or name[:-len("_md_test")] + ".md"
    page_code(
        name = header + "_code",
        out = header + ".h",
        page = page,
        deps = deps,
    )
    unit_test(
        name = name,
        data = [page, name + ".cc"] + data,
        deps = [":" + header, "//docs:page_code"] + test_deps,
        header = "gtest_catena" if deps == ["//:catena"] else "gtest",
        own_program = True,  # it includes what the page does, and nothing else
        **kwargs
    )
    library(
        name = header,
        testonly = True,
        hdrs = [":" + header + ".h"],
        deps = deps,
    )

def page_tests():
    """A page_test for each <page>_md_test.cc that BUILD has none for before it."""
    for file in native.glob(["*_md_test.cc"]):
        name = file[:-len(".cc")]
        if not native.existing_rule(name):
            page_test(name = name)
