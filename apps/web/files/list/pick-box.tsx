import { createEffect } from 'solid-js';
import { useApp } from '../../app-context.ts';
import type { FileTab } from '../file-tab.ts';
import type { Entry } from './entries.ts';

/** Toggles the selection without a modifier key, for touch and for users who do not know Ctrl. */
export function PickBox(props: { entry: Entry; index: number; files: FileTab }) {
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

/** The header checkbox: selects all or none. */
export function PickAllBox(props: { files: FileTab }) {
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
