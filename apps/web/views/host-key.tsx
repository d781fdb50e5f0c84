import { useQuery } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../state/app-context.ts';
import { type Server, serversQuery } from '../state/servers.ts';
import { AcceptNewKey } from './accept-new-key.tsx';

/** The pinned key, and the way to accept another one. */
export function HostKey(props: { server: Server }) {
  const { client, t } = useApp();
  const servers = useQuery(() => serversQuery(client));
  const [asking, setAsking] = createSignal(false);
  const present = () => servers.data?.find(({ id }) => id === props.server.id) ?? props.server;
  return (
    <fieldset class="form-group">
      <legend>{t('host_key')}</legend>
      <div class="host-key">
        <code class="fingerprint">{present().host_key_fingerprint || t('no_key_yet')}</code>
        <button
          type="button"
          class="button"
          disabled={present().host_key_fingerprint === ''}
          onClick={() => setAsking(true)}
        >
          {t('accept_new_key')}
        </button>
      </div>
      <p class="field-hint">{t('host_key_hint')}</p>
      <Show when={asking()}>
        <AcceptNewKey server={present()} onClose={() => setAsking(false)} />
      </Show>
    </fieldset>
  );
}
