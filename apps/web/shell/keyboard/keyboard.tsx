import { createUniqueId, For } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { TextKey } from '../../i18n/languages.ts';
import { Dialog } from '../../parts/dialogs/dialog.tsx';
import { Keys } from './keys.tsx';
import './keyboard.css';

interface Shortcut {
  readonly chord: string;
  readonly does: TextKey;
}

interface Group {
  /** Where the shortcuts work. */
  readonly place: TextKey;
  readonly shortcuts: readonly Shortcut[];
}

const GROUPS: readonly Group[] = [
  {
    place: 'keys_everywhere',
    shortcuts: [
      { chord: 'Ctrl Shift P', does: 'command_palette' },
      { chord: 'Ctrl K', does: 'keys_palette_outside' },
      { chord: 'Alt PgDn', does: 'next_tab' },
      { chord: 'Alt PgUp', does: 'previous_tab' },
      { chord: 'Delete', does: 'keys_close_tab' },
      { chord: 'F2', does: 'keys_rename_tab' },
      { chord: 'Ctrl Shift T', does: 'keys_reopen_tab' },
      { chord: 'Ctrl Shift E', does: 'panes_split_right' },
      { chord: 'Ctrl Shift D', does: 'panes_split_down' },
      { chord: 'Ctrl F6', does: 'keys_step' },
      { chord: 'Ctrl Shift O', does: 'quick_connect' },
    ],
  },
  {
    place: 'keys_in_terminal',
    shortcuts: [
      { chord: 'Ctrl Shift C', does: 'keys_copy' },
      { chord: 'Ctrl Shift V', does: 'keys_paste' },
      { chord: 'Ctrl Shift F', does: 'keys_search' },
      { chord: 'Shift PgUp', does: 'keys_scroll' },
      { chord: 'Ctrl + / −', does: 'font_size' },
      { chord: 'Ctrl Shift S', does: 'snippet_send_one' },
      { chord: 'Ctrl Shift B', does: 'broadcast_begin' },
    ],
  },
  {
    place: 'keys_in_files',
    shortcuts: [
      { chord: 'Enter', does: 'keys_open' },
      { chord: 'Backspace', does: 'parent_directory' },
      { chord: 'Ctrl L', does: 'type_path' },
      { chord: 'Ctrl F', does: 'files_search' },
      { chord: 'F2', does: 'files_rename' },
      { chord: 'F7', does: 'files_new_directory' },
      { chord: 'Alt Enter', does: 'files_properties' },
      { chord: 'Shift F10', does: 'files_menu' },
    ],
  },
  {
    place: 'keys_in_editor',
    shortcuts: [
      { chord: 'Ctrl S', does: 'editor_keys_save' },
      { chord: 'Ctrl F', does: 'editor_keys_find' },
      { chord: 'Ctrl G', does: 'editor_go_to_line' },
      { chord: 'Esc Tab', does: 'editor_keys_leave' },
    ],
  },
  {
    place: 'keys_in_comparison',
    shortcuts: [
      { chord: 'F7', does: 'comparison_next' },
      { chord: 'Shift F7', does: 'comparison_previous' },
    ],
  },
];

/** The keyboard shortcuts, grouped by where they work. */
export function Keyboard(props: { onClose: () => void }) {
  const { t } = useApp();
  return (
    <Dialog title={t('keyboard')} onClose={props.onClose} wide>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable area must be reachable by keyboard */}
      <section class="shortcuts" aria-label={t('keyboard')} tabIndex={0}>
        <For each={GROUPS}>{(group) => <ShortcutGroup {...group} />}</For>
      </section>
    </Dialog>
  );
}

function ShortcutGroup(props: Group) {
  const { t } = useApp();
  const id = createUniqueId();
  return (
    <section class="shortcut-group" aria-labelledby={id}>
      <h3 class="shortcut-place" id={id}>
        {t(props.place)}
      </h3>
      <dl class="shortcut-list">
        <For each={props.shortcuts}>
          {({ chord, does }) => (
            <>
              <dt>
                <Keys chord={chord} />
              </dt>
              <dd>{t(does)}</dd>
            </>
          )}
        </For>
      </dl>
    </section>
  );
}
