#!/usr/bin/env python3
"""Writes small files in the form of each family's tokenizer.json, and the texts of the tables.

    python3 tests/golden/tokenizers/make_files.py

The vocabularies are made up: all bytes or letters, and what a few merges make of them.
"""

import json
import pathlib
import random
import unicodedata

HERE = pathlib.Path(__file__).resolve().parent
MARK = "\u2581"
LLAMA3 = (r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}"
          r"| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
QWEN2 = LLAMA3.replace("{1,3}", "")

# What is hard to split, to normalize or to put together again.
TEXTS = [
    "", " ", "  ", "a", "Hello world", " Hello  world ",
    "Hello,   world!\n\n\tindented\n   x  \n",
    "I'm you're we've they'll he'd she's don't I'M YOU'RE WE'VE 'S 'T it'\u017f 'x ''s '",
    "1 12 123 1234 12345 123456789012345678901234567890 3.14159 1,000,000",
    "\u00bd \u00b2 \u2167 \u0663\u0664\u0665 x\u00b2 H\u2082O \u21165 \u2460\u2461",
    'price: $100.50 (50% off!) #tag @user a_b c-d e/f \\n {x: [1, 2]} <a href="x">',
    "na\u00efve caf\u00e9 \u00dcn\u00efc\u00f6d\u00e9 \ufb01 \ufb02 \u00df \u1e9e \u0130stanbul",
    "e\u0301 a\u0308\u0323 o\u0302\u0301 A\u030a \u212b \u0958 \u1e9b\u0323 n\u0303\u0303 \u0301",
    "\uac00 \u1100\u1161\u11a8 \u1112\u1161\u11ab\u1100\u1173\u11af \u0344 q\u0307\u0323",
    "\u4f60\u597d,\u4e16\u754c\u3002\u8fd9\u662f\u4e00\u4e2a\u6d4b\u8bd5\u3002",
    "\u65e5\u672c\u8a9e\u306e\u30c6\u30ad\u30b9\u30c8\u3002\uff76\uff9e",
    "\u041f\u0440\u0438\u0432\u0435\u0442, \u043c\u0438\u0440! \u0401",
    "\u05e9\u05b8\u05c1\u05dc\u05d5\u05b9\u05dd \u0645\u0631\u062d\u0628\u0627 \u0928\u092e\u0938\u094d\u0924\u0947",
    "\u0e2a\u0e27\u0e31\u0e2a\u0e14\u0e35\u0e0a\u0e32\u0e27\u0e42\u0e25\u0e01 \u0e33 \u0eb3",
    "\U0001f600 \U0001f603\U0001f604 \U0001f44d\U0001f3fd \U0001f468\u200d\U0001f469\u200d\U0001f467"
    " \U0001f1e9\U0001f1ea \u2764\ufe0f \U0001d518\U0001d52b",
    "tab\tseparated\r\nCRLF\r\n\r\n\rCR only\r",
    "\u00a0nbsp\u00a0\u2003em\u3000wide\u200bzero\u200dwidth\u2028line\u2029par",
    "\x0bvt\x0cff\x1cfs\x1f \x01\x02\x7f\x80\x9f\u00ad \ufffe\uffff\U0010ffff\ue000",
    "def f(x):\n    return x ** 2  # square\n\n\nclass A:\n\tpass\n",
    "\n", "\n\n", " \n", "\n ", " \n \n  a", "a \n b\n", "\t\n\t", "\r\n", "x\r\n\r\ny",
    "a<|endoftext|>b", "<|endoftext|>", "<|endoftext|> <|endoftext|>\n<|endoftext|>",
    "<|endoftext", "<<|endoftext|>>",
    "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n<think>\nok\n</think> <tool_call>",
    "<s>[INST] hi [/INST]</s>", "<s> </s><unk>",
    "<|begin_of_text|><|start_header_id|>user<|end_header_id|>\n\nhi<|eot_id|>",
    "<bos><start_of_turn>user\nHi<end_of_turn>\n", "[CLS] hello [SEP] [MASK] [UNK] [PAD]",
    "\u2581\u2581a\u2581b", " \u2581 ", "\u0120hello \u010a", "<0x0A><0xE4>", "##ing ing",
    "unaffable unbelievably antidisestablishmentarianism",
    "http://example.com/path?query=1&b=2#frag foo@bar.com C++ .NET node.js",
    "....", "!!!???\n", "---===***", "\u2014\u2026\u201cquotes\u201d \u2018x\u2019s",
    "x" * 120, "\u00e9" * 60, "\u4e2d" * 60, " " * 70, "\n" * 40, "!" * 70, "1" * 64,
    "\U0001f600" * 20, "e\u0301" * 30, "The quick brown fox jumps over the lazy dog. " * 2,
    "ALL CAPS With MiXeD cAsE \u00c9\u00c0\u0424",
    "z\u0335\u0328\u0301\u0327 \u1f88 \u01c4 \u2126 \ufb1d i\u0307\u0323",
    "snake_case camelCase __init__ mid\u00b7dot",
]


