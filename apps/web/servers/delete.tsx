import { useQueryClient } from '@tanstack/solid-query';
import { createSignal } from 'solid-js';
import { useApp } from '../app/context.ts';
import { Confirm } from '../parts/dialogs/confirm.tsx';
import { Field } from '../parts/fields/field.tsx';
import { useWorkspace } from '../workspace/workspace.ts';
import type { Server } from './servers.ts';

interface Props {
  readonly server: Server;
  readonly onClose: () => void;
}

export function DeleteServer(props: Props) {
  const { client, t } = useApp();
  const { tabs } = useWorkspace();
  const queries = useQueryClient();
  const [typed, setTyped] = createSignal('');

  async function remove(): Promise<void> {
    await client.http.DELETE('/api/servers/{id}', { params: { path: { id: props.server.id } } });
    tabs.closeOf(props.server.id);
    await queries.invalidateQueries({ queryKey: ['servers'] });
  }

  return (
    <Confirm
      title={t('delete_of', { name: props.server.name })}
      text={t('delete_text')}
      action={t('delete')}
      failure={t('delete_failed')}
      danger
      blocked={typed().trim() !== props.server.name.trim()}
      onConfirm={remove}
      onClose={props.onClose}
    >
      <Field
        label={t('type_name', { name: props.server.name })}
        value={typed()}
        onChange={setTyped}
        input={{ autocomplete: 'off', autocapitalize: 'none' }}
      />
    </Confirm>
  );
}
