import { useQueryClient } from '@tanstack/solid-query';
import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { formatInstant } from '../lib/format.ts';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import type { BulkAction } from '../parts/table/bulk-run.ts';
import type { Column } from '../parts/table/column.ts';
import { DrawerActions, Fact, Facts } from '../parts/table/drawer.tsx';
import { rowFilter } from '../parts/table/row-filter.ts';
import { DataTable } from '../parts/table/table.tsx';
import { Time } from '../parts/time.tsx';
import { endWebSession, sessionsQuery, type WebSession } from './account.ts';
import { EmbedBadge, useSessionName } from './session-rows.tsx';

export interface Ending {
  readonly session: WebSession;
  /** The browser and system, as shown. */
  readonly name: string;
}

interface Props {
  readonly sessions: readonly WebSession[];
  readonly onEnd: (ending: Ending) => void;
}

/** The user's own sign-ins. */
export function SessionTable(props: Props) {
  const { t } = useApp();
  const nameOf = useSessionName();
  const end = (session: WebSession) => (
    <EndButton session={session} onPress={() => props.onEnd({ session, name: nameOf(session) })} />
  );
  const columns: Column<WebSession>[] = [
    ...createColumns(),
    { id: 'action', title: 'action', is_title_hidden: true, width: 120, cell: end },
  ];
  const bulk = createSessionBulk();
  return (
    <DataTable
      id="sessions"
      labelled_by="sessions-title"
      columns={columns}
      rows={props.sessions}
      idOf={({ id }) => id}
      nameOf={nameOf}
      filter={rowFilter(t, {
        textsOf: (session: WebSession) => [nameOf(session), session.ip_address, session.user_agent],
      })}
      bulk={bulk}
      details={(session) => (
        <>
          <DrawerActions>{end(session)}</DrawerActions>
          <SessionDetails session={session} />
        </>
      )}
    />
  );
}

function createColumns(): Column<WebSession>[] {
  const { t } = useApp();
  const nameOf = useSessionName();
  return [
    {
      ...{ id: 'name', title: 'session_browser', is_row_name: true, width: 170, grow: 2 },
      sort: nameOf,
      tooltip: ({ user_agent }) => user_agent,
      cell: (session) => (
        <>
          {nameOf(session)}{' '}
          <Show when={session.current}>
            <span class="badge badge-good">{t('this_session')}</span>
          </Show>
          <EmbedBadge session={session} />
        </>
      ),
    },
    {
      ...{ id: 'address', title: 'address', width: 130, grow: 1, rank: 1, class: 'table-soft table-number' },
      sort: ({ ip_address }) => ip_address,
      cell: ({ ip_address }) => ip_address,
    },
    {
      ...{ id: 'last_seen', title: 'session_last_seen', width: 130, rank: 2, class: 'table-soft' },
      sort: ({ last_seen_at }) => last_seen_at,
      cell: ({ last_seen_at }) => <Time at={last_seen_at} />,
    },
    {
      ...{ id: 'created', title: 'session_signed_in', width: 130, rank: 3, class: 'table-soft' },
      sort: ({ created_at }) => created_at,
      cell: ({ created_at }) => <Time at={created_at} />,
    },
  ];
}

function SessionDetails(props: { session: WebSession }) {
  const { preferences, t } = useApp();
  const session = () => props.session;
  const moment = (instant: string) => formatInstant(instant, preferences.values.language);
  return (
    <Facts>
      <Fact label={t('status')}>{session().embed && <EmbedBadge session={session()} />}</Fact>
      <Fact label={t('address')}>{session().ip_address}</Fact>
      <Fact label={t('session_signed_in')}>{moment(session().created_at)}</Fact>
      <Fact label={t('session_last_seen')}>{moment(session().last_seen_at)}</Fact>
      <Fact label={t('session_browser')}>{session().user_agent}</Fact>
    </Facts>
  );
}

function EndButton(props: { session: WebSession; onPress: () => void }) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  const nameOf = useSessionName();
  return (
    <Show when={!props.session.current}>
      <ReasonButton
        label={t('end_session_of', { name: nameOf(props.session), address: props.session.ip_address })}
        why={why()}
        onPress={() => props.onPress()}
      >
        {t('end_session')}
      </ReasonButton>
    </Show>
  );
}

function createSessionBulk(): BulkAction<WebSession>[] {
  const { client, t } = useApp();
  const queries = useQueryClient();
  return [
    {
      ...{ id: 'end', label: t('bulk_end'), danger: true },
      question: (count) => t('bulk_end_sessions', { count }),
      skips: ({ current }) => (current ? t('this_session') : undefined),
      run: (session) => endWebSession(client, session),
      after: () => queries.invalidateQueries({ queryKey: sessionsQuery(client).queryKey }),
    },
  ];
}
