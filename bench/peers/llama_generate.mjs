#!/usr/bin/env node
// Generation by llama.cpp on one thread, for bench/compare-generation: CPU seconds as JSON. Needs the
// npm package node-llama-cpp in the folder NODE_MODULES.
//
//   llama_generate.mjs MODEL.gguf SHORT LONG TOKENS        // the files of the prompts
//   llama_generate.mjs MODEL.gguf --cut TEXT TOKENS        // prints the first tokens of a text
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {join} from "node:path";
import {pathToFileURL} from "node:url";

const modules = createRequire(join(process.env.NODE_MODULES, "x.js"));
const {getLlama, LlamaLogLevel} = await import(pathToFileURL(modules.resolve("node-llama-cpp")).href);
const [path, short, long, count] = process.argv.slice(2);
const llama = await getLlama({gpu: false, build: "never", logLevel: LlamaLogLevel.error});
const model = await llama.loadModel({modelPath: path});
if (short === "--cut") {
  const ids = model.tokenize(readFileSync(long, "utf8")).slice(0, Number(count) - 1);  // and <s>
  process.stdout.write(model.detokenize(ids));
  process.exit(0);
}
const context = await model.createContext({contextSize: 1024, batchSize: 512, threads: 1});
const sequence = context.getSequence();

// The CPU seconds until the first token, and from there to the last.
async function seconds(file, tokens) {
  await sequence.clearHistory();
  const ids = [model.tokens.bos, ...model.tokenize(readFileSync(file, "utf8"))];
  const now = () => { const {user, system} = process.cpuUsage(); return (user + system) / 1e6; };
  const begin = now();
  let written = 0, first = 0;
  for await (const _ of sequence.evaluate(ids, {temperature: 0, yieldEogToken: true})) {
    if (written++ === 0) first = now();
    if (written === tokens) break;
  }
  if (written < tokens) throw new Error(`the model ended after ${written} tokens`);
  return {tokens: ids.length, first: first - begin, rest: now() - first};
}

await seconds(short, 4);
const generation = await seconds(short, Number(count) + 1), prompt = await seconds(long, 1);
console.log(JSON.stringify({generation: Number(count) / generation.rest, prompt: prompt.tokens / prompt.first}));
process.exit(0);
