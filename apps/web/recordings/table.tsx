import Ellipsis from 'lucide-solid/icons/ellipsis';
import Play from 'lucide-solid/icons/play';
import { createMemo, createSignal, mapArray, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { createAttempt } from '../lib/attempt.ts';
import { formatInstant, formatSize } from '../lib/format.ts';
import { Menu, MenuItem, MenuSeparator } from '../parts/menu.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { type Column, Table } from '../parts/table.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { UserName } from '../parts/user-name.tsx';
import { useWorkspace } from '../shell/workspace.ts';
import {
  formatDuration,
  isLarge,
  isOpen,
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
  readonly onDelete: (recording: Recording) => void;
}

export function RecordingTable(props: Props) {
  const rows = createMemo(mapArray(() => props.recordings, createRow));
  const columns = createColumns(props);
  return <Table class="recordings" labelled_by="recordings-title" columns={columns} rows={rows()} />;
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
    title: 'user',
    cell: ({ recording }) => <UserName name={recording.username} />,
  };
  return [
    { title: 'server', is_row_name: true, cell: ({ recording }) => <ServerName recording={recording} /> },
    ...(props.everybody ? [users] : []),
    {
      title: 'recordings_started',
      class: 'table-soft',
      tooltip: ({ recording }) => recording.started_at,
      cell: ({ recording }) => formatInstant(recording.started_at, language()),
    },
    {
      title: 'recordings_duration',
      class: 'table-soft',
      cell: ({ recording: { duration_s } }) => (duration_s === null ? '' : formatDuration(duration_s)),
    },
    {
      title: 'recordings_size',
      class: 'table-soft',
      cell: ({ recording: { size_bytes } }) =>
        size_bytes === null ? '' : formatSize(size_bytes, language()),
    },
    { title: 'status', cell: (row) => <StatusCell row={row} /> },
    {
      title: 'action',
      is_title_hidden: true,
      cell: (row) => <Actions row={row} onDelete={() => props.onDelete(row.recording)} />,
    },
  ];
}

function ServerName(props: { recording: Recording }) {
  const { t } = useApp();
  return (
    <>
      {props.recording.server_name}{' '}
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
        <Trouble title={t('recordings_trouble')} error={props.row.error()} compact />
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
  const { tabs } = useWorkspace();
  const readText = () =>
    run(() => showRecording(client, recording, { file: 'text', blocked: t('recordings_tab_blocked') }));
  const play = () =>
    tabs.open({
      kind: 'recording',
      server_id: recording.server_id ?? 0,
      server_name: recording.server_name,
      recording_id: recording.id,
    });
  const whyNotDelete = () => why() ?? (isOpen(recording) ? t('recordings_delete_open') : undefined);
  return (
    <div class="recording-actions">
      <button type="button" class="button" aria-label={t('recordings_play_of', about())} onClick={play}>
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
