import { describe, expect, it } from 'vitest';
import { createHostKeys } from '#core/hosts/host-keys.ts';
import { createWarnings } from '#core/hosts/imports/warning-list.ts';
import { fingerprintOf, readKnownHosts } from '#core/hosts/known-hosts/parse.ts';
import { createRevokedKeys } from '#core/hosts/known-hosts/revoked.ts';
import type { RevokedHostKeyRow } from '#core/model/hosts/revoked-host-key.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import type { SshHop } from '#core/ports/ssh.ts';

const KEY = 'AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f';
const HASHED_DB = '|1|AAECAwQFBgcICQoLDA0ODxAREhM=|3JYff8/J/HcjQC53q411pHHnEWs=';
const clock = { now: () => new Date(0), elapsed_ms: () => 0, after: () => () => undefined };

async function revoking(text: string) {
  const rows: RevokedHostKeyRow[] = [];
  const repositories = {
    revoked_host_keys: {
      list: async () => rows,
      ofKey: async (fingerprint: string) => rows.filter((row) => row.fingerprint === fingerprint),
      insertAll: async (added: readonly Omit<RevokedHostKeyRow, 'id'>[]) => {
        for (const row of added) rows.push({ id: rows.length + 1, ...row });
        return added.length;
      },
      remove: async () => undefined,
    },
  };
  const revoked = createRevokedKeys({ repositories, clock });
  const { revocations } = await readKnownHosts(text, createWarnings());
  await revoked.add(revocations);
  return { revoked, rows, revocations };
}

const presented = async () => ({ host_key: KEY, fingerprint: await fingerprintOf(KEY) });

describe('A revoked host key', () => {
  it.each([
    ['db.example', 'db.example', 22, true],
    ['DB.example', 'db.EXAMPLE', 22, true],
    ['db.example', 'db.example', 2222, true],
    ['[db.example]:2222', 'db.example', 2222, true],
    ['[db.example]:2222', 'db.example', 22, false],
    ['db.example', 'web.example', 22, false],
    ['*.example,!db.example', 'db.example', 22, false],
    ['*.example,!db.example', 'web.example', 22, true],
    ['*', '2001:db8::1', 22, true],
    [HASHED_DB, 'db.example', 22, true],
    [HASHED_DB, 'web.example', 22, false],
  ])('that a line names for %s is refused from %s, port %i: %s', async (names, hostname, port, expected) => {
    const { revoked } = await revoking(`@revoked ${names} ssh-ed25519 ${KEY}`);
    expect(await revoked.isRevoked({ hostname, port }, await presented())).toBe(expected);
  });

  it('is stored once for each line', async () => {
    const { revoked, rows, revocations } = await revoking(
      `@revoked a ssh-ed25519 ${KEY}\n@revoked a ssh-ed25519 ${KEY}\n@revoked b ssh-ed25519 ${KEY}`,
    );
    await revoked.add(revocations);
    expect(rows.map(({ names }) => names)).toEqual(['a', 'b']);
  });

  it.each([
    ['a server', {}],
    ['a quick connection in another spelling', { quick_user_id: 1, hostname: '127.1' }],
    ['a server that was deleted', { is_kept: true as const, known_host_keys: [KEY] }],
  ])('is refused for %s, even if it is pinned and keys are not verified', async (_what, fields) => {
    const { revoked } = await revoking(`@revoked h.example,127.0.0.1 ssh-ed25519 ${KEY}`);
    const silent = () => undefined;
    const host_keys = createHostKeys({
      repositories: {} as Pick<Repositories, 'servers' | 'quick_host_keys'>, // the revocation comes first
      revoked,
      enabled: false,
      clock,
      background: { run: silent },
      log: { debug: silent, info: silent, warn: silent, error: silent },
      record: async () => undefined,
    });
    const hop: SshHop = {
      ...{ server_id: 1, name: 'box', hostname: 'h.example', port: 22, username: 'u', revision: '' },
      ...{ auth: { method: 'prompt' }, algorithms: 'default', known_host_keys: [] },
      ...fields,
    };
    const refusal = { code: 'host_key_revoked', options: { stage: 'host_key', hop: 'box' } };
    await expect(host_keys.judge(hop, await presented())).rejects.toMatchObject(refusal);
    await expect(host_keys.pin(hop, await presented())).rejects.toMatchObject(refusal);
  });
});
