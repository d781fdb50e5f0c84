import Ellipsis from 'lucide-solid/icons/ellipsis';
import Play from 'lucide-solid/icons/play';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app/context.ts';
import { createAttempt } from '../lib/attempt.ts';
import { formatInstant } from '../lib/format.ts';
import { CutName } from '../parts/cut-name.tsx';
import { Menu, MenuItem, MenuSeparator } from '../parts/menu.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { reasonOf } from '../parts/trouble.tsx';
import { useRecordingTabs } from './open-recording.ts';
import {
  isLarge,
  isOpen,
  type Recording,
  type RecordingVerdict,
  saveRecording,
  saveRecordingText,
  showRecording,
  verifyRecording,
} from './recordings.ts';

/** A recording with the outcome of what was last done with it. */
export function createRow(recording: Recording) {
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

export type Row = ReturnType<typeof createRow>;

export function ServerName(props: { recording: Recording }) {
  const { t } = useApp();
  return (
    <>
      <CutName text={props.recording.server_name} />{' '}
      <Show when={props.recording.server_id === null}>
        <span class="badge">{t('recordings_unregistered')}</span>
      </Show>
    </>
  );
}

export function StatusCell(props: { row: Row }) {
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

export function Actions(props: ActionProps) {
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
