import { For } from 'solid-js';
import type { TextKey } from '../i18n/languages.ts';
import { Dialog } from '../parts/dialog.tsx';
import { useApp } from '../state/app-context.ts';

const SHORTCUTS: readonly { readonly keys: string; readonly does: TextKey }[] = [
  { keys: 'Ctrl Shift P', does: 'command_palette' },
  { keys: 'Ctrl K', does: 'keys_palette_outside' },
  { keys: 'Alt PgDn', does: 'next_tab' },
  { keys: 'Alt PgUp', does: 'previous_tab' },
  { keys: 'Delete', does: 'keys_close_tab' },
  { keys: 'Ctrl Shift E', does: 'panes_split_right' },
  { keys: 'Ctrl Shift D', does: 'panes_split_down' },
  { keys: 'Ctrl F6', does: 'keys_banner' },
  { keys: 'Ctrl F6', does: 'panes_next' },
  { keys: 'Ctrl Shift O', does: 'quick_connect' },
  { keys: 'Ctrl Shift S', does: 'snippet_send_one' },
  { keys: 'Ctrl Shift B', does: 'broadcast_begin' },
  { keys: 'Ctrl Shift C', does: 'keys_copy' },
  { keys: 'Ctrl Shift V', does: 'keys_paste' },
  { keys: 'Ctrl Shift F', does: 'keys_search' },
  { keys: 'Shift PgUp', does: 'keys_scroll' },
  { keys: 'Ctrl + / −', does: 'font_size' },
  { keys: 'Enter', does: 'keys_open' },
  { keys: 'Backspace', does: 'parent_directory' },
  { keys: 'Ctrl L', does: 'type_path' },
  { keys: 'Ctrl F', does: 'files_search' },
  { keys: 'F2', does: 'files_rename' },
  { keys: 'F7', does: 'files_new_folder' },
  { keys: 'Alt Enter', does: 'files_properties' },
  { keys: 'Shift F10', does: 'files_menu' },
  { keys: 'Ctrl S', does: 'editor_keys_save' },
  { keys: 'Ctrl F', does: 'editor_keys_find' },
  { keys: 'Ctrl G', does: 'editor_go_to_line' },
  { keys: 'Esc Tab', does: 'editor_keys_leave' },
];

/** The shortcuts, listed. */
export function Keyboard(props: { onClose: () => void }) {
  const { t } = useApp();
  return (
    <Dialog title={t('keyboard')} onClose={props.onClose}>
      <dl class="shortcuts">
        <For each={SHORTCUTS}>
          {({ keys, does }) => (
            <>
              <dt>
                <For each={keys.split(' ')}>{(key) => (key === '/' ? ' / ' : <kbd>{key}</kbd>)}</For>
              </dt>
              <dd>{t(does)}</dd>
            </>
          )}
        </For>
      </dl>
    </Dialog>
  );
}
