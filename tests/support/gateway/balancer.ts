import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atExit } from '../at-exit.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../hosts/tcp.ts';

/** Shorter than the default of `SERVICE_DRAIN_SECONDS`: no request meets a connection that an instance is closing. */
const IDLE_S = 1;
const PROGRAM = '/usr/sbin/nginx';

/** A real nginx that gives each request to the next instance, without stickiness. */
export interface Balancer {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startBalancer(ports: readonly number[]): Promise<Balancer> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-balancer-'));
  const port = await freePort();
  const file = join(folder, 'nginx.conf');
  await writeFile(file, configuration(folder, port, ports));
  const child = spawn(PROGRAM, ['-p', folder, '-c', file], { stdio: ['ignore', 'ignore', 'inherit'] });
  const callOff = atExit(() => child.kill('SIGKILL'));
  await Promise.race([
    eventually(() => accepts(port)),
    once(child, 'exit').then(() => Promise.reject(new Error('nginx did not start'))),
  ]);
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      callOff();
      if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** An instance that refuses a connection or ends it before it answers is left out for a second: the next one is asked. */
function configuration(folder: string, port: number, ports: readonly number[]): string {
  const servers = ports.map((one) => `server 127.0.0.1:${one} max_fails=1 fail_timeout=1s;`).join(' ');
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return `
daemon off;
master_process off;
pid ${folder}/pid;
error_log stderr crit;
events { worker_connections 4096; }
http {
  access_log off;
  ${kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`).join('\n  ')}
  map $http_upgrade $connection_upgrade { default upgrade; '' ''; }
  upstream gateways { ${servers} keepalive 64; keepalive_timeout ${IDLE_S}s; }
  server {
    listen 127.0.0.1:${port};
    client_max_body_size 0;
    location / {
      proxy_pass http://gateways;
      proxy_http_version 1.1;
      proxy_set_header Host $http_host;
      proxy_set_header Upgrade $http_upgrade;
      proxy_set_header Connection $connection_upgrade;
      proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      proxy_set_header X-Forwarded-Proto $scheme;
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_read_timeout 1h;
      proxy_send_timeout 1h;
    }
  }
}
`;
}

async function accepts(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}
