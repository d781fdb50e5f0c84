import { createSignal, onMount } from 'solid-js';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../../app/context.ts';
import type { SecondStep } from '../../app/session.ts';
import { Field } from '../../parts/fields/field.tsx';
import { createLimitedAttempt } from './limited-attempt.ts';

interface Props {
  readonly step: SecondStep;
  readonly onStartAgain: (why: 'lapsed' | 'wanted') => void;
}

/** A six-digit code or a recovery code; a wrong one stays in the field for correction. */
function createProof(props: Props) {
  const { t } = useApp();
  const [code, setCode] = createSignal('');
  const [is_recovery, setRecovery] = createSignal(false);
  const attempt = createLimitedAttempt();

  function type(typed: string): void {
    attempt.forget();
    setCode(typed);
  }

  return {
    code,
    is_recovery,
    type,
    busy: attempt.busy,
    blocked: attempt.blocked,
    /** Recovery codes need letters, which a phone's numeric keyboard does not have. */
    switchKind() {
      setRecovery(!is_recovery());
      type('');
    },
    /** Either field accepts a recovery code, so the message depends on what was typed. */
    message() {
      const refusal = attempt.error();
      const is_wrong = refusal instanceof ClientError && refusal.code === 'invalid_2fa_code';
      const is_code = !is_recovery() && !/[a-z]/i.test(code());
      return is_wrong && !is_code ? t('refused_recovery_code') : attempt.message();
    },
    async prove(): Promise<void> {
      if (attempt.blocked() || (await attempt.run(() => props.step.prove(code())))) return;
      if (isLapsed(attempt.error())) props.onStartAgain('lapsed');
    },
  };
}

export function SecondStepForm(props: Props) {
  const { t } = useApp();
  const proof = createProof(props);
  let form: HTMLFormElement | undefined;
  const field = () => form?.querySelector('input');
  onMount(() => field()?.focus());

  function switchKind(): void {
    proof.switchKind();
    field()?.focus();
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    await proof.prove();
    field()?.select();
  }

  return (
    <form class="stacked-form" ref={form} onSubmit={(event) => void submit(event)}>
      <Field
        label={t(proof.is_recovery() ? 'recovery_code' : 'code')}
        description={t(proof.is_recovery() ? 'recovery_code_hint' : 'app_code_hint')}
        value={proof.code()}
        onChange={proof.type}
        required
        input={{
          autocomplete: proof.is_recovery() ? 'off' : 'one-time-code',
          inputmode: proof.is_recovery() ? 'text' : 'numeric',
          autocapitalize: 'none',
          maxlength: 64,
          name: 'code',
        }}
      />
      <p class="form-error" role="alert">
        {proof.message()}
      </p>
      <button type="submit" class="button button-primary" disabled={proof.blocked()}>
        {proof.busy() ? t('signing_in') : t('sign_in')}
      </button>
      <div class="actions">
        <button type="button" class="link-button" onClick={switchKind}>
          {t(proof.is_recovery() ? 'use_app_code' : 'use_recovery_code')}
        </button>
        <span class="actions-gap" />
        <button type="button" class="link-button" onClick={() => props.onStartAgain('wanted')}>
          {t('start_again')}
        </button>
      </div>
    </form>
  );
}

/** The pending token expired or was used up by wrong codes: start again with the password. */
function isLapsed(error: unknown): boolean {
  return error instanceof ClientError && ['invalid_token', 'not_authenticated'].includes(error.code);
}
