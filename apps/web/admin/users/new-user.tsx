import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { groupsQuery, usersQuery } from '../../lib/users.ts';
import { EditDialog } from '../../parts/dialogs/edit.tsx';
import { DidYouMean } from '../../parts/fields/did-you-mean.tsx';
import { Field } from '../../parts/fields/field.tsx';
import { createForm } from '../../parts/fields/form.ts';
import { FormActions } from '../../parts/fields/form-actions.tsx';
import { SwitchField } from '../../parts/fields/switch.tsx';
import { TagField } from '../../parts/fields/tags.tsx';
import { Trouble } from '../../parts/trouble.tsx';
import { GeneratedPassword } from './generated-password.tsx';

const EMPTY = {
  username: '',
  password: '',
  allowed_groups: [] as readonly string[],
  is_admin: false,
  must_change_password: true,
};

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

function createNewUser() {
  const { client } = useApp();
  const queries = useQueryClient();
  return createForm({
    initial: { ...EMPTY },
    fields: () => ['username', 'password'],
    fieldOf: (code) => (code === 'username_taken' ? 'username' : undefined),
    async send({ username, allowed_groups, ...rest }) {
      const body = { ...rest, username: username.trim(), allowed_groups: [...allowed_groups] };
      await client.http.POST('/api/auth/users', { body });
      await queries.invalidateQueries({ queryKey: usersQuery(client).queryKey });
    },
  });
}

interface Props {
  readonly onCreated: (created: Credentials) => void;
  readonly onClose: () => void;
}

export function NewUserDialog(props: Props) {
  const { t } = useApp();
  const user = createNewUser();

  async function submit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const { username, password } = user.draft;
    if (!(await user.save())) return;
    props.onClose();
    props.onCreated({ username: username.trim(), password });
  }

  return (
    <EditDialog title={t('create_user')} dirty={user.dirty()} onClose={props.onClose}>
      {(close) => (
        <form class="stacked-form" onSubmit={(event) => void submit(event)}>
          <NewUserFields user={user} />
          <Show when={user.error()}>
            <Trouble title={t('user_not_created')} error={user.error()} compact />
          </Show>
          <FormActions action={t('create_user')} busy={user.busy()} onCancel={close} />
        </form>
      )}
    </EditDialog>
  );
}

function NewUserFields(props: { user: ReturnType<typeof createNewUser> }) {
  const { client, t } = useApp();
  const groups = useQuery(() => groupsQuery(client));
  return (
    <>
      <Field
        label={t('username')}
        value={props.user.draft.username}
        onChange={(username) => props.user.set({ username })}
        required
        error={props.user.errorAt('username')}
        input={{ autocomplete: 'off', autocapitalize: 'none', maxlength: 150 }}
      />
      <GeneratedPassword
        label={t('initial_password')}
        value={props.user.draft.password}
        error={props.user.errorAt('password')}
        onChange={(password) => props.user.set({ password })}
      />
      <SwitchField
        label={t('must_change_password')}
        checked={props.user.draft.must_change_password}
        onChange={(must_change_password) => props.user.set({ must_change_password })}
      />
      <TagField
        placeholder={t('no_groups')}
        label={t('groups')}
        description={t('groups_hint')}
        values={props.user.draft.allowed_groups}
        known={groups.data ?? []}
        onChange={(allowed_groups) => props.user.set({ allowed_groups })}
      />
      <DidYouMean
        typed={props.user.draft.allowed_groups}
        known={groups.data ?? []}
        onChoose={(typed, meant) =>
          props.user.set({
            allowed_groups: [
              ...new Set(props.user.draft.allowed_groups.map((one) => (one === typed ? meant : one))),
            ],
          })
        }
      />
      <SwitchField
        label={t('is_administrator')}
        description={t('is_administrator_hint')}
        checked={props.user.draft.is_admin}
        onChange={(is_admin) => props.user.set({ is_admin })}
      />
    </>
  );
}
