import Bell from 'lucide-solid/icons/bell';
import CircleDot from 'lucide-solid/icons/circle-dot';
import CircleX from 'lucide-solid/icons/circle-x';
import Hourglass from 'lucide-solid/icons/hourglass';
import RadioTower from 'lucide-solid/icons/radio-tower';
import { type Accessor, For } from 'solid-js';
import { Dynamic } from 'solid-js/web';
import { useApp } from '../../app/context.ts';
import { useOpenTerminals } from '../../open-terminals/open-terminals.ts';
import type { Mark } from '../../workspace/tabs/marks.ts';
import type { Tab } from '../../workspace/tabs/tabs.ts';
import { useWorkspace } from '../../workspace/workspace.ts';

/** A mark, or else that the user waits for the end of a command; and whether input typed elsewhere goes to it. */
type ShownMark = Mark | 'awaited' | 'broadcast';

const ICONS = {
  output: CircleDot,
  bell: Bell,
  ended: CircleX,
  awaited: Hourglass,
  broadcast: RadioTower,
} as const;

const AWAITED: readonly ShownMark[] = ['awaited'];
const RECEIVING: readonly ShownMark[] = ['broadcast'];

interface ShownMarks {
  readonly marks: Accessor<readonly ShownMark[]>;
  /** A name of the tab, with its marks in words. */
  named(name: string): string;
}

export function useTabMarks(props: { readonly tab: Tab }): ShownMarks {
  const { t } = useApp();
  const { marks } = useWorkspace();
  const { terminals, broadcast } = useOpenTerminals();
  const shown = (): ShownMark[] => {
    const { id } = props.tab;
    const awaited = terminals.of(id)?.awaits_finish() ? AWAITED : [];
    const mark = marks.of(id);
    return [...(broadcast.has(id) ? RECEIVING : []), ...(mark ? [mark] : awaited)];
  };
  return {
    marks: shown,
    named: (text) =>
      shown().reduce((name, mark) => t('tab_marked', { name, mark: t(`tab_mark_${mark}`) }), text),
  };
}

/** The tab's accessible name says the same. */
export function TabMarks(props: { marks: readonly ShownMark[] }) {
  return (
    <For each={props.marks}>
      {(mark) => (
        <span class={`tab-mark tab-mark-${mark}`} aria-hidden="true">
          <Dynamic component={ICONS[mark]} size={13} />
        </span>
      )}
    </For>
  );
}
