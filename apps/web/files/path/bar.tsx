import ArrowUp from 'lucide-solid/icons/arrow-up';
import Eye from 'lucide-solid/icons/eye';
import EyeOff from 'lucide-solid/icons/eye-off';
import House from 'lucide-solid/icons/house';
import Pencil from 'lucide-solid/icons/pencil';
import RefreshCw from 'lucide-solid/icons/refresh-cw';
import { createEffect, For, on, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { crumbsOf, isAllowed } from '../../lib/paths.ts';
import { Name } from '../../parts/name.tsx';
import type { FileDrops } from '../drag/drops.ts';
import type { FileTab } from '../file-tab.ts';
import { PathBox } from './box.tsx';

interface Props {
  readonly files: FileTab;
  readonly drops: FileDrops;
  readonly typing: boolean;
  readonly onTyping: (typing: boolean) => void;
}

/** The current path. */
export function FileBar(props: Props) {
  const { preferences, t } = useApp();
  const hidden = () => preferences.values.hidden_files;
  return (
    <div class="file-bar">
      <button
        type="button"
        class="icon-button"
        aria-label={t('parent_directory')}
        title={`${t('parent_directory')} (Backspace)`}
        disabled={props.files.path() === '/'}
        onClick={props.files.goUp}
      >
        <ArrowUp size={17} aria-hidden="true" />
      </button>
      <button
        type="button"
        class="icon-button file-bar-wide"
        aria-label={t('files_home')}
        title={t('files_home')}
        onClick={() => props.files.goHome()}
      >
        <House size={16} aria-hidden="true" />
      </button>
      <Show
        when={props.typing}
        fallback={<Crumbs files={props.files} drops={props.drops} onTyping={() => props.onTyping(true)} />}
      >
        <PathBox files={props.files} onDone={() => props.onTyping(false)} />
      </Show>
      <button
        type="button"
        class="icon-button file-bar-wide"
        aria-label={t('type_path')}
        title={`${t('type_path')} (Ctrl+L)`}
        aria-pressed={props.typing}
        onMouseDown={(event) => event.preventDefault()} // otherwise the box closes before the click
        onClick={() => props.onTyping(!props.typing)}
      >
        <Pencil size={15} aria-hidden="true" />
      </button>
      <button
        type="button"
        class="icon-button file-bar-wide"
        aria-label={t('hidden_files')}
        title={t('hidden_files')}
        aria-pressed={hidden()}
        onClick={() => preferences.set('hidden_files', !hidden())}
      >
        <Show when={hidden()} fallback={<EyeOff size={17} aria-hidden="true" />}>
          <Eye size={17} aria-hidden="true" />
        </Show>
      </button>
      <button
        type="button"
        class="icon-button"
        aria-label={t('refresh')}
        title={t('refresh')}
        onClick={() => void props.files.refresh()}
      >
        <RefreshCw size={16} aria-hidden="true" classList={{ turning: props.files.loading() }} />
      </button>
    </div>
  );
}

/** Directories above the allowed ones are shown but not clickable. A click beside them opens the path box. */
function Crumbs(props: { files: FileTab; drops: FileDrops; onTyping: () => void }) {
  const { t } = useApp();
  const crumbs = () => crumbsOf(props.files.path());
  const allowed = () => props.files.server()?.sftp_allowed_paths ?? [];
  let nav: HTMLElement | undefined;
  createEffect(on(crumbs, () => nav?.scrollTo({ left: 0 }))); // the end, see the style
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Ctrl+L and the adjacent button do the same
    <nav
      class="crumbs"
      data-keeps={120}
      aria-label={t('path')}
      ref={nav}
      onClick={({ target }) => target instanceof Element && !target.closest('li') && props.onTyping()}
    >
      <ol>
        <For each={crumbs()}>
          {(crumb, index) => (
            <li>
              <Show
                when={isAllowed(crumb.path, allowed())}
                fallback={
                  <span class="crumb crumb-off" title={t('files_why_outside')}>
                    <Name text={crumb.name} />
                  </span>
                }
              >
                <button
                  type="button"
                  class="crumb"
                  classList={{ 'crumb-drop': props.drops.over() === crumb.path }}
                  onDragOver={(event) => props.drops.onDragOver(event, crumb.path)}
                  onDragLeave={(event) => props.drops.onDragLeave(event)}
                  onDrop={(event) => props.drops.onDrop(event, crumb.path)}
                  aria-current={index() === crumbs().length - 1 ? 'location' : undefined}
                  onClick={() => props.files.go(crumb.path)}
                >
                  <Name text={crumb.name} />
                </button>
              </Show>
            </li>
          )}
        </For>
      </ol>
    </nav>
  );
}
