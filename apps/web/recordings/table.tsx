import { A } from '@solidjs/router';
import { useQueryClient } from '@tanstack/solid-query';
import Ellipsis from 'lucide-solid/icons/ellipsis';
import Play from 'lucide-solid/icons/play';
import { createMemo, createSignal, mapArray, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { createAttempt } from '../lib/attempt.ts';
import { auditPath } from '../lib/audit-path.ts';
import { formatInstant, formatMoment, formatSize } from '../lib/format.ts';
import { Menu, MenuItem, MenuSeparator } from '../parts/menu.tsx';
import { Name } from '../parts/name.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import type { BulkAction } from '../parts/table/bulk-run.ts';
import type { Column } from '../parts/table/column.ts';
import { DrawerActions, Fact, Facts } from '../parts/table/drawer.tsx';
import { DataTable } from '../parts/table/table.tsx';
import { reasonOf, Trouble } from '../parts/trouble.tsx';
import { useRecordingTabs } from './open-recording.ts';
import {
  deleteRecording,
  formatDuration,
  isLarge,
  isOpen,
  RECORDINGS_KEY,
  type Recording,
  type RecordingVerdict,
  saveRecording,
  saveRecordingText,
  showRecording,
  verifyRecording,
} from './recordings.ts';

interface Props {
  readonly recordings: readonly Recording[];
  readonly everybody: boolean;
  /** There are more pages of them. */
  readonly is_part: boolean;
  readonly onDelete: (recording: Recording) => void;
}

export function RecordingTable(props: Props) {
  const rows = createMemo(mapArray(() => props.recordings, createRow));
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

/** A recording with the outcome of what was last done with it. */
function createRow(recording: Recording) {
  const { client } = useApp();
  const attempt = createAttempt();
  const [verdict, setVerdict] = createSignal<RecordingVerdict>();
  return {
    recording,
    verdict,
    error: attempt.error,
    run: (work: () => Promise<void>) => void attempt.run(work),
    verify() {
      setVerdict(undefined);
      void attempt.run(async () => setVerdict(await verifyRecording(client, recording)));
    },
  };
}

type Row = ReturnType<typeof createRow>;

function createColumns(props: Props): Column<Row>[] {
  const { preferences } = useApp();
  const language = () => preferences.values.language;
  const users: Column<Row> = {
    ...{ id: 'user', title: 'user', width: 110, grow: 1, rank: 3 },
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
      ...{ id: 'started', title: 'recordings_started', width: 170, rank: 1, class: 'table-soft' },
      sort: ({ recording }) => recording.started_at,
      tooltip: ({ recording }) => recording.started_at,
      cell: ({ recording }) => formatInstant(recording.started_at, language()),
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
      ...{ id: 'status', title: 'status', width: 130, grow: 1, rank: 2 },
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
function entriesPath({ started_at, username, server_name }: Recording): string {
  return auditPath(new Date(Date.parse(started_at) - 60_000), { username, search: server_name });
}

function ServerName(props: { recording: Recording }) {
  const { t } = useApp();
  return (
    <>
      <Name text={props.recording.server_name} />{' '}
      <Show when={props.recording.server_id === null}>
        <span class="badge">{t('recordings_unregistered')}</span>
      </Show>
    </>
  );
}

function StatusCell(props: { row: Row }) {
  const { t } = useApp();
  return (
    <>
      <StatusBadge recording={props.row.recording} />{' '}
      <span role="status">
        <VerdictBadge verdict={props.row.verdict()} />
      </span>
      <Show when={props.row.error()}>
        <span class="bad" role="alert" title={t('recordings_trouble')}>
          {reasonOf(props.row.error(), t)}
        </span>
      </Show>
    </>
  );
}

function StatusBadge(props: { recording: Recording }) {
  const { t } = useApp();
  const status = () => props.recording.status;
  return (
    <span
      class="badge"
      classList={{ 'badge-bad': status() === 'recording', 'badge-busy': status() === 'interrupted' }}
      title={status() === 'interrupted' ? t('recordings_interrupted_text') : undefined}
    >
      {t(`recordings_${status()}`)}
    </span>
  );
}

/** Shows whether the file is unchanged. */
function VerdictBadge(props: { verdict: RecordingVerdict | undefined }) {
  const { t } = useApp();
  return (
    <Show when={props.verdict}>
      {(verdict) => (
        <span
          class="badge"
          classList={{ 'badge-good': verdict().ok, 'badge-bad': !verdict().ok }}
          title={verdict().expected_sha256 ?? undefined}
        >
          {t(`recordings_verdict_${verdict().reason ?? 'ok'}`)}
        </span>
      )}
    </Show>
  );
}

interface ActionProps {
  readonly row: Row;
  readonly onDelete: () => void;
}

function Actions(props: ActionProps) {
  const { client, preferences, t } = useApp();
  const why = useReadOnlyReason();
  const { recording, run, verify } = props.row;
  const time = () => formatInstant(recording.started_at, preferences.values.language);
  const about = () => ({ name: recording.server_name, time: time() });
  const open = useRecordingTabs();
  const readText = () =>
    run(() => showRecording(client, recording, { file: 'text', blocked: t('recordings_tab_blocked') }));
  const whyNotDelete = () => why() ?? (isOpen(recording) ? t('recordings_delete_open') : undefined);
  return (
    <div class="recording-actions">
      <button
        type="button"
        class="button"
        aria-label={t('recordings_play_of', about())}
        onClick={() => open(recording)}
      >
        <Play size={14} aria-hidden="true" /> {t('recordings_play')}
      </button>
      <Menu
        label={t('recordings_more_of', about())}
        icon={<Ellipsis size={16} aria-hidden="true" />}
        class="icon-button"
      >
        <Show
          when={isLarge(recording)}
          fallback={<MenuItem label={t('recordings_text')} onSelect={readText} />}
        >
          <MenuItem
            label={t('recordings_text_file')}
            title={t('recordings_text_large')}
            onSelect={() => run(() => saveRecordingText(client, recording))}
          />
        </Show>
        <MenuItem
          label={t('recordings_download')}
          onSelect={() => run(() => saveRecording(client, recording))}
        />
        <MenuItem label={t('recordings_verify')} onSelect={() => verify()} />
        <MenuSeparator />
        <MenuItem
          label={t('recordings_delete')}
          danger
          why={whyNotDelete()}
          onSelect={() => props.onDelete()}
        />
      </Menu>
    </div>
  );
}
