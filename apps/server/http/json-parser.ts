import type { Runtime } from '#api/http/env.ts';
import { createThreads } from '#worker/threads/threads.ts';
import { systemClock as clock } from '../lib/clock.ts';

const ENTRY = new URL('./json-thread.mjs', import.meta.url); // next to the bundle as well
const SILENCE_MS = 20_000; // 32 MiB take half a second on an idle machine
const IDLE_MS = 60_000;

interface JsonVerbs {
  readonly parse: {
    readonly request: { readonly text: string };
    readonly response: { readonly value: unknown } | undefined;
  };
}

/** Parses in a thread, which starts with the first text. */
export function createJsonParser(): Runtime['parseJson'] {
  const threads = createThreads<JsonVerbs>({
    entry: ENTRY,
    clock,
    silence_ms: SILENCE_MS,
    idle_ms: IDLE_MS,
  });
  return (text) => threads.get().call('parse', { text });
}
