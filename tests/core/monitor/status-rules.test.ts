import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import type { ServerRow } from '#core/model/hosts/server.ts';
import { NOT_REFUSED, type ServerStatusRow } from '#core/model/hosts/server-status.ts';
import { sendsCredential, toObstructedRow, toStatusRow } from '#core/monitor/status-rules.ts';
import type { Probe } from '#core/ports/ssh.ts';
import { serverRow } from '../../support/databases/rows.ts';

const NOW = new Date('2026-01-02T03:04:05.000Z');
const EDITED = '2026-01-01T00:00:00.000Z';
const minutesAgo = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString();

const SERVER: ServerRow = {
  ...serverRow({ name: 'box', hostname: 'h.example', username: 'u', password_sealed: 'v1:key:nonce:text' }),
  ...{ id: 1, created_at: EDITED, updated_at: EDITED },
};

/** The stored record of the credential above: its account and the nonce of its seal. */
const MARK = '[null,"h.example",22,"u","password","nonce",null,null]';

const REFUSED: ServerStatusRow = {
  server_id: 1,
  status: 'offline',
  last_checked: minutesAgo(1),
  offline_since: minutesAgo(9),
  latency_ms: 3,
  error: 'refused the password',
  error_code: 'host_auth_failed',
  host_key_verified: true,
  refused_at: minutesAgo(9),
  refused_as: MARK,
  refused_error: 'refused the password',
  failures: 1,
  told_offline: false,
};

const probe = (fault?: Fault, credential_sent = fault !== undefined): Probe => ({
  fault,
  latency_ms: 5,
  host_key_verified: true,
  credential_sent,
  way: undefined,
});
const NO_ROUTE = probe(new Fault('host_unreachable', 'no route'), false);
const rowOf = (found: Probe, before?: ServerStatusRow) => toStatusRow(SERVER, found, { before, at: NOW });

describe('Whether the monitor sends a credential', () => {
  it.each<[string, boolean, Partial<ServerRow>, ServerStatusRow | undefined]>([
    ['sends what is stored', true, {}, undefined],
    ['sends nothing to a server that asks at connect', false, { auth_method: 'prompt' }, undefined],
    ['sends nothing where no password is stored', false, { password_sealed: null }, undefined],
    ['sends nothing where no key is stored, whatever else is', false, { auth_method: 'key' }, undefined],
    ['does not send a refused one again within 10 minutes', false, {}, REFUSED],
    ['sends it again after 10 minutes', true, {}, { ...REFUSED, refused_at: minutesAgo(10) }],
    ['sends another one at once', true, { password_sealed: 'v1:key:other:text' }, REFUSED],
    ['sends it at once to another address', true, { hostname: 'other.example' }, REFUSED],
    [
      'does not send it again because something else was edited',
      false,
      { updated_at: minutesAgo(0) },
      REFUSED,
    ],
    ['is not silenced by a refusal from the future', true, {}, { ...REFUSED, refused_at: minutesAgo(-60) }],
  ])('%s', (_rule, sends, server, before) => {
    expect(sendsCredential({ ...SERVER, ...server }, before, NOW)).toBe(sends);
  });
});

