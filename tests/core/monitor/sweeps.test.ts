import { describe, expect, it } from 'vitest';
import { Fault, type FaultCode } from '#core/errors.ts';
import type { Connections } from '#core/hosts/connections.ts';
import type { ServerRow } from '#core/model/hosts/server.ts';
import { type ServerStatusRow, uncheckedRow } from '#core/model/hosts/server-status.ts';
import { createSweeps } from '#core/monitor/sweeps.ts';
import { createMeter } from '#core/overview/meter.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import type { Probe, ProbeOptions } from '#core/ports/ssh.ts';
import { systemClock } from '#server/lib/clock.ts';

const silent = () => undefined;
const LOG = { debug: silent, info: silent, warn: silent, error: silent };

function row(id: number, changes: Partial<ServerRow> = {}): ServerRow {
  const server: Partial<ServerRow> = {
    ...{ id, name: `s${id}`, hostname: `h${id}`, port: 22, jump_via_id: null, auth_method: 'password' },
    ...{ password_sealed: 'v2:key:nonce:text', private_key_sealed: null, passphrase_sealed: null },
    ...{ username: 'u', updated_at: '2026-01-01T00:00:00.000Z' },
    ...changes,
  };
  return server as ServerRow; // The parts of it that a round needs.
}

const FINE: Probe = {
  ...{ fault: undefined, latency_ms: 1, host_key_verified: true, credential_sent: true },
  way: { close: silent },
};

interface Setting {
  /** As the database has them when each is about to be checked. */
  readonly now?: readonly ServerRow[];
  readonly probe?: (name: string, options: ProbeOptions) => Promise<Probe>;
}

async function round(servers: readonly ServerRow[], { now = servers, probe }: Setting) {
  const stored: ServerStatusRow[] = [];
  const probed: string[] = [];
  const repositories: Partial<Repositories> = {
    servers: {
      byId: async (id: number) => now.find((server) => server.id === id),
      byIds: async () => [...now],
    } as Partial<Repositories['servers']> as Repositories['servers'],
    server_statuses: {
      list: async () => servers.map(({ id }) => ({ ...uncheckedRow(id), group: '' })),
      save: async (rows: readonly ServerStatusRow[]) => void stored.push(...rows),
    } as Partial<Repositories['server_statuses']> as Repositories['server_statuses'],
  };
  const connections = {
    hopOf: async ({ name }: ServerRow) => ({ name }),
  } as unknown as Connections; // A round only asks it for hops.
  const sweeps = createSweeps({
    repositories: repositories as Repositories,
    connections,
    prober: {
      test: () => Promise.reject(new Error('Not asked for')),
      async probe(hop, options) {
        probed.push(hop.name);
        return (await probe?.(hop.name, options)) ?? FINE;
      },
    },
    bell: { ring: silent },
    meter: createMeter(),
    clock: systemClock,
    settings: { values: { monitor_timeout: 1, monitor_concurrency: 10 } },
    log: LOG,
  });
  await sweeps.run(servers, 'all', new AbortController().signal);
  return { probed, states: Object.fromEntries(stored.map(({ server_id, status }) => [server_id, status])) };
}

const failing = (code: FaultCode, stage?: 'tcp'): Probe => ({
  ...FINE,
  fault: new Fault(code, undefined, stage ? { stage } : {}),
  credential_sent: false,
  way: undefined,
});

describe('A round of the monitor', () => {
  const CHAIN = [row(1), row(2, { jump_via_id: 1 }), row(3, { jump_via_id: 2 })];

  it('checks each server once, through the connections to its jump hosts', async () => {
    const { probed, states } = await round(CHAIN, {});
    expect(probed).toEqual(['s1', 's2', 's3']);
    expect(states).toEqual({ 1: 'online', 2: 'online', 3: 'online' });
  });

  it('does not try servers behind an unreachable jump host', async () => {
    const { probed, states } = await round(CHAIN, { probe: async () => failing('host_unreachable', 'tcp') });
    expect(probed).toEqual(['s1']);
    expect(states).toEqual({ 1: 'offline', 2: 'offline', 3: 'offline' });
  });

  it.each(['database_unavailable', 'internal', 'server_changed', 'shutting_down'] as const)(
    'reports nothing about hosts, or hosts behind them, because of %s',
    async (code) => {
      const { states } = await round(CHAIN, {
        probe: (name) => (name === 's1' ? Promise.reject(new Fault(code)) : Promise.resolve(FINE)),
      });
      expect(states).toEqual({});
    },
  );

  it('skips a server that was edited since the round began, and those behind it', async () => {
    const [bastion, ...others] = CHAIN;
    const edited = { ...(bastion ?? row(1)), updated_at: '2026-01-02T00:00:00.000Z' };
    const { probed, states } = await round(CHAIN, { now: [edited, ...others] });
    expect({ probed, states }).toEqual({ probed: [], states: {} });
  });

  it('waits once for an unreachable address, however many records name it', async () => {
    const records = Array.from({ length: 40 }, (_, index) => row(index + 1, { hostname: 'dead' }));
    const { probed, states } = await round(records, {
      probe: async () => failing('host_unreachable', 'tcp'),
    });
    expect(probed.length).toBeLessThanOrEqual(3);
    expect(new Set(Object.values(states))).toEqual(new Set(['offline']));
    expect(Object.keys(states)).toHaveLength(40);
  });

  it('runs at most 3 checks of one address at once', async () => {
    let at_once = 0;
    let most = 0;
    const records = Array.from({ length: 12 }, (_, index) => row(index + 1, { hostname: 'busy' }));
    await round(records, {
      async probe() {
        at_once += 1;
        most = Math.max(most, at_once);
        await new Promise((resolve) => setImmediate(resolve));
        at_once -= 1;
        return FINE;
      },
    });
    expect(most).toBe(3);
  });
});
