import { createSignal, type JSX, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { EditDialog } from '../../parts/dialogs/edit.tsx';

export interface ImportFormProps<Result> {
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onImported: (result: Result) => void;
  readonly onCancel: () => void;
}

interface Props<Result> {
  readonly title: string;
  readonly form: (form: ImportFormProps<Result>) => JSX.Element;
  readonly result: (result: Result) => JSX.Element;
  readonly onClose: () => void;
}

/** A dialog to paste or choose a text and import it, and then its result. */
export function ImportDialog<Result extends object>(props: Props<Result>) {
  const { t } = useApp();
  const [imported, setImported] = createSignal<Result>();
  const [text, setText] = createSignal('');
  const form = (onCancel: () => void): ImportFormProps<Result> => ({
    get text() {
      return text();
    },
    onText: setText,
    onImported: (result) => setImported(() => result),
    onCancel,
  });
  return (
    <EditDialog
      title={props.title}
      wide
      dirty={text().trim() !== '' && imported() === undefined}
      onClose={props.onClose}
    >
      {(close) => (
        <Show when={imported()} fallback={props.form(form(close))}>
          {(result) => (
            <div class="dialog-form">
              {props.result(result())}
              <div class="actions">
                <button type="button" class="button button-primary" onClick={() => props.onClose()}>
                  {t('done')}
                </button>
              </div>
            </div>
          )}
        </Show>
      )}
    </EditDialog>
  );
}
