// Sends requests to `calque serve` with npm packages: serve_clients.mjs FOLDER URL TEXT EXPECTED
// where EXPECTED is the translation of TEXT from en to de.
import assert from 'node:assert/strict';
import {createRequire} from 'node:module';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

const [folder, url, text, expected] = process.argv.slice(2);
const require = createRequire(pathToFileURL(path.resolve(folder, 'clients.js')));

async function libretranslate() {
  const {translate} = require('libretranslate');
  assert.equal(await translate({query: text, source: 'en', target: 'de', apiurl: url}), expected);
  assert.equal(await translate({query: text, target: 'de', apiurl: url}), expected);  // source: auto
  assert.equal(await translate({query: `<p>${text}</p>`, source: 'en', target: 'de', format: 'html', apiurl: url}), `<p>${expected}</p>`);
  await assert.rejects(translate({query: 'a', source: 'fr', target: 'de', apiurl: url}), /not found/);
}

async function libretranslateTs() {
  const {libreTranslate} = require('libretranslate-ts');
  libreTranslate.setApiEndpoint(url);
  const languages = await libreTranslate.listLanguages();
  assert.deepEqual(languages, [{code: 'de', name: 'German', targets: []}, {code: 'en', name: 'English', targets: ['de']}]);
  const found = await libreTranslate.translate(text, 'en', 'de', 2);
  assert.equal(found.status, 200);
  assert.equal(found.translatedText, expected);
  assert.ok(Array.isArray(found.alternatives));
  const guess = await libreTranslate.detect(text);
  assert.equal(guess.status, 200);
  assert.equal(guess.language, 'en');
  assert.ok(guess.confidence > 90, JSON.stringify(guess));
  const refused = await libreTranslate.translate('a', 'fr', 'de');
  assert.equal(refused.error, 'fr to de is not supported, but en to de');
}

async function translatePackage() {
  const {Translate} = await import(pathToFileURL(require.resolve('translate')));
  const {libre} = new Translate().engines;  // version 3.1.0 does not pass an option `url` on to its engine
  const here = {...libre, fetch: (options) => libre.fetch({...options, url: `${url}/translate`})};
  const translate = new Translate({engine: 'libre', engines: {libre: here}});
  assert.equal(await translate(text, {from: 'en', to: 'de'}), expected);
  await assert.rejects(translate(text, {from: 'fr', to: 'de'}), /fr to de is not supported/);
}

async function openai() {
  const {default: OpenAI} = require('openai');
  const client = new OpenAI({baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0});
  const names = [];
  for await (const model of client.models.list()) names.push(model.id);
  assert.deepEqual(names, ['writer']);
  const request = {model: 'writer', prompt: 'the ', max_tokens: 12, seed: 5, temperature: 0.7};
  const whole = await client.completions.create(request);
  assert.equal(whole.object, 'text_completion');
  assert.equal(whole.usage.total_tokens, whole.usage.prompt_tokens + whole.usage.completion_tokens);
  assert.equal(whole.usage.prompt_tokens_details.cached_tokens, 0);
  let streamed = '';
  for await (const part of await client.completions.create({...request, stream: true})) streamed += part.choices[0].text;
  assert.equal(streamed, whole.choices[0].text);
  await assert.rejects(client.completions.create({...request, model: 'nobody'}), {status: 404, message: /the model nobody does not exist/});
  await assert.rejects(client.completions.create({...request, max_tokens: -1}), {status: 400});
}

async function openaiChat() {
  const {default: OpenAI} = require('openai');
  const client = new OpenAI({baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0});
  const request = {model: 'writer', messages: [{role: 'system', content: 'Be brief.'}, {role: 'user', content: 'the '}],
                   max_tokens: 12, seed: 5};
  const whole = await client.chat.completions.create({...request, logprobs: true, top_logprobs: 2});
  assert.equal(whole.object, 'chat.completion');
  assert.equal(whole.choices[0].message.role, 'assistant');
  assert.equal(whole.choices[0].logprobs.content.length, whole.usage.completion_tokens);
  let streamed = '', reason = null;
  for await (const part of await client.chat.completions.create({...request, stream: true})) {
    streamed += part.choices[0].delta.content ?? '';
    reason ??= part.choices[0].finish_reason;
  }
  assert.equal(streamed, whole.choices[0].message.content);
  assert.equal(reason, whole.choices[0].finish_reason);
  const tools = [{type: 'function', function: {name: 'f', parameters: {}}}];
  await assert.rejects(client.chat.completions.create({...request, tools}), {status: 400, message: /tools are not supported/});
}

async function openaiFormats() {
  const {default: OpenAI} = require('openai');
  const client = new OpenAI({baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0});
  const schema = {type: 'object', properties: {yes: {type: 'boolean'}, count: {type: 'integer', minimum: 1, maximum: 12}},
                  required: ['yes', 'count'], additionalProperties: false};
  const request = {model: 'writer', messages: [{role: 'user', content: 'the '}], max_tokens: 60};
  const format = {type: 'json_schema', json_schema: {name: 'answer', strict: true, schema}};
  for (let seed = 1; seed <= 5; ++seed) {
    const answer = await client.chat.completions.parse({...request, seed, response_format: format});
    const {yes, count} = JSON.parse(answer.choices[0].message.content);
    assert.equal(answer.choices[0].finish_reason, 'stop');
    assert.ok(typeof yes === 'boolean' && count >= 1 && count <= 12, answer.choices[0].message.content);
  }
  const matching = await client.completions.create({model: 'writer', prompt: 'the ', max_tokens: 9, regex: '[a-f]{3}-[0-9]{2}'});
  assert.match(matching.choices[0].text, /^[a-f]{3}-[0-9]{2}$/);
  schema.properties.count = {type: 'integer', multipleOf: 2};
  await assert.rejects(client.chat.completions.create({...request, response_format: format}),
                       {status: 400, message: /#\/properties\/count\/multipleOf: is not supported/});
}

async function openaiEmbeddings() {
  const {default: OpenAI} = require('openai');
  const client = new OpenAI({baseURL: `${url}/v1`, apiKey: 'none', maxRetries: 0});
  const input = ['the king', 'a dog'];
  const packed = await client.embeddings.create({model: 'writer', input});  // asks for base64
  const plain = await client.embeddings.create({model: 'writer', input, encoding_format: 'float'});
  assert.deepEqual(plain.data.map((each) => each.embedding.map(Math.fround)), packed.data.map((each) => each.embedding.map(Math.fround)));
  assert.equal(plain.data.length, 2);
  assert.equal(plain.usage.total_tokens, plain.usage.prompt_tokens);
  await assert.rejects(client.embeddings.create({model: 'writer', input, dimensions: 3}), {status: 400, message: /dimensions: is 3/});
}

for (const check of [libretranslate, libretranslateTs, translatePackage, openai, openaiChat, openaiFormats, openaiEmbeddings]) {
  await check();
  console.log(check.name, 'works');
}
