import { describe, expect, it } from 'vitest';
import { isAbout, sizeOf } from '#core/files/history/changes-of.ts';
import { createOldCopyTest, oldCopyName } from '#core/policy/old-copy.ts';

describe('An audit entry is about a file', () => {
  it.each([
    'web (#3): /etc/motd',
    'web (#3): /etc/motd (120 bytes)',
    'web (#3): /etc/motd: client_left',
    'web (#3): /etc/issue, /etc/motd, /etc/hosts',
    'web (#3): /etc/old to /etc/motd',
    'web (#3): /etc/motd to 0644',
    'web (#3): /etc/motd to mirror (#4): /etc/motd',
    'mirror (#4): /srv/motd to web (#3): /etc/motd; not completed (client_left)',
    'web (#3): /etc/motd: restored from /etc/.sallyport-0123456789-abcdefghijkl.old',
  ])('when it names its whole path on its server: %s', (detail) => {
    expect(isAbout({ detail }, 3, '/etc/motd')).toBe(true);
  });

  it.each([
    'web (#3): /etc/motd.bak',
    'web (#3): /srv/etc/motd',
    'web (#33): /etc/motd',
    'mirror (#4): /etc/motd',
    'web (#3): /etc/old to mirror (#4): /etc/motd',
  ])('not when it names another one: %s', (detail) => {
    expect(isAbout({ detail }, 3, '/etc/motd')).toBe(false);
  });
});

it('The size of a save is read from its entry, and only from that of a save', () => {
  expect(sizeOf({ action: 'sftp_write', detail: 'web (#3): /etc/motd (120 bytes)' })).toBe(120);
  expect(sizeOf({ action: 'sftp_write', detail: 'web (#3): /etc/motd' })).toBeUndefined();
  expect(sizeOf({ action: 'sftp_upload', detail: 'web (#3): /etc/a (120 bytes)' })).toBeUndefined();
});

it('The name of an old copy tells its file, and no two copies have the same name', async () => {
  const [one, other] = [await oldCopyName('/etc/motd'), await oldCopyName('/etc/motd')];
  expect(one).not.toBe(other);
  const isCopy = await createOldCopyTest('/etc/motd');
  const isOther = await createOldCopyTest('/etc/issue');
  expect([isCopy(one), isCopy(other), isOther(one), isCopy('.sallyport-abcdefghijkl.old')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
