import File from 'lucide-solid/icons/file';
import Folder from 'lucide-solid/icons/folder';
import { createMemo, createSignal, For, Show } from 'solid-js';
import type { ArchiveEntry } from '#client/transfers/archive.ts';
import { useApp } from '../../app-context.ts';
import { formatInstant, formatSize } from '../../lib/format.ts';
import { reasonOf } from '../../parts/trouble.tsx';
import { type ArchiveRow, crumbsTo, directoryOf } from './tree.ts';

const SHOWN_ROWS = 1000; // the filter finds the others

interface Props {
  readonly rows: readonly ArchiveRow[];
  readonly directory: string;
  readonly archive: string;
  readonly truncated: boolean;
  readonly failure: unknown;
  readonly onDirectory: (path: string) => void;
  readonly onMember: (entry: ArchiveEntry) => void;
  readonly onClose: () => void;
}

/** One directory of the archive. */
export function ArchiveList(props: Props) {
  const { t } = useApp();
  const [filter, setFilter] = createSignal('');
  const found = createMemo(() => {
    const wanted = filter().trim().toLowerCase();
    return props.rows.filter(({ name }) => name.toLowerCase().includes(wanted));
  });
  const more = () => found().length - SHOWN_ROWS;
  function onKeyDown(event: KeyboardEvent): void {
    if (event.target instanceof HTMLInputElement) return;
    if (event.key === 'Backspace' && props.directory !== '') props.onDirectory(directoryOf(props.directory));
    else if (event.key === 'Escape') props.onClose();
  }
  function go(path: string): void {
    setFilter('');
    props.onDirectory(path);
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: handles shortcuts for all of its content
    <div class="archive-list" onKeyDown={onKeyDown}>
      <div class="archive-head">
        <Crumbs {...props} onDirectory={go} />
        <input
          type="search"
          class="field-input archive-filter"
          aria-label={t('files_filter')}
          placeholder={t('files_filter')}
          value={filter()}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
      </div>
      <Show when={props.failure}>
        <p class="bad" role="alert">
          {reasonOf(props.failure, t)}
        </p>
      </Show>
      <Show when={props.truncated}>
        <p role="status">{t('archive_truncated')}</p>
      </Show>
      <table class="archive-rows">
        <thead>
          <tr>
            <th scope="col">{t('name')}</th>
            <th scope="col">{t('column_size')}</th>
            <th scope="col">{t('column_modified')}</th>
          </tr>
        </thead>
        <tbody>
          <For each={found().slice(0, SHOWN_ROWS)}>
            {(row) => <Row row={row} onDirectory={go} onMember={props.onMember} />}
          </For>
        </tbody>
      </table>
      <Show when={more() > 0}>
        <p role="status">{t('archive_more', { count: more() })}</p>
      </Show>
    </div>
  );
}

function Crumbs(props: Pick<Props, 'archive' | 'directory' | 'onDirectory'>) {
  const { t } = useApp();
  const crumbs = () => [{ name: props.archive, path: '' }, ...crumbsTo(props.directory)];
  return (
    <nav class="archive-crumbs" aria-label={t('archive_path')}>
      <For each={crumbs()}>
        {({ name, path }) => (
          <button
            type="button"
            class="link-button"
            aria-current={path === props.directory ? 'location' : undefined}
            onClick={() => props.onDirectory(path)}
          >
            {name}
          </button>
        )}
      </For>
    </nav>
  );
}

interface RowProps extends Pick<Props, 'onDirectory' | 'onMember'> {
  readonly row: ArchiveRow;
}

function Row(props: RowProps) {
  const { preferences, t } = useApp();
  const language = () => preferences.values.language;
  const why = () => {
    const { entry } = props.row;
    if (!entry || props.row.is_dir) return undefined;
    if (entry.is_link) return t('archive_why_link');
    if (entry.is_encrypted) return t('archive_why_encrypted');
    return entry.is_supported ? undefined : t('archive_why_method');
  };
  function open(): void {
    const { row } = props;
    if (row.is_dir) props.onDirectory(row.path);
    else if (row.entry && !why()) props.onMember(row.entry);
  }
  return (
    <tr>
      <td>
        <button
          type="button"
          class="archive-open"
          title={why() ?? props.row.name}
          aria-disabled={why() !== undefined}
          onClick={open}
        >
          <Show when={props.row.is_dir} fallback={<File size={16} aria-hidden="true" />}>
            <Folder size={16} aria-hidden="true" />
          </Show>
          {props.row.name}
          <Show when={why()}>{(text) => <span class="archive-why">{text()}</span>}</Show>
        </button>
      </td>
      <td>{props.row.is_dir || !props.row.entry ? '' : formatSize(props.row.entry.size, language())}</td>
      <td>{props.row.entry ? formatInstant(props.row.entry.modified, language()) : ''}</td>
    </tr>
  );
}
