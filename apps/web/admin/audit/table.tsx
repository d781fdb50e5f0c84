import ChevronDown from 'lucide-solid/icons/chevron-down';
import ChevronRight from 'lucide-solid/icons/chevron-right';
import { createMemo, createSignal, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { Translate } from '../../i18n/languages.ts';
import { formatMoment, formatNumber } from '../../lib/format.ts';
import { formatToken } from '../../lib/query/tokens.ts';
import type { Column } from '../../parts/table/column.ts';
import { DrawerActions, Fact, Facts } from '../../parts/table/drawer.tsx';
import { DataTable } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { type AuditEntry, actionOf, detailOf, isStopped, viaOf } from './audit.ts';
import { type AuditRow, groupEntries, isGroup, placeOfGroup, serverOf } from './groups.ts';
import { TerminalRecordings } from './terminal-recordings.tsx';

interface Props {
  readonly entries: readonly AuditEntry[];
  /** Asks for entries with this token. */
  readonly onToken: (token: string) => void;
}

/** A page of the log; the gateway filters and sorts it. */
export function AuditTable(props: Props) {
  const [open, setOpen] = createSignal<ReadonlySet<string>>(new Set());
  const rows = createMemo(() => groupEntries(props.entries, (id) => open().has(id)));
  const toggle = ({ id }: AuditRow) =>
    setOpen((before) => new Set(before.has(id) ? [...before].filter((one) => one !== id) : [...before, id]));
  const columns = createColumns({ isOpen: ({ id }) => open().has(id), toggle });
  return (
    <DataTable
      id="audit"
      labelled_by="audit-title"
      columns={columns}
      rows={rows()}
      idOf={({ id }) => id}
      nameOf={nameOf}
      details={(row) => <AuditDetails row={row} onToken={props.onToken} />}
    />
  );
}

function nameOf({ entry, entries }: AuditRow): string {
  const oldest = entries.at(-1) ?? entry;
  return oldest === entry ? `#${entry.id}` : `#${oldest.id}–#${entry.id}`;
}

interface Groups {
  readonly isOpen: (row: AuditRow) => boolean;
  readonly toggle: (row: AuditRow) => void;
}

/** All of them fit beside the open details at 1280 px. */
function createColumns(groups: Groups): Column<AuditRow>[] {
  const { t } = useApp();
  return [
    {
      ...{ id: 'time', title: 'time', is_row_name: true, width: 122, class: 'table-number' },
      cell: ({ entry }) => <Time at={entry.created_at} has_seconds />,
    },
    {
      ...{ id: 'user', title: 'user', width: 72, grow: 1, rank: 1 },
      tooltip: ({ entry }) => entry.username,
      cell: ({ entry }) => entry.username,
    },
    {
      ...{ id: 'action', title: 'action', width: 84, grow: 1, is_beside_name: true },
      tooltip: ({ entry }) => entry.action,
      cell: (row) => (isGroup(row) ? <Group row={row} {...groups} /> : <Action entry={row.entry} />),
    },
    {
      ...{ id: 'detail', title: 'detail', width: 112, grow: 5, rank: 2 },
      tooltip: (row) => (isGroup(row) ? placeOfGroup(row) : detailOf(row.entry, t)),
      cell: (row) => (isGroup(row) ? placeOfGroup(row) : <Detail row={row} />),
    },
    {
      ...{ id: 'address', title: 'address', width: 96, rank: 3, class: 'table-soft table-number' },
      tooltip: ({ entry }) => entry.ip_address,
      cell: ({ entry }) => entry.ip_address,
    },
    {
      ...{ id: 'via', title: 'via', width: 72, rank: 4, class: 'table-soft' },
      tooltip: ({ entry }) => viaOf(entry.via, t),
      cell: ({ entry }) => viaOf(entry.via, t),
    },
    {
      ...{ id: 'id', title: 'entry', width: 84, rank: 5, is_extra: true, class: 'table-soft table-number' },
      cell: nameOf,
    },
  ];
}

/** What was not completed does not read like what was. */
function Action(props: { entry: AuditEntry }) {
  const { t } = useApp();
  return <span classList={{ bad: isStopped(props.entry) }}>{actionOf(props.entry, t)}</span>;
}

function Detail(props: { row: AuditRow }) {
  const { t } = useApp();
  return <span classList={{ 'audit-member': props.row.is_member }}>{detailOf(props.row.entry, t)}</span>;
}

/** Shows all entries of a group. */
function Group(props: Groups & { row: AuditRow }) {
  const { preferences, t } = useApp();
  const count = () => formatNumber(props.row.entries.length, preferences.values.language);
  return (
    <button
      type="button"
      class="audit-group"
      aria-expanded={props.isOpen(props.row)}
      onClick={() => props.toggle(props.row)}
    >
      <Show when={props.isOpen(props.row)} fallback={<ChevronRight size={14} aria-hidden="true" />}>
        <ChevronDown size={14} aria-hidden="true" />
      </Show>
      <span class="table-cut">{groupText(props.row, count(), t)}</span>
    </button>
  );
}

function groupText({ entry }: AuditRow, count: string, t: Translate): string {
  return entry.action === 'sftp_upload' && !isStopped(entry)
    ? t('audit_group', { count })
    : t('audit_group_of', { action: actionOf(entry, t), count });
}

const ABOUT_SERVERS = /^(sftp|terminal|server|host_key)_/;

function serverNameOf(entry: AuditEntry): string | undefined {
  return ABOUT_SERVERS.test(entry.action) ? serverOf(entry)?.replace(/ \(#\d+\)$/, '') : undefined;
}

function AuditDetails(props: { row: AuditRow; onToken: Props['onToken'] }) {
  const { preferences, t } = useApp();
  const entry = () => props.row.entry;
  const moment = ({ created_at }: AuditEntry) => formatMoment(created_at, preferences.values.language);
  const period = () => {
    const oldest = props.row.entries.at(-1) ?? entry();
    return oldest === entry()
      ? moment(entry())
      : t('audit_period', { from: moment(oldest), to: moment(entry()) });
  };
  return (
    <>
      <DrawerActions>
        <button
          type="button"
          class="button"
          onClick={() => props.onToken(formatToken('user', entry().username))}
        >
          {t('audit_same_user')}
        </button>
        <button
          type="button"
          class="button"
          onClick={() => props.onToken(formatToken('action', entry().action))}
        >
          {t('audit_same_action')}
        </button>
        <Show when={serverNameOf(entry())}>
          {(name) => (
            <button type="button" class="button" onClick={() => props.onToken(formatToken('server', name()))}>
              {t('audit_same_server')}
            </button>
          )}
        </Show>
      </DrawerActions>
      <Facts>
        <Fact label={t('time')}>{period()}</Fact>
        <Fact label={t('user')}>{entry().username}</Fact>
        <Fact label={t('action')}>
          <Action entry={entry()} /> <code>{entry().action}</code>
        </Fact>
        <Show when={isGroup(props.row)} fallback={<Fact label={t('detail')}>{detailOf(entry(), t)}</Fact>}>
          <Fact label={t('entries')}>
            {formatNumber(props.row.entries.length, preferences.values.language)}
          </Fact>
          <Fact label={t('detail')}>{placeOfGroup(props.row)}</Fact>
        </Show>
        <Fact label={t('address')}>{entry().ip_address}</Fact>
        <Show when={entry().via}>{(via) => <Fact label={t('via')}>{viaOf(via(), t)}</Fact>}</Show>
        <Show when={entry().action === 'terminal_open'}>
          <TerminalRecordings entry={entry()} />
        </Show>
      </Facts>
    </>
  );
}
