import { describe, expect, it } from 'vitest';
import { uncheckedRow } from '#core/model/hosts/server-status.ts';
import { connectEvent, statusEvent, uploadEvent } from '#core/webhooks/events.ts';
import { serverRow, statusRow } from '../../support/databases/rows.ts';

const USER = { username: 'ann' };
const SERVER = { id: 7, ...serverRow({ name: 'box', hostname: 'h.test' }) };
const MOST_BYTES = 64 * 1024;

function uploaded(paths: readonly string[]) {
  const event = uploadEvent(USER, SERVER, paths);
  if (event?.event !== 'sftp_upload') throw new Error('Nothing is told');
  return event.data;
}

describe('The event of an upload', () => {
  it('is not sent when nothing was uploaded', () => {
    expect(uploadEvent(USER, SERVER, [])).toBeUndefined();
  });

  it('names the first 1,000 paths and the total count', () => {
    const paths = Array.from({ length: 1_001 }, (_, i) => `/srv/${i}`);
    const { count, paths: told } = uploaded(paths);
    expect([count, told]).toEqual([1_001, paths.slice(0, 1_000)]);
  });

  it.each(['x', 'ü', '😀', '"', '\u0007'])('is at most 64 KiB, even for paths full of %j', (letter) => {
    const data = uploaded(Array.from({ length: 500 }, (_, i) => `/${letter.repeat(1_000)}/${i}`));
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(MOST_BYTES);
    expect(data.paths.length).toBeGreaterThan(5);
    expect(data.count).toBe(500);
  });
});

describe('The event of a terminal', () => {
  it.each([
    ['h.test', 22, null, 'h.test:22', false],
    ['192.0.2.1', 2222, 3, '192.0.2.1:2222', true],
    ['2001:db8::1', 22, null, '[2001:db8::1]:22', false],
  ] as const)('names host and port of %s', (hostname, port, jump_via_id, host, via_jump) => {
    const { data } = connectEvent(USER, { ...SERVER, hostname, port, jump_via_id });
    expect(data).toEqual({ user: 'ann', server_id: 7, server: 'box', host, via_jump });
  });
});

describe('The event of a status', () => {
  const down = statusRow(7, { status: 'offline', error: 'gone', told_offline: true });
  const about = { server_id: 7, server: 'box', hostname: 'h.test' };

  it.each([
    ['online', statusRow(7), { event: 'server_online', data: { ...about, error: null } }],
    ['offline as told', down, { event: 'server_offline', data: { ...about, error: 'gone' } }],
    ['offline once', { ...down, told_offline: false }, undefined],
    ['unchecked', { ...down, status: 'unchecked' as const }, undefined],
    ['never checked', uncheckedRow(7), undefined],
  ])('for a server that is %s', (_what, row, event) => {
    expect(statusEvent(SERVER, row)?.event).toEqual(event);
  });
});
