import { describe, expect, it } from 'vitest';
import type { User } from '../../../apps/web/app/session.ts';
import { fillSnippet, keysOf, mayEdit, placeholdersOf } from '../../../apps/web/snippets/snippets.ts';

const VARIABLE = '{VAR}'; // With a dollar sign it is the shell's own.

describe('the placeholders of a snippet', () => {
  it('are asked for once each, in the order of the command', () => {
    expect(placeholdersOf('scp {file} {user}@{host}:{file}')).toEqual(['file', 'user', 'host']);
  });

  it.each([
    `echo $${VARIABLE} {1..5} {a,b} {}`,
    "awk '{print $1}'",
    "curl -w '%{http_code}'",
    'docker ps --format "{{.Names}} {{json}}"',
    "tmux display '#{pane_id}'",
    'echo { name }',
  ])('are not the placeholders of shells and other templates: %s', (command) => {
    expect(placeholdersOf(command)).toEqual([]);
  });

  it('are replaced in one pass', () => {
    const filled = fillSnippet(`echo {a} {b} {a} $${VARIABLE}`, { a: '{b}', b: '$&', VAR: 'x' });
    expect(filled).toBe(`echo {b} $& {b} $${VARIABLE}`);
  });

  it('without a value are kept', () => {
    expect(fillSnippet('echo {toString}', {})).toBe('echo {toString}');
  });
});

describe('a snippet', () => {
  it.each([
    ['uptime', 'uptime\r'],
    ['uptime\n', 'uptime\r'],
    ['cd /srv\r\nls\n\ndf', 'cd /srv\rls\r\rdf\r'],
  ])('%j is sent as typed lines', (command, keys) => {
    expect(keysOf(command)).toBe(keys);
  });

  it.each([
    [{ owned: true, shared: false }, false, true],
    [{ owned: false, shared: true }, true, true],
    [{ owned: false, shared: true }, false, false],
    [{ owned: true, shared: true }, false, true],
  ])('%j can be changed by an administrator (%s): %s', (snippet, is_admin, may) => {
    expect(mayEdit(snippet, user({ is_admin }))).toBe(may);
  });
});

function user(fields: Pick<User, 'is_admin'>): User {
  return {
    id: 1,
    username: 'ada',
    must_change_password: false,
    totp_enabled: false,
    allowed_groups: [],
    source: 'local',
    created_at: '2026-01-01T00:00:00Z',
    disabled: false,
    is_default_admin: false,
    locked_until: null,
    ...fields,
  };
}
