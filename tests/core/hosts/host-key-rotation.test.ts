import { describe, expect, it } from 'vitest';
import { createHostKeys } from '#core/hosts/host-keys.ts';
import type { ServerRow } from '#core/model/hosts/server.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import type { SshHop } from '#core/ports/ssh.ts';

const keyOf = (name: string) => ({ host_key: name, fingerprint: `SHA256:${name}` });
const HOP: SshHop = {
  server_id: 1,
  name: 'box',
  hostname: 'h.example',
  port: 22,
  username: 'u',
  auth: { method: 'prompt' },
  algorithms: 'default',
  known_host_keys: [],
  revision: '',
};

/** One server in memory: implements `replaceHostKeys` only. */
function setUp(
  pinned: string | null,
  announced: readonly string[] = [],
  { enabled = true, full = false, revoked = [] as readonly string[] } = {},
) {
  const recorded: string[] = [];
  let row: Partial<ServerRow> = {
    id: 1,
    name: 'box',
    hostname: 'h.example',
    port: 22,
    host_key: pinned,
    host_key_fingerprint: pinned === null ? '' : `SHA256:${pinned}`,
    announced_host_keys: announced.map(keyOf),
  };
  const servers: Partial<Repositories['servers']> = {
    byId: async () => row as ServerRow,
    async replaceHostKeys({ instead_of, host_key, fingerprint, announced_host_keys }) {
      if (row.host_key !== instead_of) return false;
      row = { ...row, host_key, host_key_fingerprint: fingerprint, announced_host_keys };
      return true;
    },
  };
  const silent = () => undefined;
  const failures: unknown[] = [];
  let following = Promise.resolve();
  const host_keys = createHostKeys({
    repositories: {
      servers: servers as Repositories['servers'],
      quick_host_keys: {} as Repositories['quick_host_keys'],
    },
    revoked: {
      isRevoked: async (_address, { host_key }) => revoked.includes(host_key),
      without: async (_address, keys) => keys.filter(({ host_key }) => !revoked.includes(host_key)),
    },
    enabled,
    clock: { now: () => new Date(), elapsed_ms: () => 0, after: () => silent },
    background: {
      run(_what, work) {
        following = work.then(silent, (error: unknown) => void failures.push(error));
      },
    },
    log: { debug: silent, info: silent, warn: silent, error: silent },
    async record(_action, detail) {
      if (full) throw new Error('the disk is full');
      recorded.push(detail);
    },
  });
  return {
    recorded,
    failures,
    announce(presented: string, keys: readonly string[], hop = HOP) {
      host_keys.announced(hop, keyOf(presented), keys.map(keyOf));
      return following;
    },
    trusted: () => [row.host_key, ...(row.announced_host_keys ?? []).map(({ host_key }) => host_key)],
  };
}

describe('Host keys that a trusted host announces', () => {
  it('are accepted beside the pinned one and stored', async () => {
    const { announce, trusted, recorded } = setUp('A');
    await announce('A', ['A', 'B', 'C']);
    expect(trusted()).toEqual(['A', 'B', 'C']);
    expect(recorded).toEqual(['box (#1): SHA256:B, SHA256:C']);
  });

  it('replace a pinned key that the host no longer has', async () => {
    const { announce, trusted, recorded } = setUp('A', ['B']);
    await announce('B', ['B', 'C']);
    expect(trusted()).toEqual(['B', 'C']);
    expect(recorded[0]).toContain('instead of SHA256:A');
  });

  it('are not accepted while they are revoked', async () => {
    const { announce, trusted } = setUp('A', [], { revoked: ['B'] });
    await announce('A', ['A', 'B', 'C']);
    expect(trusted()).toEqual(['A', 'C']);
  });

  it('are no longer accepted when the host stops announcing them', async () => {
    const { announce, trusted } = setUp('A', ['B', 'C']);
    await announce('A', ['A', 'C']);
    expect(trusted()).toEqual(['A', 'C']);
  });

  it('are not stored again when nothing has changed', async () => {
    const { announce, recorded } = setUp('A', ['B']);
    await announce('A', ['B', 'A']);
    expect(recorded).toEqual([]);
  });

  it.each<[string, string | null, string, string[], boolean]>([
    ['come from a host that is not trusted', 'A', 'X', ['X', 'Y'], true],
    ['come before anything is pinned', null, 'A', ['A', 'B'], true],
    ['do not hold the key that was presented', 'A', 'A', ['B'], true],
    ['come while keys are not verified', 'A', 'A', ['A', 'B'], false],
  ])('are ignored when they %s', async (_what, pinned, presented, keys, enabled) => {
    const { announce, trusted } = setUp(pinned, [], { enabled });
    await announce(presented, keys);
    expect(trusted()).toEqual([pinned]);
  });

  it('are ignored when the record has been moved to another host', async () => {
    const { announce, trusted } = setUp('A');
    await announce('A', ['A', 'B'], { ...HOP, hostname: 'old.example' });
    expect(trusted()).toEqual(['A']);
  });

  it('cause a log line when they cannot be stored', async () => {
    const { announce, failures } = setUp('A', [], { full: true });
    await announce('A', ['A', 'B']);
    expect(failures).toEqual([new Error('the disk is full')]);
  });
});
