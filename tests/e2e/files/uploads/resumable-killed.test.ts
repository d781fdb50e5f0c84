import { randomBytes } from 'node:crypto';
import { chownSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type GatewayProcess, startGatewayProcess } from '../../../bench/gateway-process.ts';
import { DIALECTS, migratedDatabaseUrl } from '../../../support/databases/stores.ts';
import { openPatch, tusCaller } from '../../../support/features/tus.ts';
import { SECRET_KEY, startGateway } from '../../../support/gateway/gateway.ts';
import { type Sshd, startSshd } from '../../../support/hosts/sshd.ts';

const MIB = 1024 * 1024;
const CONTENT = randomBytes(96 * MIB);
const ENOUGH_BYTES = 16 * MIB;

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

const partIn = (folder: string) => {
  const [name = ''] = readdirSync(folder).filter((one) => one.startsWith('.sallyport-'));
  return join(folder, name);
};

/** Starts an upload and is killed while nearly all of it is in transit: without its end, it cannot be over before. */
async function killInTheMiddle(gateway: GatewayProcess, path: string): Promise<string> {
  const server_id = await gateway.addServer(sshd);
  const send = (asked: string, init: RequestInit = {}) => {
    const headers = { ...init.headers, authorization: `Bearer ${gateway.token}` };
    return fetch(gateway.url + asked, { ...init, headers });
  };
  const place = { path, filename: 'large.bin', length: CONTENT.length };
  const upload = await tusCaller({ fetch: send }, server_id).begin(place);
  const sent = openPatch(gateway.url + upload, { token: gateway.token, offset: 0 });
  sent.write(CONTENT.subarray(0, -MIB));
  await vi.waitFor(() => expect(statSync(partIn(path)).size).toBeGreaterThan(ENOUGH_BYTES), {
    timeout: 60_000,
    interval: 5,
  });
  await gateway.kill();
  return upload;
}

// Both at once: they mostly wait for the hold of the killed gateway to expire.
describe.concurrent('An upload whose gateway is killed', () => {
  it.each(DIALECTS)('leaves a prefix without gaps, and resumes at another instance (%s)', async (dialect) => {
    const folder = join(sshd.folder, dialect);
    mkdirSync(folder);
    chownSync(folder, sshd.uid, sshd.uid);
    const database = await migratedDatabaseUrl(dialect);
    const env = { SERVICE_DB_URL: database.url, SERVICE_SECRET_KEY: SECRET_KEY };
    const killed = await startGatewayProcess({ env });
    const upload = await killInTheMiddle(killed, folder);
    const gateway = await startGateway({ database_url: database.url, untouched: true });
    try {
      const [, server_id] = /files\/(\d+)\//.exec(upload) ?? [];
      const tus = tusCaller(gateway.actor(killed.token), Number(server_id));
      const stands_at = Number(await tus.offset(upload));
      expect(stands_at).toBeGreaterThan(ENOUGH_BYTES);
      expect(stands_at).toBeLessThan(CONTENT.length);
      expect(readFileSync(partIn(folder)).equals(CONTENT.subarray(0, stands_at))).toBe(true);
      expect((await tus.append(upload, stands_at, CONTENT.subarray(stands_at))).status).toBe(204);
      expect(readFileSync(join(folder, 'large.bin')).equals(CONTENT)).toBe(true);
    } finally {
      await gateway.close();
      await database.cleanup();
    }
  });
});
