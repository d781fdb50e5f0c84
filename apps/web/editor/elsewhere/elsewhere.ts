import { type Accessor, createSignal } from 'solid-js';
import { take } from '#client/client.ts';
import type { App } from '../../app/context.ts';
import type { FilePlace } from '../../files/viewer/link.ts';
import { type Attempt, createAttempt } from '../../lib/attempt.ts';
import { joinPath, nameOf } from '../../lib/paths.ts';
import { type Outcome, saveText } from '../text-file.ts';

const MOST_COPIES = 20;

/** Saving the text under another path. The file that is open stays as it is, and so do the changes to it. */
export interface Elsewhere {
  readonly is_asking: Accessor<boolean>;
  ask(): void;
  cancel(): void;
  /** Where the text was saved last, and whether it has changed since. */
  readonly saved: Accessor<{ readonly path: string; readonly is_older: boolean } | undefined>;
  readonly attempt: Attempt;
  /** Resolves to `taken` when another file has the path, unless it may be replaced. */
  save(path: string, options?: { replaces: boolean }): Promise<'saved' | 'taken' | 'failed'>;
  /** Saves the text in the home directory under a name that is free. Asks for another path where that fails. */
  saveAtHome(): Promise<string | undefined>;
  /** A path to begin with. */
  suggest(): Promise<string>;
}

interface Options {
  readonly app: Pick<App, 'client'>;
  readonly place: FilePlace;
  readonly content: () => string;
  readonly version: () => unknown;
}

export function createElsewhere({ app: { client }, place, content, version }: Options): Elsewhere {
  const [is_asking, setAsking] = createSignal(false);
  const [saved, setSaved] = createSignal<{ readonly path: string; readonly version: unknown }>();
  const attempt = createAttempt();
  const { server_id } = place;

  async function home(): Promise<string> {
    const params = { path: { server_id } };
    return (await take(client.http.GET('/api/files/{server_id}/home', { params }))).path;
  }
  /** The file that is open may be secret to others on the host, so nothing is in the new one until only its owner reads it. */
  async function writePrivately(path: string): Promise<Outcome['kind'] | 'failed'> {
    let outcome: Outcome | undefined;
    const is_made = await attempt.run(async () => {
      outcome = await saveText(client, { server_id, path }, { content: '', basis: { kind: 'absent' } });
      if (outcome.kind !== 'saved') return;
      const params = { path: { server_id } };
      await take(client.http.POST('/api/files/{server_id}/chmod', { params, body: { path, mode: '600' } }));
    });
    if (!is_made) return 'failed';
    return outcome?.kind === 'saved' ? write(path, true) : (outcome?.kind ?? 'failed');
  }

  async function write(path: string, replaces: boolean): Promise<Outcome['kind'] | 'failed'> {
    let outcome: Outcome | undefined;
    const sent = version(); // the user may keep typing
    const basis = { kind: replaces ? 'any' : 'absent' } as const;
    await attempt.run(async () => {
      outcome = await saveText(client, { server_id, path }, { content: content(), basis });
    });
    if (outcome?.kind === 'saved') setSaved({ path, version: sent });
    return outcome?.kind ?? 'failed';
  }

  return {
    is_asking,
    ask: () => setAsking(true),
    cancel() {
      setAsking(false);
      attempt.forget();
    },
    saved() {
      const last = saved();
      return last && { path: last.path, is_older: last.version !== version() };
    },
    attempt,
    async save(path, { replaces } = { replaces: false }) {
      const kind = await write(path, replaces);
      if (kind === 'saved') setAsking(false);
      if (kind === 'saved' || kind === 'failed') return kind;
      return 'taken';
    },
    async saveAtHome() {
      if (attempt.busy()) return undefined;
      let directory = '';
      const is_known = await attempt.run(async () => {
        directory = await home();
      });
      for (let number = 1; is_known && number <= MOST_COPIES; number += 1) {
        const path = joinPath(directory, copyName(nameOf(place.path), number));
        const kind = await writePrivately(path);
        if (kind === 'saved') return path;
        if (kind === 'failed') break;
      }
      setAsking(true);
      return undefined;
    },
    suggest: async () => joinPath(await home(), nameOf(place.path)),
  };
}

function copyName(name: string, number: number): string {
  return number === 1 ? `${name}.edited` : `${name}.edited-${number}`;
}
