import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { isInside, joinPath, nameOf, normalizePath, parentOf } from '#core/lib/paths/posix-path.ts';
import { ALL_SCOPES, type Scope } from '#core/model/accounts/api-key.ts';
import type { Caller } from '#core/model/accounts/caller.ts';
import { assertAdmin, assertFresh, assertMay, assertMeets } from '#core/policy/account.ts';
import type { Access, Allowance } from '#core/policy/actions.ts';
import { assertFileName } from '#core/policy/file-names.ts';
import { judgeHostKey } from '#core/policy/host-key.ts';
import { assertMayOn, canReach, visibleGroups } from '#core/policy/server-access.ts';
import {
  assertMayReplace,
  assertMayWrite,
  authorizePath,
  OPERATIONS,
  type Operation,
  type PathRule,
} from '#core/policy/sftp-rules.ts';

const caller: Caller = {
  user_id: 1,
  username: 'ann',
  is_admin: false,
  allowed_groups: ['blue'],
  must_change_password: false,
  credential: { kind: 'session', id: 's' },
  scopes: ALL_SCOPES,
  is_fresh: true,
  in_demo: false,
  ip_address: '192.0.2.1',
  via: 'page',
};

function codeOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
}

describe('Paths', () => {
  it.each([
    ['/', '/'],
    ['//', '/'],
    ['/a/b/', '/a/b'],
    ['/a/./b//c', '/a/b/c'],
    ['/a/../../..', '/'],
    ['/a/../b', '/b'],
    ['/...', '/...'],
    ['/a\\..\\b', '/a\\..\\b'],
  ])('%s resolves to %s', (path, resolved) => {
    expect(normalizePath(path)).toBe(resolved);
  });

  it.each(['', 'a', './a', '~', '/a\0b'])('%j is refused', (path) => {
    expect(codeOf(() => normalizePath(path))).toBe('invalid_path');
  });

  it.each([
    ['/srv', '/srv', true],
    ['/srv/x', '/srv', true],
    ['/srvx', '/srv', false],
    ['/', '/srv', false],
    ['/anything', '/', true],
  ])('%s inside %s: %s, by segments', (inner, outer, inside) => {
    expect(isInside(inner, outer)).toBe(inside);
  });

  it('split and join without loss', () => {
    for (const path of ['/a', '/a/b']) expect(joinPath(parentOf(path), nameOf(path))).toBe(path);
  });
});

describe('The account gates', () => {
  const key = (...scopes: Scope[]): Partial<Caller> => ({ credential: { kind: 'api_key', id: 1 }, scopes });
  const table: [string, Partial<Caller>, Access, Allowance[], string | undefined][] = [
    ['a usable user', {}, 'user', [], undefined],
    ['a user on an admin operation', {}, 'admin', [], 'admin_only'],
    ['an admin on an admin operation', { is_admin: true }, 'admin', [], undefined],
    ['a due password change', { must_change_password: true }, 'user', [], 'password_change_required'],
    [
      'an admin with a due change',
      { is_admin: true, must_change_password: true },
      'admin',
      [],
      'password_change_required',
    ],
    [
      'a due change where it is allowed',
      { must_change_password: true },
      'user',
      ['password_change'],
      undefined,
    ],
    [
      'a pending second factor',
      { credential: { kind: 'pending_2fa', id: 'p' } },
      'user',
      ['password_change'],
      'pending_2fa',
    ],
    ['a key with the scope', key('read'), 'user', [], undefined],
    ['a key without the scope', key('files', 'admin'), 'user', [], 'scope_missing'],
    [
      'a key where a password change is due',
      { ...key('read'), must_change_password: true },
      'user',
      ['password_change'],
      'password_change_required',
    ],
    ['a key of no administrator', key('read'), 'admin', [], 'admin_only'],
    [
      'a pending second factor with a due change',
      { credential: { kind: 'pending_2fa', id: 'p' }, must_change_password: true },
      'user',
      ['pending_2fa'],
      undefined,
    ],
    [
      'a pending second factor where it is allowed',
      { credential: { kind: 'pending_2fa', id: 'p' } },
      'user',
      ['pending_2fa'],
      undefined,
    ],
  ];
  it.each(table)('%s', (_what, who, access, allow, code) => {
    const demand = { access, scope: 'read', allow, fresh: false } as const;
    expect(codeOf(() => assertMeets({ ...caller, ...who }, demand))).toBe(code);
  });

  it.each<[string, Partial<Caller>, string | undefined]>([
    ['a fresh session', { is_admin: true }, undefined],
    ['a stale session', { is_admin: true, is_fresh: false }, 'step_up_required'],
    ['a stale session of no administrator', { is_fresh: false }, 'admin_only'],
    [
      'a stale session with a due change',
      { must_change_password: true, is_fresh: false },
      'password_change_required',
    ],
    ['a key', { ...key('admin'), is_admin: true, is_fresh: false }, 'session_required'],
  ])('%s where a fresh one is required', (_what, who, code) => {
    const demand = { access: 'admin', scope: 'session', allow: [], fresh: true } as const;
    expect(codeOf(() => assertMeets({ ...caller, ...who }, demand))).toBe(code);
  });
});

