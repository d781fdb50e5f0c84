import { createSignal, onMount, Show } from 'solid-js';
import { createStore } from 'solid-js/store';
import { ClientError } from '#client/client-error.ts';
import { useApp } from '../state/app-context.ts';
import { Field } from './field.tsx';
import { reasonOf } from './trouble.tsx';

interface Props {
  /** A forced change does not ask for the present password. */
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
    <form class="door-form" ref={element} onSubmit={(event) => void form.submit(event)}>
      <input
        class="visually-hidden"
        tabIndex={-1}
        aria-hidden="true"
        autocomplete="username"
        readonly
        value={session.user()?.username ?? ''}
      />
      <Show when={!props.forced}>
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
      <p class="door-error" role="alert">
        {form.refusalAt('other')}
      </p>
      <div class="actions">
        <button type="button" class="button" onClick={() => props.onCancel()}>
          {props.cancel_label}
        </button>
        <button type="submit" class="button button-primary" aria-disabled={form.busy()}>
          {t('change_password')}
        </button>
      </div>
    </form>
  );
}

function createPasswordChange(props: Props) {
  const { session, t } = useApp();
  const [typed, type] = createStore({ current: '', wanted: '', again: '' });
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<unknown>();
  const [tried, setTried] = createSignal(false);

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setTried(true);
    if (busy() || typed.wanted !== typed.again) return;
    setBusy(true);
    setError(undefined);
    try {
      const change = { new_password: typed.wanted };
      await session.changePassword(props.forced ? change : { ...change, current_password: typed.current });
      props.onDone();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  }

  return {
    typed,
    type,
    busy,
    submit,
    mismatch: () => (tried() && typed.wanted !== typed.again ? t('passwords_differ') : undefined),
    refusalAt(place: Place): string | undefined {
      const refusal = error();
      if (refusal === undefined || placeOf(refusal) !== place) return undefined;
      return place === 'current' ? t('refused_wrong_password') : reasonOf(refusal, t);
    },
  };
}

function placeOf(error: unknown): Place {
  if (!(error instanceof ClientError)) return 'other';
  if (error.code === 'wrong_password') return 'current';
  return error.status === 422 ? 'new' : 'other';
}
