import { createSignal, onMount, Show } from 'solid-js';
import { useApp } from '../state/app-context.ts';
import { createAttempt } from '../state/attempt.ts';
import { Field } from './field.tsx';
import { Trouble } from './trouble.tsx';

interface Props {
  readonly description: string;
  readonly action: string;
  readonly danger?: boolean;
  /** What failed, when `onCode` rejects. */
  readonly failure: string;
  readonly onCode: (code: string) => Promise<unknown>;
  readonly onCancel: () => void;
}

/** Asks for a code of the second factor; a wrong one stays in the field to be mended. */
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
      <div class="actions">
        <button type="button" class="button" onClick={() => props.onCancel()}>
          {t('cancel')}
        </button>
        <button
          type="submit"
          class="button"
          classList={{ 'button-danger': props.danger ?? false, 'button-primary': !props.danger }}
          aria-disabled={attempt.busy()}
        >
          {props.action}
        </button>
      </div>
    </form>
  );
}
