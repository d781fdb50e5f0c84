import { createSignal, onMount, Show } from 'solid-js';
import { Field } from '../parts/field.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useApp } from '../state/app-context.ts';
import { createAttempt } from '../state/attempt.ts';
import type { FileTab } from '../state/files.ts';
import './file-sign-in.css';

/** For a server that stores no credential: what is typed stays in the gateway's memory for a while, and nowhere else. */
export function FileSignIn(props: { files: FileTab }) {
  const { t } = useApp();
  const attempt = createAttempt();
  const [typed_username, setUsername] = createSignal<string>();
  const [password, setPassword] = createSignal('');
  let form: HTMLFormElement | undefined;
  const username = () => typed_username() ?? props.files.server()?.username ?? '';
  const field = () => form?.querySelector<HTMLInputElement>('input[type="password"]');

  onMount(() => field()?.setAttribute('data-takes-focus', ''));

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const typed = password();
    setPassword('');
    if (!(await attempt.run(() => props.files.signIn(username().trim(), typed)))) field()?.focus();
  }

  return (
    <div class="files-trouble">
      <form
        class="files-sign-in"
        aria-labelledby="files-sign-in"
        ref={form}
        onSubmit={(event) => void submit(event)}
      >
        <h2 class="files-sign-in-title" id="files-sign-in">
          {t('sign_in_to', { name: props.files.server()?.name ?? '' })}
        </h2>
        <p class="dialog-lead">{t('sign_in_to_text')}</p>
        <Field
          label={t('ssh_username')}
          value={username()}
          onChange={setUsername}
          required
          input={{ autocomplete: 'off', autocapitalize: 'none', maxlength: 150 }}
        />
        <Field
          label={t('ssh_password')}
          value={password()}
          onChange={setPassword}
          required
          input={{ type: 'password', autocomplete: 'off', maxlength: 1024 }}
        />
        <Show when={attempt.error()}>
          <Trouble title={t('sign_in_to_failed')} error={attempt.error()} compact />
        </Show>
        <div class="actions">
          <button type="submit" class="button button-primary" aria-disabled={attempt.busy()}>
            {t(attempt.busy() ? 'signing_in' : 'sign_in')}
          </button>
        </div>
      </form>
    </div>
  );
}
