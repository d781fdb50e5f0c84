import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { formatMoment } from '../../lib/format.ts';
import type { Column } from '../../parts/table/column.ts';
import { DrawerActions, Fact, Facts } from '../../parts/table/drawer.tsx';
import { DataTable } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { type AuditEntry, type AuditFilter, actionOf, detailOf, isStopped, viaOf } from './audit.ts';
import { TerminalRecordings } from './terminal-recordings.tsx';

interface Props {
  readonly entries: readonly AuditEntry[];
  readonly onFilter: (part: Partial<AuditFilter>) => void;
}

/** A page of the log; the gateway filters and sorts it. */
export function AuditTable(props: Props) {
  const columns = createColumns();
  return (
    <DataTable
      id="audit"
      labelled_by="audit-title"
      columns={columns}
      rows={props.entries}
      idOf={({ id }) => id}
      nameOf={({ id }) => `#${id}`}
      details={(entry) => <AuditDetails entry={entry} onFilter={props.onFilter} />}
    />
  );
}

function createColumns(): Column<AuditEntry>[] {
  const { t } = useApp();
  return [
    {
      ...{ id: 'id', title: 'entry', is_row_name: true, width: 84, class: 'table-number' },
      cell: ({ id }) => id,
    },
    {
      ...{ id: 'time', title: 'time', width: 150, rank: 2, class: 'table-soft table-number' },
      cell: ({ created_at }) => <Time at={created_at} has_seconds />,
    },
    {
      ...{ id: 'user', title: 'user', width: 100, grow: 1, rank: 1 },
      tooltip: ({ username }) => username,
      cell: ({ username }) => username,
    },
    {
      ...{ id: 'action', title: 'action', width: 150, grow: 1, is_beside_name: true },
      tooltip: ({ action }) => action,
      cell: (entry) => <Action entry={entry} />,
    },
    {
      ...{ id: 'detail', title: 'detail', width: 180, grow: 4, rank: 3 },
      tooltip: (entry) => detailOf(entry, t),
      cell: (entry) => detailOf(entry, t),
    },
    {
      ...{ id: 'address', title: 'address', width: 130, rank: 4, class: 'table-soft table-number' },
      tooltip: ({ ip_address }) => ip_address,
      cell: ({ ip_address }) => ip_address,
    },
    {
      ...{ id: 'via', title: 'via', width: 108, rank: 5, class: 'table-soft' },
      tooltip: ({ via }) => viaOf(via, t),
      cell: ({ via }) => viaOf(via, t),
    },
  ];
}

/** What was not completed does not read like what was. */
function Action(props: { entry: AuditEntry }) {
  const { t } = useApp();
  return <span classList={{ bad: isStopped(props.entry) }}>{actionOf(props.entry, t)}</span>;
}

function AuditDetails(props: { entry: AuditEntry; onFilter: Props['onFilter'] }) {
  const { preferences, t } = useApp();
  const entry = () => props.entry;
  return (
    <>
      <DrawerActions>
        <button type="button" class="button" onClick={() => props.onFilter({ username: entry().username })}>
          {t('audit_same_user')}
        </button>
        <button type="button" class="button" onClick={() => props.onFilter({ action: entry().action })}>
          {t('audit_same_action')}
        </button>
      </DrawerActions>
      <Facts>
        <Fact label={t('time')}>{formatMoment(entry().created_at, preferences.values.language)}</Fact>
        <Fact label={t('user')}>{entry().username}</Fact>
        <Fact label={t('action')}>
          <Action entry={entry()} /> <code>{entry().action}</code>
        </Fact>
        <Fact label={t('detail')}>{detailOf(entry(), t)}</Fact>
        <Fact label={t('address')}>{entry().ip_address}</Fact>
        <Show when={entry().via}>{(via) => <Fact label={t('via')}>{viaOf(via(), t)}</Fact>}</Show>
        <Show when={entry().action === 'terminal_open'}>
          <TerminalRecordings entry={entry()} />
        </Show>
      </Facts>
    </>
  );
}
