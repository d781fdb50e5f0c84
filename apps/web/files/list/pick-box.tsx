import { type Accessor, createEffect } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { ListCursor } from './cursor.ts';
import type { Entry } from './entries.ts';

interface PickBoxProps {
  readonly entry: Pick<Entry, 'name' | 'path' | 'addressable'>;
  readonly index: number;
  readonly files: Pick<ListCursor<unknown>, 'isChosen' | 'reach'>;
}

/** Toggles the selection without a modifier key, for touch and for users who do not know Ctrl. */
export function PickBox(props: PickBoxProps) {
  const { t } = useApp();
  return (
    <input
      type="checkbox"
      class="pick-box"
      tabIndex={-1}
      checked={props.files.isChosen(props.entry.path)}
      disabled={!props.entry.addressable}
      aria-label={t('files_select_of', { name: props.entry.name })}
      onClick={(event) => {
        event.stopPropagation();
        props.files.reach(props.index, event.shiftKey ? 'range_more' : 'toggle');
      }}
      onDblClick={(event) => event.stopPropagation()}
    />
  );
}

interface PickAll extends Pick<ListCursor<unknown>, 'selected' | 'selectAll' | 'clearSelection'> {
  readonly entries: Accessor<readonly unknown[]>;
}

/** The header checkbox: selects all or none. */
export function PickAllBox(props: { files: PickAll }) {
  const { t } = useApp();
  const count = () => props.files.selected().length;
  const is_all = () => count() > 0 && count() === props.files.entries().length;
  let box: HTMLInputElement | undefined;
  createEffect(() => {
    if (box) box.indeterminate = count() > 0 && !is_all();
  });
  return (
    <input
      ref={box}
      type="checkbox"
      class="pick-box"
      checked={is_all()}
      aria-label={t('files_select_all')}
      title={`${t('files_select_all')} (Ctrl+A)`}
      onClick={() => (count() > 0 ? props.files.clearSelection() : props.files.selectAll())}
    />
  );
}
