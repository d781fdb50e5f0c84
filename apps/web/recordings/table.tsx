import { A } from '@solidjs/router';
import { useQueryClient } from '@tanstack/solid-query';
import { createMemo, mapArray, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { auditPath } from '../lib/audit-path.ts';
import { formatMoment, formatSize } from '../lib/format.ts';
import type { BulkAction } from '../parts/table/bulk-run.ts';
import type { Column } from '../parts/table/column.ts';
import { DrawerActions, Fact, Facts } from '../parts/table/drawer.tsx';
import { DataTable } from '../parts/table/table.tsx';
import { Time } from '../parts/time.tsx';
import { Trouble } from '../parts/trouble.tsx';
import {
  deleteRecording,
  formatDuration,
  isOpen,
  RECORDINGS_KEY,
  type Recording,
  verifyRecording,
} from './recordings.ts';
import { Actions, createRow, type Row, ServerName, StatusCell } from './row.tsx';
import { MatchingLines } from './search/lines.tsx';
import type { Listed } from './search/list.ts';

interface Props {
  readonly listed: readonly Listed[];
  /** The text that the lines below a recording contain. */
  readonly text: string;
  readonly everybody: boolean;
  /** There are more pages of them. */
  readonly is_part: boolean;
  readonly onDelete: (recording: Recording) => void;
}

export function RecordingTable(props: Props) {
  const recordings = createMemo(() => props.listed.map(({ recording }) => recording));
  const rows = createMemo(mapArray(recordings, createRow));
  const with_lines = createMemo(
    () =>
      new Map(props.listed.filter(({ matches }) => matches.length > 0).map((one) => [one.recording.id, one])),
  );
  const linesOf = ({ recording }: Row) => {
    const listed = with_lines().get(recording.id);
    return listed && <MatchingLines listed={listed} text={props.text} />;
  };
  const columns = createColumns(props);
  const bulk = createRecordingBulk();
  return (
    <DataTable
      id={props.everybody ? 'recordings' : 'own_recordings'}
      labelled_by="recordings-title"
      columns={columns}
      rows={rows()}
      idOf={({ recording }) => recording.id}
      nameOf={({ recording }) => recording.server_name}
      bulk={bulk}
      is_part={props.is_part}
      under={with_lines().size > 0 ? linesOf : undefined}
      details={(row) => (
        <RecordingDetails
          row={row}
          everybody={props.everybody}
          onDelete={() => props.onDelete(row.recording)}
        />
      )}
    />
  );
}

function createColumns(props: Props): Column<Row>[] {
  const { preferences } = useApp();
  const language = () => preferences.values.language;
  const users: Column<Row> = {
    ...{ id: 'user', title: 'user', width: 110, grow: 1, rank: 1 },
    sort: ({ recording }) => recording.username,
    tooltip: ({ recording }) => recording.username,
    cell: ({ recording }) => recording.username,
  };
  return [
    {
      ...{ id: 'server', title: 'server', is_row_name: true, width: 130, grow: 2 },
      sort: ({ recording }) => recording.server_name,
      cell: ({ recording }) => <ServerName recording={recording} />,
    },
    ...(props.everybody ? [users] : []),
    {
      ...{ id: 'started', title: 'recordings_started', width: 130, rank: 2, class: 'table-soft' },
      sort: ({ recording }) => recording.started_at,
      cell: ({ recording }) => <Time at={recording.started_at} />,
    },
    {
      ...{
        id: 'duration',
        title: 'recordings_duration',
        width: 90,
        rank: 4,
        class: 'table-soft table-number',
      },
      sort: ({ recording: { duration_s } }) => duration_s ?? undefined,
      cell: ({ recording }) => durationOf(recording),
    },
    {
      ...{ id: 'size', title: 'recordings_size', width: 90, rank: 5, class: 'table-soft table-number' },
      sort: ({ recording: { size_bytes } }) => size_bytes ?? undefined,
      cell: ({ recording }) => sizeOf(recording, language()),
    },
    {
      ...{ id: 'status', title: 'status', width: 130, grow: 1, rank: 3, is_beside_name: true },
      sort: ({ recording }) => recording.status,
      cell: (row) => <StatusCell row={row} />,
    },
    {
      ...{ id: 'action', title: 'action', is_title_hidden: true, width: 130 },
      cell: (row) => <Actions row={row} onDelete={() => props.onDelete(row.recording)} />,
    },
  ];
}

function durationOf({ duration_s }: Recording): string {
  return duration_s === null ? '' : formatDuration(duration_s);
}

function sizeOf({ size_bytes }: Recording, language: string): string {
  return size_bytes === null ? '' : formatSize(size_bytes, language);
}

function createRecordingBulk(): BulkAction<Row>[] {
  const { client, t } = useApp();
  const queries = useQueryClient();
  return [
    {
      ...{ id: 'verify', label: t('bulk_verify') },
      question: (count) => t('bulk_verify_recordings', { count }),
      async run({ recording }) {
        const { ok, reason } = await verifyRecording(client, recording);
        const said = t(`recordings_verdict_${reason ?? 'ok'}`);
        if (!ok) throw new Error(said);
        return said;
      },
    },
    {
      ...{ id: 'delete', label: t('bulk_delete'), text: t('bulk_delete_recordings_text'), danger: true },
      question: (count) => t('bulk_delete_recordings', { count }),
      skips: ({ recording }) => (isOpen(recording) ? t('recordings_delete_open') : undefined),
      run: ({ recording }) => deleteRecording(client, recording),
      after: () => queries.invalidateQueries({ queryKey: RECORDINGS_KEY }),
    },
  ];
}

interface DetailsProps extends Pick<Props, 'everybody'> {
  readonly row: Row;
  readonly onDelete: () => void;
}

function RecordingDetails(props: DetailsProps) {
  const { preferences, t } = useApp();
  const recording = () => props.row.recording;
  const language = () => preferences.values.language;
  return (
    <>
      <DrawerActions>
        <Actions row={props.row} onDelete={props.onDelete} />
      </DrawerActions>
      <Facts>
        <Fact label={t('user')}>{recording().username}</Fact>
        <Fact label={t('recordings_started')}>{formatMoment(recording().started_at, language())}</Fact>
        <Fact label={t('recordings_duration')}>{durationOf(recording())}</Fact>
        <Fact label={t('recordings_size')}>{sizeOf(recording(), language())}</Fact>
        <Fact label={t('status')}>
          <StatusCell row={props.row} />
        </Fact>
        <Fact label="SHA-256">
          <Show when={props.row.verdict()?.expected_sha256}>{(sum) => <code>{sum()}</code>}</Show>
        </Fact>
        <Show when={props.everybody}>
          <Fact label={t('audit_log')}>
            <A href={entriesPath(recording())}>{t('recordings_audit')}</A>
          </Fact>
        </Show>
      </Facts>
      <Show when={props.row.error()}>
        <Trouble title={t('recordings_trouble')} error={props.row.error()} compact />
      </Show>
    </>
  );
}

/** What this user did on this server since the terminal was opened; the entry is a little older than the recording. */
function entriesPath({ started_at, username, server_id, server_name }: Recording): string {
  return auditPath({
    user: username,
    ...(server_id === null ? { words: server_name } : { server: server_name }),
    since: new Date(Date.parse(started_at) - 60_000),
  });
}
