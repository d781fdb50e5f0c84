import { type Accessor, createEffect, createSignal, on, onCleanup } from 'solid-js';
import type { GatewayClient } from '#client/client.ts';
import type { FilePlace } from '../../files/viewer/link.ts';
import { decodePart, type Encoding, guessEncoding } from './encodings.ts';
import { createFollower } from './follow.ts';
import { type FilePart, readPart, type Wanted } from './reading.ts';

const MOST_BYTES = 2 * 1024 * 1024; // kept while a file is followed

export type Mode = 'first' | 'last' | 'follow';

/** A part of a file that the editor does not open, as read-only text. */
export interface Excerpt {
  readonly mode: Accessor<Mode>;
  show(mode: Mode): void;
  readonly part: Accessor<FilePart | undefined>;
  readonly text: Accessor<string>;
  readonly encoding: Accessor<Encoding | undefined>;
  setEncoding(encoding: Encoding): void;
  readonly loading: Accessor<boolean>;
  readonly error: Accessor<unknown>;
  /** Not a text in any encoding. */
  readonly is_binary: Accessor<boolean>;
}

export function createExcerpt(client: GatewayClient, place: FilePlace): Excerpt {
  const [mode, show] = createSignal<Mode>('first', { equals: false }); // again, after an error
  const [part, setPart] = createSignal<FilePart>();
  const [chosen, setEncoding] = createSignal<Encoding>();
  const [guessed, setGuessed] = createSignal<Encoding>();
  const [is_binary, setBinary] = createSignal(false);
  const [loading, setLoading] = createSignal(true);
  const [error, setError] = createSignal<unknown>();
  const encoding = () => chosen() ?? guessed();

  async function load(signal: AbortSignal): Promise<void> {
    const read = (wanted: Wanted) => readPart(client, place, { wanted, signal });
    setLoading(true);
    setError(undefined);
    try {
      const empty: FilePart = { bytes: new Uint8Array(), offset: 0, size: 0 };
      const found = (await read(mode() === 'first' ? { from: 0 } : 'last')) ?? empty;
      if (guessed() === undefined && found.bytes.length > 0)
        setGuessed(guessEncoding(found.bytes, found.offset));
      setBinary(found.bytes.length > 0 && guessed() === undefined);
      setPart(found);
      setLoading(false);
      if (mode() === 'follow' && !is_binary()) await follow(found, read, signal);
    } catch (refusal) {
      if (!signal.aborted) setError(refusal);
    } finally {
      if (!signal.aborted) setLoading(false);
    }
  }

  async function follow(
    from: FilePart,
    read: (wanted: Wanted) => Promise<FilePart | undefined>,
    signal: AbortSignal,
  ): Promise<void> {
    const follower = createFollower(from, read);
    for (;;) {
      await untilVisible(follower.pause_ms(), signal);
      const news = await follower.look();
      if (news.kind === 'anew') setPart(news.part);
      if (news.kind === 'more') setPart((before = from) => grown(before, news.bytes, news.size));
    }
  }

  createEffect(
    on(mode, () => {
      const ending = new AbortController();
      onCleanup(() => ending.abort());
      void load(ending.signal);
    }),
  );
  const text = () => {
    const [shown, by] = [part(), encoding()];
    return shown && by ? decodePart(shown.bytes, by, shown.offset) : '';
  };
  return { mode, show, part, text, encoding, setEncoding, loading, error, is_binary };
}

/** Appends bytes, and drops whole lines at the start if there are too many. */
export function grown({ bytes, offset }: FilePart, more: Uint8Array, size: number): FilePart {
  const all = new Uint8Array(bytes.length + more.length);
  all.set(bytes);
  all.set(more, bytes.length);
  if (all.length <= MOST_BYTES) return { bytes: all, offset, size };
  const line = all.indexOf(0x0a, all.length - MOST_BYTES);
  const cut = line < 0 ? all.length - MOST_BYTES : line + 1;
  return { bytes: all.slice(cut), offset: offset + cut, size };
}

/** Waits, and then until the page can be seen; rejects when it is aborted. */
function untilVisible(pause_ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = () => {
      if (document.visibilityState !== 'visible' && !signal.aborted) return;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', wake);
      signal.removeEventListener('abort', settle);
      if (signal.aborted) reject(signal.reason);
      else resolve();
    };
    let is_due = false;
    const wake = () => is_due && settle();
    const timer = setTimeout(() => {
      is_due = true;
      settle();
    }, pause_ms);
    document.addEventListener('visibilitychange', wake);
    signal.addEventListener('abort', settle);
  });
}
