import { For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { Name } from '../../parts/name.tsx';
import { ReasonButton } from '../../parts/reason-button.tsx';
import { reasonOf } from '../../parts/trouble.tsx';
import { NameEncodingField } from './encoding.tsx';
import { ArchiveGrid } from './grid.tsx';
import type { ArchiveNames } from './listing.ts';
import type { MemberWork } from './menu.tsx';
import type { ArchiveRows } from './rows.ts';
import { crumbsTo } from './tree.ts';

interface Props {
  readonly rows: ArchiveRows;
  readonly work: MemberWork;
  readonly names: ArchiveNames;
  /** Its name. */
  readonly archive: string;
  readonly truncated: boolean;
  readonly failure: unknown;
  readonly onClose: () => void;
}

/** One directory of the archive. */
export function ArchiveList(props: Props) {
  const { t } = useApp();
  return (
    <>
      <div class="archive-head">
        <Crumbs {...props} />
        <NameEncodingField names={props.names} class="archive-encoding" />
        <input
          type="search"
          class="field-input archive-filter"
          aria-label={t('files_filter')}
          placeholder={t('files_filter')}
          value={props.rows.filter()}
          onInput={(event) => props.rows.setFilter(event.currentTarget.value)}
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
      <div class="archive-list">
        <ArchiveGrid {...props} />
        <Show when={props.rows.more() > 0}>
          <p role="status">{t('archive_more', { count: props.rows.more() })}</p>
        </Show>
      </div>
      <Chosen {...props} />
    </>
  );
}

/** The line below the list: what is selected, and what to do with it. */
function Chosen(props: Pick<Props, 'rows' | 'work'>) {
  const { t } = useApp();
  const chosen = () => props.rows.selected().map(({ path }) => path);
  return (
    <div class="archive-chosen">
      <span role="status">
        {chosen().length > 0
          ? t('archive_chosen', { count: chosen().length })
          : t('entry_count', { count: props.rows.entries().length })}
      </span>
      <Show when={chosen().length > 0}>
        <ReasonButton why={props.work.why()} onPress={() => props.work.extract(chosen(), 'here')}>
          {t('archive_extract_chosen_here')}
        </ReasonButton>
        <ReasonButton why={props.work.why()} onPress={() => props.work.extract(chosen(), 'asked')}>
          {t('archive_extract_chosen_to')}
        </ReasonButton>
      </Show>
    </div>
  );
}

function Crumbs(props: Pick<Props, 'archive' | 'rows'>) {
  const { t } = useApp();
  const crumbs = () => [{ name: props.archive, path: '' }, ...crumbsTo(props.rows.directory())];
  return (
    <nav class="archive-crumbs" aria-label={t('archive_path')}>
      <For each={crumbs()}>
        {({ name, path }) => (
          <button
            type="button"
            class="link-button"
            aria-current={path === props.rows.directory() ? 'location' : undefined}
            onClick={() => props.rows.go(path)}
          >
            <Name text={name} />
          </button>
        )}
      </For>
    </nav>
  );
}
