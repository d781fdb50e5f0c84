import Copy from 'lucide-solid/icons/copy';
import File from 'lucide-solid/icons/file';
import Files from 'lucide-solid/icons/files';
import Folder from 'lucide-solid/icons/folder';
import MoveRight from 'lucide-solid/icons/move-right';
import PackageOpen from 'lucide-solid/icons/package-open';
import Pause from 'lucide-solid/icons/pause';
import Play from 'lucide-solid/icons/play';
import RotateCcw from 'lucide-solid/icons/rotate-ccw';
import X from 'lucide-solid/icons/x';
import { For, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { ClientError } from '#client/transport/client-error.ts';
import { useApp } from '../../app/context.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { Name } from '../../parts/name.tsx';
import { reasonOf } from '../../parts/trouble.tsx';
import { usePaneHost } from '../../workspace/panes/host.ts';
import { isActive, isOver, mayGoOn, type TransferRow } from '../row.ts';
import { useTransfers } from '../transfers.ts';
import { stateText } from './words.ts';

const ICONS = {
  file: File,
  folder: Folder,
  bundle: Files,
  copy: Copy,
  move: MoveRight,
  extract: PackageOpen,
} as const;

/** One transfer: name, destination, progress and actions. */
export function TransferLine(props: { row: TransferRow }) {
  const { preferences, t } = useApp();
  const { servers } = usePaneHost();
  const name = () => nameOfRow(props.row, t);
  const place = () => {
    const server = servers()?.find(({ id }) => id === props.row.server_id);
    return `${server?.name ?? ''}:${props.row.directory}`;
  };
  const hint = () =>
    props.row.state === 'failed' && props.row.error instanceof ClientError
      ? (t.optional(`hint_${props.row.error.code}_${props.row.kind}`) ??
        t.optional(`hint_${props.row.error.code}`))
      : undefined;
  return (
    <li class="transfer-line" aria-label={shownName(name())}>
      <Dynamic component={ICONS[props.row.kind]} class="transfer-icon" size={16} aria-hidden="true" />
      <div class="transfer-text">
        <p class="transfer-name" title={shownName(name())}>
          <Name text={props.row.name === '' ? name() : props.row.name} />
        </p>
        <p class="transfer-place" title={shownName(place())}>
          {t(props.row.kind === 'move' ? 'transfer_move_to' : 'transfer_to', { place: place() })}
        </p>
        <Show when={!isOver(props.row) && props.row.total_bytes !== undefined}>
          <Bar name={name()} row={props.row} />
        </Show>
        <p class="transfer-state" classList={{ bad: props.row.state === 'failed' }}>
          {stateText(props.row, preferences.values.language, t)}
        </p>
        <Show when={props.row.state === 'waiting' && props.row.error}>
          {(error) => <p class="transfer-state bad">{reasonOf(error(), t)}</p>}
        </Show>
        <Show when={hint()}>{(text) => <p class="transfer-state">{text()}</p>}</Show>
        <Show when={props.row.failures.length > 0}>
          <Failures row={props.row} place={place()} />
        </Show>
      </div>
      <LineButtons row={props.row} name={name()} />
    </li>
  );
}

function Bar(props: { name: string; row: TransferRow }) {
  const percent = () => {
    const { sent_bytes, total_bytes = 0 } = props.row;
    return total_bytes > 0 ? Math.min(100, Math.floor((100 * sent_bytes) / total_bytes)) : 0;
  };
  return (
    <div
      class="transfer-bar"
      role="progressbar"
      aria-label={shownName(props.name)}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent()}
    >
      <div class="transfer-bar-done" style={{ width: `${percent()}%` }} />
    </div>
  );
}

function Failures(props: { row: TransferRow; place: string }) {
  const { t } = useApp();
  const more = () => props.row.failed_files + props.row.left_behind - props.row.failures.length;
  const is_copy = () => props.row.kind === 'copy' || props.row.kind === 'move';
  return (
    <details class="transfer-failures">
      <summary>{t('transfer_details')}</summary>
      <ul>
        <For each={props.row.failures}>
          {({ path, error }) => (
            <li>
              <span class="transfer-path">
                <Name text={path} />
              </span>{' '}
              <Show when={is_copy()}>
                <span class="transfer-path">{t('transfer_to', { place: props.place })}</span>{' '}
              </Show>
              <span class="bad">{reasonOf(error, t)}</span>
            </li>
          )}
        </For>
      </ul>
      <Show when={more() > 0}>
        <p>{t('transfer_more', { count: more() })}</p>
      </Show>
    </details>
  );
}

function LineButtons(props: { row: TransferRow; name: string }) {
  const { t } = useApp();
  const { pause, resume, cancel } = useTransfers();
  const name = () => props.name;
  const is_given_up = () => isOver(props.row);
  const end_label = () => t(is_given_up() ? 'transfer_remove' : 'transfer_cancel', { name: name() });
  return (
    <div class="transfer-buttons">
      <Show when={isActive(props.row) && props.row.can_pause}>
        <LineButton
          label={t('transfer_pause', { name: name() })}
          icon={Pause}
          onClick={() => pause(props.row.id)}
        />
      </Show>
      <Show when={mayGoOn(props.row)}>
        <LineButton
          label={t('transfer_resume', { name: name() })}
          icon={Play}
          onClick={() => resume(props.row.id)}
        />
      </Show>
      <Show when={props.row.state === 'waiting' && !props.row.has_handle}>
        <button type="button" class="link-button" onClick={() => resume(props.row.id)}>
          {t(props.row.kind === 'folder' ? 'transfer_choose_folder' : 'transfer_choose_file')}
        </button>
      </Show>
      <Show when={props.row.state === 'failed'}>
        <LineButton
          label={t('transfer_retry', { name: name() })}
          icon={RotateCcw}
          onClick={() => resume(props.row.id)}
        />
      </Show>
      <LineButton label={end_label()} icon={X} onClick={() => cancel(props.row.id)} />
    </div>
  );
}

function LineButton(props: { label: string; icon: typeof X; onClick: () => void }) {
  return (
    <button
      type="button"
      class="icon-button icon-button-small"
      aria-label={props.label}
      title={props.label}
      onClick={() => props.onClick()}
    >
      <Dynamic component={props.icon} size={15} aria-hidden="true" />
    </button>
  );
}

function nameOfRow({ name, total_files }: TransferRow, t: ReturnType<typeof useApp>['t']): string {
  if (name !== '') return name;
  return total_files === undefined ? t('transfer_bundle') : t('transfer_files', { count: total_files });
}
