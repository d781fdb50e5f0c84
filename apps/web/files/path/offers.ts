import { useQueryClient } from '@tanstack/solid-query';
import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { GatewayClient } from '#client/client.ts';
import { isAbsolute } from '../../lib/paths.ts';
import { arrange, listingQuery } from '../list/entries.ts';
import { commonStart, completionsOf, divideTyped } from './completion.ts';

const FRESH_MS = 10_000;
const TYPING_PAUSE_MS = 120;
const BY_NAME = { column: 'name', descending: false } as const;

export interface Offers {
  readonly list: Accessor<readonly string[]>;
  /** The selected index; -1 for none. */
  readonly at: Accessor<number>;
  /** Call when the typed text has changed. */
  look(): void;
  take(path: string): void;
  close(): void;
  /** Returns whether the list handled the key. */
  onKey(key: string): boolean;
}

interface Options {
  readonly client: GatewayClient;
  readonly server_id: Accessor<number>;
  readonly typed: Accessor<string>;
  readonly onTake: (path: string) => void;
}

/** Completions for a typed path, from the listing of its parent. */
export function createOffers(options: Options): Offers {
  const [list, setList] = createSignal<readonly string[]>([]);
  const [at, setAt] = createSignal(-1);
  const lookFor = createLook(options, (found) => {
    setList(found);
    setAt(-1);
  });

  function close(): void {
    lookFor(undefined);
    setList([]);
    setAt(-1);
  }
  function take(path: string): void {
    options.onTake(path);
    setAt(-1);
    lookFor(path);
  }
  /** The selected completion, or the common prefix. */
  function complete(): boolean {
    const chosen = list()[at()] ?? commonStart(list());
    if (list().length === 0 || chosen.length <= options.typed().length) return list().length > 1;
    take(chosen);
    return true;
  }
  function step(by: 1 | -1): boolean {
    const count = list().length;
    if (count === 0) return false;
    setAt((present) => (present + by + count + (present < 0 && by < 0 ? 1 : 0)) % count);
    return true;
  }
  function shut(): boolean {
    const was_open = list().length > 0;
    close();
    return was_open;
  }
  const keys: Readonly<Record<string, () => boolean>> = {
    ArrowDown: () => step(1),
    ArrowUp: () => step(-1),
    Tab: complete,
    Escape: shut,
    Enter: () => at() >= 0 && complete(),
  };
  return {
    list,
    at,
    look: () => lookFor(options.typed()),
    take,
    close,
    onKey: (key) => keys[key]?.() ?? false,
  };
}

/** Loads after a pause and ignores outdated responses. */
function createLook(
  { client, server_id }: Options,
  onFound: (paths: readonly string[]) => void,
): (typed: string | undefined) => void {
  const queries = useQueryClient();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let present = 0;
  const forget = () => clearTimeout(timer);
  onCleanup(forget);

  async function ask(typed: string, nth: number): Promise<void> {
    const divided = divideTyped(typed);
    const query = { ...listingQuery(client, server_id(), divided.directory), staleTime: FRESH_MS };
    const found = await queries.fetchQuery(query).then(
      ({ entries }) => completionsOf(divided, arrange(entries, BY_NAME, true)),
      () => [], // what cannot be listed offers nothing; going there says why
    );
    if (nth === present) onFound(found);
  }
  return (typed) => {
    forget();
    present += 1;
    const nth = present;
    if (typed && isAbsolute(typed)) timer = setTimeout(() => void ask(typed, nth), TYPING_PAUSE_MS);
    else onFound([]);
  };
}
