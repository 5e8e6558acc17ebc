#!/usr/bin/env python3
"""Writes small models of published kinds, in Hugging Face's layout, and what they compute.

    python3 tests/golden/links/make_models.py [FOLDER]

Each folder models/NAME has config.json, safetensors files with random weights, and expected.npz:
the inputs (`in/...`), the outputs (`out/...`), an upstream gradient of the first one (`gout`),
and gradients of some weights (`grad/<name in the files>`). All is computed in float64 from the
papers' formulas, with the weights rounded to the files' dtype, and gradients by complex steps.
Needs NumPy 1.24; writes the same bytes each time.
"""

import json
import math
import pathlib
import shutil
import struct
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from complex_steps import STEP, gelu, gelu_by_tanh, silu


def layer_norm(x, weight, bias, eps):
    x = x - x.mean(axis=-1, keepdims=True)
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps) * weight + bias


def rms_norm(x, weight, eps):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + eps) * weight


def softmax(scores, seen):
    largest = np.max(np.where(seen, scores.real, -np.inf), axis=-1, keepdims=True)
    weights = seen * np.exp(np.where(seen, scores - largest, 0))
    return weights / weights.sum(axis=-1, keepdims=True)


def attention(q, k, v, seen):
    """q (B, T, H, d), k and v (B, T, Hkv, d): (B, T, H * d)."""
    k, v = (np.repeat(x, q.shape[2] // x.shape[2], axis=2) for x in (k, v))
    scores = np.einsum("bthd,bshd->bhts", q, k) / math.sqrt(q.shape[-1])
    y = np.einsum("bhts,bshd->bthd", softmax(scores, seen), v)
    return y.reshape(*y.shape[:2], -1)


def causal(steps, window=None):
    distance = np.arange(steps)[:, None] - np.arange(steps)
    return (distance >= 0) & (distance < (window or steps))


def heads_of(x, size):
    return x.reshape(*x.shape[:2], -1, size)


def gpt2(config, weights, ids):
    def layer(name, x):
        return x @ weights[name + ".weight"] + weights[name + ".bias"]

    def norm(name, x):
        return layer_norm(x, weights[name + ".weight"], weights[name + ".bias"],
                          config["layer_norm_epsilon"])

    steps = ids.shape[1]
    h = weights["wte.weight"][ids] + weights["wpe.weight"][:steps]
    for i in range(config["n_layer"]):
        place = f"h.{i}."
        qkv = layer(place + "attn.c_attn", norm(place + "ln_1", h))
        q, k, v = (heads_of(x, config["n_embd"] // config["n_head"])
                   for x in np.split(qkv, 3, axis=-1))
        h = h + layer(place + "attn.c_proj", attention(q, k, v, causal(steps)))
        inner = gelu_by_tanh(layer(place + "mlp.c_fc", norm(place + "ln_2", h)))
        h = h + layer(place + "mlp.c_proj", inner)
    return {"scores": norm("ln_f", h) @ weights["wte.weight"].T}


def rotary_frequencies(config, size):
    rates = config.get("rope_theta", 10000.0) ** (-2 * np.arange(size // 2) / size)
    scaling = config.get("rope_scaling")
    if not scaling:
        return rates
    waves = 2 * math.pi / rates
    context = scaling["original_max_position_embeddings"]
    low = context / scaling["low_freq_factor"]
    high = context / scaling["high_freq_factor"]
    share = ((context / waves - scaling["low_freq_factor"])
             / (scaling["high_freq_factor"] - scaling["low_freq_factor"]))
    between = (1 - share) * rates / scaling["factor"] + share * rates
    return np.where(waves > low, rates / scaling["factor"], np.where(waves < high, rates, between))


def rotated(x, rates):
    angles = np.arange(x.shape[1])[:, None, None] * rates
    half = x.shape[-1] // 2
    first, second = x[..., :half], x[..., half:]
    return np.concatenate([first * np.cos(angles) - second * np.sin(angles),
                           first * np.sin(angles) + second * np.cos(angles)], axis=-1)


def llama(config, weights, ids):
    def layer(name, x):
        return x @ weights[name + ".weight"].T + weights.get(name + ".bias", 0)

    def norm(name, x):
        return rms_norm(x, weights[name + ".weight"], config["rms_norm_eps"])

    steps = ids.shape[1]
    size = config.get("head_dim") or config["hidden_size"] // config["num_attention_heads"]
    rates = rotary_frequencies(config, size)
    h = weights["model.embed_tokens.weight"][ids]
    for i in range(config["num_hidden_layers"]):
        place = f"model.layers.{i}."
        x = norm(place + "input_layernorm", h)
        q, k, v = (heads_of(layer(f"{place}self_attn.{part}_proj", x), size) for part in "qkv")
        if place + "self_attn.q_norm.weight" in weights:
            q, k = norm(place + "self_attn.q_norm", q), norm(place + "self_attn.k_norm", k)
        window = config.get("sliding_window")
        if not config.get("use_sliding_window", True) or i < config.get("max_window_layers", 0):
            window = None
        y = attention(rotated(q, rates), rotated(k, rates), v, causal(steps, window))
        h = h + layer(place + "self_attn.o_proj", y)
        x = norm(place + "post_attention_layernorm", h)
        gate, up = (layer(f"{place}mlp.{part}_proj", x) for part in ("gate", "up"))
        h = h + layer(place + "mlp.down_proj", silu(gate) * up)
    output = weights.get("lm_head.weight", weights["model.embed_tokens.weight"])
    return {"scores": norm("model.norm", h) @ output.T}


def bert(config, weights, ids, token_types, lengths):
    def layer(name, x):
        return x @ weights[name + ".weight"].T + weights[name + ".bias"]

    def norm(name, x):
        return layer_norm(x, weights[name + ".weight"], weights[name + ".bias"],
                          config["layer_norm_eps"])

    activation = {"gelu": gelu, "gelu_new": gelu_by_tanh}[config["hidden_act"]]
    steps = ids.shape[1]
    size = config["hidden_size"] // config["num_attention_heads"]
    place = "bert.embeddings."
    h = norm(place + "LayerNorm", weights[place + "word_embeddings.weight"][ids]
             + weights[place + "token_type_embeddings.weight"][token_types]
             + weights[place + "position_embeddings.weight"][:steps])
    seen = np.arange(steps) < lengths[:, None, None, None]
    for i in range(config["num_hidden_layers"]):
        place = f"bert.encoder.layer.{i}."
        q, k, v = (heads_of(layer(f"{place}attention.self.{part}", h), size)
                   for part in ("query", "key", "value"))
        y = layer(place + "attention.output.dense", attention(q, k, v, seen))
        h = norm(place + "attention.output.LayerNorm", h + y)
        y = layer(place + "output.dense", activation(layer(place + "intermediate.dense", h)))
        h = norm(place + "output.LayerNorm", h + y)
    out = {"features": h}
    if "bert.pooler.dense.weight" in weights:
        out["pooled"] = np.tanh(layer("bert.pooler.dense", h[:, 0]))
    if "classifier.weight" in weights:
        out["class_scores"] = layer("classifier", out["pooled"])
    if "cls.seq_relationship.weight" in weights:
        out["next_sentence_scores"] = layer("cls.seq_relationship", out["pooled"])
    if "cls.predictions.bias" in weights:
        x = activation(layer("cls.predictions.transform.dense", h))
        x = norm("cls.predictions.transform.LayerNorm", x)
        out["masked_lm_scores"] = (x @ weights["bert.embeddings.word_embeddings.weight"].T
                                   + weights["cls.predictions.bias"])
    return out


def vit(config, weights, pixels):
    def layer(name, x):
        return x @ weights[name + ".weight"].T + weights.get(name + ".bias", 0)

    def norm(name, x):
        return layer_norm(x, weights[name + ".weight"], weights[name + ".bias"],
                          config["layer_norm_eps"])

    patch, units = config["patch_size"], config["hidden_size"]
    batch, channels, height, width = pixels.shape
    patches = pixels.reshape(batch, channels, height // patch, patch, width // patch, patch)
    patches = patches.transpose(0, 2, 4, 1, 3, 5).reshape(batch, -1, channels * patch * patch)
    place = "vit.embeddings."
    filters = weights[place + "patch_embeddings.projection.weight"].reshape(units, -1)
    h = patches @ filters.T + weights[place + "patch_embeddings.projection.bias"]
    first = np.broadcast_to(weights[place + "cls_token"], (batch, 1, units))
    h = np.concatenate([first, h], axis=1) + weights[place + "position_embeddings"]
    size = units // config["num_attention_heads"]
    seen = np.ones((h.shape[1], h.shape[1]), bool)
    for i in range(config["num_hidden_layers"]):
        place = f"vit.encoder.layer.{i}."
        x = norm(place + "layernorm_before", h)
        q, k, v = (heads_of(layer(f"{place}attention.attention.{part}", x), size)
                   for part in ("query", "key", "value"))
        h = h + layer(place + "attention.output.dense", attention(q, k, v, seen))
        x = gelu(layer(place + "intermediate.dense", norm(place + "layernorm_after", h)))
        h = h + layer(place + "output.dense", x)
    h = norm("vit.layernorm", h)
    out = {}
    if "classifier.weight" in weights:
        out["scores"] = layer("classifier", h[:, 0])
    if "vit.pooler.dense.weight" in weights:
        out["pooled"] = np.tanh(layer("vit.pooler.dense", h[:, 0]))
    out["features"] = h
    return out


# Names and shapes of the weights.

def gpt2_shapes(config):
    units, hidden = config["n_embd"], config.get("n_inner") or 4 * config["n_embd"]
    shapes = {"wte.weight": (config["vocab_size"], units),
              "wpe.weight": (config["n_positions"], units)}
    for i in range(config["n_layer"]):
        for name, shape in {"attn.c_attn": (units, 3 * units), "attn.c_proj": (units, units),
                            "mlp.c_fc": (units, hidden), "mlp.c_proj": (hidden, units)}.items():
            shapes[f"h.{i}.{name}.weight"] = shape
            shapes[f"h.{i}.{name}.bias"] = shape[1:]
        for name in ("ln_1", "ln_2"):
            shapes |= {f"h.{i}.{name}.weight": (units,), f"h.{i}.{name}.bias": (units,)}
    return shapes | {"ln_f.weight": (units,), "ln_f.bias": (units,)}


def llama_shapes(config, qkv_bias=False, out_bias=False, norms=False):
    units, hidden = config["hidden_size"], config["intermediate_size"]
    heads = config["num_attention_heads"]
    size = config.get("head_dim") or units // heads
    kv_units = config["num_key_value_heads"] * size
    shapes = {"model.embed_tokens.weight": (config["vocab_size"], units)}
    for i in range(config["num_hidden_layers"]):
        place = f"model.layers.{i}."
        layers = {"self_attn.q_proj": (heads * size, units), "self_attn.k_proj": (kv_units, units),
                  "self_attn.v_proj": (kv_units, units), "self_attn.o_proj": (units, heads * size),
                  "mlp.gate_proj": (hidden, units), "mlp.up_proj": (hidden, units),
                  "mlp.down_proj": (units, hidden)}
        for name, shape in layers.items():
            shapes[f"{place}{name}.weight"] = shape
            has_bias = (config.get("mlp_bias", False) if name.startswith("mlp")
                        else out_bias if name.endswith("o_proj") else qkv_bias)
            if has_bias:
                shapes[f"{place}{name}.bias"] = shape[:1]
        if norms:
            shapes |= {f"{place}self_attn.{x}_norm.weight": (size,) for x in "qk"}
        shapes |= {place + "input_layernorm.weight": (units,),
                   place + "post_attention_layernorm.weight": (units,)}
    shapes["model.norm.weight"] = (units,)
    if not config["tie_word_embeddings"]:
        shapes["lm_head.weight"] = (config["vocab_size"], units)
    return shapes


def with_layer(shapes, name, out, inputs, bias=True):
    shapes[name + ".weight"] = (out, inputs)
    if bias:
        shapes[name + ".bias"] = (out,)


def with_norm(shapes, name, units):
    shapes |= {name + ".weight": (units,), name + ".bias": (units,)}


def bert_shapes(config, heads):
    units, hidden = config["hidden_size"], config["intermediate_size"]
    place = "bert.embeddings."
    shapes = {place + "word_embeddings.weight": (config["vocab_size"], units),
              place + "position_embeddings.weight": (config["max_position_embeddings"], units),
              place + "token_type_embeddings.weight": (config["type_vocab_size"], units)}
    with_norm(shapes, place + "LayerNorm", units)
    for i in range(config["num_hidden_layers"]):
        place = f"bert.encoder.layer.{i}."
        for part in ("query", "key", "value"):
            with_layer(shapes, f"{place}attention.self.{part}", units, units)
        with_layer(shapes, place + "attention.output.dense", units, units)
        with_norm(shapes, place + "attention.output.LayerNorm", units)
        with_layer(shapes, place + "intermediate.dense", hidden, units)
        with_layer(shapes, place + "output.dense", units, hidden)
        with_norm(shapes, place + "output.LayerNorm", units)
    if "pooler" in heads:
        with_layer(shapes, "bert.pooler.dense", units, units)
    if "classifier" in heads:
        with_layer(shapes, "classifier", len(config["id2label"]), units)
    if "cls" in heads:
        with_layer(shapes, "cls.predictions.transform.dense", units, units)
        with_norm(shapes, "cls.predictions.transform.LayerNorm", units)
        shapes["cls.predictions.bias"] = (config["vocab_size"],)
        with_layer(shapes, "cls.seq_relationship", 2, units)
    return shapes


def vit_shapes(config, heads):
    units, hidden = config["hidden_size"], config["intermediate_size"]
    patch, channels = config["patch_size"], config["num_channels"]
    patches = (config["image_size"] // patch) ** 2
    place = "vit.embeddings."
    shapes = {place + "cls_token": (1, 1, units),
              place + "position_embeddings": (1, 1 + patches, units),
              place + "patch_embeddings.projection.weight": (units, channels, patch, patch),
              place + "patch_embeddings.projection.bias": (units,)}
    for i in range(config["num_hidden_layers"]):
        place = f"vit.encoder.layer.{i}."
        with_norm(shapes, place + "layernorm_before", units)
        for part in ("query", "key", "value"):
            with_layer(shapes, f"{place}attention.attention.{part}", units, units,
                       config["qkv_bias"])
        with_layer(shapes, place + "attention.output.dense", units, units)
        with_norm(shapes, place + "layernorm_after", units)
        with_layer(shapes, place + "intermediate.dense", hidden, units)
        with_layer(shapes, place + "output.dense", units, hidden)
    with_norm(shapes, "vit.layernorm", units)
    if "pooler" in heads:
        with_layer(shapes, "vit.pooler.dense", units, units)
    if "classifier" in heads:
        with_layer(shapes, "classifier", len(config["id2label"]), units)
    return shapes


# Files.

def rounded(x, dtype):
    """The values that the dtype has, in float64."""
    if dtype == "F16":
        return x.astype(np.float16).astype(float)
    bits = x.astype(np.float32).view(np.uint32)
    if dtype == "BF16":
        bits = bits + (0x7FFF + (bits >> 16 & 1))  # to the nearest, ties to even
        bits = bits & 0xFFFF0000
    return bits.astype(np.uint32).view(np.float32).astype(float)


def bytes_of(x, dtype):
    if dtype == "BF16":
        return (x.astype(np.float32).view(np.uint32) >> 16).astype("<u2").tobytes()
    return x.astype({"F16": "<f2", "F32": "<f4", "F64": "<f8"}[dtype]).tobytes()


def write_safetensors(path, arrays, dtype):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, x in arrays.items():
        part = bytes_of(x, dtype)
        header[name] = {"dtype": dtype, "shape": list(x.shape),
                        "data_offsets": [len(data), len(data) + len(part)]}
        data += part
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def write_weights(folder, arrays, dtype, shards):
    if shards == 1:
        write_safetensors(folder / "model.safetensors", arrays, dtype)
        return
    names = list(arrays)
    index = {"metadata": {"total_size": sum(len(bytes_of(x, dtype)) for x in arrays.values())},
             "weight_map": {}}
    for i in range(shards):
        file = f"model-{i + 1:05}-of-{shards:05}.safetensors"
        part = names[i * len(names) // shards:(i + 1) * len(names) // shards]
        write_safetensors(folder / file, {name: arrays[name] for name in part}, dtype)
        index["weight_map"] |= dict.fromkeys(part, file)
    (folder / "model.safetensors.index.json").write_text(json.dumps(index, indent=2) + "\n")


def write_json(path, value):
    path.write_text(json.dumps(value, indent=2) + "\n")


class Maker:
    """Writes the models, with numbers drawn one after the other."""

    def __init__(self, folder, seed):
        self._folder = folder
        self._random = np.random.default_rng(seed)

    def integers(self, below, *shape):
        return self._random.integers(0, below, shape)

    def normal(self, *shape):
        return self._random.normal(0, 1, shape)

    def weights(self, shapes, dtype):
        result = {}
        for name, shape in shapes.items():
            is_factor = name.endswith(("orm.weight", "ln_1.weight", "ln_2.weight", "ln_f.weight",
                                       "before.weight", "after.weight"))
            x = self.normal(*shape) * 0.3 + (1.0 if is_factor else 0.0)
            result[name] = rounded(x, dtype)
        return result

    def write(self, name, config, model, shapes, inputs, *, dtype="F32", shards=1, graded=(),
              rename=lambda name: name, more=lambda weights: {}):
        """rename gives the names in files, more the arrays that they have besides."""
        folder = self._folder / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        weights = self.weights(shapes, dtype)
        arrays = {rename(key): x for key, x in weights.items()}
        write_weights(folder, arrays | more(weights), dtype, shards)
        write_json(folder / "config.json", config)

        def outputs(at):
            return model(config, at, **inputs)

        result = {key: np.real(x) for key, x in
                  outputs({key: x.astype(complex) for key, x in weights.items()}).items()}
        first = next(iter(result))
        gout = rounded(self.normal(*result[first].shape), "F32")
        expected = {f"in/{key}": np.asarray(x) for key, x in inputs.items()}
        expected |= {f"out/{key}": x.astype(np.float32) for key, x in result.items()}
        expected["gout"] = gout.astype(np.float32)
        for key in graded:
            gradient = np.empty(weights[key].shape)
            for place in np.ndindex(gradient.shape):
                moved = {k: x.astype(complex) for k, x in weights.items()}
                moved[key][place] += 1j * STEP
                gradient[place] = np.imag(np.sum(gout * outputs(moved)[first])) / STEP
            expected[f"grad/{key}"] = gradient.astype(np.float32)
        np.savez(folder / "expected.npz", **expected)


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else __file__).resolve()
    maker = Maker((folder if folder.is_dir() else folder.parent) / "models", 1)
    ids = {"ids": maker.integers(13, 2, 7)}

    gpt2_config = {
        "activation_function": "gelu_new", "architectures": ["GPT2LMHeadModel"],
        "attn_pdrop": 0.1, "bos_token_id": 12, "embd_pdrop": 0.1, "eos_token_id": 12,
        "initializer_range": 0.02, "layer_norm_epsilon": 1e-05, "model_type": "gpt2", "n_ctx": 9,
        "n_embd": 12, "n_head": 3, "n_layer": 2, "n_positions": 9, "resid_pdrop": 0.1,
        "summary_activation": None, "summary_first_dropout": 0.1, "summary_proj_to_labels": True,
        "summary_type": "cls_index", "summary_use_proj": True,
        "task_specific_params": {"text-generation": {"do_sample": True, "max_length": 50}},
        "vocab_size": 13}
    buffers = {f"h.{i}.attn.bias": np.tril(np.ones((1, 1, 9, 9))) for i in range(2)}
    graded = ("wte.weight", "wpe.weight", "h.0.attn.c_attn.bias", "h.1.attn.c_proj.weight",
              "h.1.mlp.c_fc.bias", "h.0.ln_2.weight", "ln_f.bias")
    maker.write("gpt2", gpt2_config, gpt2, gpt2_shapes(gpt2_config), ids, graded=graded,
                more=lambda weights: buffers)
    # As a model that was trained further writes itself, with the weight that is shared.
    config = gpt2_config | {"n_inner": 20, "n_layer": 1, "tie_word_embeddings": True}
    maker.write("gpt2_saved", config, gpt2, gpt2_shapes(config), ids, dtype="F16", shards=2,
                graded=("h.0.mlp.c_proj.bias",), rename=lambda name: "transformer." + name,
                more=lambda weights: {"lm_head.weight": weights["wte.weight"]})

    llama_config = {
        "architectures": ["LlamaForCausalLM"], "attention_bias": False, "attention_dropout": 0.0,
        "bos_token_id": 1, "eos_token_id": 2, "hidden_act": "silu", "hidden_size": 16,
        "initializer_range": 0.02, "intermediate_size": 20, "max_position_embeddings": 32,
        "mlp_bias": False, "model_type": "llama", "num_attention_heads": 4,
        "num_hidden_layers": 2, "num_key_value_heads": 4, "pretraining_tp": 1,
        "rms_norm_eps": 1e-05, "rope_scaling": None, "rope_theta": 10000.0,
        "tie_word_embeddings": False, "torch_dtype": "bfloat16",
        "transformers_version": "4.45.0", "use_cache": True, "vocab_size": 13}
    place = "model.layers.1."
    graded = ("model.embed_tokens.weight", place + "self_attn.k_proj.weight",
              place + "mlp.up_proj.weight", "model.layers.0.input_layernorm.weight",
              "model.norm.weight", "lm_head.weight")
    frequencies = {f"model.layers.{i}.self_attn.rotary_emb.inv_freq":
                   10000.0 ** (-np.arange(2) / 2) for i in range(2)}
    maker.write("llama", llama_config, llama, llama_shapes(llama_config), ids, dtype="BF16",
                shards=3, graded=graded, more=lambda weights: frequencies)
    # SmolLM2's fields; heads share keys and values, and the last weight is that of tokens.
    config = llama_config | {
        "hidden_size": 18, "is_llama_config": True, "num_attention_heads": 9,
        "num_key_value_heads": 3, "rope_interleaved": False, "rope_theta": 100000,
        "tie_word_embeddings": True}
    del config["mlp_bias"]
    maker.write("smollm2", config, llama, llama_shapes(config), ids,
                graded=("model.embed_tokens.weight", "model.layers.0.self_attn.q_proj.weight"))
    # Llama 3's, with all biases.
    config = llama_config | {
        "attention_bias": True, "head_dim": 8, "max_position_embeddings": 64, "mlp_bias": True,
        "num_key_value_heads": 1, "rope_theta": 500.0,
        "rope_scaling": {"factor": 8.0, "high_freq_factor": 4.0, "low_freq_factor": 1.0,
                         "original_max_position_embeddings": 16, "rope_type": "llama3"}}
    maker.write("llama3", config, llama,
                llama_shapes(config, qkv_bias=True, out_bias=True), ids, dtype="F16",
                graded=("model.layers.0.self_attn.k_proj.weight",
                        "model.layers.0.self_attn.o_proj.bias", place + "mlp.gate_proj.bias"))

    mistral_config = {key: x for key, x in llama_config.items()
                      if key not in ("attention_bias", "mlp_bias", "pretraining_tp",
                                     "rope_scaling")}
    mistral_config |= {"architectures": ["MistralForCausalLM"], "head_dim": 6,
                       "model_type": "mistral", "num_key_value_heads": 2, "sliding_window": 3}
    maker.write("mistral", mistral_config, llama, llama_shapes(mistral_config), ids, dtype="F64",
                graded=(place + "self_attn.v_proj.weight",))

    config = mistral_config | {
        "architectures": ["Qwen2ForCausalLM"], "max_window_layers": 21, "model_type": "qwen2",
        "num_key_value_heads": 2, "rms_norm_eps": 1e-06, "rope_theta": 1000000.0,
        "sliding_window": 32768, "tie_word_embeddings": True, "use_mrope": False,
        "use_sliding_window": False}
    del config["head_dim"]
    maker.write("qwen2", config, llama, llama_shapes(config, qkv_bias=True), ids, dtype="BF16",
                graded=(place + "self_attn.k_proj.bias", "model.layers.0.mlp.down_proj.weight"))
    config |= {"architectures": ["Qwen3ForCausalLM"], "attention_bias": False, "head_dim": 6,
               "model_type": "qwen3", "layer_types": ["full_attention", "sliding_attention"],
               "max_window_layers": 1, "sliding_window": 2, "use_sliding_window": True}
    del config["use_mrope"]
    maker.write("qwen3", config, llama, llama_shapes(config, norms=True), ids, shards=2,
                graded=(place + "self_attn.q_norm.weight", place + "self_attn.k_norm.weight",
                        "model.layers.0.self_attn.q_proj.weight"))

    bert_config = {
        "architectures": ["BertForMaskedLM"], "attention_probs_dropout_prob": 0.1,
        "classifier_dropout": None, "gradient_checkpointing": False, "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1, "hidden_size": 12, "initializer_range": 0.02,
        "intermediate_size": 20, "layer_norm_eps": 1e-12, "max_position_embeddings": 9,
        "model_type": "bert", "num_attention_heads": 3, "num_hidden_layers": 2,
        "pad_token_id": 0, "position_embedding_type": "absolute", "type_vocab_size": 2,
        "use_cache": True, "vocab_size": 13}
    texts = {"ids": maker.integers(13, 2, 7), "token_types": maker.integers(2, 2, 7),
             "lengths": np.array([7, 4])}
    place = "bert.encoder.layer.1."
    graded = ("bert.embeddings.word_embeddings.weight", "bert.embeddings.LayerNorm.weight",
              "bert.embeddings.token_type_embeddings.weight",
              place + "attention.self.key.weight", place + "output.LayerNorm.bias",
              "bert.encoder.layer.0.intermediate.dense.bias")

    def old_name(name):
        name = name.replace("LayerNorm.weight", "LayerNorm.gamma")
        return name.replace("LayerNorm.bias", "LayerNorm.beta")

    maker.write("bert", bert_config, bert, bert_shapes(bert_config, ("pooler", "cls")), texts,
                graded=graded, rename=old_name)
    config = bert_config | {
        "architectures": ["BertForSequenceClassification"], "hidden_act": "gelu_new",
        "id2label": {"0": "bad", "1": "so-so", "2": "good"}, "num_hidden_layers": 1,
        "label2id": {"bad": 0, "good": 2, "so-so": 1}}
    maker.write("bert_classifier", config, bert, bert_shapes(config, ("pooler", "classifier")),
                texts, dtype="F16")

    vit_config = {
        "architectures": ["ViTForImageClassification"], "attention_probs_dropout_prob": 0.0,
        "encoder_stride": 16, "hidden_act": "gelu", "hidden_dropout_prob": 0.0,
        "hidden_size": 12, "id2label": {"0": "cat", "1": "dog", "2": "owl"}, "image_size": 9,
        "initializer_range": 0.02, "intermediate_size": 20, "layer_norm_eps": 1e-12,
        "model_type": "vit", "num_attention_heads": 3, "num_channels": 2,
        "num_hidden_layers": 2, "patch_size": 3, "qkv_bias": True}
    images = {"pixels": rounded(maker.normal(2, 2, 9, 9), "F32")}
    maker.write("vit", vit_config, vit, vit_shapes(vit_config, ("classifier",)), images,
                graded=("vit.embeddings.cls_token", "vit.embeddings.position_embeddings",
                        "vit.embeddings.patch_embeddings.projection.bias",
                        "vit.encoder.layer.0.attention.attention.value.weight",
                        "classifier.weight"))
    config = vit_config | {"architectures": ["ViTModel"], "num_hidden_layers": 1,
                           "qkv_bias": False}
    maker.write("vit_model", config, vit, vit_shapes(config, ("pooler",)), images, dtype="BF16",
                rename=lambda name: name.removeprefix("vit."))


if __name__ == "__main__":
    main()
