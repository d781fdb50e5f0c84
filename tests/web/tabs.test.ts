import { describe, expect, it } from 'vitest';
import { labelOf, neighbourOf, readTabs, type Tab } from '../../apps/web/state/tabs.ts';

const tab = (id: string, rest: Partial<Tab> = {}): Tab => ({
  id,
  kind: 'terminal',
  server_id: 1,
  server_name: 'web',
  path: '',
  restored: false,
  ...rest,
});

describe('tabs', () => {
  const tabs = [tab('a'), tab('b'), tab('c', { kind: 'files' })];

  it('gives way to the right, and at the end to the left', () => {
    expect([neighbourOf(tabs, 'a')?.id, neighbourOf(tabs, 'c')?.id]).toEqual(['b', 'b']);
    expect(neighbourOf([tab('a')], 'a')).toBeUndefined();
  });

  it('numbers several of one kind on one server', () => {
    expect(tabs.map((each) => labelOf(each, tabs))).toEqual(['web (1)', 'web (2)', 'web']);
  });

  it('restores the tabs of the same user, without their shells', () => {
    const kept = { user_id: 7, tabs: [tab('a')] };
    expect(readTabs(kept, 7)).toEqual([tab('a', { restored: true })]);
    expect(readTabs(kept, 8)).toEqual([]);
  });

  it('restores nothing from what it does not understand', () => {
    expect(readTabs({ user_id: 7, tabs: [{ id: 'a', kind: 'other' }, null] }, 7)).toEqual([]);
    expect(readTabs('x', 7)).toEqual([]);
  });
});
