import Eye from 'lucide-solid/icons/eye';
import { For, Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import type { TerminalHandle } from '../../open-terminals/terminals.ts';
import { People } from '../shares/people.tsx';

interface Props {
  readonly handle: TerminalHandle;
}

/** Facts about a terminal: recording, owner and members. */
export function TerminalFacts(props: Props) {
  const { t } = useApp();
  const handle = () => props.handle;
  return (
    <div class="terminal-facts">
      <Show when={handle().recording() && !handle().ended()}>
        <span class="terminal-recording" title={t('bar_recorded_text')} role="status">
          <span class="terminal-recording-dot" aria-hidden="true" /> {t('bar_recorded')}
        </span>
      </Show>
      <Show when={handle().owner()}>
        {(name) => (
          <>
            <span class="terminal-fact" title={t('join_shared_by', { name: name() })}>
              {t(handle().role() === 'watcher' ? 'live_watching' : 'join_shared_by', { name: name() })}
            </span>
            <Show when={!handle().ended()}>
              <span class="badge">{t(`share_mode_${handle().mode()}`)}</span>
            </Show>
          </>
        )}
      </Show>
      <Show when={!handle().ended()}>
        <Watchers handle={handle()} />
        <Show when={handle().participants().length > 1}>
          <People people={handle().participants()} />
        </Show>
      </Show>
    </div>
  );
}

/** The owner sees the name of an administrator who is watching. */
function Watchers(props: Props) {
  const { t } = useApp();
  const watchers = () => props.handle.participants().filter(({ role, you }) => role === 'watcher' && !you);
  return (
    <For each={watchers()}>
      {({ username }) => (
        <span
          class="terminal-fact terminal-watched"
          role="status"
          title={t('bar_watched_by', { name: username })}
        >
          <Eye size={14} aria-hidden="true" />{' '}
          <span class="terminal-words">{t('bar_watched_by', { name: username })}</span>
        </span>
      )}
    </For>
  );
}