const everything = {
  id: 7,
  group: 'blue',
  ssh_enabled: true,
  sftp_enabled: true,
  sftp_read_only: false,
  agent_enabled: true,
};

describe('Group access', () => {
  it('covers the servers of the caller’s groups, and all servers for an administrator', () => {
    expect(canReach(caller, { group: 'blue' })).toBe(true);
    expect(canReach(caller, { group: 'red' })).toBe(false);
    expect(canReach(caller, { group: '' })).toBe(false);
    expect(canReach({ ...caller, is_admin: true }, { group: 'red' })).toBe(true);
    expect(visibleGroups({ ...caller, is_admin: true })).toBe('all');
  });

  it('shows an embedded session only its server, and that as far as it may use it', () => {
    const within = (kind: 'terminal' | 'files', mode: 'rw' | 'ro', id = 7) =>
      assertMayOn({ ...caller, bounds: { server_id: 7, kind, mode } }, 'keep_embed', { ...everything, id });
    const open = { ssh_enabled: false, sftp_enabled: false, sftp_read_only: false, agent_enabled: false };
    expect(within('terminal', 'rw')).toEqual({ ...everything, ...open, ssh_enabled: true });
    expect(within('files', 'rw')).toEqual({ ...everything, ...open, sftp_enabled: true });
    expect(within('files', 'ro')).toMatchObject({ sftp_enabled: true, sftp_read_only: true });
    expect(codeOf(() => within('files', 'rw', 8))).toBe('server_not_found');
  });

  it('opens nothing to an embedded session that the server has closed', () => {
    const bounds = { server_id: 7, kind: 'files', mode: 'rw' } as const;
    const closed = { ...everything, sftp_enabled: false, sftp_read_only: true };
    const seen = assertMayOn({ ...caller, bounds }, 'keep_embed', closed);
    expect(seen).toMatchObject({ sftp_enabled: false, sftp_read_only: true });
  });

  it.each<[string, (embedded: Caller) => void]>([
    ['list servers', visibleGroups],
    ['administer', assertAdmin],
    ['act as a sign-in', (who) => assertMay(who, 'read_own_sign_ins')],
    ['count as fresh', assertFresh],
  ])('refuses to let an embedded session %s, whichever route asked', (_what, assert) => {
    const bounds = { server_id: 7, kind: 'terminal', mode: 'rw' } as const;
    expect(codeOf(() => assert({ ...caller, is_admin: true, bounds }))).toBe('embed_refused');
  });

  it('answers for a server out of reach as for one that does not exist', () => {
    expect(codeOf(() => assertMayOn(caller, 'read', undefined))).toBe('server_not_found');
    const elsewhere = { ...everything, group: 'red' };
    expect(codeOf(() => assertMayOn(caller, 'read', elsewhere))).toBe('server_not_found');
  });
});

