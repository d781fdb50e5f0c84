import { createEffect, createMemo, createSignal, on, onMount, Show } from 'solid-js';
import type { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../app/context.ts';
import { createAttempt } from '../lib/attempt.ts';
import { firstToFill, goToNextEmpty } from '../parts/fields/empty-fields.ts';
import { Field } from '../parts/fields/field.tsx';
import { Trouble } from '../parts/trouble.tsx';
import type { FileListing } from './list/listing.ts';
import type { FileSignIn as SignIn } from './sign-in.ts';
import './sign-in.css';

type Files = Pick<SignIn, 'signIn'> & Pick<FileListing, 'server'>;

interface Props {
  readonly files: Files;
  /** Names the hop that needs credentials: the server or a jump host. */
  readonly refusal: ClientError;
}

/** Signs in to hops without a stored credential, one at a time. Credentials stay only in the gateway's memory for a while. */
export function FileSignIn(props: Props) {
  const { t } = useApp();
  const attempt = createAttempt();
  const [typed_username, setUsername] = createSignal<string>();
  const [password, setPassword] = createSignal('');
  let form: HTMLFormElement | undefined;
  const username = () => typed_username() ?? knownUsername(props.files);
  const asking = createMemo(() => props.refusal.detail);
  createEffect(on(asking, () => setUsername(''), { defer: true })); // each hop has its own user

  onMount(() => form && firstToFill(form)?.setAttribute('data-takes-focus', ''));

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const name = username().trim();
    const typed = { password: password(), ...(name === '' ? {} : { username: name }) };
    setPassword('');
    await attempt.run(() => props.files.signIn(typed));
    if (form) firstToFill(form)?.focus();
  }

  return (
    <div class="files-trouble">
      <form
        class="files-sign-in"
        aria-labelledby="files-sign-in"
        ref={form}
        onKeyDown={goToNextEmpty}
        onSubmit={(event) => void submit(event)}
      >
        <h2 class="files-sign-in-title" id="files-sign-in">
          {t('sign_in_to', { name: props.files.server()?.name ?? '' })}
        </h2>
        <Lead refusal={props.refusal} />
        <Field
          label={t('ssh_username')}
          description={t('sign_in_to_username_hint')}
          value={username()}
          onChange={setUsername}
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

/** Only the gateway's own text names the hop. */
function Lead(props: { refusal: ClientError }) {
  const { t } = useApp();
  const text = () => t.refusal(props.refusal.code, props.refusal.detail).text;
  return (
    <div class="files-sign-in-lead" role="status">
      <p>{text()}</p>
      <Show when={text() !== props.refusal.detail}>
        <p lang="en">{props.refusal.detail}</p>
      </Show>
      <p class="dialog-lead">{t('sign_in_to_text')}</p>
    </div>
  );
}

/** Empty with a jump host: the hop that asks may be a different server. */
function knownUsername(files: Files): string {
  const server = files.server();
  const is_own = server?.auth_method === 'prompt' && server.jump_via_id === null;
  return (is_own && server.username) || '';
}
