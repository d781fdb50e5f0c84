import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { createStore } from 'solid-js/store';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { SwitchField } from '../parts/switch-field.tsx';
import { TagField } from '../parts/tag-field.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { useApp } from '../state/app-context.ts';
import { createAttempt } from '../state/attempt.ts';
import type { User } from '../state/session.ts';
import { changesOf, groupsQuery, saveUser, type UserChange, type UserDraft, whyNot } from '../state/users.ts';
import { DeleteUser, ResetPassword, ResetTwoFactor, UserSessions } from './user-parts.tsx';
import './users.css';

interface Props {
  readonly user: User;
  readonly users: readonly User[];
  readonly onClose: () => void;
}

/** All that an administrator does with one user. */
export function UserDialog(props: Props) {
  const { session, t } = useApp();
  const rights = createRights(props);
  const [leaving, setLeaving] = createSignal(false);
  const close = () => (rights.dirty() ? setLeaving(true) : props.onClose());
  const why = (change: UserChange) => {
    const key = whyNot(change, { user: props.user, users: props.users, own_id: session.user()?.id });
    return key && t(key);
  };
  return (
    <Dialog title={t('user_of', { name: props.user.username })} wide sticky onClose={close}>
      <Show when={props.user.source !== 'local'}>
        <p class="dialog-lead">{t('directory_note')}</p>
      </Show>
      <Rights user={props.user} rights={rights} why={why} />
      <ResetPassword user={props.user} why={why('reset_password')} />
      <ResetTwoFactor user={props.user} why={why('reset_totp')} />
      <UserSessions user={props.user} />
      <DeleteUser user={props.user} why={why('delete')} onDeleted={props.onClose} />
      <Show when={leaving()}>
        <Confirm
          title={t('discard_title')}
          text={t('discard_text')}
          action={t('discard')}
          danger
          onConfirm={props.onClose}
          onClose={() => setLeaving(false)}
        />
      </Show>
    </Dialog>
  );
}

function draftOf({ allowed_groups, is_admin, disabled, must_change_password }: User): UserDraft {
  return { allowed_groups: [...allowed_groups], is_admin, disabled, must_change_password };
}

function createRights(props: Props) {
  const { client, session } = useApp();
  const queries = useQueryClient();
  const attempt = createAttempt();
  const [draft, set] = createStore<UserDraft>(draftOf(props.user));
  const [saved, setSaved] = createSignal(false);
  return {
    draft,
    saved,
    busy: attempt.busy,
    error: attempt.error,
    dirty() {
      const { patch, groups } = changesOf(draftOf(props.user), draft);
      return patch !== undefined || groups !== undefined;
    },
    set(change: Partial<UserDraft>) {
      setSaved(false);
      set(change);
    },
    async save() {
      const is_saved = await attempt.run(() => saveUser(client, props.user, draft));
      await queries.invalidateQueries({ queryKey: ['users'] }); // half of it may have been taken
      if (is_saved) set(draftOf(props.user));
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
    void props.rights.save();
  };
  return (
    <form class="door-form" onSubmit={submit}>
      <TagField
        label={t('groups')}
        description={t('groups_hint')}
        values={props.rights.draft.allowed_groups}
        known={groups.data ?? []}
        onChange={(allowed_groups) => props.rights.set({ allowed_groups })}
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
          disabled={!props.rights.dirty()}
          aria-disabled={props.rights.busy()}
        >
          {t('save')}
        </button>
      </div>
    </form>
  );
}

/** A switch that may not be moved says why; what is off already stays free. */
function Flags(props: RightsProps) {
  const { t } = useApp();
  const demote = () => (props.user.is_admin ? props.why('demote') : undefined);
  const disable = () => (props.user.disabled ? undefined : props.why('disable'));
  const is_directory = () => props.user.source !== 'local';
  return (
    <>
      <SwitchField
        label={t('is_administrator')}
        description={demote() ?? t('is_administrator_hint')}
        checked={props.rights.draft.is_admin}
        disabled={demote() !== undefined}
        onChange={(is_admin) => props.rights.set({ is_admin })}
      />
      <SwitchField
        label={t('is_disabled')}
        description={disable() ?? t('is_disabled_hint')}
        checked={props.rights.draft.disabled}
        disabled={disable() !== undefined}
        onChange={(disabled) => props.rights.set({ disabled })}
      />
      <SwitchField
        label={t('must_change_password')}
        description={is_directory() ? t('why_directory_password') : t('must_change_password_hint')}
        checked={props.rights.draft.must_change_password}
        disabled={is_directory()}
        onChange={(must_change_password) => props.rights.set({ must_change_password })}
      />
    </>
  );
}
