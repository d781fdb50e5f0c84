import { createEffect, type JSX, on, Show } from 'solid-js';
import { PasswordForm } from '../account/password-form.tsx';
import { useApp } from '../app-context.ts';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { loadableDialog } from '../parts/dialogs/loadable-dialog.tsx';
import { focusPlace, isFocusLost } from '../parts/focus.ts';
import { loadable } from '../parts/loadable.tsx';
import { TerminalWindow } from '../terminal/bar/window.tsx';
import { DeadLink } from '../terminal/shares/dead-link.tsx';
import { useWorkspace, type Window } from '../workspace/workspace.ts';
import { Palette } from './palette/palette.tsx';
import { SignOutQuestion } from './sign-out.tsx';
import { RenameTab } from './tabs/rename.tsx';

const DeleteServer = loadableDialog(async () => (await import('../servers/delete.tsx')).DeleteServer);
const ExportServers = loadableDialog(async () => (await import('../servers/export.tsx')).ExportServers);
const LookAtHostKey = loadableDialog(
  async () => (await import('../servers/host-keys/accept-key.tsx')).LookAtHostKey,
);
const ImportHostKeys = loadableDialog(
  async () => (await import('../servers/import/host-keys.tsx')).ImportHostKeys,
);
const ImportServers = loadableDialog(
  async () => (await import('../servers/import/servers.tsx')).ImportServers,
);
const Keyboard = loadableDialog(async () => (await import('./keyboard/keyboard.tsx')).Keyboard);
const QuickConnect = loadableDialog(
  async () => (await import('../quick-connect/quick-connect-view.tsx')).QuickConnect,
);
const ServerForm = loadableDialog(async () => (await import('../servers/form/form.tsx')).ServerForm);
const ConnectionTestView = loadable(
  async () => (await import('../servers/connection-test/connection-test-view.tsx')).ConnectionTestView,
);

/** Renders the open dialog, if any. */
export function Windows() {
  const { place } = useApp();
  const { window, wishFocus } = useWorkspace();
  /** If the element that opened a dialog is gone, focuses the main area or the active pane. */
  const catchFocus = () => {
    if (!isFocusLost()) return;
    const middle = place.root.querySelector('main');
    if (middle) focusPlace(middle);
    wishFocus();
  };
  createEffect(on(window, (open, before) => before && !open && setTimeout(catchFocus)));
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
          <ConnectionTestView server={window.server} onOpen={close} />
        </Dialog>
      );
    case 'password':
      return (
        <Dialog title={t('change_password')} description={t('change_password_note')} onClose={close} sticky>
          <PasswordForm forced={false} onDone={close} onCancel={close} cancel_label={t('cancel')} />
        </Dialog>
      );
    case 'quick_connect':
      return <QuickConnect onClose={close} />;
    case 'share':
    case 'snippets':
    case 'broadcast':
    case 'connection':
      return <TerminalWindow kind={window.kind} tab_id={window.tab_id} onClose={close} />;
    case 'dead_link':
      return <DeadLink onClose={close} />;
    case 'sign_out':
      return <SignOutQuestion onClose={close} />;
    case 'rename_tab':
      return <RenameTab tab_id={window.tab_id} onClose={close} />;
    case 'keyboard':
      return <Keyboard onClose={close} />;
    case 'delete':
      return <DeleteServer server={window.server} onClose={close} />;
    case 'host_key':
      return <LookAtHostKey server={window.server} onClose={close} />;
    case 'import_servers':
      return <ImportServers onClose={close} />;
    case 'import_host_keys':
      return <ImportHostKeys onClose={close} />;
    case 'export_servers':
      return <ExportServers onClose={close} />;
  }
}
