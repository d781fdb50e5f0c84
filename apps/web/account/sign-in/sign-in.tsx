import { useQuery } from '@tanstack/solid-query';
import Info from 'lucide-solid/icons/info';
import { createSignal, onMount, type ParentProps, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { SecondStep } from '../../app/session.ts';
import { configQuery } from '../../lib/gateway-info.ts';
import { Field } from '../../parts/fields/field.tsx';
import { joinOf } from '../../terminal/shares/joins.ts';
import { SignInFrame } from './frame.tsx';
import { createLimitedAttempt } from './limited-attempt.ts';
import { SecondStepForm } from './second-step.tsx';

export function SignIn() {
  const { client, place, session, t } = useApp();
  const [second, setSecond] = createSignal<SecondStep>();
  const [lapsed, setLapsed] = createSignal(false);
  const config = useQuery(() => configQuery(client));
  const startAgain = (why: 'lapsed' | 'wanted') => {
    setLapsed(why === 'lapsed');
    setSecond(undefined);
  };
  return (
    <SignInFrame title={t(second() ? 'second_step' : 'sign_in')}>
      <Show when={config.data?.demo_mode}>
        <Note>{t('demo_banner')}</Note>
      </Show>
      <Show when={session.farewell() === 'expired' && !lapsed()}>
        <Note>{t('session_expired')}</Note>
      </Show>
      <Show when={!place.is_guest && joinOf(location.href)?.token}>
        <Note>{t('join_sign_in')}</Note>
      </Show>
      <Show when={lapsed() && !second()}>
        <Note>{t('second_step_lapsed')}</Note>
      </Show>
      <Show
        when={second()}
        keyed
        fallback={<FirstStep demo={config.data?.demo_credentials} onSecond={setSecond} />}
      >
        {(step) => <SecondStepForm step={step} onStartAgain={startAgain} />}
      </Show>
    </SignInFrame>
  );
}

function Note(props: ParentProps) {
  return (
    <p class="note" role="status">
      <Info size={16} aria-hidden="true" /> <span>{props.children}</span>
    </p>
  );
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

interface FirstProps {
  readonly demo: Credentials | undefined;
  readonly onSecond: (step: SecondStep) => void;
}

function FirstStep(props: FirstProps) {
  const { session, t } = useApp();
  const [username, setUsername] = createSignal('');
  const [password, setPassword] = createSignal('');
  const attempt = createLimitedAttempt();
  let form: HTMLFormElement | undefined;

  onMount(() => form?.querySelector('input')?.focus());

  async function signIn(): Promise<void> {
    if (attempt.blocked()) return;
    const is_done = await attempt.run(async () => {
      const step = await session.signIn(username(), password());
      if (step) props.onSecond(step);
    });
    if (is_done) return;
    setPassword('');
    form?.querySelector<HTMLInputElement>('input[type="password"]')?.focus();
  }

  function signInAs(demo: Credentials): void {
    setUsername(demo.username);
    setPassword(demo.password);
    void signIn();
  }

  return (
    <form
      class="stacked-form"
      ref={form}
      onSubmit={(event) => {
        event.preventDefault();
        void signIn();
      }}
    >
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
      <p class="form-error" role="alert">
        {attempt.message()}
      </p>
      <button type="submit" class="button button-primary" disabled={attempt.blocked()}>
        {attempt.busy() ? t('signing_in') : t('sign_in')}
      </button>
      <Show when={props.demo}>
        {(demo) => <DemoCredentials demo={demo()} blocked={attempt.blocked()} onUse={signInAs} />}
      </Show>
    </form>
  );
}

interface DemoProps {
  readonly demo: Credentials;
  readonly blocked: boolean;
  readonly onUse: (demo: Credentials) => void;
}

function DemoCredentials(props: DemoProps) {
  const { t } = useApp();
  return (
    <>
      <dl class="sign-in-facts">
        <dt>{t('username')}</dt>
        <dd>
          <code>{props.demo.username}</code>
        </dd>
        <dt>{t('password')}</dt>
        <dd>
          <code>{props.demo.password}</code>
        </dd>
      </dl>
      <button type="button" class="button" disabled={props.blocked} onClick={() => props.onUse(props.demo)}>
        {t('demo_sign_in', { username: props.demo.username })}
      </button>
    </>
  );
}
