import ArrowUp from 'lucide-solid/icons/arrow-up';
import Eye from 'lucide-solid/icons/eye';
import EyeOff from 'lucide-solid/icons/eye-off';
import Pencil from 'lucide-solid/icons/pencil';
import RefreshCw from 'lucide-solid/icons/refresh-cw';
import { createSignal, For, Show } from 'solid-js';
import { useApp } from '../state/app-context.ts';
import type { FileTab } from '../state/files.ts';
import { crumbsOf, isAllowed, tidyPath } from '../state/paths.ts';

/** Where we are, and what can be done with the list. */
export function FileBar(props: { files: FileTab }) {
  const { preferences, t } = useApp();
  const [typing, setTyping] = createSignal(false);
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
      <Show when={typing()} fallback={<Crumbs files={props.files} />}>
        <PathBox files={props.files} onDone={() => setTyping(false)} />
      </Show>
      <button
        type="button"
        class="icon-button"
        aria-label={t('type_path')}
        title={t('type_path')}
        aria-pressed={typing()}
        onClick={() => setTyping(!typing())}
      >
        <Pencil size={15} aria-hidden="true" />
      </button>
      <button
        type="button"
        class="icon-button"
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

/** Directories above the allowed ones are named, not offered. */
function Crumbs(props: { files: FileTab }) {
  const { t } = useApp();
  const crumbs = () => crumbsOf(props.files.path());
  const allowed = () => props.files.server()?.sftp_allowed_paths ?? [];
  return (
    <nav class="crumbs" aria-label={t('path')}>
      <ol>
        <For each={crumbs()}>
          {(crumb, index) => (
            <li>
              <Show
                when={isAllowed(crumb.path, allowed())}
                fallback={<span class="crumb crumb-off">{crumb.name}</span>}
              >
                <button
                  type="button"
                  class="crumb"
                  aria-current={index() === crumbs().length - 1 ? 'location' : undefined}
                  onClick={() => props.files.go(crumb.path)}
                >
                  {crumb.name}
                </button>
              </Show>
            </li>
          )}
        </For>
      </ol>
    </nav>
  );
}

function PathBox(props: { files: FileTab; onDone: () => void }) {
  const { t } = useApp();
  let box: HTMLInputElement | undefined;
  function submit(event: SubmitEvent): void {
    event.preventDefault();
    props.onDone();
    props.files.go(tidyPath(box?.value ?? ''));
  }
  return (
    <form class="path-box" onSubmit={submit}>
      <input
        ref={(input) => {
          box = input;
          queueMicrotask(() => input.select());
        }}
        class="field-input"
        aria-label={t('path')}
        spellcheck={false}
        autocapitalize="none"
        value={props.files.path()}
        onKeyDown={(event) => event.key === 'Escape' && props.onDone()}
      />
    </form>
  );
}
