import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Server } from '#core/model/hosts/server.ts';
import { eventually } from '../eventually.ts';
import { createKey } from '../features/accounts.ts';
import { type Actor, startGateway, type TestGateway } from '../gateway/gateway.ts';
import type { Sshd } from '../hosts/sshd.ts';
import { freePort } from '../hosts/tcp.ts';

/** Another site, run by the example of `deploy/embed`. */
export interface Portal {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startPortal(options: {
  readonly port: number;
  readonly gateway_url: string;
  readonly key: string;
  readonly server_id: number;
}): Promise<Portal> {
  const { port, gateway_url, key, server_id } = options;
  const url = `http://127.0.0.1:${port}`;
  const portal: ChildProcess = spawn(process.execPath, ['deploy/embed/server.mjs'], {
    env: {
      ...process.env,
      PORT: String(port),
      GATEWAY_URL: gateway_url,
      SALLYPORT_API_KEY: key,
      SERVER_ID: String(server_id),
    },
    stdio: 'inherit',
  });
  await eventually(async () => {
    if (!(await fetch(url)).ok) throw new Error('Not yet');
  });
  return {
    url,
    async stop() {
      const gone = once(portal, 'exit');
      portal.kill();
      await gone;
    },
  };
}

/** A gateway below a path, and another site that may embed its elements. */
export interface PortalScene {
  readonly gateway: TestGateway;
  readonly server: Server;
  /** Owns the key of the site. */
  readonly user: Actor;
  readonly key: string;
  readonly portal: Portal;
  stop(): Promise<void>;
}

/** With `is_trusted: false` the site has no valid key, so its elements stay empty. */
export async function startPortalScene(
  sshd: Sshd,
  { is_trusted = true }: { readonly is_trusted?: boolean } = {},
): Promise<PortalScene> {
  const port = await freePort();
  const gateway = await startGateway({
    env: { SERVICE_ALLOWED_ORIGINS: `http://127.0.0.1:${port}`, SERVICE_ROOT_PATH: '/ssh' },
  });
  const { username, password } = sshd;
  const server = await gateway.addServer({ name: 'box', port: sshd.port, username, password });
  const user = await gateway.user({ username: 'portal', allowed_groups: ['lab'] });
  const key = is_trusted ? (await createKey(user, { scopes: ['terminal', 'files'] })).key : 'none';
  const portal = await startPortal({ gateway_url: gateway.url, key, server_id: server.id, port });
  return {
    ...{ gateway, server, user, key, portal },
    async stop() {
      await portal.stop();
      await gateway.close();
    },
  };
}
