import { describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { createKeptConnections } from '#core/hosts/part-removals/kept-connections.ts';
import type { ServerRow } from '#core/model/hosts/server.ts';

const SERVER = { id: 3, name: 'box', sftp_enabled: true } as ServerRow;

/** Keeps the connection of a server that is being deleted, while its target cannot be built. */
function sealWhile(error: Fault) {
  const kept = createKeptConnections({
    repositories: { servers: {} as never },
    connections: { targetOf: () => Promise.reject(error) },
    vault: {} as never,
    verify_host_keys: true,
  });
  return kept.seal(SERVER);
}

describe('The connection to a server that is being deleted', () => {
  it('is not kept when a stored credential cannot be decrypted', async () => {
    expect(await sealWhile(new Fault('credential_unreadable'))).toEqual({
      obstacle: 'the stored credentials cannot be used',
    });
  });

  it('ends the deletion when the database fails, so that no part file is forgotten', async () => {
    await expect(sealWhile(new Fault('database_unavailable'))).rejects.toMatchObject({
      code: 'database_unavailable',
    });
  });
});
