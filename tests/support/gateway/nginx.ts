import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { request } from 'node:https';
import { connect as knock } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { atExit } from '../at-exit.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../hosts/tcp.ts';

const run = promisify(execFile);

const PROGRAM = '/usr/sbin/nginx';
const DEPLOY = new URL('../../../deploy/', import.meta.url);

/** A real nginx with one of the shipped configurations, on free ports and in a temporary folder. */
export interface Nginx {
  readonly url: string;
  /** The port that redirects to HTTPS; unused if the file has no redirect. */
  readonly plain_port: number;
  /** The CA certificate for `url`. */
  readonly ca: string;
  ask(path: string, options?: NginxRequest): Promise<NginxAnswer>;
  /** Like `ask`, but resolves before the body has arrived. */
  begin(path: string, options?: NginxRequest): Promise<IncomingMessage>;
  /** Connects with HTTP/2, like browsers. */
  http2(): ClientHttp2Session;
  stop(): Promise<void>;
}

export interface NginxRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: object;
  /** The local address to connect from. */
  readonly from?: string;
}

export interface NginxAnswer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
}

/** `gateways` maps the upstream names in the file to their actual addresses; `shorter` makes its timeouts quick to wait for. */
export async function startNginx(
  file: string,
  gateways: Readonly<Record<string, string>>,
  shorter: Readonly<Record<string, string>> = {},
): Promise<Nginx> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-nginx-'));
  const [port, plain_port] = [await freePort(), await freePort()];
  const shipped = await readFile(new URL(file, DEPLOY), 'utf8');
  await makeCertificate(join(folder, 'tls'));
  const site = relocated(shipped, { folder, port, plain_port, gateways, shorter });
  const stop = await runNginx(site, { folder, port });
  const url = `https://127.0.0.1:${port}`;
  const ca = await readFile(join(folder, 'tls/fullchain.pem'), 'utf8');
  const begin = (path: string, options: NginxRequest = {}) => beginAt(`${url}${path}`, ca, options);
  return {
    url,
    plain_port,
    ca,
    begin,
    http2: () => connect(url, { ca }),
    async ask(path, options) {
      const response = await begin(path, options);
      const { statusCode: status = 0, headers } = response;
      return { status, headers, text: await textOf(response) };
    },
    stop,
  };
}

export const BASIC = { username: 'ops', password: 'between' };

/** nginx on plain HTTP with these lines in its only location. `htpasswd` names a file with the account `BASIC`. */
export async function startPlainNginx(
  gateway: string,
  lines: readonly string[],
): Promise<Pick<Nginx, 'url' | 'stop'>> {
  const folder = await mkdtemp(join(tmpdir(), 'sallyport-nginx-'));
  const port = await freePort();
  await writeFile(join(folder, 'htpasswd'), `${BASIC.username}:{PLAIN}${BASIC.password}\n`);
  const location = [`proxy_pass http://${gateway};`, ...lines].join('\n    ');
  const site = `server {\n  listen 127.0.0.1:${port};\n  location / {\n    ${location}\n  }\n}\n`;
  return { url: `http://127.0.0.1:${port}`, stop: await runNginx(site, { folder, port }) };
}

/** Resolves when it listens; the result stops it and removes its folder. */
async function runNginx(
  site: string,
  { folder, port }: { readonly folder: string; readonly port: number },
): Promise<() => Promise<void>> {
  await writeFile(join(folder, 'site.conf'), site);
  await writeFile(join(folder, 'nginx.conf'), around(folder));
  const child = spawn(PROGRAM, ['-p', folder, '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const callOff = atExit(() => child.kill('SIGKILL'));
  await Promise.race([
    eventually(() => accepts(port)),
    once(child, 'exit').then(() => Promise.reject(new Error(`nginx rejects this:\n${site}`))),
  ]);
  return async function stop() {
    callOff();
    if (child.exitCode === null && child.kill('SIGTERM')) await once(child, 'exit');
    await rm(folder, { recursive: true, force: true });
  };
}

interface Locations {
  readonly folder: string;
  readonly port: number;
  readonly plain_port: number;
  readonly gateways: Readonly<Record<string, string>>;
  readonly shorter: Readonly<Record<string, string>>;
}

/** Changes only paths, ports, addresses and the named timeouts; every other line is tested as shipped. */
function relocated(shipped: string, { folder, port, plain_port, gateways, shorter }: Locations): string {
  const changes: [from: string | RegExp, to: string][] = [
    [/^ *listen \[::\].*\n/gm, ''],
    [/listen 443 /g, `listen 127.0.0.1:${port} `],
    ['/etc/nginx/tls', join(folder, 'tls')],
    ...Object.entries(gateways).map(([name, address]): [string, string] => [
      `server ${name}`,
      `server ${address}`,
    ]),
    ...Object.entries(shorter),
  ];
  let text = shipped.replace('listen 80;', `listen 127.0.0.1:${plain_port};`);
  for (const [from, to] of changes) {
    const next = text.replaceAll(from, to);
    if (next === text) throw new Error(`There is no ${from} in it`);
    text = next;
  }
  return text;
}

function around(folder: string): string {
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  return [
    'daemon off;',
    'master_process off;',
    `pid ${folder}/pid;`,
    'error_log stderr crit;',
    'events { worker_connections 512; }',
    'http {',
    'access_log off;',
    ...kinds.map((kind) => `${kind}_temp_path ${folder}/${kind};`),
    `include ${folder}/site.conf;`,
    '}',
    '',
  ].join('\n');
}

async function makeCertificate(folder: string): Promise<void> {
  await mkdir(folder);
  await run('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '30'],
    ...['-keyout', join(folder, 'privkey.pem'), '-out', join(folder, 'fullchain.pem')],
    ...['-subj', '/CN=gate.example.org', '-addext', 'subjectAltName=IP:127.0.0.1'],
  ]);
}

async function accepts(port: number): Promise<void> {
  const socket = knock(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}

async function beginAt(
  url: string,
  ca: string,
  { method = 'GET', headers = {}, body, from }: NginxRequest,
): Promise<IncomingMessage> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' };
  const address = from === undefined ? {} : { localAddress: from };
  const sent = request(url, { ca, method, headers: { ...json, ...headers }, agent: false, ...address });
  sent.end(body === undefined ? undefined : JSON.stringify(body));
  const [response]: [IncomingMessage] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
}

async function textOf(response: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += chunk;
  return text;
}
