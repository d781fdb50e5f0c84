import { useQueryClient } from '@tanstack/solid-query';
import { type JSX, Show } from 'solid-js';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { PasswordForm } from '../parts/password-form.tsx';
import { useApp } from '../state/app-context.ts';
import type { Server } from '../state/servers.ts';
import { useWorkspace, type Window } from '../state/workspace.ts';
import { AcceptNewKey } from './accept-new-key.tsx';
import { ConnectionTestView } from './connection-test.tsx';
import { Keyboard } from './keyboard.tsx';
import { Palette } from './palette.tsx';
import { ServerForm } from './server-form.tsx';

/** The dialog that is open, if any. */
export function Windows() {
  const { window } = useWorkspace();
  return (
    <Show when={window()} keyed>
      {(open) => <WindowView window={open} />}
    </Show>
  );
}

function WindowView(props: { window: Window }): JSX.Element {
  const { t } = useApp();
  const { show } = useWorkspace();
  const close = () => show(undefined);
  const { window } = props;
  switch (window.kind) {
    case 'palette':
      return <Palette onClose={close} />;
    case 'server_form':
      return <ServerForm server={window.server} onClose={close} />;
    case 'test':
      return (
        <Dialog title={t('test_of', { name: window.server.name })} onClose={close}>
          <ConnectionTestView server={window.server} />
        </Dialog>
      );
    case 'password':
      return (
        <Dialog title={t('change_password')} description={t('change_password_note')} onClose={close} sticky>
          <PasswordForm forced={false} onDone={close} onCancel={close} cancel_label={t('cancel')} />
        </Dialog>
      );
    case 'keyboard':
      return <Keyboard onClose={close} />;
    case 'delete':
      return <DeleteServer server={window.server} onClose={close} />;
    case 'host_key':
      return (
        <AcceptNewKey
          server={window.server}
          presented={window.presented}
          onAccepted={window.onAccepted}
          onClose={close}
        />
      );
  }
}

interface Props {
  readonly server: Server;
  readonly onClose: () => void;
}

function DeleteServer(props: Props) {
  const { client, t } = useApp();
  const { tabs } = useWorkspace();
  const queries = useQueryClient();
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
      onConfirm={remove}
      onClose={props.onClose}
    />
  );
}
