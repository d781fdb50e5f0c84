import { describe, expect, it } from 'vitest';
import { detailOf, wholeTitle, withoutSharedEnd } from '../../../apps/web/shell/tabs/titles.ts';
import type { Tab } from '../../../apps/web/workspace/tabs/tabs.ts';

const tab = (rest: Partial<Tab> = {}): Tab => ({
  ...{ id: 'a', kind: 'terminal', server_id: 1, server_name: 'web', path: '', restored: false },
  ...rest,
});

describe('A tab title', () => {
  it('is followed by what the shell says, or by the directory', () => {
    expect(detailOf(tab(), ' vim notes ')).toBe('vim notes');
    expect(detailOf(tab({ kind: 'files', path: '/var/log' }), '')).toBe('log');
    expect(detailOf(tab({ kind: 'file', path: '/var/log/syslog' }), '')).toBe('');
  });

  it.each([
    ['deploy@web-1: ~/src', '~/src'],
    ['deploy@web-1:~', '~'],
    ['deploy@WEB-1.example.com: vim a.txt', 'vim a.txt'],
    ['deploy@10.0.0.7: /etc', '/etc'],
    ['root@web-1: /etc', 'root@web-1: /etc'],
    ['deploy@web-12: /etc', 'deploy@web-12: /etc'],
    ['deploy@web-1:', 'deploy@web-1:'],
    ['htop', 'htop'],
  ])('of the shell %j is shown as %j', (title, shown) => {
    const own = { username: 'deploy', hosts: ['10.0.0.7', 'web-1'] };
    expect(detailOf(tab(), title, own)).toBe(shown);
    expect(detailOf(tab(), title)).toBe(title);
  });

  it('is whole in the tooltip', () => {
    expect(wholeTitle(tab(), 'web (2)', '~/src')).toBe('web (2)\n~/src');
    const file = tab({ kind: 'file', path: '/etc/hosts' });
    expect(wholeTitle(file, 'hosts', '')).toBe('hosts\nweb: /etc/hosts');
    const other = { server_id: 2, server_name: 'db', path: '/etc/hosts' };
    expect(wholeTitle({ ...file, kind: 'comparison', other }, 'hosts ↔ hosts', '')).toBe(
      'hosts ↔ hosts\nweb: /etc/hosts\ndb: /etc/hosts',
    );
  });
});

describe('Names of tabs that would be cut alike', () => {
  const others = ['web-1.eu.example.com', 'web-2.eu.example.com', 'db.eu.example.com'];

  it.each([
    ['web-1.eu.example.com', 'web-1…'],
    ['web-2.eu.example.com', 'web-2…'],
    ['db.eu.example.com', 'db.eu.example.com'], // begins in another way
    ['web-1', 'web-1'], // ends in another way
  ])('%s is %s', (name, shown) => {
    expect(withoutSharedEnd(name, others, 5)).toBe(shown);
  });

  it('stay whole where one ends within the other', () => {
    expect(withoutSharedEnd('aaaaaa', ['aaaaaa', 'aaaaaaaaa'], 5)).toBe('aaaaaa');
  });
});
