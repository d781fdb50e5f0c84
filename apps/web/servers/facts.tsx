import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import type { Translate } from '../i18n/languages.ts';
import { whyNotPostQuantum } from '../parts/protection/key-exchange.ts';
import type { Server } from './servers.ts';

export function addressOf({ username, hostname, port }: Server): string {
  return `${username}@${hostname}:${port}`;
}

/** How the gateway signs in, and whether something is missing for it. */
export function Credential(props: { server: Server }) {
  const { t } = useApp();
  const is_missing = () => {
    const { auth_method, has_password, has_private_key } = props.server;
    return (auth_method === 'password' && !has_password) || (auth_method === 'key' && !has_private_key);
  };
  return (
    <span class="table-line">
      {t(`auth_${props.server.auth_method}`)}
      <Show when={is_missing()}>
        <span class="badge badge-bad">{t('credential_missing')}</span>
      </Show>
    </span>
  );
}

/** What is known of the key exchange of the last connection, and why it was not post-quantum. */
export function keyExchangeOf(
  { is_post_quantum, server_version }: Server,
  t: Translate,
): { readonly text: string; readonly reason: string | undefined } {
  if (is_post_quantum == null) return { text: t('key_exchange_unknown'), reason: undefined };
  const why = whyNotPostQuantum({ is_post_quantum, server_version: server_version ?? '' });
  const text = t(is_post_quantum ? 'post_quantum' : 'not_post_quantum');
  return { text, reason: why && t(why.key, why.values) };
}
