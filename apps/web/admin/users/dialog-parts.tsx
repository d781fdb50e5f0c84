import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, createUniqueId, onMount, type ParentProps, Show } from 'solid-js';
import { SessionRows } from '../../account/session-rows.tsx';
import { useApp } from '../../app/context.ts';
import type { User } from '../../app/session.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { formatMoment } from '../../lib/format.ts';
import { usersQuery } from '../../lib/users.ts';
import { Confirm } from '../../parts/dialogs/confirm.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { QueryState } from '../../parts/query-state.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { GeneratedPassword } from './generated-password.tsx';
import { GivenPassword } from './given-password.tsx';
import { createUserRefresh, lockOf, userSessionsQuery } from './users.ts';

interface Props {
  readonly user: User;
  /** Why the action is unavailable; undefined while it is available. */
  readonly why: string | undefined;
}

function Part(props: ParentProps<{ title: string; why?: string | undefined }>) {
  const id = createUniqueId();
  return (
    <section class="user-part" aria-labelledby={id}>
      <h3 class="user-part-title" id={id}>
        {props.title}
      </h3>
      {props.children}
      <Show when={props.why}>
        <p class="why-not">{props.why}</p>
      </Show>
    </section>
  );
}

/** Shown only while failed sign-ins lock the user out. */
export function UserLock(props: { user: User }) {
  const { client, preferences, t } = useApp();
  const refresh = createUserRefresh(client);
  const attempt = createAttempt();
  const until = () => lockOf(props.user, new Date());
  const unlock = () =>
    attempt.run(async () => {
      const params = { path: { user_id: props.user.id } };
      await client.http.DELETE('/api/auth/users/{user_id}/lock', { params });
      await refresh(props.user.id);
    });
  return (
    <Show when={until()}>
      {(time) => (
        <div class="user-lock">
          <p>{t('locked_until', { time: formatMoment(time(), preferences.values.language) })}</p>
          <button type="button" class="button" aria-disabled={attempt.busy()} onClick={() => void unlock()}>
            {t('unlock')}
          </button>
          <Show when={attempt.error()}>
            <Trouble title={t('user_not_unlocked')} error={attempt.error()} compact />
          </Show>
        </div>
      )}
    </Show>
  );
}

export function ResetPassword(props: Props) {
  const { t } = useApp();
  const [open, setOpen] = createSignal(false);
  const [given, setGiven] = createSignal<string>();
  const begin = () => {
    setGiven(undefined);
    setOpen(true);
  };
  return (
    <Part title={t('password')} why={props.why}>
      <Show
        when={open()}
        fallback={
          <button type="button" class="button" disabled={props.why !== undefined} onClick={begin}>
            {t('reset_password')}
          </button>
        }
      >
        <PasswordResetForm user={props.user} onDone={setGiven} onClose={() => setOpen(false)} />
      </Show>
      <Show when={given()}>
        {(password) => (
          <GivenPassword
            text={t('password_reset_done', { name: props.user.username })}
            password={password()}
            onDismiss={() => setGiven(undefined)}
          />
        )}
      </Show>
    </Part>
  );
}

interface ResetProps {
  readonly user: User;
  readonly onDone: (password: string) => void;
  readonly onClose: () => void;
}

function PasswordResetForm(props: ResetProps) {
  const { client, t } = useApp();
  const refresh = createUserRefresh(client);
  const attempt = createAttempt();
  const [password, setPassword] = createSignal('');
  const [must_change_password, setMustChange] = createSignal(true);
  let form: HTMLFormElement | undefined;
  onMount(() => form?.querySelector('input')?.focus());

  async function reset(): Promise<void> {
    const { id: user_id, username } = props.user;
    const body = { username, password: password(), must_change_password: must_change_password() };
    await client.http.PUT('/api/auth/users/{user_id}/password', { params: { path: { user_id } }, body });
    await refresh(user_id);
  }

  function type(typed: string): void {
    attempt.forget();
    setPassword(typed);
  }

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const given = password();
    if (!(await attempt.run(reset))) return;
    props.onDone(given);
    props.onClose();
  }

  return (
    <form class="stacked-form" ref={form} onSubmit={(event) => void submit(event)}>
      <GeneratedPassword label={t('new_password')} value={password()} onChange={type} />
      <SwitchField
        label={t('must_change_password')}
        checked={must_change_password()}
        onChange={setMustChange}
      />
      <p class="field-hint">{t('reset_password_text')}</p>
      <Show when={attempt.error()}>
        <Trouble title={t('password_not_reset')} error={attempt.error()} compact />
      </Show>
      <div class="actions">
        <button type="button" class="button" onClick={() => props.onClose()}>
          {t('cancel')}
        </button>
        <button type="submit" class="button button-primary" aria-disabled={attempt.busy()}>
          {t('reset_password')}
        </button>
      </div>
    </form>
  );
}

