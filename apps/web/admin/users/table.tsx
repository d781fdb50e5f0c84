import { type JSX, type ParentProps, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { User } from '../../app/session.ts';
import type { TextKey, Translate } from '../../i18n/languages.ts';
import { formatInstant } from '../../lib/format.ts';
import { useReadOnlyReason } from '../../parts/read-only.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import type { Column } from '../../parts/table/column.ts';
import { DrawerActions, Fact, Facts } from '../../parts/table/drawer.tsx';
import { type RowFilter, rowFilter } from '../../parts/table/row-filter.ts';
import { DataTable } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { createUserBulk } from './bulk.ts';
import { lockOf, STATE_TEXTS, statesOf } from './users.ts';

interface Props {
  readonly users: readonly User[];
  readonly onChoose: (id: number) => void;
}

export function UserTable(props: Props) {
  const { t } = useApp();
  const manage = (user: User) => <ManageButton user={user} onPress={() => props.onChoose(user.id)} />;
  const columns = createColumns(manage);
  const bulk = createUserBulk(() => props.users);
  return (
    <DataTable
      id="users"
      labelled_by="users-title"
      columns={columns}
      rows={props.users}
      idOf={({ id }) => id}
      nameOf={({ username }) => username}
      filter={userFilter(t)}
      bulk={bulk}
      details={(user) => (
        <UserDetails user={user}>
          <DrawerActions>{manage(user)}</DrawerActions>
        </UserDetails>
      )}
    />
  );
}

function userFilter(t: Translate): RowFilter<User> {
  const states: Readonly<Record<string, TextKey>> = STATE_TEXTS;
  return rowFilter(t, {
    label: 'filter_users',
    none: t('no_users_match'),
    textsOf: ({ username, source, allowed_groups }) => [username, source, ...allowed_groups],
    keys: [
      {
        ...{ key: 'is', label: 'state', of: (user) => statesOf(user, new Date()) },
        all: Object.keys(states),
        nameOf: (state) => t.optional(states[state] ?? '') ?? state,
      },
      { key: 'group', label: 'group', of: ({ allowed_groups }) => allowed_groups },
      {
        ...{ key: 'source', label: 'source', of: ({ source }) => [source] },
        nameOf: (source) => t.optional(`source_${source}`) ?? source,
      },
    ],
    timeOf: ({ created_at }) => created_at,
  });
}

function createColumns(manage: (user: User) => JSX.Element): Column<User>[] {
  const { t } = useApp();
  return [
    {
      ...{ id: 'username', title: 'username', is_row_name: true, width: 150, grow: 2 },
      sort: ({ username }) => username,
      tooltip: ({ username }) => username,
      cell: ({ username }) => username,
    },
    {
      ...{ id: 'state', title: 'state', width: 150, grow: 1, is_beside_name: true },
      sort: (user) => Number(user.disabled) * 2 + Number(user.is_admin),
      cell: (user) => <UserBadges user={user} />,
    },
    {
      ...{ id: 'groups', title: 'groups', width: 170, grow: 2, rank: 2, class: 'table-soft' },
      sort: ({ allowed_groups }) => allowed_groups.join(', ') || undefined,
      tooltip: ({ allowed_groups }) => allowed_groups.join(', '),
      cell: ({ allowed_groups }) => allowed_groups.join(', '),
    },
    {
      ...{ id: 'last_sign_in', title: 'last_sign_in', width: 130, rank: 1, class: 'table-soft' },
      sort: ({ last_sign_in_at }) => last_sign_in_at ?? undefined,
      cell: ({ last_sign_in_at }) => <LastSignIn at={last_sign_in_at} />,
    },
    {
      ...{ id: 'second_factor', title: 'two_factor', width: 110, rank: 4, class: 'table-soft' },
      sort: ({ totp_enabled }) => (totp_enabled ? 0 : 1),
      cell: ({ totp_enabled }) => t(totp_enabled ? 'factor_on' : 'factor_off'),
    },
    {
      ...{ id: 'source', title: 'source', width: 110, rank: 3, class: 'table-soft' },
      sort: ({ source }) => source,
      cell: (user) => t(`source_${user.source}`),
    },
    {
      ...{ id: 'created', title: 'created', width: 130, rank: 5, class: 'table-soft' },
      sort: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
    {
      ...{ id: 'action', title: 'action', is_title_hidden: true, width: 96 },
      cell: manage,
    },
  ];
}

function UserDetails(props: ParentProps<{ user: User }>) {
  const { preferences, t } = useApp();
  const user = () => props.user;
  const day = (instant: string) => formatInstant(instant, preferences.values.language);
  return (
    <>
      {props.children}
      <Facts>
        <Fact label={t('state')}>
          <UserBadges user={user()} />
        </Fact>
        <Fact label={t('groups')}>{user().allowed_groups.join(', ')}</Fact>
        <Fact label={t('last_sign_in')}>
          {user().last_sign_in_at ? day(user().last_sign_in_at ?? '') : t('never')}
        </Fact>
        <Fact label={t('two_factor')}>{t(user().totp_enabled ? 'factor_on' : 'factor_off')}</Fact>
        <Fact label={t('source')}>{t(`source_${user().source}`)}</Fact>
        <Fact label={t('created')}>{day(user().created_at)}</Fact>
        <Fact label={t('locked')}>
          {lockOf(user(), new Date()) ? t('locked_until', { time: day(user().locked_until ?? '') }) : ''}
        </Fact>
      </Facts>
    </>
  );
}

function LastSignIn(props: { at: string | null | undefined }) {
  const { t } = useApp();
  return (
    <Show when={props.at} fallback={t('never')}>
      {(at) => <Time at={at()} />}
    </Show>
  );
}

function ManageButton(props: { user: User; onPress: () => void }) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  return (
    <ReasonButton
      label={t('manage_of', { name: props.user.username })}
      why={why()}
      onPress={() => props.onPress()}
    >
      {t('manage')}
    </ReasonButton>
  );
}

function UserBadges(props: { user: User }) {
  const { t } = useApp();
  return (
    <span class="table-badges">
      <Show when={props.user.disabled}>
        <span class="badge badge-bad">{t('disabled')}</span>
      </Show>
      <Show when={lockOf(props.user, new Date())}>
        <span class="badge badge-bad">{t('locked')}</span>
      </Show>
      <Show when={props.user.is_admin}>
        <span class="badge badge-good">{t('administrator')}</span>
      </Show>
      <Show when={props.user.must_change_password}>
        <span class="badge badge-busy">{t('must_change')}</span>
      </Show>
    </span>
  );
}
