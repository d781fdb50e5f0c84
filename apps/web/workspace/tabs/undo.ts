import { type Accessor, createSignal, onCleanup } from 'solid-js';
import type { ClosedTabs, Tab } from './tabs.ts';

export const UNDO_MS = 10_000;
const MOST_CLOSED = 20;

export interface Undo {
  readonly notice: Accessor<ClosedTabs | undefined>;
  readonly has_closed: Accessor<boolean>;
  /** `shells` of these tabs keep running until the time is over. */
  add(tabs: readonly Tab[], shells: number): void;
  /** The tab that was closed last. */
  take(): Tab | undefined;
  /** All tabs of the notice, the last one closed first. */
  takeAll(): readonly Tab[];
  forget(is_gone: (tab: Tab) => boolean): void;
  dismiss(): void;
  /** Ends all waiting shells now. */
  end(): void;
}

/** The closed tabs, newest last. `onOver` is called with tabs that can no longer be shown with their shell. */
export function createUndo(onOver: (ids: readonly string[]) => void, undo_ms = UNDO_MS): Undo {
  const [closed, setClosed] = createSignal<readonly Tab[]>([]);
  const [notice, setNotice] = createSignal<ClosedTabs>();
  const waiting = new Map<ReturnType<typeof setTimeout>, readonly string[]>();

  function over(timer: ReturnType<typeof setTimeout>, batch: ClosedTabs): void {
    const ids = waiting.get(timer) ?? [];
    waiting.delete(timer);
    if (notice() === batch) setNotice(undefined);
    onOver(ids);
  }
  function end(): void {
    const ids = [...waiting.values()].flat();
    for (const timer of waiting.keys()) clearTimeout(timer);
    waiting.clear();
    setNotice(undefined);
    onOver(ids);
  }
  /** A tab that is open again does not end with its batch. */
  function release(id: string): void {
    for (const [timer, ids] of waiting)
      waiting.set(
        timer,
        ids.filter((one) => one !== id),
      );
    setClosed((before) => before.filter((tab) => tab.id !== id));
    if (notice()?.tabs.some((tab) => tab.id === id)) setNotice(undefined);
  }
  onCleanup(() => {
    for (const timer of waiting.keys()) clearTimeout(timer);
  });

  return {
    notice,
    has_closed: () => closed().length > 0,
    add(tabs, shells) {
      setClosed((before) => [...before, ...tabs].slice(-MOST_CLOSED));
      const batch = { tabs, shells };
      setNotice(shells > 0 || tabs.length > 1 ? batch : undefined);
      const timer: ReturnType<typeof setTimeout> = setTimeout(() => over(timer, batch), undo_ms);
      waiting.set(
        timer,
        tabs.map(({ id }) => id),
      );
    },
    take() {
      const tab = closed().at(-1);
      if (tab) release(tab.id);
      return tab;
    },
    takeAll() {
      const tabs = (notice()?.tabs ?? []).toReversed();
      for (const { id } of tabs) release(id);
      return tabs;
    },
    forget(is_gone) {
      for (const { id } of closed().filter(is_gone)) release(id);
    },
    dismiss: () => void setNotice(undefined),
    end,
  };
}
