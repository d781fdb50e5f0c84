import { useSearchParams } from '@solidjs/router';
import { createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import { splitQuery } from '../../lib/query/tokens.ts';
import { beforeLast, lastPart } from './complete.ts';
import type { QueryKey } from './keys.ts';
import { type Query, readQuery } from './read.ts';

const TYPING_PAUSE_MS = 300;

export type QueryState = ReturnType<typeof createQueryState>;

/** The query of a list, which the page's address keeps, as `?q=` unless a screen has several lists: tokens that are finished, and what is typed after them. */
export function createQueryState(keys: () => readonly QueryKey[], param = 'q') {
  const [params, setParams] = useSearchParams();
  const text = () => [params[param]].flat()[0] ?? '';
  /** Stays the same object while it is equal: polling the list must not redraw the chips and lose the focus. */
  const query = createMemo(() => readQuery(text(), keys()), undefined, { equals: isSame });
  const typing = createTyping(() => query().words_text);

  /** The query while its last words are still being typed. */
  const [unfinished, setUnfinished] = createSignal<string>();

  /** `page`: another query begins at its first page. */
  function apply(sources: readonly string[], { replace = false } = {}): void {
    const q = sources.filter((source) => source !== '').join(' ');
    if (replace || unfinished() !== undefined) setUnfinished(q);
    if (q !== text()) setParams({ [param]: q || undefined, page: undefined }, { replace });
  }
  const sources = () => query().tokens.map(({ source }) => source);

  /** Turns everything typed into tokens and words, including a last part without a space after it. */
  function settle(typed = typing.typed()): void {
    const { tokens, words } = parted(typed);
    typing.set(words);
    apply([...sources(), ...tokens, words]);
  }

  return {
    query,
    typed: typing.typed,
    settle,
    /** False while words are being typed, until Enter: expensive searches wait for it. */
    is_finished: () => unfinished() !== text(),
    finish(): void {
      setUnfinished(undefined);
      settle();
    },
    type(typed: string): void {
      const done = finishedPart(typed);
      const { tokens, words } = parted(done);
      if (tokens.length > 0) {
        const rest = typed.slice(done.length);
        typing.set([words, rest.trimStart()].filter((one) => one !== '').join(' '));
        apply([...sources(), ...tokens, words]);
      } else typing.type(typed, () => apply([...sources(), wordsIn(typed)], { replace: true }));
    },
    /** Shows a text that is not applied, such as a token that is not finished. */
    show: (typed: string) => typing.set(typed),
    remove(index: number): void {
      apply([...sources().toSpliced(index, 1), wordsIn(typing.typed())]);
    },
    /** Takes a token back into the text. */
    edit(index: number): void {
      const source = sources()[index] ?? '';
      const words = wordsIn(typing.typed());
      apply([...sources().toSpliced(index, 1), words]);
      typing.set([words, source].filter((one) => one !== '').join(' '));
    },
    clear(): void {
      setUnfinished(undefined);
      typing.set('');
      apply([]);
    },
    /** Replaces the whole query. */
    replace(text: string): void {
      setUnfinished(undefined);
      typing.set(readQuery(text, keys()).words_text);
      apply([text]);
    },
    /** Adds a finished token in the place of the part that is typed. */
    complete(token: string): void {
      settle(`${beforeLast(typing.typed())}${token} `);
    },
  };
}

function isSame(before: Query, after: Query): boolean {
  return JSON.stringify(before) === JSON.stringify(after);
}

/** The typed text. A change of the address replaces it. */
function createTyping(settled: () => string) {
  const [typed, setTyped] = createSignal(settled());
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stop = () => clearTimeout(timer);
  onCleanup(stop);
  createEffect(
    on(
      settled,
      (words) => {
        if (words === wordsIn(typed())) return;
        stop();
        setTyped(words);
      },
      { defer: true },
    ),
  );
  return {
    typed,
    set(text: string): void {
      stop();
      setTyped(text);
    },
    type(text: string, settle: () => void): void {
      stop();
      setTyped(text);
      timer = setTimeout(settle, TYPING_PAUSE_MS);
    },
  };
}

/** The typed text without a token at its end that is not finished. */
function finishedPart(typed: string): string {
  const last = lastPart(typed);
  return last?.key === undefined ? typed : typed.slice(0, last.at);
}

function parted(typed: string): { tokens: string[]; words: string } {
  const parts = splitQuery(typed);
  return {
    tokens: parts.filter(({ key }) => key !== undefined).map(({ source }) => source),
    words: parts
      .filter(({ key }) => key === undefined)
      .map(({ source }) => source)
      .join(' '),
  };
}

/** A token that is not finished is no word. */
function wordsIn(typed: string): string {
  return parted(typed).words;
}
