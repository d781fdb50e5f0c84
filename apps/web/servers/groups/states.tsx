import { For } from 'solid-js';
import { useApp } from '../../app/context.ts';
import { StatusDot } from '../status/dot.tsx';
import type { countStates } from './groups.ts';

const TEXTS = {
  online: 'group_online',
  offline: 'group_offline',
  unchecked: 'group_unchecked',
  unknown: 'group_unknown_state',
} as const;

/** How many servers are in which state, such as `2 offline`. */
export function States(props: { counts: ReturnType<typeof countStates> }) {
  const { t } = useApp();
  return (
    <span class="group-states">
      <For each={props.counts}>
        {({ state, count }) => (
          <span class="table-line">
            <StatusDot status={state} /> {t(TEXTS[state], { count })}
          </span>
        )}
      </For>
    </span>
  );
}
