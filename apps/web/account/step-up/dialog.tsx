import { createSignal, Show } from 'solid-js';
import { createStore } from 'solid-js/store';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../../app/context.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { FormActions } from '../../parts/fields/form-actions.tsx';
import { HiddenUsername } from '../../parts/fields/hidden-username.tsx';
import { createLimitedAttempt } from '../sign-in/limited-attempt.ts';

interface Props {
  readonly onAnswer: (is_confirmed: boolean) => void;
}

/** Asks for the password, and for a code if two-factor is enabled, before a refused request is repeated. */
export function StepUpDialog(props: Props) {
  const { session, t } = useApp();
  const [has_code] = createSignal(session.user()?.totp_enabled ?? false); // a refetch must not move the fields
  const form = createProof(has_code(), () => props.onAnswer(true));
  return (
    <Dialog
      title={t('step_up')}
      description={t(has_code() ? 'step_up_code_text' : 'step_up_text')}
      sticky
      onClose={() => props.onAnswer(false)}
    >
      <form class="dialog-form" onSubmit={(event) => void form.submit(event)}>
        <HiddenUsername username={session.user()?.username} />
        <Field
          label={t('password')}
          value={form.typed.password}
          onChange={(password) => form.type({ password })}
          required
          error={form.refusalAt('password')}
          input={{ type: 'password', autocomplete: 'current-password' }}
        />
        <Show when={has_code()}>
          <Field
            label={t('code')}
            description={t('step_up_code_hint')}
            value={form.typed.totp_code}
            onChange={(totp_code) => form.type({ totp_code })}
            required
            error={form.refusalAt('code')}
            input={{ autocomplete: 'one-time-code', autocapitalize: 'none', maxlength: 64 }}
          />
        </Show>
        <p class="form-error" role="alert">
          {form.refusalAt('other')}
        </p>
        <FormActions
          action={t('step_up_action')}
          busy={form.blocked()}
          onCancel={() => props.onAnswer(false)}
        />
      </form>
    </Dialog>
  );
}

type Place = 'password' | 'code' | 'other';

function createProof(has_code: boolean, onConfirmed: () => void) {
  const { client, t } = useApp();
  const attempt = createLimitedAttempt();
  const [typed, update] = createStore({ password: '', totp_code: '' });

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    attempt.forget();
    if (attempt.blocked()) return;
    const { password, totp_code } = typed;
    const body = { password, ...(has_code ? { totp_code: totp_code.trim() } : {}) };
    if (await attempt.run(() => client.http.POST('/api/auth/step-up', { body }))) onConfirmed();
  }

  function message(place: Place): string | undefined {
    return place === 'password' ? t('step_up_wrong_password') : attempt.message();
  }

  return {
    typed,
    blocked: attempt.blocked,
    submit,
    type(change: Partial<typeof typed>) {
      attempt.forget();
      update(change);
    },
    refusalAt: (place: Place) => (placeOf(attempt.error()) === place ? message(place) : undefined),
  };
}

function placeOf(error: unknown): Place {
  if (!(error instanceof ClientError)) return 'other';
  if (error.code === 'invalid_credentials') return 'password';
  return error.code === 'invalid_2fa_code' ? 'code' : 'other';
}
