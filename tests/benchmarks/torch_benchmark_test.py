#!/usr/bin/env python3
"""Tests torch_benchmark.py and cupy_benchmark.py without PyTorch and CuPy.

In their place are objects that accept everything, so that choices and the order of
calls can be tested; what the networks compute cannot.
"""

import fnmatch
import importlib.machinery
import importlib.util
import subprocess
import sys
import types
import unittest
from unittest import mock

CATENA = "tests/benchmarks/device_benchmark"
# A kernel of the user's own is CuPy's idea.
ONLY_CUPY = {"elementwise_kernel", "reduction_kernel"}


def load(name, **modules):
    sys.modules.update({key.replace("_", "."): module for key, module in modules.items()})
    spec = importlib.util.spec_from_file_location(name, f"tests/benchmarks/{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


fake = mock.MagicMock()
fake.nn.Module = type("Module", (), {})
torch_benchmark = load("torch_benchmark", torch=fake, torch_nn=fake.nn,
                       torch_nn_functional=fake.nn.functional)
cupy_benchmark = load("cupy_benchmark", cupy=mock.MagicMock())


def options(*arguments):
    return torch_benchmark.parse_options(arguments)


class CasesTest(unittest.TestCase):

    def setUp(self):
        listing = subprocess.run([CATENA, "--list"], check=True, text=True,
                                 stdout=subprocess.PIPE).stdout
        self.catena = set(listing.split())

    def test_pytorch_has_the_cases_of_catena(self):
        self.assertEqual(set(torch_benchmark.CASES), self.catena - ONLY_CUPY)

    def test_gpu_check_knows_what_the_cases_measure(self):
        loader = importlib.machinery.SourceFileLoader("gpu_check", "tools/gpu_check")
        gpu_check = importlib.util.module_from_spec(
            importlib.util.spec_from_loader("gpu_check", loader))
        loader.exec_module(gpu_check)
        for kernels in gpu_check.KERNELS:
            for pattern in kernels.cases.split():
                self.assertTrue(fnmatch.filter(torch_benchmark.CASES, pattern), pattern)

    def test_catena_has_the_cases_of_cupy(self):
        self.assertLessEqual(set(cupy_benchmark.CASES), self.catena)
        self.assertLessEqual(ONLY_CUPY, set(cupy_benchmark.CASES))


class VariantsTest(unittest.TestCase):

    def test_every_training_case_is_captured_in_each_layout(self):
        for name, (_, variants, _) in torch_benchmark.CASES.items():
            if name.endswith("_train"):
                self.assertIn("captured", variants, name)
            for variant in variants:
                if name.endswith("_train") and "captured" not in variant:
                    self.assertIn(f"{variant} captured", variants, name)

    def test_sets(self):
        first = options("--device=cuda:0", "--variants=first").variants
        second = options("--device=cuda:0", "--variants=second").variants
        self.assertEqual(first, {"captured", "channels_last", "channels_last captured",
                                 "sdpa", "sdpa captured"})
        self.assertIn("channels_last compile captured", second)
        self.assertEqual(options("--device=cuda:0").variants, first | second)
        self.assertEqual(options("--device=cuda:0", "--variants=").variants, set())
        self.assertEqual(options("--variants=captured,compile").variants, {"compile"})

    def test_only_what_makes_a_difference(self):
        every = options("--device=cuda:0")
        self.assertEqual(
            torch_benchmark.chosen_variants("mlp_train", "float32", every),
            ["", "captured", "compile", "compile captured"])
        self.assertEqual(
            torch_benchmark.chosen_variants("mlp_train", "float16", every),
            ["", "captured", "compile", "compile captured", "amp", "amp captured"])
        self.assertEqual(torch_benchmark.chosen_variants("copy", "float32", every), [""])

    def test_unknown_names_are_refused(self):
        for argument in ("--variants=graph", "--dtypes=float64"):
            with self.assertRaises(SystemExit), mock.patch("sys.stderr"):
                options(argument)

    def test_adam_can_be_captured(self):
        for variant, capturable in [("", False), ("amp captured", True)]:
            settings = torch_benchmark.Settings(
                types.SimpleNamespace(device="cuda:0", small=True, batch=0), "float32",
                variant)
            settings.adam([])
            fake.optim.Adam.assert_called_with([], fused=True, capturable=capturable)


class Image:
    """Stands for a tensor, and knows its memory format."""

    def __init__(self, *shape):
        self.shape = shape
        self.format = None

    def contiguous(self, memory_format):
        self.format = memory_format
        return self

    def requires_grad_(self):
        return self

    def numel(self):
        return 10

    def element_size(self):
        return 4


class ImagesTest(unittest.TestCase):

    def test_all_are_in_the_layout_of_the_variant(self):
        names = [name for name, (_, variants, _) in torch_benchmark.CASES.items()
                 if variants == ["channels_last"]]
        self.assertIn("convolution", names)
        self.assertIn("batch_normalization_residual_both_ways", names)
        for name in names:
            for variant, wanted in [("", fake.contiguous_format),
                                    ("channels_last", fake.channels_last)]:
                made = []
                settings = torch_benchmark.Settings(
                    types.SimpleNamespace(device="cuda:0", small=True, batch=0), "float16",
                    variant)
                settings.uniform = lambda *shape: made.append(Image(*shape)) or made[-1]
                step, amount, _ = torch_benchmark.CASES[name][0](settings)
                step()
                self.assertGreater(amount, 0, name)
                self.assertEqual({image.format for image in made}, {wanted}, name)

    def test_batch_normalization_of_float16_has_float32_parameters(self):
        settings = torch_benchmark.Settings(
            types.SimpleNamespace(device="cuda:0", small=True, batch=0), "float16", "")
        torch_benchmark.batch_normalization(settings, Image(2, 4, 8, 8))
        fake.ones.assert_called_with(4, device=settings.device, dtype=fake.float32)


class StepTest(unittest.TestCase):

    def test_a_captured_step_copies_each_minibatch_in(self):
        events = []

        class Tensor:
            def __init__(self, name):
                self.name = name

            def clone(self):
                return Tensor("static")

            def copy_(self, other):
                events.append(f"{self.name} <- {other.name}")
        batches = iter("abcd")
        step = torch_benchmark.Training(
            lambda: [Tensor(next(batches))], lambda x: events.append(f"work({x.name})"))
        fake.cuda.CUDAGraph.return_value.replay = lambda: events.append("replay")
        step()
        replay = torch_benchmark.capture(step, "cuda:0")
        self.assertEqual(events, ["work(a)"] + ["work(static)"] * 4)
        del events[:]
        replay()
        replay()
        self.assertEqual(events, ["static <- c", "replay", "static <- d", "replay"])

    def test_gradients_are_converted_together(self):
        fake._foreach_copy_.reset_mock()
        fake.empty_like = lambda x: f"grad of {x.name}"
        low = mock.MagicMock(dtype=fake.float16, grad="gradient")
        master = low.detach().float()
        master.name = "master"
        full = mock.MagicMock(dtype=fake.float32)
        model = mock.MagicMock()
        model.parameters.return_value = [low, full]
        optimizer = mock.MagicMock()
        updater = torch_benchmark.Updater(model, optimizer)
        optimizer.assert_called_with([full, master])
        updater.step()
        self.assertEqual(fake._foreach_copy_.mock_calls, [
            mock.call(["grad of master"], ["gradient"]), mock.call([low], [master])])
        updater.zero_grad()
        self.assertEqual((low.grad, full.grad), (None, None))
        self.assertEqual(master.grad, "grad of master")


class CupyTest(unittest.TestCase):

    def test_devices_are_checked(self):
        self.assertEqual(cupy_benchmark.parse_options(["--device=cuda:1"]).index, 1)
        with self.assertRaises(SystemExit), mock.patch("sys.stderr"):
            cupy_benchmark.parse_options(["--device=cpu"])

    def test_a_case_that_fails_is_a_record(self):
        cupy_benchmark.CASES["broken"] = mock.Mock(side_effect=ValueError("no\nmemory"))
        self.assertEqual(
            cupy_benchmark.measure_case("broken", mock.Mock())["error"], "no memory")
        del cupy_benchmark.CASES["broken"]


if __name__ == "__main__":
    unittest.main()
