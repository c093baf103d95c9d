#!/usr/bin/env node
// Compares the export of a language model with llama.cpp itself: the tokens and the perplexity of
// lines, and greedy continuations. Needs the npm package node-llama-cpp, which includes llama.cpp.
//
//   check_gguf.mjs CALQUE RUN EXPORT TEXT [LINES]
import {execFileSync} from "node:child_process";
import {mkdtempSync, readFileSync, rmSync, writeFileSync} from "node:fs";
import {createRequire} from "node:module";
import {tmpdir} from "node:os";
import {basename, join} from "node:path";
import {pathToFileURL} from "node:url";

// The package is installed in the folder NODE_MODULES, outside the tree.
const modules = createRequire(join(process.env.NODE_MODULES, "x.js"));
const {getLlama, LlamaLogLevel} =
  await import(pathToFileURL(modules.resolve("node-llama-cpp")).href);
const [calque, run, folder, text, count = "100"] = process.argv.slice(2);
const call = (...args) => execFileSync(calque, args, {encoding: "utf8"});

const llama = await getLlama({gpu: false, build: "never", logLevel: LlamaLogLevel.error});
const model = await llama.loadModel({modelPath: join(folder, "model.gguf")});
// The cache of keys and values is float32, like calque's; by default llama.cpp rounds it to 16 bits.
const context = await model.createContext({contextSize: model.trainContextSize, threads: 1,
  experimentalKvCacheKeyType: "F32", experimentalKvCacheValueType: "F32"});
const sequence = context.getSequence();
const engine = "llama.cpp (node-llama-cpp " +
  JSON.parse(readFileSync(join(process.env.NODE_MODULES, "node-llama-cpp/package.json"))).version + ")";
const format = `gguf ${model.fileInfo.metadata.general.architecture}`;
let passed = true;

function report(what, total, same, difference, most) {
  const fine = same === total && difference <= most;
  passed &&= fine;
  console.log(`| ${format} | ${engine} | ${basename(run)}: ${what} | ${total} | ${same} | ` +
    `${most ? difference.toExponential(1) : ""} | ${fine ? "yes" : "NO"} |`);
}

// With these options, llama.cpp returns the logits of all tokens, not only of probable ones.
const all = {logits: true, options: {temperature: 1, topK: 0, topP: 1, minP: 0}};

const bos = model.tokens.bos, eos = model.tokens.eos;
const lines = readFileSync(text, "utf8").split("\n").filter((line) => line.trim())
  .map((line) => ({line, ids: [bos, ...model.tokenize(line)]}))
  .filter(({ids}) => ids.length < model.trainContextSize).slice(0, Number(count));

// The log-probability of a line, </s> included.
async function logProbability(ids) {
  await sequence.clearHistory();
  const read = ids.map((id) => [id, {generateNext: all}]);
  const after = [...ids.slice(1), eos];
  const results = await sequence.controlledEvaluate(read);
  let sum = 0;
  results.forEach(({next}, i) => {
    const logits = [...next.logits.values()];
    const most = logits.reduce((a, b) => Math.max(a, b));
    sum += next.logits.get(after[i]) - most - Math.log(logits.reduce((s, x) => s + Math.exp(x - most), 0));
  });
  return sum;
}

async function greedy(ids, length) {
  await sequence.clearHistory();
  const written = [];
  for (let input = ids; written.length < length;) {
    const read = input.map((id, i) =>
      i + 1 < input.length ? id : [id, {generateNext: all}]);
    const logits = (await sequence.controlledEvaluate(read)).at(-1).next.logits;
    let best = eos;
    for (const [id, value] of logits) if (id > 1 && value > logits.get(best)) best = id;
    if (best === eos) break;
    written.push(best);
    input = [best];
  }
  return written;
}

const scratch = mkdtempSync(join(tmpdir(), "calque-gguf-"));
writeFileSync(join(scratch, "lines"), lines.map(({line}) => line + "\n").join(""));
const scores = call("score", run, "--text", join(scratch, "lines")).trim().split("\n")
  .map((line) => line.split("\t").map(Number));
rmSync(scratch, {recursive: true});
let ours = 0, theirs = 0, tokens = 0, same = 0;
for (const [i, {ids}] of lines.entries()) {
  ours += scores[i][0];
  theirs += await logProbability(ids);
  tokens += ids.length;
  same += ids.length === scores[i][2] ? 1 : 0;
}
const perplexity = (sum) => Math.exp(-sum / tokens);
report("perplexity, relative", lines.length, same,
  Math.abs(perplexity(theirs) / perplexity(ours) - 1), 0.005);

let equal = 0;
const prompts = lines.slice(0, 20).map(({line}) => line.slice(0, 10).trim());
for (const prompt of prompts) {
  const ids = [bos, ...model.tokenize(prompt)];
  const text = model.detokenize([...ids.slice(1), ...await greedy(ids, 20)]).trimStart()
    .replaceAll("\n ", "\n");  // llama.cpp keeps the space that begins each line for SentencePiece
  const own = call("generate", run, prompt, "--temperature", "0", "--max-tokens", "20").replace(/\n$/, "");
  if (text === own) ++equal;
  else console.error(`  calque: ${JSON.stringify(own)}\n  llama.cpp: ${JSON.stringify(text)}`);
}
report("greedy, 20 tokens", prompts.length, equal, 0, 0);
process.exit(passed ? 0 : 1);
