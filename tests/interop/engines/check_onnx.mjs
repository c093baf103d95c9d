#!/usr/bin/env node
// Compares the export to ONNX with transformers.js itself: greedy translations. Needs the npm package
// @huggingface/transformers.
//
//   check_onnx.mjs CALQUE RUN EXPORT SOURCE [LINES]
import {execFileSync} from "node:child_process";
import {readFileSync} from "node:fs";
import {createRequire} from "node:module";
import {basename, dirname, join, resolve} from "node:path";
import {pathToFileURL} from "node:url";

// The package is installed in the folder NODE_MODULES, outside the tree.
const modules = createRequire(join(process.env.NODE_MODULES, "x.js"));
const {pipeline, env} =
  await import(pathToFileURL(modules.resolve("@huggingface/transformers")).href);
const [calque, run, folder, source, count = "100"] = process.argv.slice(2);
env.allowRemoteModels = false;
env.localModelPath = dirname(resolve(folder)) + "/";

const lines = readFileSync(source, "utf8").split("\n").slice(0, Number(count));
const ours = execFileSync(calque, ["translate", run, "--beam", "1", "--set",
  "decoding.allow_unknown=false", "--set", "decoding.max_length_extra=1000", "--set",
  "decoding.max_length=100"], {encoding: "utf8", input: lines.join("\n") + "\n"}).split("\n");
const translate = await pipeline("translation", basename(folder), {dtype: "fp32"});
let same = 0;
for (const [i, line] of lines.entries()) {
  const [{translation_text: theirs}] = await translate(line, {max_new_tokens: 100});
  if (theirs.trimStart() === ours[i]) ++same;  // the library keeps all but one leading space
  else if (i - same < 3) console.error(`  calque: ${ours[i]}\n  transformers.js: ${theirs}`);
}
const version = JSON.parse(readFileSync(
  join(process.env.NODE_MODULES, "@huggingface/transformers/package.json"))).version;
console.log(`| onnx | transformers.js ${version} | ${basename(run)}: greedy | ${lines.length} | ` +
  `${same} | | ${same === lines.length ? "yes" : "NO"} |`);
process.exit(same === lines.length ? 0 : 1);
