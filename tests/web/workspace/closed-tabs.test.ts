import { createRoot, createSignal } from 'solid-js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createTabs } from '../../../apps/web/workspace/tabs/open-tabs.ts';
import type { Tabs } from '../../../apps/web/workspace/tabs/tabs.ts';
import { UNDO_MS } from '../../../apps/web/workspace/tabs/undo.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('document', { baseURI: 'http://localhost/' });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

interface Page {
  readonly tabs: Tabs;
  /** Names of the tabs in the strip, and of those that still exist. */
  names(): { list: string[]; mounted: string[] };
}

/** A page with these tabs, whose terminals all have a running shell. */
function open(names: readonly string[], mayClose: () => boolean | Promise<boolean> = () => true): Page {
  return createRoot(() => {
    const [active, setActive] = createSignal<string>();
    const holdsShell = ({ kind }: { kind: string }) => kind === 'terminal';
    const tabs = createTabs({ user_id: 1, active_id: active, go: setActive, holdsShell, mayClose });
    for (const [at, name] of names.entries())
      tabs.open({ kind: name.startsWith('~') ? 'files' : 'terminal', server_id: at + 1, server_name: name });
    const namesOf = (all: Tabs['list']) => all.map(({ server_name }) => server_name);
    return { tabs, names: () => ({ list: namesOf(tabs.list), mounted: namesOf(tabs.mounted) }) };
  });
}

const idOf = ({ tabs }: Page, name: string) =>
  tabs.mounted.find(({ server_name }) => server_name === name)?.id ?? '';

describe('A closed tab', () => {
  it('keeps its running shell until its time is over', () => {
    const page = open(['a', 'b']);
    page.tabs.close(idOf(page, 'a'));
    expect(page.names()).toEqual({ list: ['b'], mounted: ['a', 'b'] });
    expect(page.tabs.closed()).toMatchObject({ tabs: [{ server_name: 'a' }], shells: 1 });
    vi.advanceTimersByTime(UNDO_MS);
    expect(page.names()).toEqual({ list: ['b'], mounted: ['b'] });
    expect(page.tabs.closed()).toBeUndefined();
  });

  it('comes back with its shell when undone or reopened in time, and then stays', () => {
    for (const bring of ['undoClose', 'reopen'] as const) {
      const page = open(['a', 'b']);
      const id = idOf(page, 'a');
      page.tabs.close(id);
      page.tabs[bring]();
      expect(page.names()).toEqual({ list: ['a', 'b'], mounted: ['a', 'b'] });
      expect(page.tabs.active()?.id).toBe(id);
      expect(page.tabs.closed()).toBeUndefined();
      vi.advanceTimersByTime(2 * UNDO_MS);
      expect(page.names().mounted).toEqual(['a', 'b']);
    }
  });

  it('is reopened later without its session, so that a new shell is opened', () => {
    const page = open(['a']);
    page.tabs.setSession(idOf(page, 'a'), 'session');
    page.tabs.close(idOf(page, 'a'));
    vi.advanceTimersByTime(UNDO_MS);
    page.tabs.reopen();
    expect(page.tabs.list).toMatchObject([{ server_name: 'a', session_id: undefined, restored: false }]);
    expect(page.tabs.can_reopen()).toBe(false);
  });

  it('without a shell is gone at once, without a notice', () => {
    const page = open(['a', '~files']);
    page.tabs.close(idOf(page, '~files'));
    expect(page.names().mounted).toEqual(['a']);
    expect(page.tabs.closed()).toBeUndefined();
    page.tabs.reopen();
    expect(page.names().list).toEqual(['a', '~files']);
  });

  it('shares one notice with those closed together, and one undo brings all back', () => {
    const page = open(['a', 'b', '~files', 'c']);
    const [, ...others] = page.tabs.list.map(({ id }) => id);
    page.tabs.closeAll(others);
    expect(page.names()).toEqual({ list: ['a'], mounted: ['a', 'b', 'c'] });
    expect(page.tabs.closed()).toMatchObject({ tabs: { length: 3 }, shells: 2 });
    page.tabs.undoClose();
    expect(page.names().list.toSorted()).toEqual(['a', 'b', 'c', '~files']);
  });

  it('ends at once when the page is left', () => {
    const page = open(['a', 'b']);
    page.tabs.close(idOf(page, 'a'));
    page.tabs.endClosed();
    expect(page.names().mounted).toEqual(['b']);
  });

  it('is not closed with others when one of them is to stay', async () => {
    const answers = [true, Promise.resolve(false), true];
    const page = open(['a', '~b', 'c'], () => answers.shift() ?? true);
    page.tabs.closeAll(page.tabs.list.map(({ id }) => id));
    await vi.runAllTimersAsync();
    expect(page.names().list).toEqual(['a', '~b', 'c']);
    expect(answers).toEqual([true]); // nothing is asked after the refusal
  });
});
