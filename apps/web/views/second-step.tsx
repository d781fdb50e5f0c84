import { createSignal, onMount } from 'solid-js';
import { ClientError } from '#client/client-error.ts';
import { Field } from '../parts/field.tsx';
import { useApp } from '../state/app-context.ts';
import type { SecondStep } from '../state/session.ts';
import { createSignInAttempt } from '../state/sign-in-attempt.ts';

interface Props {
  readonly step: SecondStep;
  readonly onStartAgain: (why: 'lapsed' | 'wanted') => void;
}

/** Six digits or a recovery code; a wrong one stays in the field to be mended. */
export function SecondStepForm(props: Props) {
  const { t } = useApp();
  const [code, setCode] = createSignal('');
  const [letters, setLetters] = createSignal(false);
  const attempt = createSignInAttempt();
  let form: HTMLFormElement | undefined;
  const field = () => form?.querySelector('input');

  onMount(() => field()?.focus());

  /** The keyboard of digits that a phone shows for a code lacks the letters of a recovery code. */
  function typeLetters(): void {
    setLetters(!letters());
    field()?.focus();
  }

  async function prove(): Promise<void> {
    if (attempt.blocked() || (await attempt.run(() => props.step.prove(code())))) return;
    if (isLapsed(attempt.error())) props.onStartAgain('lapsed');
    else field()?.select();
  }

  return (
    <form
      class="door-form"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void prove();
      }}
    >
      <Field
        label={t('code')}
        description={t('code_hint')}
        value={code()}
        onChange={setCode}
        required
        input={{
          autocomplete: 'one-time-code',
          inputmode: letters() ? 'text' : 'numeric',
          autocapitalize: 'none',
          maxlength: 64,
          name: 'code',
        }}
      />
      <p class="door-error" role="alert">
        {attempt.message()}
      </p>
      <button type="submit" class="button button-primary" disabled={attempt.blocked()}>
        {attempt.busy() ? t('signing_in') : t('sign_in')}
      </button>
      <div class="actions">
        <button type="button" class="link-button" aria-pressed={letters()} onClick={typeLetters}>
          {t('use_recovery_code')}
        </button>
        <span class="actions-gap" />
        <button type="button" class="link-button" onClick={() => props.onStartAgain('wanted')}>
          {t('start_again')}
        </button>
      </div>
    </form>
  );
}

/** Two minutes have passed, or five wrong codes: the first step has to be done again. */
function isLapsed(error: unknown): boolean {
  return error instanceof ClientError && ['invalid_token', 'not_authenticated'].includes(error.code);
}
