import { createSignal, onMount, Show } from 'solid-js';
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

export function PasswordForm(props: Props) {
  const { session, t } = useApp();
  const [current, setCurrent] = createSignal('');
  const [wanted, setWanted] = createSignal('');
  const [again, setAgain] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<unknown>();
  const [tried, setTried] = createSignal(false);
  let form: HTMLFormElement | undefined;

  onMount(() => form?.querySelector<HTMLInputElement>('input[type="password"]')?.focus());

  const mismatch = () => (tried() && wanted() !== again() ? t('passwords_differ') : undefined);
  const refusalAt = (place: 'current' | 'new' | 'other') => {
    const refusal = error();
    if (refusal === undefined || placeOf(refusal) !== place) return undefined;
    return place === 'current' ? t('refused_wrong_password') : reasonOf(refusal);
  };

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    setTried(true);
    if (busy() || wanted() !== again()) return;
    setBusy(true);
    setError(undefined);
    try {
      const new_password = wanted();
      await session.changePassword(props.forced ? { new_password } : { new_password, current_password: current() });
      props.onDone();
    } catch (refusal) {
      setError(refusal);
    } finally {
      setBusy(false);
    }
  }

  return (
    <form class="door-form" ref={form} onSubmit={(event) => void submit(event)}>
      <input class="visually-hidden" tabindex={-1} aria-hidden="true" autocomplete="username" readonly value={session.user()?.username ?? ''} />
      <Show when={!props.forced}>
        <Field
          label={t('current_password')}
          value={current()}
          onChange={setCurrent}
          required
          error={refusalAt('current')}
          input={{ type: 'password', autocomplete: 'current-password' }}
        />
      </Show>
      <Field
        label={t('new_password')}
        description={t('password_rule')}
        value={wanted()}
        onChange={setWanted}
        required
        error={refusalAt('new')}
        input={{ type: 'password', autocomplete: 'new-password', minlength: 8, maxlength: 256 }}
      />
      <Field
        label={t('new_password_again')}
        value={again()}
        onChange={setAgain}
        required
        error={mismatch()}
        input={{ type: 'password', autocomplete: 'new-password' }}
      />
      <p class="door-error" role="alert">
        {refusalAt('other')}
      </p>
      <div class="actions">
        <button type="button" class="button" onClick={() => props.onCancel()}>
          {props.cancel_label}
        </button>
        <button type="submit" class="button button-primary" disabled={busy()}>
          {t('change_password')}
        </button>
      </div>
    </form>
  );
}

function placeOf(error: unknown): 'current' | 'new' | 'other' {
  if (!(error instanceof ClientError)) return 'other';
  if (error.code === 'wrong_password') return 'current';
  return error.status === 422 ? 'new' : 'other';
}
