import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Sshd, startSshd } from '../support/sshd.ts';
import { type GatewayProcess, startGatewayProcess } from './gateway-process.ts';
import type { SshAccess } from './programs.ts';

/** A real sshd, and the gateway that knows it. */
export interface Scene {
  readonly sshd: Sshd;
  readonly gateway: GatewayProcess;
  readonly server_id: number;
  /** For the real programs. */
  readonly access: SshAccess;
  stop(): Promise<void>;
}

export async function openScene(): Promise<Scene> {
  const sshd = await startSshd();
  const key = join(sshd.folder, '..', 'bench_key');
  await writeFile(key, sshd.private_key, { mode: 0o600 });
  const gateway = await startGatewayProcess();
  return {
    sshd,
    gateway,
    server_id: await gateway.addServer(sshd),
    access: { ...sshd, key },
    async stop() {
      await gateway.stop();
      await sshd.stop();
    },
  };
}
