import { createSignal, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { EditDialog } from '../../parts/dialogs/edit.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { ConnectionTestView } from '../connection-test/connection-test-view.tsx';
import { HostKey } from '../host-keys/host-key.tsx';
import { NotVerified } from '../host-keys/not-verified.tsx';
import type { Server } from '../servers.ts';
import { CredentialFields } from './credentials.tsx';
import { createServerEditor, type ServerEditor } from './editor.ts';
import { AddressFields, GroupField } from './fields.tsx';
import { MoreFields } from './more.tsx';
import './form.css';

const REFUSED_FIELD = '[aria-invalid="true"], .select-trigger[data-invalid]';

interface Props {
  readonly server: Server | undefined;
  readonly group?: string;
  readonly is_whole?: boolean;
  readonly onClose: () => void;
}

export function ServerForm(props: Props) {
  const { t } = useApp();
  const editor = createServerEditor(props.server, props.group);
  const title = () => {
    const server = editor.saved();
    return server ? t('edit_of', { name: server.name }) : t('add_server');
  };
  return (
    <EditDialog title={title()} wide dirty={editor.dirty()} onClose={props.onClose}>
      {(close) => (
        <ServerFormBody editor={editor} is_whole={props.is_whole} onCancel={close} onDone={props.onClose} />
      )}
    </EditDialog>
  );
}

/** Scrolls to the test, which is at the end of a form that may be longer than its dialog. */
function showOnceDrawn(element: HTMLElement): void {
  requestAnimationFrame(() => element.scrollIntoView({ block: 'end' }));
}

interface BodyProps {
  readonly editor: ServerEditor;
  readonly is_whole: boolean | undefined;
  readonly onCancel: () => void;
  readonly onDone: () => void;
}

function ServerFormBody(props: BodyProps) {
  const { t } = useApp();
  const [testing, setTesting] = createSignal(false);
  let form: HTMLFormElement | undefined;

  async function save(): Promise<boolean> {
    setTesting(false);
    const is_saved = await props.editor.save();
    if (!is_saved) form?.querySelector<HTMLElement>(REFUSED_FIELD)?.focus();
    return is_saved;
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (await save()) props.onDone();
  }

  return (
    <form class="server-form" noValidate ref={form} onSubmit={(event) => void submit(event)}>
      <NotVerified />
      <AddressFields editor={props.editor} />
      <CredentialFields editor={props.editor} />
      <GroupField editor={props.editor} />
      <MoreFields editor={props.editor} is_whole={props.is_whole === true} />
      <Show when={props.editor.saved()}>{(server) => <HostKey server={server()} />}</Show>
      <Show when={props.editor.error()}>
        <Trouble title={t('save_failed')} error={props.editor.error()} compact />
      </Show>
      <Show when={testing() && props.editor.saved()}>
        {(server) => (
          <div ref={showOnceDrawn}>
            <ConnectionTestView server={server()} onOpen={props.onDone} />
          </div>
        )}
      </Show>
      <div class="actions actions-sticky">
        <button
          type="button"
          class="button"
          aria-disabled={props.editor.busy()}
          onClick={() => void save().then(setTesting)}
        >
          {t('save_and_test')}
        </button>
        <span class="actions-gap" />
        <button type="button" class="button" onClick={props.onCancel}>
          {t(props.editor.saved() && !props.editor.dirty() ? 'close' : 'cancel')}
        </button>
        <button type="submit" class="button button-primary" aria-disabled={props.editor.busy()}>
          {t('save')}
        </button>
      </div>
    </form>
  );
}
