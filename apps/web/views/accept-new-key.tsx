import { useQueryClient } from '@tanstack/solid-query';
import { Confirm } from '../parts/confirm.tsx';
import { useApp } from '../state/app-context.ts';
import type { Server } from '../state/servers.ts';

interface Props {
  readonly server: Server;
  readonly onClose: () => void;
}

export function AcceptNewKey(props: Props) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  async function forget(): Promise<void> {
    await client.http.DELETE('/api/servers/{id}/host-key', { params: { path: { id: props.server.id } } });
    await queries.invalidateQueries({ queryKey: ['servers'] });
  }
  return (
    <Confirm
      title={t('accept_new_key_of', { name: props.server.name })}
      text={t('accept_new_key_text')}
      action={t('accept_new_key_action')}
      failure={t('accept_new_key_failed')}
      danger
      onConfirm={forget}
      onClose={props.onClose}
    >
      <dl class="facts">
        <dt>{t('pinned_key')}</dt>
        <dd>
          <code class="fingerprint">{props.server.host_key_fingerprint || t('no_key_yet')}</code>
        </dd>
      </dl>
    </Confirm>
  );
}
