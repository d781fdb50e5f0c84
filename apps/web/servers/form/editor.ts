import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { type Accessor, createSignal } from 'solid-js';
import { createStore } from 'solid-js/store';
import { take } from '#client/client.ts';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../../app/context.ts';
import { createFormErrors, type FormErrors } from '../../parts/fields/form-errors.ts';
import { type Server, serversQuery } from '../servers.ts';
import { complaintsOf } from './complaints.ts';
import { DRAFT_FIELDS, draftOf, inputOf, NO_SECRETS, patchOf, type ServerDraft } from './draft.ts';

export interface ServerEditor extends FormErrors<keyof ServerDraft> {
  readonly draft: ServerDraft;
  /** The stored server; undefined before the first save. */
  readonly saved: Accessor<Server | undefined>;
  readonly others: Accessor<readonly Server[]>;
  readonly busy: Accessor<boolean>;
  readonly dirty: Accessor<boolean>;
  set<K extends keyof ServerDraft>(name: K, value: ServerDraft[K]): void;
  save(): Promise<boolean>;
}

/** The state of the server form. */
export function createServerEditor(server: Server | undefined, group = ''): ServerEditor {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const servers = useQuery(() => serversQuery(client));
  const [draft, update] = createStore<ServerDraft>({ ...draftOf(server), ...(server ? {} : { group }) });
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
    ...createFormErrors(error, { fields: () => DRAFT_FIELDS, fieldOf: (code) => FIELDS_OF_CODES[code] }),
    set(name, value) {
      setDirty(true);
      update({ [name]: value });
    },
    async save() {
      if (busy()) return false;
      const [first, ...others] = complaintsOf(draft, t);
      if (first) {
        const errors = [first, ...others];
        setError(new ClientError({ status: 422, code: 'validation', detail: first.message, errors }));
        return false;
      }
      setBusy(true);
      setError(undefined);
      try {
        const stored = await store();
        setSaved(stored);
        update({ ...NO_SECRETS, name: stored.name });
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

/** Binds a text field to the draft. */
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

const FIELDS_OF_CODES: Readonly<Record<string, keyof ServerDraft>> = {
  jump_cycle: 'jump_via_id',
  jump_host_unknown: 'jump_via_id',
  jump_too_deep: 'jump_via_id',
  unreadable_private_key: 'private_key',
};