def byte_alphabet():
    """Returns the letters of bytes, in GPT-2's order."""
    letters = [byte for byte in range(256)
               if 33 <= byte <= 126 or 161 <= byte <= 172 or byte >= 174]
    others = [byte for byte in range(256) if byte not in letters]
    table = {byte: chr(byte) for byte in letters}
    table.update({byte: chr(256 + i) for i, byte in enumerate(others)})
    return table


def merges_of(words):
    """Returns merges that make each word, from the left to the right."""
    merges = []
    for word in words:
        for end in range(2, len(word) + 1):
            pair = (word[:end - 1], word[end - 1])
            if pair not in merges:
                merges.append(pair)
    return merges


def vocabulary_of(tokens):
    """Returns ids in the order of the tokens."""
    return {token: i for i, token in enumerate(dict.fromkeys(tokens))}


def added(content, token_id, **flags):
    """Returns an added token."""
    return {"id": token_id, "content": content, "single_word": False, "lstrip": False,
            "rstrip": False, "normalized": False, "special": True, **flags}


def bpe(vocab, merges, **fields):
    """Returns a model."""
    return {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
            "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False,
            "ignore_merges": False, **fields, "vocab": vocab, "merges": merges}


def byte_level(**fields):
    """Returns the component of bytes."""
    return {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True,
            "use_regex": True, **fields}


def split(expression):
    """Returns a pre-tokenizer of a split and of bytes."""
    return {"type": "Sequence", "pretokenizers": [
        {"type": "Split", "pattern": {"Regex": expression}, "behavior": "Isolated",
         "invert": False}, byte_level(use_regex=False)]}


def template(before, after, ids):
    """Returns a post-processor that puts tokens around a text, or two."""
    def part(name, type_id):
        kind = "SpecialToken" if name in ids else "Sequence"
        return {kind: {"id": name, "type_id": type_id}}
    return {"type": "TemplateProcessing",
            "single": [part(name, 0) for name in (*before, "A", *after)],
            "pair": [part(name, 0) for name in (*before, "A", *after)] +
                    [part(name, 1) for name in ("B", *after)],
            "special_tokens": {name: {"id": name, "ids": [ids[name]], "tokens": [name]}
                               for name in (*before, *after)}}


def file(model, added_tokens, normalizer=None, pre=None, post=None, decoder=None):
    """Returns a whole file."""
    return {"version": "1.0", "truncation": None, "padding": None, "added_tokens": added_tokens,
            "normalizer": normalizer, "pre_tokenizer": pre, "post_processor": post,
            "decoder": decoder, "model": model}


