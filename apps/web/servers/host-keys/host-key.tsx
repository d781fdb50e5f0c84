import { useQuery } from '@tanstack/solid-query';
import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { type Server, serversQuery } from '../servers.ts';
import { LookAtHostKey } from './accept-key.tsx';

/** The pinned and announced keys, and the button to accept a new one. */
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
      <Show when={present().announced_host_keys.length > 0}>
        <AnnouncedKeys fingerprints={present().announced_host_keys} />
      </Show>
      <Show when={asking()}>
        <LookAtHostKey server={present()} onClose={() => setAsking(false)} />
      </Show>
    </fieldset>
  );
}

function AnnouncedKeys(props: { fingerprints: readonly string[] }) {
  const { t } = useApp();
  return (
    <div class="announced">
      <p id="announced-keys">{t('announced_keys')}</p>
      <ul aria-labelledby="announced-keys">
        <For each={props.fingerprints}>
          {(fingerprint) => (
            <li>
              <code class="fingerprint">{fingerprint}</code>
            </li>
          )}
        </For>
      </ul>
      <p class="field-hint">{t('announced_keys_hint')}</p>
    </div>
  );
}
