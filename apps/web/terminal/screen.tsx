import type { ParentProps } from 'solid-js';
import { useApp } from '../app/context.ts';
import { copyText } from '../lib/clipboard.ts';
import { ContextMenu } from '../parts/context-menu.tsx';
import { MenuItem, MenuSeparator } from '../parts/menu.tsx';
import type { TerminalController } from './controller.ts';

/** The terminal itself, with its context menu. */
export function TerminalScreen(props: ParentProps<{ controller: TerminalController }>) {
  const { preferences, t } = useApp();
  let to_search = false;
  function onClosed(): void {
    if (to_search) props.controller.search.open();
    else props.controller.focus();
  }
  return (
    <div
      class="terminal-screen"
      classList={{ 'terminal-rings': props.controller.rings() }}
      data-palette={preferences.values.palette}
    >
      <ContextMenu
        class="terminal-place"
        label={t('terminal_menu')}
        onOpening={() => {
          to_search = false;
        }}
        onClosed={onClosed}
        menu={
          <ScreenMenu
            controller={props.controller}
            onSearch={() => {
              to_search = true;
            }}
          />
        }
      >
        {props.children}
      </ContextMenu>
    </div>
  );
}

function ScreenMenu(props: { controller: TerminalController; onSearch: () => void }) {
  const { t } = useApp();
  const pane = () => props.controller.pane();
  const handle = () => props.controller.handle;
  const selection = pane()?.selection() ?? '';
  const is_read_only = () => props.controller.facts.mode() === 'ro';
  return (
    <>
      <MenuItem
        label={t('clipboard_copy')}
        hint="Ctrl+Shift+C"
        disabled={selection === ''}
        onSelect={() => void copyText(selection)}
      />
      <MenuItem
        label={t('copy_html')}
        disabled={selection === ''}
        onSelect={() => void handle().copyHtml()}
      />
      <MenuItem
        label={t('paste')}
        hint="Ctrl+Shift+V"
        disabled={is_read_only()}
        onSelect={() => void props.controller.paste.read()}
      />
      <MenuItem label={t('terminal_select_all')} onSelect={() => pane()?.selectAll()} />
      <MenuSeparator />
      <MenuItem label={t('terminal_search')} hint="Ctrl+Shift+F" onSelect={props.onSearch} />
      <MenuItem label={t('save_output')} onSelect={() => void handle().saveOutput()} />
      <MenuItem label={t('terminal_clear')} onSelect={() => handle().clear()} />
    </>
  );
}