def of_bytes():
    """Yields the families that encode bytes."""
    table = byte_alphabet()
    words = ["the", "Hello", "Ġworld", "Ġthe", "'s", "12", "123", "ĠĠ", "ĠĠĠĠ", "ĊĊ",
             "quick", "Ġfox", "endoftext", "user", "ing", "ä½ł", "Ġa", "Ã©"]
    merges = merges_of(words)
    tokens = [*table.values(), *(a + b for a, b in merges)]
    vocab = vocabulary_of(tokens)
    end = len(vocab)
    text = [f"{a} {b}" for a, b in merges]
    old = bpe({**vocab, "<|endoftext|>": end}, text)
    del old["type"], old["ignore_merges"]  # as the first files
    yield "gpt2", file(old, [added("<|endoftext|>", end, normalized=True)], None, byte_level(),
                       byte_level(), byte_level())
    yield "smollm2", file(bpe(vocab, text), [
        added("<|endoftext|>", end), added("<|im_start|>", end + 1),
        added("<|im_end|>", end + 2)], None,
        {"type": "Sequence", "pretokenizers": [
            {"type": "Digits", "individual_digits": True}, byte_level()]}, None, byte_level())
    yield "qwen2", file(bpe(vocab, merges), [
        added("<|endoftext|>", end), added("<|im_start|>", end + 1), added("<|im_end|>", end + 2),
        added("<tool_call>", end + 3, special=False), added("<think>", end + 4, special=False)],
        {"type": "NFC"}, split(QWEN2), byte_level(use_regex=False), byte_level(use_regex=False))
    names = ["<|begin_of_text|>", "<|end_of_text|>", "<|start_header_id|>", "<|end_header_id|>",
             "<|eot_id|>"]
    # "quic" is a token that no merge makes here.
    fewer = [pair for pair in merges if pair[0] + pair[1] != "quick"]
    yield "llama3", file(bpe(vocab, [f"{a} {b}" for a, b in fewer], ignore_merges=True),
                         [added(name, end + i) for i, name in enumerate(names)], None,
                         split(LLAMA3),
                         {"type": "Sequence", "processors": [
                             byte_level(), template(names[:1], [], {names[0]: end})]},
                         byte_level())
    yield "roberta", file(
        bpe({"<s>": 0, "</s>": 1, "<mask>": 2, **{key: i + 3 for key, i in vocab.items()}}, text),
        [added("<s>", 0), added("</s>", 1), added("<mask>", 2, lstrip=True)], None,
        byte_level(add_prefix_space=True),
        {"type": "RobertaProcessing", "sep": ["</s>", 1], "cls": ["<s>", 0],
         "trim_offsets": True, "add_prefix_space": True}, byte_level(add_prefix_space=True))