export function ResetTwoFactor(props: Props) {
  const { client, t } = useApp();
  const refresh = createUserRefresh(client);
  const [asking, setAsking] = createSignal(false);
  async function reset(): Promise<void> {
    const params = { path: { user_id: props.user.id } };
    await client.http.PUT('/api/auth/users/{user_id}/totp-reset', { params });
    await refresh(props.user.id);
  }
  return (
    <Part title={t('two_factor')} why={props.why}>
      <button type="button" class="button" disabled={props.why !== undefined} onClick={() => setAsking(true)}>
        {t('reset_two_factor')}
      </button>
      <Show when={asking()}>
        <Confirm
          title={t('reset_two_factor_of', { name: props.user.username })}
          text={t('reset_two_factor_text')}
          action={t('reset_two_factor')}
          failure={t('two_factor_not_reset')}
          danger
          onConfirm={reset}
          onClose={() => setAsking(false)}
        />
      </Show>
    </Part>
  );
}

export function UserSessions(props: { user: User }) {
  const { client, t } = useApp();
  const sessions = useQuery(() => userSessionsQuery(client, props.user.id));
  const [asking, setAsking] = createSignal(false);
  const is_none = () => sessions.data?.length === 0;
  async function end(): Promise<void> {
    const params = { path: { user_id: props.user.id } };
    await client.http.DELETE('/api/auth/users/{user_id}/sessions', { params });
    await sessions.refetch();
  }
  return (
    <Part title={t('sessions')} why={is_none() ? t('no_sessions') : undefined}>
      <QueryState query={sessions} failure={t('sessions_failed')}>
        {(known) => (
          <Show when={known().length > 0}>
            <SessionRows label={t('sessions')} sessions={known()} />
          </Show>
        )}
      </QueryState>
      <button type="button" class="button" disabled={is_none()} onClick={() => setAsking(true)}>
        {t('sign_out_everywhere')}
      </button>
      <Show when={asking()}>
        <Confirm
          title={t('sign_user_out_title', { name: props.user.username })}
          text={`${t('sessions_will_end', { count: sessions.data?.length ?? 0 })} ${t('sign_user_out_text')}`}
          action={t('sign_out_everywhere')}
          failure={t('sessions_not_ended')}
          danger
          onConfirm={end}
          onClose={() => setAsking(false)}
        />
      </Show>
    </Part>
  );
}

export function DeleteUser(props: Props & { onDeleted: () => void }) {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const [asking, setAsking] = createSignal(false);
  const [typed, setTyped] = createSignal('');
  async function remove(): Promise<void> {
    await client.http.DELETE('/api/auth/users/{user_id}', { params: { path: { user_id: props.user.id } } });
    await queries.invalidateQueries({ queryKey: usersQuery(client).queryKey });
    props.onDeleted();
  }
  return (
    <Part title={t('delete')} why={props.why}>
      <button
        type="button"
        class="button"
        disabled={props.why !== undefined}
        onClick={() => {
          setTyped('');
          setAsking(true);
        }}
      >
        {t('delete_user')}
      </button>
      <Show when={asking()}>
        <Confirm
          title={t('delete_of', { name: props.user.username })}
          text={t('delete_user_text')}
          action={t('delete_user')}
          failure={t('user_not_deleted')}
          danger
          blocked={typed().trim() !== props.user.username}
          onConfirm={remove}
          onClose={() => setAsking(false)}
        >
          <Field
            label={t('type_name', { name: props.user.username })}
            value={typed()}
            onChange={setTyped}
            input={{ autocomplete: 'off', autocapitalize: 'none' }}
          />
        </Confirm>
      </Show>
    </Part>
  );
}
