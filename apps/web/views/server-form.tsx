import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Match, Show, Switch } from 'solid-js';
import { createStore } from 'solid-js/store';
import { take } from '#client/client.ts';
import { ClientError } from '#client/client-error.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useApp } from '../state/app-context.ts';
import { draftOf, inputOf, patchOf, type ServerDraft } from '../state/server-draft.ts';
import { type Server, serversQuery } from '../state/servers.ts';
import { ConnectionTestView } from './connection-test.tsx';
import { AccessFields, AddressFields, CredentialFields, type DraftProps } from './server-fields.tsx';
import { HostKey } from './host-key.tsx';
import './server-form.css';

interface Props {
  readonly server: Server | undefined;
  readonly onClose: () => void;
}

export function ServerForm(props: Props) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const servers = useQuery(() => serversQuery(client));
  const [draft, setDraft] = createStore<ServerDraft>({ ...draftOf(props.server) });
  const [saved, setSaved] = createSignal(props.server);
  const [error, setError] = createSignal<unknown>();
  const [busy, setBusy] = createSignal(false);
  const [dirty, setDirty] = createSignal(false);
  const [leaving, setLeaving] = createSignal(false);
  const [testing, setTesting] = createSignal(false);
  let form: HTMLFormElement | undefined;

  const fields: DraftProps = {
    draft,
    get server() {
      return saved();
    },
    get others() {
      return (servers.data ?? []).filter(({ id }) => id !== saved()?.id);
    },
    set(name, value) {
      setDirty(true);
      setDraft({ [name]: value });
    },
    errorAt: (path) => fieldError(error(), path),
  };
  const close = () => (dirty() ? setLeaving(true) : props.onClose());

  async function save(): Promise<boolean> {
    if (busy() || !form?.reportValidity()) return false;
    setBusy(true);
    setError(undefined);
    try {
      setSaved(await store());
      setDirty(false);
      await queries.invalidateQueries({ queryKey: ['servers'] });
      return true;
    } catch (refusal) {
      setError(refusal);
      queueMicrotask(() => form?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return false;
    } finally {
      setBusy(false);
    }
  }

  function store(): Promise<Server> {
    const id = saved()?.id;
    if (id === undefined) return take(client.http.POST('/api/servers', { body: inputOf(draft) }));
    return take(client.http.PUT('/api/servers/{id}', { params: { path: { id } }, body: patchOf(draft) }));
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (await save()) props.onClose();
  }

  async function saveAndTest(): Promise<void> {
    setTesting(false);
    if (await save()) setTesting(true);
  }

  return (
    <Dialog
      title={props.server ? t('edit_of', { name: props.server.name }) : t('add_server')}
      wide
      sticky
      onClose={close}
    >
      <form class="server-form" ref={form} onSubmit={(event) => void submit(event)} novalidate={false}>
        <AddressFields {...fields} />
        <CredentialFields {...fields} />
        <AccessFields {...fields} />
        <Show when={saved()}>{(server) => <HostKey server={server()} />}</Show>
        <Show when={error() !== undefined && !isShownAtField(error())}>
          <Trouble title={t('save_failed')} error={error()} compact />
        </Show>
        <Switch>
          <Match when={testing() && saved()}>{(server) => <ConnectionTestView server={server()} />}</Match>
        </Switch>
        <div class="actions actions-sticky">
          <button type="button" class="button" disabled={busy()} onClick={() => void saveAndTest()}>
            {t('save_and_test')}
          </button>
          <span class="actions-gap" />
          <button type="button" class="button" onClick={close}>
            {t(saved() && !dirty() ? 'close' : 'cancel')}
          </button>
          <button type="submit" class="button button-primary" disabled={busy()}>
            {t('save')}
          </button>
        </div>
      </form>
      <Show when={leaving()}>
        <Confirm
          title={t('discard_title')}
          text={t('discard_text')}
          action={t('discard')}
          danger
          onConfirm={props.onClose}
          onClose={() => setLeaving(false)}
        />
      </Show>
    </Dialog>
  );
}

const CODE_FIELDS: Readonly<Record<string, string>> = {
  jump_cycle: 'jump_via_id',
  jump_host_unknown: 'jump_via_id',
  unreadable_private_key: 'private_key',
};

function fieldError(error: unknown, path: string): string | undefined {
  if (!(error instanceof ClientError)) return undefined;
  if (CODE_FIELDS[error.code] === path) return error.detail;
  return error.errors.find((field) => field.path === path || field.path.startsWith(`${path}.`))?.message;
}

function isShownAtField(error: unknown): boolean {
  return error instanceof ClientError && (error.errors.length > 0 || error.code in CODE_FIELDS);
}
