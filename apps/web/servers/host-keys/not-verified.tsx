import { useQuery } from '@tanstack/solid-query';
import TriangleAlert from 'lucide-solid/icons/triangle-alert';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { healthQuery } from '../../lib/gateway-info.ts';

/** Warns if the gateway does not verify host keys. */
export function NotVerified() {
  const { client, t } = useApp();
  const health = useQuery(() => healthQuery(client));
  return (
    <Show when={health.data?.host_keys_verified === false}>
      <p class="note note-warning" role="note">
        <TriangleAlert size={16} aria-hidden="true" /> <span>{t('host_keys_not_verified')}</span>
      </p>
    </Show>
  );
}