describe('The status after a check', () => {
  it('is online when everything succeeded', () => {
    expect(rowOf(probe())).toMatchObject({ status: 'online', error: null, latency_ms: 5, refused_at: null });
  });

  it('is offline with a reason and a code', () => {
    expect(rowOf(NO_ROUTE)).toMatchObject({
      status: 'offline',
      error: 'no route',
      error_code: 'host_unreachable',
      refused_at: null,
    });
  });

  describe('has the moment since when the server is offline', () => {
    const since = (found: Probe, before?: Partial<ServerStatusRow>) =>
      rowOf(found, before && { ...REFUSED, ...NOT_REFUSED, ...before }).offline_since;
    it.each<[string, string | null, 'up' | 'down', Partial<ServerStatusRow> | undefined]>([
      ['the first time', NOW.toISOString(), 'down', undefined],
      ['as before while it stays offline', minutesAgo(9), 'down', {}],
      [
        'anew after it was online',
        NOW.toISOString(),
        'down',
        { status: 'online', offline_since: minutesAgo(9) },
      ],
      ['as before after an inconclusive check', minutesAgo(9), 'down', { status: 'unchecked' }],
      ['not known where it was not stored', null, 'down', { offline_since: null }],
      ['none when it is online', null, 'up', {}],
    ])('%s', (_rule, expected, found, before) => {
      expect(since(found === 'up' ? probe() : NO_ROUTE, before)).toBe(expected);
    });
  });

  it('remembers a refused credential and its record', () => {
    expect(rowOf(probe(new Fault('host_auth_failed', 'refused')))).toMatchObject({
      status: 'offline',
      error: 'refused',
      refused_at: NOW.toISOString(),
      refused_as: MARK,
    });
  });

  it.each(['connect_timeout', 'host_disconnected', 'ssh_protocol'] as const)(
    'treats %s after a credential was sent as a refusal the second time in a row',
    (code) => {
      const fault = new Fault(code, 'hm');
      const once = rowOf(probe(fault));
      expect(sendsCredential(SERVER, once, NOW)).toBe(true);
      const twice = rowOf(probe(fault), once);
      expect(twice).toMatchObject({ status: 'offline', error: 'hm', refused_error: 'hm' });
      expect(sendsCredential(SERVER, twice, NOW)).toBe(false);
    },
  );

  it('forgets one failure when the next check succeeds', () => {
    const once = rowOf(probe(new Fault('host_disconnected', 'hm')));
    expect(rowOf(probe(), once)).toMatchObject({ status: 'online', error: null, refused_at: null });
  });

  it('keeps the refusal while checks only go as far as the host key', () => {
    expect(rowOf(probe(), REFUSED)).toMatchObject({
      status: 'offline',
      error: 'refused the password',
      refused_at: REFUSED.refused_at,
    });
  });

  it('shows a worse failure first, and the refusal again afterwards', () => {
    const down = rowOf(NO_ROUTE, REFUSED);
    expect(down).toMatchObject({ error: 'no route', refused_at: REFUSED.refused_at });
    expect(rowOf(probe(), down)).toMatchObject({
      status: 'offline',
      error: 'refused the password',
      error_code: 'host_auth_failed',
    });
  });

  it('is online again when a host that prompts a person is back', () => {
    const wanting = rowOf(probe(new Fault('interaction_required')));
    const down = rowOf(NO_ROUTE, wanting);
    expect(down).toMatchObject({ status: 'offline', error: 'no route' });
    expect(rowOf(probe(), down)).toMatchObject({ status: 'online', error: null });
  });

  it.each([
    ['is offline behind a jump host that is', 'offline', 'offline', 'jump_host_offline'],
    ['is unchecked behind a jump host that asks at connect', 'online', 'unchecked', 'jump_host_unchecked'],
    ['is unchecked behind a jump host that is', 'unchecked', 'unchecked', 'jump_host_unchecked'],
  ] as const)('%s', (_rule, bastion, status, error_code) => {
    const row = toObstructedRow(SERVER, { name: 'gate', status: bastion }, { before: REFUSED, at: NOW });
    expect(row).toMatchObject({ status, last_checked: NOW.toISOString(), refused_as: MARK });
    const [reason, then] =
      status === 'offline' ? ['reached', 'is offline'] : ['checked', 'lets nobody through'];
    expect(row.error).toContain(`Not ${reason}: its jump host gate ${then}`); // the page finds the name in it
    expect(row.error_code).toBe(error_code);
  });

  it('is online for a host that prompts a person, without retrying it', () => {
    expect(rowOf(probe(new Fault('interaction_required')))).toMatchObject({
      status: 'online',
      error: null,
      refused_at: NOW.toISOString(),
    });
  });
});
