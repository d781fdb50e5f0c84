import { type JSX, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { Form } from '../fields/form.ts';
import { FormActions } from '../fields/form-actions.tsx';
import { Trouble } from '../trouble.tsx';
import { EditDialog } from './edit.tsx';

interface Props {
  readonly title: string;
  readonly form: Pick<Form<object, string>, 'dirty' | 'busy' | 'error' | 'save'>;
  /** The title of a refusal that is about no field. */
  readonly failure: string;
  readonly onClose: () => void;
  readonly children: JSX.Element;
}

/** A wide dialog around the fields of a form; closes once the form is saved. */
export function FormDialog(props: Props) {
  const { t } = useApp();

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (await props.form.save()) props.onClose();
  }

  return (
    <EditDialog title={props.title} wide dirty={props.form.dirty()} onClose={props.onClose}>
      {(close) => (
        <form class="dialog-form" onSubmit={(event) => void submit(event)}>
          {props.children}
          <Show when={props.form.error()}>
            <Trouble title={props.failure} error={props.form.error()} compact />
          </Show>
          <FormActions action={t('save')} busy={props.form.busy()} onCancel={close} />
        </form>
      )}
    </EditDialog>
  );
}
