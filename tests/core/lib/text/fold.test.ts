import { describe, expect, it } from 'vitest';
import { foldDn } from '#core/lib/text/distinguished-name.ts';
import { fold, normalized } from '#core/lib/text/fold.ts';
import { NewUser, toUsernameKey } from '#core/model/accounts/user.ts';
import { RemotePath } from '#core/model/files/file-change.ts';
import { ServerInput } from '#core/model/hosts/server.ts';
import { isOnTheWay } from '#core/policy/sftp-rules.ts';

const ACUTE = '\u0301';
const BELOW = '\u0316';
const marks = (pairs: number) => `e${`${ACUTE}${BELOW}`.repeat(pairs)}`;

describe('Folding text', () => {
  it('makes texts equal that differ in case and in how accents are encoded', () => {
    expect(fold(`CAFE${ACUTE}`)).toBe('café');
    expect(fold('\uff21', 'NFKC')).toBe('a');
  });

  it.each([
    ['more than 1,024 characters', `e${ACUTE}`.repeat(513)],
    ['more than 30 marks in a row', marks(16)],
    ['100,000 marks', marks(50_000)],
  ])('never normalizes %s', (_what, text) => {
    expect(normalized(text)).toBe(text);
    expect(fold(text)).toBe(text);
    expect(toUsernameKey(text)).toBe(text);
    expect(foldDn(`cn=${text}`)).toBe(`cn=${text}`);
  });

  it('normalizes as many marks as languages need', () => {
    expect(normalized(marks(15))).toBe(`é${BELOW.repeat(15)}${ACUTE.repeat(14)}`.normalize('NFC'));
  });

  it('removes the spaces around the parts of a name, however many there are', () => {
    const spaces = ' '.repeat(100_000);
    expect(foldDn(`CN=Jane${spaces}Doe${spaces},${spaces}DC=org`)).toBe(`cn=jane${spaces}doe,dc=org`);
  });
});

describe('Text that is too long', () => {
  const issuesOf = (issues: readonly { readonly code: string }[] = []) => issues.map(({ code }) => code);

  it.each([
    ['a username', NewUser, { username: marks(50_000), password: 'x' }],
    ['the name of a server', ServerInput, { name: marks(50_000), hostname: 'h', username: 'u' }],
    [
      'an allowed path',
      ServerInput,
      { name: 'n', hostname: 'h', username: 'u', sftp_allowed_paths: ['x'.repeat(5000)] },
    ],
    ['a path', RemotePath, 'x'.repeat(20_000)],
  ])('is refused before anything else is checked: %s', (_what, shape, input) => {
    expect(issuesOf(shape.safeParse(input).error?.issues)).toEqual(['too_big']);
  });
});

describe('The way to an allowed directory', () => {
  it.each([
    ['in another case', '/SRV/DATA'],
    ['with an accent in another form', `/srv/cafe${ACUTE}`],
    ['with characters that have no glyph', `/srv/cafe${'\u034f'.repeat(40)}${ACUTE}`],
  ])('is protected %s', (_what, path) => {
    expect(isOnTheWay(['/srv/data', '/srv/café'], path)).toBe(true);
  });

  it('refuses to compare a name of more than 1,024 characters', () => {
    expect(() => isOnTheWay(['/srv/data'], `/srv/${marks(50_000)}`)).toThrow('name');
    expect(isOnTheWay([], `/srv/${marks(50_000)}`)).toBe(false);
  });
});
