import { useSearchParams } from '@solidjs/router';
import { createEffect, createMemo, createSignal, on, onCleanup } from 'solid-js';
import { splitQuery } from '../../lib/query/tokens.ts';
import { beforeLast, lastPart } from './complete.ts';
import type { QueryKey } from './keys.ts';
import { readQuery } from './read.ts';

const TYPING_PAUSE_MS = 300;

export type QueryState = ReturnType<typeof createQueryState>;

/** The query of a list, which the page's address keeps as `?q=`: tokens that are finished, and what is typed after them. */
export function createQueryState(keys: () => readonly QueryKey[]) {
  const [params, setParams] = useSearchParams();
  const text = () => [params['q']].flat()[0] ?? '';
  const query = createMemo(() => readQuery(text(), keys()));
  const typing = createTyping(() => query().words_text);

  /** `page`: another query begins at its first page. */
  function apply(sources: readonly string[], { replace = false } = {}): void {
    const q = sources.filter((source) => source !== '').join(' ');
    if (q !== text()) setParams({ q: q || undefined, page: undefined }, { replace });
  }
  const sources = () => query().tokens.map(({ source }) => source);

  /** Makes tokens of all that is typed, also of the part that is not followed by a space. */
  function finish(typed = typing.typed()): void {
    const { tokens, words } = parted(typed);
    typing.set(words);
    apply([...sources(), ...tokens, words]);
  }

  return {
    query,
    typed: typing.typed,
    finish,
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
      typing.set('');
      apply([]);
    },
    /** Asks for something else. */
    replace(text: string): void {
      typing.set(readQuery(text, keys()).words_text);
      apply([text]);
    },
    /** Adds a finished token in the place of the part that is typed. */
    complete(token: string): void {
      finish(`${beforeLast(typing.typed())}${token} `);
    },
  };
}

/** Typed text; a text of the address that says something else replaces it. */
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
