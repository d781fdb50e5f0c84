import { useQuery, useQueryClient } from '@tanstack/solid-query';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { QueryState } from '../parts/query-state.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { ReasonButton } from '../parts/reason-button.tsx';
import type { Column } from '../parts/table/column.ts';
import { DrawerActions } from '../parts/table/drawer.tsx';
import { DataTable } from '../parts/table/table.tsx';
import { SectionTitle } from '../workspace/screens/section-title.tsx';
import { createLiveBulk, createLiveColumns, LiveDetails, liveFilter } from './columns.tsx';
import { ContinueButton, EndSession } from './rows.tsx';
import { LIVE_SESSIONS_KEY, type LiveSession, ownLiveSessionsQuery } from './sessions.ts';

/** The user's own live terminals, on this device and on others. */
export function LiveTerminals() {
  const { client, t } = useApp();
  const queries = useQueryClient();
  const sessions = useQuery(() => ownLiveSessionsQuery(client));
  const [ending, setEnding] = createSignal<LiveSession>();
  const refresh = () => queries.invalidateQueries({ queryKey: LIVE_SESSIONS_KEY });
  return (
    <section class="section section-wide section-list" aria-labelledby="live-title">
      <SectionTitle id="live-title" text={t('live_terminals')} />
      <QueryState query={sessions} failure={t('live_failed')}>
        {(known) => <OwnRows sessions={known().sessions} onEnd={setEnding} />}
      </QueryState>
      <Show when={ending()}>
        {(session) => (
          <EndSession session={session()} onEnded={refresh} onClose={() => setEnding(undefined)} />
        )}
      </Show>
    </section>
  );
}

interface RowsProps {
  readonly sessions: readonly LiveSession[];
  readonly onEnd: (session: LiveSession) => void;
}

function OwnRows(props: RowsProps) {
  const { t } = useApp();
  const why = useReadOnlyReason();
  const actions = (session: LiveSession) => (
    <>
      <ContinueButton session={session} />{' '}
      <ReasonButton
        label={t('live_end_named', { name: session.server_name })}
        folds
        why={why()}
        onPress={() => props.onEnd(session)}
      >
        {t('live_end')}
      </ReasonButton>
    </>
  );
  const columns = [
    ...createLiveColumns(false),
    { id: 'action', title: 'action', is_title_hidden: true, width: 196, narrow_width: 124, cell: actions },
  ] satisfies Column<LiveSession>[];
  const bulk = createLiveBulk();
  return (
    <DataTable
      id="own_terminals"
      labelled_by="live-title"
      columns={columns}
      rows={props.sessions}
      idOf={({ id }) => id}
      nameOf={({ server_name }) => server_name}
      filter={liveFilter(t, false)}
      bulk={bulk}
      details={(session) => (
        <>
          <DrawerActions>{actions(session)}</DrawerActions>
          <LiveDetails session={session} />
        </>
      )}
      empty={t('live_none_own')}
    />
  );
}
