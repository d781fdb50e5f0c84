import { createSignal, onMount, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { Field } from '../../parts/fields/field.tsx';
import { FormActions } from '../../parts/fields/form-actions.tsx';
import { Trouble } from '../../parts/trouble.tsx';

interface Props {
  readonly description: string;
  readonly action: string;
  readonly danger?: boolean;
  /** Title of the error if `onCode` rejects. */
  readonly failure: string;
  readonly onCode: (code: string) => Promise<unknown>;
  readonly onCancel: () => void;
}

/** Asks for a two-factor code; a wrong one stays in the field for correction. */
export function CodeForm(props: Props) {
  const { t } = useApp();
  const [code, setCode] = createSignal('');
  const attempt = createAttempt();
  let form: HTMLFormElement | undefined;
  const field = () => form?.querySelector('input');
  onMount(() => field()?.focus());

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (!(await attempt.run(() => props.onCode(code().trim())))) field()?.select();
  }

  return (
    <form class="section-form" ref={form} onSubmit={(event) => void submit(event)}>
      <Field
        label={t('code')}
        description={props.description}
        value={code()}
        onChange={(typed) => {
          attempt.forget();
          setCode(typed);
        }}
        required
        input={{ autocomplete: 'one-time-code', autocapitalize: 'none', maxlength: 64 }}
      />
      <Show when={attempt.error()}>
        <Trouble title={props.failure} error={attempt.error()} compact />
      </Show>
      <FormActions
        action={props.action}
        danger={props.danger ?? false}
        busy={attempt.busy()}
        onCancel={() => props.onCancel()}
      />
    </form>
  );
}
