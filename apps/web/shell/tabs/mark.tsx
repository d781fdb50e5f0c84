import Bell from 'lucide-solid/icons/bell';
import CircleDot from 'lucide-solid/icons/circle-dot';
import CircleX from 'lucide-solid/icons/circle-x';
import Hourglass from 'lucide-solid/icons/hourglass';
import RadioTower from 'lucide-solid/icons/radio-tower';
import { type Accessor, Show } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { useOpenTerminals } from '../../open-terminals/open-terminals.ts';
import type { Mark } from '../../workspace/tabs/marks.ts';
import type { Tab } from '../../workspace/tabs/tabs.ts';
import { useWorkspace } from '../../workspace/workspace.ts';

/** A mark, or else that the user waits for the end of a command. */
type ShownMark = Mark | 'awaited';

const ICONS = {
  output: CircleDot,
  bell: Bell,
  ended: CircleX,
  awaited: Hourglass,
  broadcast: RadioTower,
} as const;

export function useTabMark(props: { readonly tab: Tab }): Accessor<ShownMark | undefined> {
  const { marks } = useWorkspace();
  const { terminals } = useOpenTerminals();
  const is_awaited = () => terminals.of(props.tab.id)?.awaits_finish() === true;
  return () => marks.of(props.tab.id) ?? (is_awaited() ? 'awaited' : undefined);
}

/** The tab's accessible name says the same. */
export function TabMark(props: { mark: ShownMark | 'broadcast' | undefined }) {
  return (
    <Show when={props.mark}>
      {(mark) => (
        <span class={`tab-mark tab-mark-${mark()}`} aria-hidden="true">
          <Dynamic component={ICONS[mark()]} size={13} />
        </span>
      )}
    </Show>
  );
}
