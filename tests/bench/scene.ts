import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sshd, startSshd } from '../support/hosts/sshd.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';
import type { SshAccess } from './programs.ts';

/** A real sshd, and a gateway with it as a server. */
export interface Scene {
  readonly sshd: Sshd;
  readonly gateway: GatewayProcess;
  readonly server_id: number;
  /** For the real programs. */
  readonly access: SshAccess;
  /** Another record of the same host, with other fields. */
  addServer(name: string, fields: object): Promise<number>;
}

/** A scene that lasts for one measurement. */
export async function withScene<T>(measure: (scene: Scene) => Promise<T>): Promise<T> {
  const sshd = await startSshd();
  const key = join(sshd.folder, '..', 'bench_key');
  await writeFile(key, sshd.private_key, { mode: 0o600 });
  const gateway = await startGatewayProcess({ env: { SERVICE_DISABLE_MONITOR: 'true' } });
  // With the key that the real programs use: passwords take sshd longer.
  const addServer = (name: string, fields: object) =>
    gateway.addServer(sshd, name, { auth_method: 'key', private_key: sshd.private_key, ...fields });
  try {
    const server_id = await addServer('bench', {});
    return await measure({ sshd, gateway, server_id, access: { ...sshd, key }, addServer });
  } finally {
    await gateway.stop();
    await sshd.stop();
  }
}
