import { createMemo, createSignal, onMount, Show } from 'solid-js';
import { createStore } from 'solid-js/store';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../app/context.ts';
import { Field } from '../parts/fields/field.tsx';
import { HiddenUsername } from '../parts/fields/hidden-username.tsx';
import { createLimitedAttempt } from './sign-in/limited-attempt.ts';

interface Props {
  /** A forced change asks for the current password only if the sign-in was a while ago. */
  readonly forced: boolean;
  readonly onDone: () => void;
  readonly onCancel: () => void;
  readonly cancel_label: string;
}

type Place = 'current' | 'new' | 'other';

export function PasswordForm(props: Props) {
  const { session, t } = useApp();
  const form = createPasswordChange(props);
  let element: HTMLFormElement | undefined;
  onMount(() => element?.querySelector<HTMLInputElement>('input[type="password"]')?.focus());
  return (
    <form class="stacked-form" ref={element} onSubmit={(event) => void form.submit(event)}>
      <HiddenUsername username={session.user()?.username} />
      <Show when={form.asksCurrent()}>
        <Field
          label={t('current_password')}
          value={form.typed.current}
          onChange={(current) => form.type({ current })}
          required
          error={form.refusalAt('current')}
          input={{ type: 'password', autocomplete: 'current-password' }}
        />
      </Show>
      <Field
        label={t('new_password')}
        description={t('password_rule')}
        value={form.typed.wanted}
        onChange={(wanted) => form.type({ wanted })}
        required
        error={form.refusalAt('new')}
        input={{ type: 'password', autocomplete: 'new-password', minlength: 8, maxlength: 256 }}
      />
      <Field
        label={t('new_password_again')}
        value={form.typed.again}
        onChange={(again) => form.type({ again })}
        required
        error={form.mismatch()}
        input={{ type: 'password', autocomplete: 'new-password' }}
      />
      <p class="form-error" role="alert">
        {form.refusalAt('other')}
      </p>
      <div class="actions">
        <button type="button" class="button" onClick={() => props.onCancel()}>
          {props.cancel_label}
        </button>
        <button type="submit" class="button button-primary" aria-disabled={form.blocked()}>
          {t('change_password')}
        </button>
      </div>
    </form>
  );
}

function createPasswordChange(props: Props) {
  const { session, t } = useApp();
  const attempt = createLimitedAttempt();
  const [typed, update] = createStore({ current: '', wanted: '', again: '' });
  const [tried, setTried] = createSignal(false);
  const differs = () => typed.wanted !== typed.again;
  const isTooOld = () => codeOf(attempt.error()) === 'step_up_required';
  const asksCurrent = createMemo<boolean>((before) => before || !props.forced || isTooOld(), false);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setTried(true);
    attempt.forget();
    if (attempt.blocked() || differs()) return;
    const change = { new_password: typed.wanted };
    const proof = asksCurrent() ? { current_password: typed.current } : {};
    if (await attempt.run(() => session.changePassword({ ...change, ...proof }))) props.onDone();
  }

  return {
    typed,
    asksCurrent,
    blocked: attempt.blocked,
    submit,
    type(change: Partial<typeof typed>) {
      attempt.forget();
      update(change);
    },
    mismatch: () => (tried() && differs() ? t('passwords_differ') : undefined),
    refusalAt(place: Place) {
      if (placeOf(attempt.error()) !== place) return undefined;
      return isTooOld() ? t('current_password_needed') : attempt.message();
    },
  };
}

const codeOf = (error: unknown) => (error instanceof ClientError ? error.code : undefined);

function placeOf(error: unknown): Place {
  if (!(error instanceof ClientError)) return 'other';
  if (error.code === 'wrong_password' || error.code === 'step_up_required') return 'current';
  return error.status === 422 ? 'new' : 'other';
}
