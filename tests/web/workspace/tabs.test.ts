import { describe, expect, it } from 'vitest';
import { readTabs } from '../../../apps/web/workspace/tabs/kept-tabs.ts';
import { type FileMove, moveFileTabs } from '../../../apps/web/workspace/tabs/moved.ts';
import { labelOf, neighborOf, sameTab, type Tab } from '../../../apps/web/workspace/tabs/tabs.ts';

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

  it('move on to the right, and at the end to the left', () => {
    expect([neighborOf(tabs, 'a')?.id, neighborOf(tabs, 'c')?.id]).toEqual(['b', 'b']);
    expect(neighborOf([tab('a')], 'a')).toBeUndefined();
  });

  it('are numbered when several of one kind belong to one server', () => {
    expect(tabs.map((each) => labelOf(each, tabs))).toEqual(['web (1)', 'web (2)', 'web']);
  });

  it('are restored for the same user', () => {
    const kept = { user_id: 7, tabs: [tab('a')] };
    expect(readTabs(kept, 7)).toEqual([tab('a', { restored: true })]);
    expect(readTabs(kept, 8)).toEqual([]);
  });

  it('are restored with their shell and subject', () => {
    const join = { kind: 'join', token: 't', mode: 'ro' } as const;
    const kept = { user_id: 7, tabs: [tab('a', { session_id: 's' }), tab('b', { server_id: 0, aim: join })] };
    expect(readTabs(kept, 7)).toEqual(kept.tabs.map((each) => ({ ...each, restored: true })));
  });

  it('are not restored with an unknown subject', () => {
    const kept = { user_id: 7, tabs: [{ ...tab('a'), aim: { kind: 'quick', host: 'h' } }] };
    expect(readTabs(kept, 7)).toEqual([]);
  });

  it('of unregistered servers are numbered by name', () => {
    const [one, other] = [tab('a', { server_id: 0 }), tab('b', { server_id: 0, server_name: 'u@h' })];
    expect(labelOf(one, [one, other])).toBe('web');
  });

  it('are not restored from unknown data', () => {
    expect(readTabs({ user_id: 7, tabs: [{ id: 'a', kind: 'other' }, null] }, 7)).toEqual([]);
    expect(readTabs('x', 7)).toEqual([]);
  });
});

describe('a file, comparison or recording', () => {
  const file = tab('f', { kind: 'file', path: '/etc/hosts' });
  const other = { server_id: 2, server_name: 'db', path: '/etc/hosts' };
  const comparison = tab('c', { kind: 'comparison', path: '/etc/hosts', other });
  const recording = tab('r', { kind: 'recording', server_id: 0, recording_id: 3 });
  const all = [file, comparison, recording];

  it('is open once; terminals and lists may be open several times', () => {
    for (const each of all) expect(sameTab(all, { ...each, server_name: 'renamed' })?.id).toBe(each.id);
    expect(sameTab(all, { ...file, path: '/etc/passwd' })).toBeUndefined();
    expect(sameTab(all, { ...file, server_id: 2 })).toBeUndefined();
    expect(sameTab(all, { ...comparison, other: { ...other, path: '/x' } })).toBeUndefined();
    expect(sameTab(all, { ...recording, recording_id: 4 })).toBeUndefined();
    expect(sameTab([tab('t')], tab('t'))).toBeUndefined();
  });

  it('is restored, but not without its subject', () => {
    const kept = (tabs: readonly unknown[]) => readTabs({ user_id: 7, tabs }, 7);
    expect(kept(all)).toEqual(all.map((each) => ({ ...each, restored: true })));
    expect(kept([{ ...comparison, other: { path: '/x' } }])).toEqual([]);
    expect(kept([{ ...recording, recording_id: 'three' }])).toEqual([]);
    expect(kept([{ ...file, extra: 1, is_new: 'yes', opener_id: 3 }])).toEqual([{ ...file, restored: true }]);
  });

  it('is named after its file', () => {
    expect(all.map((each) => labelOf(each, all))).toEqual(['hosts', 'hosts · web ↔ db', 'web']);
  });

  it('is named after its server as well where another one has a file of that name', () => {
    const files = [
      file,
      tab('g', { kind: 'file', path: '/srv/hosts', server_id: 2, server_name: 'db' }),
      tab('h', { kind: 'file', path: '/etc/hosts', server_id: 2, server_name: 'db' }),
      tab('n', { kind: 'file', path: '/etc/hosts', server_id: 2, server_name: 'db', title: 'mine' }),
    ];
    const labels = ['hosts · web', 'hosts · db · srv', 'hosts · db · etc', 'mine'];
    expect(files.map((each) => labelOf(each, files))).toEqual(labels);
  });

  it('is named after its directory as well where another one of its server has that name, or numbered', () => {
    const [one, other] = ['/srv/a/hosts', '/hosts'].map((path) => tab(path, { kind: 'file', path }));
    const third = tab('t', { kind: 'file', path: '/etc/a/hosts' });
    const label = (list: (Tab | undefined)[]) => {
      const present = list.filter((each) => each !== undefined);
      return present.map((each) => labelOf(each, present));
    };
    expect(label([one, other])).toEqual(['hosts · a', 'hosts · /']);
    expect(label([one, other, third])).toEqual(['hosts (1)', 'hosts (2)', 'hosts (3)']);
  });
});

function followed(list: readonly Tab[], move: Omit<FileMove, 'server_id'>): Tab[] {
  const now = [...list];
  const follow = (id: string, places: Pick<Tab, 'path' | 'other'>) => {
    const at = now.findIndex((one) => one.id === id);
    const before = now[at];
    if (before) now[at] = { ...before, ...places };
  };
  moveFileTabs({ list, follow }, { server_id: 1, ...move });
  return now;
}

describe('A comparison', () => {
  it('follows both of its files, but none of another server', () => {
    const other = { server_id: 1, server_name: 'web', path: '/a/two' };
    const far = { ...other, server_id: 2 };
    const list = [
      tab('c', { kind: 'comparison', path: '/a/one', other }),
      tab('d', { kind: 'comparison', path: '/a/one', other: far }),
    ];
    const paths = followed(list, { from: '/a', to: '/b' }).map((one) => [one.path, one.other?.path]);
    expect(paths).toEqual([
      ['/b/one', '/b/two'],
      ['/b/one', '/a/two'],
    ]);
  });
});

describe('A file tab', () => {
  function moved(paths: readonly string[], move: Omit<FileMove, 'server_id'>): string[] {
    const list = paths.map((path, at) => tab(String(at), { kind: 'file', path }));
    return followed(list, move).map(({ path }) => path);
  }

  it('follows its file and the directories above it', () => {
    expect(moved(['/a/b.txt', '/ab.txt'], { from: '/a', to: '/c' })).toEqual(['/c/b.txt', '/ab.txt']);
  });

  it('stays when another tab has the new path, so that both keep their unsaved text', () => {
    expect(moved(['/a.txt', '/b.txt'], { from: '/a.txt', to: '/b.txt' })).toEqual(['/a.txt', '/b.txt']);
  });
});
