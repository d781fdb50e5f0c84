import { useQuery } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { textsOfSource } from '../../account/sources.ts';
import { useApp } from '../../app/context.ts';
import type { User } from '../../app/session.ts';
import { createAttempt } from '../../lib/attempt.ts';
import { groupsQuery } from '../../lib/users.ts';
import { EditDialog } from '../../parts/dialogs/edit.tsx';
import { DidYouMean } from '../../parts/fields/did-you-mean.tsx';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { TagField } from '../../parts/fields/tags.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { DeleteUser, ResetPassword, ResetTwoFactor, UserLock, UserSessions } from './dialog-parts.tsx';
import {
  changesOf,
  createUserRefresh,
  saveUser,
  type Touched,
  touch,
  type UserChange,
  type UserDraft,
  whyNot,
} from './users.ts';
import './users.css';

interface Props {
  readonly user: User;
  readonly users: readonly User[];
  readonly onClose: () => void;
}

/** Everything an administrator can change about a user. */
export function UserDialog(props: Props) {
  const { session, t } = useApp();
  const rights = createRights(props);
  const why = (change: UserChange) => {
    const key = whyNot(change, { user: props.user, users: props.users, own_id: session.user()?.id });
    return key && t(key);
  };
  return (
    <EditDialog
      title={t('user_of', { name: props.user.username })}
      wide
      dirty={rights.dirty()}
      onClose={props.onClose}
    >
      {() => (
        <>
          <Show when={textsOfSource(props.user).note}>
            {(note) => <p class="dialog-lead">{t(note())}</p>}
          </Show>
          <UserLock user={props.user} />
          <Rights user={props.user} rights={rights} why={why} />
          <ResetPassword user={props.user} why={why('reset_password')} />
          <ResetTwoFactor user={props.user} why={why('reset_totp')} />
          <UserSessions user={props.user} />
          <DeleteUser user={props.user} why={why('delete')} onDeleted={props.onClose} />
        </>
      )}
    </EditDialog>
  );
}

function createRights(props: Props) {
  const { client, session } = useApp();
  const refresh = createUserRefresh(client);
  const attempt = createAttempt();
  const [touched, setTouched] = createSignal<Touched>({});
  const [saved, setSaved] = createSignal(false);
  return {
    /** The values as they would be saved. */
    draft: (): UserDraft => ({ ...props.user, ...touched() }),
    saved,
    busy: attempt.busy,
    error: attempt.error,
    dirty() {
      const { patch, groups } = changesOf(props.user, touched());
      return patch !== undefined || groups !== undefined;
    },
    set(change: Touched) {
      setSaved(false);
      setTouched(touch(props.user, touched(), change));
    },
    async save() {
      const is_saved = await attempt.run(() => saveUser(client, props.user, touched()));
      await refresh(props.user.id); // one of the two requests may have succeeded
      if (is_saved) setTouched({});
      setSaved(is_saved);
      if (props.user.id === session.user()?.id) session.verify();
    },
  };
}

interface RightsProps {
  readonly user: User;
  readonly rights: ReturnType<typeof createRights>;
  readonly why: (change: UserChange) => string | undefined;
}

function Rights(props: RightsProps) {
  const { client, t } = useApp();
  const groups = useQuery(() => groupsQuery(client));
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (props.rights.dirty()) void props.rights.save();
  };
  return (
    <form class="stacked-form" onSubmit={submit}>
      <TagField
        placeholder={t('no_groups')}
        label={t('groups')}
        description={t('groups_hint')}
        values={props.rights.draft().allowed_groups}
        known={groups.data ?? []}
        onChange={(allowed_groups) => props.rights.set({ allowed_groups })}
      />
      <DidYouMean
        typed={props.rights.draft().allowed_groups}
        known={groups.data ?? []}
        onChoose={(typed, meant) =>
          props.rights.set({
            allowed_groups: [
              ...new Set(props.rights.draft().allowed_groups.map((one) => (one === typed ? meant : one))),
            ],
          })
        }
      />
      <Flags {...props} />
      <Show when={props.rights.error()}>
        <Trouble title={t('user_not_saved')} error={props.rights.error()} compact />
      </Show>
      <div class="actions">
        <span class="good" role="status">
          {props.rights.saved() ? t('saved') : ''}
        </span>
        <button
          type="submit"
          class="button button-primary"
          aria-disabled={props.rights.busy() || !props.rights.dirty()}
        >
          {t('save')}
        </button>
      </div>
    </form>
  );
}

/** A disabled switch explains why; one that is already off can always be moved. */
function Flags(props: RightsProps) {
  const { t } = useApp();
  const demote = () => (props.user.is_admin ? props.why('demote') : undefined);
  const disable = () => (props.user.disabled ? undefined : props.why('disable'));
  const no_password = () => textsOfSource(props.user).why_no_password;
  return (
    <>
      <SwitchField
        label={t('is_administrator')}
        description={demote() ?? t('is_administrator_hint')}
        checked={props.rights.draft().is_admin}
        disabled={demote() !== undefined}
        onChange={(is_admin) => props.rights.set({ is_admin })}
      />
      <SwitchField
        label={t('is_disabled')}
        description={disable() ?? t('is_disabled_hint')}
        checked={props.rights.draft().disabled}
        disabled={disable() !== undefined}
        onChange={(disabled) => props.rights.set({ disabled })}
      />
      <SwitchField
        label={t('must_change_password')}
        description={t(no_password() ?? 'must_change_password_hint')}
        checked={props.rights.draft().must_change_password}
        disabled={no_password() !== undefined}
        onChange={(must_change_password) => props.rights.set({ must_change_password })}
      />
    </>
  );
}
