import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { type Accessor, createSignal } from 'solid-js';
import { createStore } from 'solid-js/store';
import { take } from '#client/client.ts';
import { ClientError } from '#client/client-error.ts';
import { useApp } from '../../app-context.ts';
import type { Translate } from '../../i18n/languages.ts';
import { type Server, serversQuery } from '../servers.ts';
import { draftOf, inputOf, NO_SECRETS, patchOf, type ServerDraft } from './draft.ts';

export interface ServerEditor {
  readonly draft: ServerDraft;
  /** As it is stored; undefined while it is not. */
  readonly saved: Accessor<Server | undefined>;
  readonly others: Accessor<readonly Server[]>;
  readonly busy: Accessor<boolean>;
  readonly dirty: Accessor<boolean>;
  /** What was refused and belongs to no field. */
  readonly error: Accessor<unknown>;
  set<K extends keyof ServerDraft>(name: K, value: ServerDraft[K]): void;
  errorAt(path: keyof ServerDraft): string | undefined;
  save(): Promise<boolean>;
}

/** A server while it is edited. */
export function createServerEditor(server: Server | undefined): ServerEditor {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const servers = useQuery(() => serversQuery(client));
  const [draft, update] = createStore<ServerDraft>({ ...draftOf(server) });
  const [saved, setSaved] = createSignal(server);
  const [error, setError] = createSignal<unknown>();
  const [busy, setBusy] = createSignal(false);
  const [dirty, setDirty] = createSignal(false);

  function store(): Promise<Server> {
    const id = saved()?.id;
    if (id === undefined) return take(client.http.POST('/api/servers', { body: inputOf(draft) }));
    return take(client.http.PUT('/api/servers/{id}', { params: { path: { id } }, body: patchOf(draft) }));
  }

  return {
    draft,
    saved,
    others: () => (servers.data ?? []).filter(({ id }) => id !== saved()?.id),
    busy,
    dirty,
    error: () => (isShownAtField(error()) ? undefined : error()),
    set(name, value) {
      setDirty(true);
      update({ [name]: value });
    },
    errorAt: (path) => fieldError(error(), path, t),
    async save() {
      if (busy()) return false;
      setBusy(true);
      setError(undefined);
      try {
        setSaved(await store());
        update(NO_SECRETS);
        setDirty(false);
        await queries.invalidateQueries({ queryKey: ['servers'] });
        return true;
      } catch (refusal) {
        setError(refusal);
        return false;
      } finally {
        setBusy(false);
      }
    },
  };
}

type TextName = {
  [K in keyof ServerDraft]: string extends ServerDraft[K] ? K : never;
}[keyof ServerDraft];

/** What binds a text field to the draft. */
export function bindText(editor: ServerEditor, name: TextName) {
  return {
    get value() {
      return editor.draft[name];
    },
    get error() {
      return editor.errorAt(name);
    },
    onChange: (value: string) => editor.set(name, value),
  };
}

const CODE_FIELDS: Readonly<Record<string, string>> = {
  jump_cycle: 'jump_via_id',
  jump_host_unknown: 'jump_via_id',
  jump_too_deep: 'jump_via_id',
  unreadable_private_key: 'private_key',
};

function fieldError(error: unknown, path: string, t: Translate): string | undefined {
  if (!(error instanceof ClientError)) return undefined;
  if (CODE_FIELDS[error.code] === path) return t.refusal(error.code, error.detail).text;
  const found = error.errors.find((field) => field.path === path || field.path.startsWith(`${path}.`));
  return found && t.complaint(found.message);
}

function isShownAtField(error: unknown): boolean {
  if (!(error instanceof ClientError)) return false;
  return Object.hasOwn(CODE_FIELDS, error.code) || error.errors.some(({ path }) => isField(path));
}

function isField(path: string): boolean {
  return Object.hasOwn(draftOf(undefined), path.split('.')[0] ?? '');
}