describe('The SFTP rules', () => {
  const judge = (sftp_allowed_paths: string[], rule: PathRule, path: string) =>
    codeOf(() => authorizePath({ sftp_allowed_paths }, rule, path));
  const RULES: readonly PathRule[] = ['follow', 'place', 'new', 'entry', 'member'];

  it.each([
    [[], '/etc', undefined],
    [['/srv'], '/srv/deep/down', undefined],
    [['/srv/'], '/srv/deep/x', undefined],
    [['/srv'], '/srvx', 'path_outside_allowed'],
    [['/srv'], '/srvx/y', 'path_outside_allowed'],
    [['/srv'], '/', 'path_outside_allowed'],
    [['/srv', '/home'], '/home/ann/x', undefined],
    [['/'], '/etc', undefined],
    [['/'], '/', undefined],
  ])('allowed %j, requested %s: %s, for every operation', (allowed, path, code) => {
    for (const rule of RULES) expect([rule, judge(allowed, rule, path)]).toEqual([rule, code]);
  });

  it('forbid moving or deleting an allowed directory itself', () => {
    expect(judge(['/srv'], 'member', '/srv')).toBe('path_outside_allowed');
    for (const rule of RULES.filter((one) => one !== 'member')) {
      expect([rule, judge(['/srv'], rule, '/srv')]).toEqual([rule, undefined]);
    }
  });

  const isWrite = (operation: Operation) => OPERATIONS[operation].writes;
  const ALL = Object.keys(OPERATIONS).filter((name): name is Operation => name in OPERATIONS);

  it.each(ALL.filter(isWrite))('refuse %s on a read-only server', (operation) => {
    expect(codeOf(() => assertMayWrite({ sftp_read_only: true }, operation))).toBe('sftp_read_only');
    expect(codeOf(() => assertMayWrite({ sftp_read_only: false }, operation))).toBe(undefined);
  });

  it.each(ALL.filter((operation) => !isWrite(operation)))('allow %s on a read-only server', (operation) => {
    expect(codeOf(() => assertMayWrite({ sftp_read_only: true }, operation))).toBe(undefined);
  });

  it('define for each operation whether it writes and how it uses each of its paths', () => {
    const table = Object.entries(OPERATIONS).map(([name, { writes, paths }]) => [name, writes, paths]);
    expect(table).toEqual([
      ['home', false, {}],
      ['ls', false, { path: 'follow' }],
      ['stat', false, { path: 'entry' }],
      ['read', false, { path: 'follow' }],
      ['download', false, { path: 'follow' }],
      ['zip', false, { path: 'follow' }],
      ['search', false, { path: 'follow' }],
      ['excerpt', false, { path: 'follow' }],
      ['sizes', false, { path: 'follow' }],
      ['recent', false, { path: 'follow' }],
      ['space', false, { path: 'follow' }],
      ['copy_from', false, { source_path: 'follow' }],
      ['copy_into', true, { target_path: 'place' }],
      ['archive', false, { path: 'follow' }],
      ['extract', true, { path: 'follow', target_path: 'place' }],
      ['write', true, { path: 'place' }],
      ['upload', true, { path: 'place' }],
      ['mkdir', true, { path: 'place' }],
      ['mkdir_parents', true, { path: 'new' }],
      ['rename', true, { old_path: 'member', new_path: 'member' }],
      ['delete', true, { path: 'member' }],
      ['chmod', true, { path: 'follow' }],
    ]);
  });
});

describe('What leads to an allowed directory', () => {
  const ENTRIES = ['/srv/Straße/ſet'];

  it.each([
    ['/srv/Straße/ſet', 'the directory'],
    ['/srv/Straße', 'its parent'],
    ['/srv/STRASSE/set', 'the same on a host that ignores case'],
    ['/srv/straße/SET', 'the same on a host that ignores case'],
    ['/srv/Stra\u200dße', 'the same on a host that ignores characters without a glyph'],
  ])('refuses to replace %s: %s', (path) => {
    expect(codeOf(() => assertMayReplace(ENTRIES, path))).toBe('allowed_directory');
  });

  it.each(['/srv/Straße/ſet/inside', '/srv/Strasse2', '/srv/Straße/seta'])('leaves %s alone', (path) => {
    expect(codeOf(() => assertMayReplace(ENTRIES, path))).toBeUndefined();
  });

  it('is not granted by another case: a grant is exact', () => {
    const rule = { sftp_allowed_paths: ['/srv/data'] };
    expect(codeOf(() => authorizePath(rule, 'entry', '/srv/DATA/x'))).toBe('path_outside_allowed');
  });
});

describe('The name of an uploaded file', () => {
  it.each(['', '.', '..', '/', 'a/b', '../x', '/etc/passwd', 'a\0b'])('%j is refused', (name) => {
    expect(codeOf(() => assertFileName(name))).toBe('invalid_name');
  });

  it('is refused when it is longer than any host accepts', () => {
    expect(codeOf(() => assertFileName('ü'.repeat(128)))).toBe('name_too_long');
    expect(codeOf(() => assertFileName(`x${'ü'.repeat(127)}`))).toBe(undefined);
  });

  it.each(['a', '...', '.hidden', 'a b', 'a\\b', 'C:\\x', 'new\nline', '-rf', '\u202egnp.exe'])(
    '%j is accepted unchanged',
    (name) => {
      expect(codeOf(() => assertFileName(name))).toBe(undefined);
    },
  );
});

describe('A host key', () => {
  it.each([
    ['the pinned one is trusted', ['A'], 'A', true, 'trust'],
    ['an announced one is trusted', ['B', 'A'], 'A', true, 'trust'],
    ['the first one is pinned', [], 'A', true, 'pin'],
    ['any is let through unverified when verification is off', ['B'], 'A', false, 'unverified'],
    ['none is pinned when verification is off', [], 'A', false, 'unverified'],
  ] as const)('%s', (_what, known, presented, enabled, verdict) => {
    expect(judgeHostKey(known, presented, enabled)).toBe(verdict);
  });

  it('is refused when it has changed', () => {
    expect(codeOf(() => judgeHostKey(['B'], 'A', true))).toBe('host_key_changed');
  });
});
