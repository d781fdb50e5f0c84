import { createSignal } from 'solid-js';
import { useApp } from '../app/context.ts';
import { isAbsolute } from '../lib/paths.ts';
import { Dialog } from '../parts/dialogs/dialog.tsx';
import { Field } from '../parts/fields/field.tsx';
import { FormActions } from '../parts/fields/form-actions.tsx';
import type { Closable } from '../workspace/windows.ts';
import { useWorkspace } from '../workspace/workspace.ts';

interface OneServer {
  readonly server_id: number;
  readonly server_name: string;
}

export interface CompareOn {
  readonly one: OneServer;
  readonly other: OneServer;
  /** The comparison is opening. */
  readonly onDone: () => void;
}

/** Asks once for the path, and compares this file on both servers. */
export function CompareOnServers(props: CompareOn & Closable) {
  const { t } = useApp();
  const { tabs, wishFocus } = useWorkspace();
  const [path, setPath] = createSignal('');
  const [error, setError] = createSignal<string>();
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    const wanted = path().trim();
    if (!isAbsolute(wanted)) {
      setError(t('compare_on_path_error'));
      return;
    }
    const { one, other } = props;
    tabs.open({ kind: 'comparison', ...one, path: wanted, other: { ...other, path: wanted } });
    props.onDone();
    props.onClose();
    wishFocus();
  }
  return (
    <Dialog
      title={t('compare_on_title')}
      description={t('compare_on_text', { one: props.one.server_name, other: props.other.server_name })}
      onClose={props.onClose}
    >
      <form class="dialog-form" onSubmit={submit}>
        <Field
          label={t('path')}
          value={path()}
          onChange={(value) => {
            setPath(value);
            setError(undefined);
          }}
          error={error()}
          class="field-mono"
          input={{ autocomplete: 'off', autocapitalize: 'none', placeholder: '/etc/hosts' }}
        />
        <FormActions action={t('editor_compare')} busy={false} onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}
