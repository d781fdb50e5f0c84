import Ellipsis from 'lucide-solid/icons/ellipsis';
import Play from 'lucide-solid/icons/play';
import { createSignal, Show } from 'solid-js';
import { useApp } from '../app-context.ts';
import { createAttempt } from '../lib/attempt.ts';
import { formatInstant, formatSize } from '../lib/format.ts';
import { Menu, MenuItem, MenuSeparator } from '../parts/menu.tsx';
import { useReadOnlyReason } from '../parts/read-only.tsx';
import { Trouble } from '../parts/trouble.tsx';
import { UserName } from '../parts/user-name.tsx';
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
  readonly recording: Recording;
  readonly everybody: boolean;
  readonly onDelete: () => void;
}

export function RecordingRow(props: Props) {
  const { client, preferences, t } = useApp();
  const attempt = createAttempt();
  const [verdict, setVerdict] = createSignal<RecordingVerdict>();
  const language = () => preferences.values.language;
  function verify(): void {
    setVerdict(undefined);
    void attempt.run(async () => setVerdict(await verifyRecording(client, props.recording)));
  }
  const { recording } = props;
  return (
    <tr>
      <th scope="row">
        {props.recording.server_name}{' '}
        <Show when={props.recording.server_id === null}>
          <span class="badge">{t('recordings_unregistered')}</span>
        </Show>
      </th>
      <Show when={props.everybody}>
        <td>
          <UserName name={recording.username} />
        </td>
      </Show>
      <td class="table-soft" title={recording.started_at}>
        {formatInstant(recording.started_at, language())}
      </td>
      <td class="table-soft">
        <Show when={props.recording.duration_s !== null}>
          {formatDuration(props.recording.duration_s ?? 0)}
        </Show>
      </td>
      <td class="table-soft">
        <Show when={props.recording.size_bytes !== null}>
          {formatSize(props.recording.size_bytes ?? 0, language())}
        </Show>
      </td>
      <td>
        <StatusBadge recording={props.recording} />{' '}
        <span role="status">
          <VerdictBadge verdict={verdict()} />
        </span>
        <Show when={attempt.error()}>
          <Trouble title={t('recordings_trouble')} error={attempt.error()} compact />
        </Show>
      </td>
      <td>
        <Actions {...props} run={(work) => void attempt.run(work)} onVerify={verify} />
      </td>
    </tr>
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

/** Whether the file is what was recorded. */
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

interface ActionProps extends Props {
  readonly run: (work: () => Promise<void>) => void;
  readonly onVerify: () => void;
}

function Actions(props: ActionProps) {
  const { client, preferences, t } = useApp();
  const why = useReadOnlyReason();
  const { recording } = props;
  const time = () => formatInstant(recording.started_at, preferences.values.language);
  const about = () => ({ name: recording.server_name, time: time() });
  const show = (file: 'play' | 'text') =>
    props.run(() => showRecording(client, recording, { file, blocked: t('recordings_tab_blocked') }));
  const whyNotDelete = () => why() ?? (isOpen(props.recording) ? t('recordings_delete_open') : undefined);
  return (
    <div class="recording-actions">
      <button
        type="button"
        class="button"
        aria-label={t('recordings_play_of', about())}
        onClick={() => show('play')}
      >
        <Play size={14} aria-hidden="true" /> {t('recordings_play')}
      </button>
      <Menu
        label={t('recordings_more_of', about())}
        icon={<Ellipsis size={16} aria-hidden="true" />}
        class="icon-button"
      >
        <Show
          when={isLarge(props.recording)}
          fallback={<MenuItem label={t('recordings_text')} onSelect={() => show('text')} />}
        >
          <MenuItem
            label={t('recordings_text_file')}
            title={t('recordings_text_large')}
            onSelect={() => props.run(() => saveRecordingText(client, recording))}
          />
        </Show>
        <MenuItem
          label={t('recordings_download')}
          onSelect={() => props.run(() => saveRecording(client, recording))}
        />
        <MenuItem label={t('recordings_verify')} onSelect={() => props.onVerify()} />
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
