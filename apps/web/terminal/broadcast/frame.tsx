import RadioTower from 'lucide-solid/icons/radio-tower';
import { Show } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { shownName } from '../../lib/hidden-characters.ts';
import { useOpenTerminals, useTerminalLabel } from '../../open-terminals/open-terminals.ts';
import { Name } from '../../parts/name.tsx';
import { useWorkspace } from '../../workspace/workspace.ts';

/** Shows in each receiving pane that input is broadcast, with a button to stop. */
export function BroadcastFacts() {
  const { t } = useApp();
  const { wishFocus } = useWorkspace();
  const { broadcast } = useOpenTerminals();
  const labelOf = useTerminalLabel();
  const names = () => broadcast.members().map(labelOf);
  function stop(): void {
    broadcast.stop();
    wishFocus();
  }
  return (
    <div class="terminal-facts" role="status">
      <RadioTower size={15} aria-hidden="true" />
      <strong class="broadcast-count" title={t('broadcast_on', { count: names().length })}>
        {t('broadcast_on', { count: names().length })}
      </strong>
      <span class="terminal-fact broadcast-names" data-keeps={160} title={shownName(names().join(', '))}>
        <Name text={names().join(', ')} />
      </span>
      <button type="button" class="button broadcast-stop" title={t('broadcast_stop')} onClick={stop}>
        {t('broadcast_stop')}
      </button>
    </div>
  );
}

/** Visible everywhere, even if no receiving pane is. */
export function BroadcastStatus() {
  const { t } = useApp();
  const { broadcast } = useOpenTerminals();
  const count = () => broadcast.members().length;
  return (
    <Show when={count() > 0}>
      <button
        type="button"
        class="broadcast-status"
        title={t('broadcast_stop')}
        onClick={() => broadcast.stop()}
      >
        <RadioTower size={13} aria-hidden="true" /> {t('broadcast_on', { count: count() })}
      </button>
    </Show>
  );
}

export function BroadcastFrame() {
  return <div class="broadcast-frame" aria-hidden="true" />;
}
