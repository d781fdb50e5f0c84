import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { hopNamed, type Server, serversQuery } from '../servers.ts';
import { KeyCheck } from './key-check.tsx';

interface Props {
  readonly server: Server;
  /** Fingerprint of the refused key, if known. */
  readonly presented?: string | undefined;
  readonly onAccepted?: (() => void) | undefined;
  readonly onClose: () => void;
}

export function AcceptNewKey(props: Props) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  let accepted = false;
  async function forget(): Promise<void> {
    await client.http.DELETE('/api/servers/{id}/host-key', { params: { path: { id: props.server.id } } });
    accepted = true;
    await queries.invalidateQueries({ queryKey: ['servers'] });
  }
  function close(): void {
    props.onClose();
    if (accepted) props.onAccepted?.();
  }
  return (
    <Confirm
      title={t('accept_new_key_of', { name: props.server.name })}
      text={t('accept_new_key_text')}
      action={t('accept_new_key_action')}
      failure={t('accept_new_key_failed')}
      danger
      onConfirm={forget}
      onClose={close}
    >
      <dl class="facts">
        <dt>{t('pinned_key')}</dt>
        <dd>
          <code class="fingerprint">{props.server.host_key_fingerprint || t('no_key_yet')}</code>
        </dd>
        <dt>{t('presented_key')}</dt>
        <dd>
          <Show when={props.presented} fallback={t('presented_key_unknown')}>
            <code class="fingerprint">{props.presented}</code>
          </Show>
        </dd>
        <Show when={props.server.announced_host_keys.length > 0}>
          <dt>{t('announced_keys_too')}</dt>
          <dd>{props.server.announced_host_keys.length}</dd>
        </Show>
      </dl>
      <KeyCheck />
    </Confirm>
  );
}

interface ButtonProps {
  /** The server the connection was for. */
  readonly server_id: number;
  /** Name of the hop whose key was refused. */
  readonly hop: string | undefined;
  readonly presented: string | undefined;
  readonly onAccepted: () => void;
}

/** Lets administrators accept a changed key, which may belong to a jump host. */
export function AcceptKeyButton(props: ButtonProps) {
  const { client, session, t } = useApp();
  const servers = useQuery(() => serversQuery(client));
  const [asking, setAsking] = createSignal(false);
  const why = useReadOnlyReason();
  const server = () => hopNamed(servers.data ?? [], props.server_id, props.hop);
  return (
    <Show when={session.user()?.is_admin && why() === undefined && server()}>
      {(present) => (
        <>
          <button type="button" class="button" onClick={() => setAsking(true)}>
            {t('accept_new_key')}
          </button>
          <Show when={asking()}>
            <AcceptNewKey
              server={present()}
              presented={props.presented}
              onAccepted={props.onAccepted}
              onClose={() => setAsking(false)}
            />
          </Show>
        </>
      )}
    </Show>
  );
}
