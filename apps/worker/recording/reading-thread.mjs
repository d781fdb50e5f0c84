// @ts-check
import { beat, serve } from '../threads/serve.mjs';
import { digestOf } from './digest.mjs';
import { openPlainText } from './plain-text.mjs';
import { openSearch } from './search.mjs';

/** @type {Map<number, Awaited<ReturnType<typeof openPlainText>>>} */
const texts = new Map();

/** @type {Map<number, Awaited<ReturnType<typeof openSearch>>>} */
const searches = new Map();

/**
 * A search that fails is over.
 * @param {number} id
 */
async function nextOf(id) {
  try {
    return await searches.get(id)?.next();
  } catch (error) {
    await dropSearch(id);
    throw error;
  }
}

/** @param {number} id */
async function dropSearch(id) {
  const search = searches.get(id);
  searches.delete(id);
  await search?.close();
  return undefined;
}

/** @param {number} id */
async function drop(id) {
  const text = texts.get(id);
  texts.delete(id);
  await text?.close();
  return undefined;
}

/** @type {import('../threads/serve.mjs').Served<import('./verbs.ts').ReadingVerbs>} */
const verbs = {
  digest: ({ file, most_bytes }) => digestOf(file, most_bytes),
  async text({ id, file }) {
    texts.set(id, await openPlainText(file));
    return undefined;
  },
  async more({ id }) {
    const { value, done } = (await texts.get(id)?.next()) ?? { done: true };
    if (done) await drop(id);
    return { buffer: new TextEncoder().encode(value ?? '').buffer, is_over: done === true };
  },
  drop: ({ id }) => drop(id),
  async search({ id, file, text }) {
    searches.set(id, await openSearch(file, text));
    return undefined;
  },
  async find({ id }) {
    const { value, done } = (await nextOf(id)) ?? { done: true };
    if (done) await dropSearch(id);
    return { matches: value ?? [], is_over: done === true };
  },
  drop_search: ({ id }) => dropSearch(id),
};

serve(verbs);
beat(); // the start of the thread must not count as silence
