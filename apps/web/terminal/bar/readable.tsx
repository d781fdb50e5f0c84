import ALargeSmall from 'lucide-solid/icons/a-large-small';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { TerminalHandle } from '../../open-terminals/terminals.ts';
import { useWorkspace } from '../../workspace/workspace.ts';

/** Switches to the user's own font size if a shared terminal is too small to read. */
export function ReadableSize(props: { handle: TerminalHandle }) {
  const { t } = useApp();
  const { tabs } = useWorkspace();
  const is_on = () => props.handle.readable_size() === true;
  return (
    <Show when={props.handle.readable_size() !== undefined}>
      <button
        type="button"
        class="pane-tool"
        title={`${t('readable_size')}. ${t('readable_size_hint')}`}
        aria-pressed={is_on()}
        onClick={() => {
          tabs.setReadable(props.handle.tab_id, !is_on());
          props.handle.focus();
        }}
      >
        <ALargeSmall size={17} aria-hidden="true" />
        <span class="pane-tool-text">{t('readable_size')}</span>
      </button>
    </Show>
  );
}
