import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from '../at-exit.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../hosts/tcp.ts';

const PROGRAM = '/usr/sbin/haproxy';

export interface Haproxy {
  readonly url: string;
  /** The result of the first finished health check, such as `L7OK 200`. */
  health(): Promise<string>;
  stop(): Promise<void>;
}

/** A real HAProxy before one gateway, with `check` as its health check. */
export async function startHaproxy(gateway: string, check: string): Promise<Haproxy> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-haproxy-'));
  const port = await freePort();
  const file = join(folder, 'haproxy.cfg');
  await writeFile(file, configuration(port, gateway, check));
  const child = spawn(PROGRAM, ['-db', '-f', file], { stdio: ['ignore', 'ignore', 'pipe'] });
  child.stderr.resume();
  const callOff = atExit(() => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const statistics = () => fetch(`${url}/statistics;csv`).then((response) => response.text());
  await eventually(statistics);
  return {
    url,
    health: () =>
      eventually(async () => {
        const [header = '', ...rows] = (await statistics()).split('\n');
        const of = (name: string) =>
          rows.find((row) => row.startsWith('gateways,one,'))?.split(',')[header.split(',').indexOf(name)];
        if (!of('check_status')?.startsWith('L')) throw new Error('No check has finished');
        return `${of('check_status')} ${of('check_code')}`;
      }),
    async stop() {
      callOff();
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function configuration(port: number, gateway: string, check: string): string {
  return [
    'defaults',
    'mode http',
    'timeout connect 5s',
    'timeout client 30s',
    'timeout server 30s',
    'frontend public',
    `bind 127.0.0.1:${port}`,
    'stats enable',
    'stats uri /statistics',
    'default_backend gateways',
    'backend gateways',
    check,
    `server one ${gateway} check inter 100ms`,
    '',
  ].join('\n');
}