def of_characters():
    """Yields the families that encode characters, and others as bytes."""
    letters = [chr(code) for code in range(33, 127)] + [MARK, "\u00e9", "\u4e2d"]
    words = [MARK + "the", MARK + "Hello", MARK + "world", MARK * 2, MARK * 4, "ing",
             "user", MARK + "a", "qu"]
    merges = merges_of(words)
    fallback = [f"<0x{byte:02X}>" for byte in range(256)]
    replace = {"type": "Replace", "pattern": {"String": " "}, "content": MARK}
    back = [{"type": "Replace", "pattern": {"String": MARK}, "content": " "},
            {"type": "ByteFallback"}, {"type": "Fuse"}]
    strip = {"type": "Strip", "content": " ", "start": 1, "stop": 0}
    llama = vocabulary_of(["<unk>", "<s>", "</s>", *fallback, *letters,
                           *(a + b for a, b in merges)])
    specials = [added(name, llama[name]) for name in ("<unk>", "<s>", "</s>")]
    options = {"unk_token": "<unk>", "fuse_unk": True, "byte_fallback": True}
    yield "llama2", file(bpe(llama, [f"{a} {b}" for a, b in merges], **options), specials,
                         {"type": "Sequence", "normalizers": [
                             {"type": "Prepend", "prepend": MARK}, replace]}, None,
                         template(["<s>"], [], {"<s>": 1}),
                         {"type": "Sequence", "decoders": [*back, strip]})
    # As newer conversions write it.
    yield "mistral", file(bpe(llama, merges, **options), specials, None,
                          {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "first",
                           "split": False},
                          template(["<s>"], ["</s>"], {"<s>": 1, "</s>": 2}),
                          {"type": "Sequence", "decoders": [*back, strip]})
    gemma = vocabulary_of(["<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>",
                           "<end_of_turn>", *fallback, *letters, "\n", "\n\n",
                           *(a + b for a, b in merges)])
    yield "gemma", file(
        bpe(gemma, merges + [("\n", "\n")], **options),
        [added(name, gemma[name]) for name in ("<pad>", "<eos>", "<bos>", "<unk>",
                                               "<start_of_turn>", "<end_of_turn>")] +
        [added("\n\n", gemma["\n\n"], special=False)],
        replace,
        {"type": "Split", "pattern": {"String": " "}, "behavior": "MergedWithPrevious",
         "invert": False},
        template(["<bos>"], [], {"<bos>": 2}), {"type": "Sequence", "decoders": back})
    no_bytes = vocabulary_of(["<unk>", *letters, *(a + b for a, b in merges)])
    yield "unknown", file(
        bpe(no_bytes, merges, unk_token="<unk>", fuse_unk=True), [added("<unk>", 0)], None,
        {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always", "split": False},
        None, {"type": "Metaspace", "replacement": MARK, "prepend_scheme": "always",
               "split": False})
    yield "nfkc", file(
        bpe(no_bytes, merges, unk_token="<unk>", fuse_unk=False), [added("<unk>", 0)],
        {"type": "Sequence", "normalizers": [
            {"type": "NFKC"}, {"type": "Strip", "strip_left": True, "strip_right": True},
            {"type": "Lowercase"}, {"type": "NFD"}, {"type": "StripAccents"},
            replace]},
        {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"}, {"type": "Punctuation", "behavior": "Isolated"}]}, None,
        {"type": "Replace", "pattern": {"String": MARK}, "content": " "})


def of_words():
    """Yields the families that split words at the longest tokens."""
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    letters = [chr(code) for code in range(33, 127)] + ["\u00e9", "e\u0301", "\u4e2d", "\u4f60",
                                                        "\u0438", "\u2014", "\u2019"]
    words = ["the", "hello", "world", "Hello", "un", "quick", "fox", "price", "123", "user", "def"]
    ends = ["##ing", "##able", "##aff", "##s", "##o", "##x", "##23", "##e\u0301", "##\u00e9"]
    vocab = vocabulary_of([*specials, *letters, *("##" + letter for letter in letters), *words,
                           *ends])
    ids = {"[CLS]": 2, "[SEP]": 3}
    tokens = [added(name, i) for i, name in enumerate(specials)]
    model = {"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##",
             "max_input_chars_per_word": 100, "vocab": vocab}
    decoder = {"type": "WordPiece", "prefix": "##", "cleanup": True}
    for name, lower in (("bert_uncased", True), ("bert_cased", False)):
        post = (template(["[CLS]"], ["[SEP]"], ids) if lower else
                {"type": "BertProcessing", "sep": ["[SEP]", 3], "cls": ["[CLS]", 2]})
        yield name, file(model, tokens,
                         {"type": "BertNormalizer", "clean_text": True,
                          "handle_chinese_chars": True, "strip_accents": None,
                          "lowercase": lower}, {"type": "BertPreTokenizer"}, post, decoder)
    yield "words", file({**model, "unk_token": "[UNK]"}, tokens, {"type": "NFKD"},
                        {"type": "Sequence", "pretokenizers": [
                            {"type": "WhitespaceSplit"},
                            {"type": "Digits", "individual_digits": False}]}, None,
                        {**decoder, "cleanup": False})


def normal_forms():
    """Yields texts of characters that change, and their four forms."""
    generator = random.Random(1)
    changing = [chr(code) for code in range(0x20, 0x110000) if not 0xD800 <= code < 0xE000
                and (unicodedata.combining(chr(code))
                     or unicodedata.normalize("NFKD", chr(code)) != chr(code))]
    marks = [char for char in changing if unicodedata.combining(char)]
    jamo = [chr(code) for code in (0x1100, 0x1112, 0x1161, 0x1175, 0x11A8, 0x11C2, 0xAC00, 0xAC01)]
    for i in range(150):
        choices = [changing, marks + list("aeouAEOU"), jamo + marks, list("abc \u4f60") + marks][i % 4]
        text = "".join(generator.choices(choices, k=8))
        yield [text, *(unicodedata.normalize(form, text)
                       for form in ("NFC", "NFD", "NFKC", "NFKD"))]


def main():
    (HERE / "normal_forms.json").write_text(
        "[" + ",\n".join(json.dumps(row) for row in normal_forms()) + "]\n")
    (HERE / "texts.json").write_text(json.dumps(TEXTS, indent=0) + "\n")
    for name, contents in (*of_bytes(), *of_characters(), *of_words()):
        path = HERE / f"{name}.tokenizer.json"
        path.write_text(json.dumps(contents, ensure_ascii=False, separators=(",", ":")) + "\n",
                        encoding="utf-8")


if __name__ == "__main__":
    main()
