import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { MenuItem, MenuSeparator } from '../../parts/menu.tsx';
import type { ArchiveRows, MemberRow } from './rows.ts';

/** What can be done with members. */
export interface MemberWork {
  open(row: MemberRow | undefined): void;
  save(row: MemberRow): void;
  /** Into the directory of the archive, or one that is asked for. */
  extract(members: readonly string[], to: 'here' | 'asked'): void;
  /** Why nothing can be extracted. */
  why(): string | undefined;
  /** Gives the list that is shown now a chance to take the focus. */
  onShown(focus: () => void): void;
}

/** Extraction acts on the selection, or else on the row at the cursor. */
export function MemberMenu(props: { rows: ArchiveRows; work: MemberWork }) {
  const { t } = useApp();
  const targets = () => props.rows.targets().filter(({ addressable }) => addressable);
  const only = () => (targets().length === 1 ? targets()[0] : undefined);
  const why = () => (targets().length === 0 ? t('files_why_nothing') : props.work.why());
  const extract = (to: 'here' | 'asked') =>
    props.work.extract(
      targets().map(({ path }) => path),
      to,
    );
  return (
    <>
      <MenuItem
        label={t('files_open')}
        hint="Enter"
        disabled={!only()}
        onSelect={() => props.work.open(only())}
      />
      <Show when={only()?.is_dir === false && only()}>
        {(row) => <MenuItem label={t('download')} onSelect={() => props.work.save(row())} />}
      </Show>
      <MenuSeparator />
      <MenuItem label={t('archive_extract_chosen_here')} why={why()} onSelect={() => extract('here')} />
      <MenuItem
        label={t('archive_extract_chosen_to')}
        why={why()}
        later // the dialog takes the focus
        onSelect={() => extract('asked')}
      />
      <MenuSeparator />
      <MenuItem label={t('files_select_all')} hint="Ctrl+A" onSelect={props.rows.selectAll} />
    </>
  );
}
