import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from '../eventually.ts';

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
