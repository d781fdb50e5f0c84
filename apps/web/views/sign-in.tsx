import { useQuery } from '@tanstack/solid-query';
import Info from 'lucide-solid/icons/info';
import { createSignal, onMount, Show } from 'solid-js';
import { take } from '#client/client.ts';
import { ClientError } from '#client/client-error.ts';
import { createCountdown } from '../parts/countdown.ts';
import { Door } from '../parts/door.tsx';
import { Field } from '../parts/field.tsx';
import { reasonOf } from '../parts/trouble.tsx';
import { useApp } from '../state/app-context.ts';

const DEFAULT_WAIT_S = 60;

export function SignIn() {
  const { client, session, t } = useApp();
  const config = useQuery(() => ({
    queryKey: ['config'],
    queryFn: () => take(client.http.GET('/api/config')),
    staleTime: Number.POSITIVE_INFINITY,
  }));
  return (
    <Door title={t('sign_in')}>
      <Show when={config.data?.demo_mode}>
        <p class="note" role="status">
          <Info size={16} aria-hidden="true" /> {t('demo_banner')}
        </p>
      </Show>
      <Show when={session.farewell() === 'expired'}>
        <p class="note" role="status">
          <Info size={16} aria-hidden="true" /> {t('session_expired')}
        </p>
      </Show>
      <SignInForm />
    </Door>
  );
}

function SignInForm() {
  const { session, t } = useApp();
  const [username, setUsername] = createSignal('');
  const [password, setPassword] = createSignal('');
  const [busy, setBusy] = createSignal(false);
  const [error, setError] = createSignal<unknown>();
  const wait = createCountdown();
  let form: HTMLFormElement | undefined;

  onMount(() => form?.querySelector('input')?.focus());

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (busy() || wait.left() > 0) return;
    setBusy(true);
    setError(undefined);
    try {
      await session.signIn(username(), password());
    } catch (refusal) {
      setError(refusal);
      setPassword('');
      if (refusal instanceof ClientError && refusal.status === 429)
        wait.start(refusal.retry_after ?? DEFAULT_WAIT_S);
      form?.querySelector<HTMLInputElement>('input[type="password"]')?.focus();
    } finally {
      setBusy(false);
    }
  }

  const message = () => {
    const refusal = error();
    if (refusal === undefined) return undefined;
    if (!(refusal instanceof ClientError)) return reasonOf(refusal, t);
    if (refusal.status === 429)
      return wait.left() > 0 ? t('wait_seconds', { seconds: wait.left() }) : undefined;
    return t.optional(`refused_${refusal.code}`) ?? reasonOf(refusal, t);
  };

  return (
    <form class="door-form" ref={form} onSubmit={(event) => void submit(event)}>
      <Field
        label={t('username')}
        value={username()}
        onChange={setUsername}
        required
        input={{ autocomplete: 'username', autocapitalize: 'none', name: 'username' }}
      />
      <Field
        label={t('password')}
        value={password()}
        onChange={setPassword}
        required
        input={{ type: 'password', autocomplete: 'current-password', name: 'password' }}
      />
      <p class="door-error" role="alert">
        {message()}
      </p>
      <button type="submit" class="button button-primary" disabled={busy() || wait.left() > 0}>
        {busy() ? t('signing_in') : t('sign_in')}
      </button>
    </form>
  );
}
