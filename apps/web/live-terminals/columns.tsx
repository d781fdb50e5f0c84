import { useQueryClient } from '@tanstack/solid-query';
import { Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import type { Translate } from '../i18n/languages.ts';
import { createClock } from '../lib/clock.ts';
import { formatMoment } from '../lib/format.ts';
import { CutName } from '../parts/cut-name.tsx';
import type { BulkAction } from '../parts/table/bulk-run.ts';
import type { Column } from '../parts/table/column.ts';
import { Fact, Facts } from '../parts/table/drawer.tsx';
import { type RowFilter, type RowKey, rowFilter } from '../parts/table/row-filter.ts';
import { Ago, Time } from '../parts/time.tsx';
import { OpenHere, RecordedBadge } from './rows.tsx';
import { endSession, LIVE_SESSIONS_KEY, type LiveSession } from './sessions.ts';

const TICK_MS = 1000;

/** `everybody`: with the users, for administrators. */
export function createLiveColumns(everybody: boolean): Column<LiveSession>[] {
  const { t } = useApp();
  const now = createClock(TICK_MS);
  const users: Column<LiveSession> = {
    ...{ id: 'user', title: 'user', width: 110, grow: 1 },
    sort: ({ username }) => username,
    tooltip: ({ username }) => username,
    cell: ({ username }) => username,
  };
  return [
    {
      ...{ id: 'server', title: 'server', is_row_name: true, width: 150, grow: 2 },
      sort: ({ server_name }) => server_name,
      cell: (session) => <SessionName session={session} />,
    },
    ...(everybody ? [users] : []),
    {
      ...{ id: 'since', title: 'since', width: 150, rank: 2, class: 'table-soft' },
      sort: ({ started_at }) => started_at,
      cell: (session) => <Time at={session.started_at} has_seconds />,
    },
    {
      ...{ id: 'activity', title: 'live_last_activity', width: 140, rank: 1, class: 'table-soft' },
      sort: ({ last_activity }) => last_activity,
      cell: (session) => <Ago at={session.last_activity} now_ms={now()} />,
    },
    {
      ...{ id: 'people', title: 'live_people', width: 110, rank: 3, class: 'table-soft' },
      sort: ({ participants }) => participants,
      cell: ({ participants }) => (participants === 0 ? t('live_nobody') : participants),
    },
  ];
}

/** `everybody`: by user too. */
export function liveFilter(t: Translate, everybody: boolean): RowFilter<LiveSession> {
  const user: RowKey<LiveSession> = { key: 'user', label: 'user', of: ({ username }) => [username] };
  return rowFilter(t, {
    textsOf: ({ server_name, username }) => [server_name, ...(everybody ? [username] : [])],
    keys: [
      ...(everybody ? [user] : []),
      { key: 'server', label: 'server', of: ({ server_name }) => [server_name] },
      {
        ...{ key: 'is', label: 'state', all: ['recorded', 'quick'] },
        of: ({ recording, server_id }) => [
          ...(recording ? ['recorded'] : []),
          ...(server_id === null ? ['quick'] : []),
        ],
        nameOf: (value) => t(value === 'quick' ? 'quick_connect' : 'bar_recorded'),
      },
    ],
    timeOf: ({ started_at }) => started_at,
  });
}

function SessionName(props: { session: LiveSession }) {
  const { t } = useApp();
  return (
    <>
      <CutName text={props.session.server_name} />{' '}
      <Show when={props.session.server_id === null}>
        <span class="badge">{t('quick_connect')}</span>
      </Show>{' '}
      <RecordedBadge session={props.session} /> <OpenHere session={props.session} />
    </>
  );
}

export function LiveDetails(props: { session: LiveSession }) {
  const { preferences, t } = useApp();
  const moment = (instant: string) => formatMoment(instant, preferences.values.language);
  const session = () => props.session;
  return (
    <Facts>
      <Fact label={t('user')}>{session().username}</Fact>
      <Fact label={t('since')}>{moment(session().started_at)}</Fact>
      <Fact label={t('live_last_activity')}>{moment(session().last_activity)}</Fact>
      <Fact label={t('live_people')}>
        {session().participants === 0 ? t('live_nobody') : session().participants}
      </Fact>
      <Fact label={t('status')}>
        <SessionName session={session()} />
      </Fact>
    </Facts>
  );
}

export function createLiveBulk(): BulkAction<LiveSession>[] {
  const { client, t } = useApp();
  const queries = useQueryClient();
  return [
    {
      ...{ id: 'end', label: t('bulk_end'), text: t('live_end_other_text'), danger: true },
      question: (count) => t('bulk_end_terminals', { count }),
      run: (session) => endSession(client, session),
      after: () => queries.invalidateQueries({ queryKey: LIVE_SESSIONS_KEY }),
    },
  ];
}
