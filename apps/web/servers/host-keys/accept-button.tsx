import { useQuery } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../../app-context.ts';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { hopNamed, serversQuery } from '../servers.ts';
import { AcceptNewKey } from './accept-new.tsx';

interface Props {
  /** The server the connection was for. */
  readonly server_id: number;
  /** Name of the hop whose key was refused. */
  readonly hop: string | undefined;
  readonly presented: string | undefined;
  readonly onAccepted: () => void;
}

/** Lets administrators accept a changed key, which may belong to a jump host. */
export function AcceptKeyButton(props: Props) {
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
