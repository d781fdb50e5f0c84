import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import { createClient, type GatewayClient, take } from '#client/client.ts';
import { watchStatuses } from '#client/event-stream.ts';
import { faultOfProxy } from '#client/terminal/blocked.ts';
import type { LinkState } from '#client/terminal/events.ts';
import { TerminalLink } from '#client/terminal/link.ts';
import { downloadFile } from '#client/transfers/download.ts';
import { fileLink } from '#client/transfers/links.ts';
import { uploadFile } from '#client/transfers/upload.ts';
import type { SocketConstructor } from '#client/transport/plain-socket.ts';
import type { Server } from '#core/model/hosts/server.ts';
import {
  signInAsAdmin,
  terminalText,
  untilTypable,
  untilTyped,
  useVisits,
} from '../../support/browser/pages.ts';
import { openTerminalOn } from '../../support/browser/rail.ts';
import { mint } from '../../support/features/embeds.ts';
import { type FileHost, startFileHost } from '../../support/features/file-host.ts';
import { ADMIN_PASSWORD, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { BASIC, startPlainNginx } from '../../support/gateway/nginx.ts';
import { openTerminal } from '../../support/gateway/ws.ts';

const HOST = 'proxy_set_header Host $http_host;';
const UPGRADES = [
  'proxy_http_version 1.1;',
  'proxy_set_header Upgrade $http_upgrade;',
  'proxy_set_header Connection "upgrade";',
];
const BASIC_AUTH = ['auth_basic "ops";', 'auth_basic_user_file htpasswd;'];

const hostOf = ({ url }: TestGateway) => new URL(url).host;
const bearer = ({ admin }: TestGateway) => `Bearer ${admin.token}`;

async function behind(gateway: TestGateway, lines: readonly string[]): Promise<string> {
  const nginx = await startPlainNginx(hostOf(gateway), lines);
  onTestFinished(nginx.stop);
  return nginx.url;
}

describe('Behind a proxy', () => {
  const visits = useVisits();
  let host: FileHost;
  let careful: TestGateway;
  beforeAll(async () => {
    host = await startFileHost();
    careful = await startGateway({ env: { SERVICE_TRUSTED_PROXIES: '192.0.2.1' } });
  });
  afterAll(async () => {
    await host?.stop();
    await careful?.close();
  });

  const FORWARDED = 'proxy_set_header X-Forwarded-Host $http_host;';

  it.each([
    ['without upgrade headers', [HOST], 426, 'proxy_upgrade'],
    ['with a host without its port', ['proxy_set_header Host $host;', ...UPGRADES], 403, 'proxy_host'],
    ['with nothing but proxy_pass', [], 403, 'proxy_host'],
    ['whose X-Forwarded-Host is not trusted', [FORWARDED, ...UPGRADES], 403, 'proxy_untrusted'],
  ])('%s, the gateway refuses the socket and says what to change', async (_how, lines, status, code) => {
    const url = await behind(careful, lines);
    const headers = { authorization: bearer(careful), origin: url };
    const refused = openTerminal(`${url}/api/ws/terminal/1`, { headers });
    await expect(refused.frame('session')).rejects.toThrow(String(status));
    const asked = await fetch(`${url}/api/arrival?origin=${encodeURIComponent(url)}`, { headers });
    expect(faultOfProxy(await asked.json(), url)).toMatchObject({ code });
  });

  it('names the host of the page and the one that the gateway was asked for', async () => {
    const url = await behind(careful, ['proxy_set_header Host $host;']);
    const client = createClient({ base_url: url, credentials: careful.admin.token });
    const arrival = await take(client.http.GET('/api/arrival', { params: { query: { origin: url } } }));
    const { message } = faultOfProxy(arrival, url);
    expect(message).toBe(`The page is at ${new URL(url).host}, the gateway was asked for 127.0.0.1`);
  });

  it('tells a stranger nothing about it', async () => {
    expect((await fetch(`${careful.url}/api/arrival`)).status).toBe(401);
  });

  it('opens a terminal for a host in capitals', async () => {
    const url = await behind(host.gateway, [HOST, ...UPGRADES]);
    const { port } = new URL(url);
    const client = openTerminal(`${url}/api/ws/terminal/${host.server.id}?cols=80&rows=24`, {
      headers: {
        authorization: bearer(host.gateway),
        host: `GATE.Example.org:${port}`,
        origin: `http://gate.example.org:${port}`,
      },
    });
    await client.frame('session');
    client.close(1000);
  });

  it('that passes no upgrades, the page says which headers to set', async () => {
    const url = await behind(host.gateway, [HOST]);
    const page = await visits.enter(url, host.gateway.admin.token);
    await openTerminalOn(page, host.server.name);
    const banner = page.getByRole('alert');
    await banner.getByText('A proxy in front of the gateway blocks terminals').waitFor();
    expect(await banner.textContent()).toContain('proxy_set_header Upgrade $http_upgrade;');
  });
});

/** Sends what a browser sends: its Basic credentials wherever the page has set no `Authorization`. */
function browserLike(url: string, credentials?: string): GatewayClient {
  const basic = `Basic ${Buffer.from(`${BASIC.username}:${BASIC.password}`).toString('base64')}`;
  class BrowserSocket extends WebSocket {
    constructor(address: string, protocols: string[]) {
      super(address, protocols, { headers: { authorization: basic, origin: url } });
    }
  }
  return createClient({
    base_url: url,
    ...(credentials ? { credentials } : {}),
    WebSocket: asSocket(BrowserSocket),
    fetch(request) {
      if (!request.headers.has('authorization')) request.headers.set('authorization', basic);
      return fetch(request);
    },
  });
}

/** The types of `ws` have more overloads than a terminal needs. */
function asSocket(made: unknown): SocketConstructor {
  return made as SocketConstructor;
}

describe('Behind a proxy with basic authentication', () => {
  const visits = useVisits({ httpCredentials: BASIC });
  let host: FileHost;
  let nginx: Awaited<ReturnType<typeof startPlainNginx>>;
  let server: Server;
  let client: GatewayClient;
  beforeAll(async () => {
    host = await startFileHost();
    server = host.server;
    nginx = await startPlainNginx(hostOf(host.gateway), [...BASIC_AUTH, HOST, ...UPGRADES]);
    client = browserLike(nginx.url, host.gateway.admin.token);
  });
  afterAll(async () => {
    await nginx?.stop();
    await host?.stop();
  });

  it('the proxy refuses who has no account there', async () => {
    expect((await fetch(`${nginx.url}/api/health`)).status).toBe(401);
  });

  it('a sign-in works, and its token is sent in a header of its own', async () => {
    const body = { username: 'admin', password: ADMIN_PASSWORD };
    const { access_token } = await take(browserLike(nginx.url).http.POST('/api/auth/login', { body }));
    const signed_in = browserLike(nginx.url, access_token);
    expect((await take(signed_in.http.GET('/api/auth/me'))).username).toBe('admin');
    expect(signed_in.tokenHeader('t')).toEqual(['X-Sallyport-Authorization', 'Bearer t']);
  });

  it('a client whose first request changes something sends it again in that header', async () => {
    const fresh = browserLike(nginx.url, host.gateway.admin.token);
    expect(await take(fresh.http.POST('/api/auth/ws-ticket'))).toHaveProperty('ticket');
  });

  it('an event stream arrives', async () => {
    for await (const statuses of watchStatuses(client)) {
      expect(statuses).toBeDefined();
      break;
    }
  });

  it('files are uploaded, downloaded and linked', async () => {
    const directory = await host.make('basic');
    const plan = { server_id: server.id, directory, filename: 'a.txt', overwrite: false };
    await uploadFile(client, new Blob(['through the proxy']), { plan });
    const path = `${directory}/a.txt`;
    const { body } = await downloadFile(client, { server_id: server.id, path });
    expect(await new Response(body).text()).toBe('through the proxy');
    const link = await fileLink(client, { server_id: server.id, path });
    expect(await (await client.fetch(new Request(link))).text()).toBe('through the proxy');
  });

  it('a terminal opens', async () => {
    const state = await firstEnd(client, { kind: 'server', server_id: server.id });
    expect(state).toMatchObject({ kind: 'open' });
  });

  it('an embedded session opens its terminal', async () => {
    const minted = await mint(host.gateway.admin, { kind: 'terminal', server_id: server.id });
    const { ticket } = minted.body;
    const body = { ticket };
    const { access_token } = await take(
      browserLike(nginx.url).http.POST('/api/auth/embed-session', { body }),
    );
    const embedded = browserLike(nginx.url, access_token);
    const state = await firstEnd(embedded, { kind: 'server', server_id: server.id });
    expect(state).toMatchObject({ kind: 'open' });
  });

  it('the page signs in and opens a terminal', async () => {
    const page = await visits.enter(nginx.url);
    await signInAsAdmin(page);
    await openTerminalOn(page, server.name);
    await untilTypable(page);
    await page.keyboard.type('echo $((6 * 7))-basic\n');
    await untilTyped(page, /42-basic/);
    expect(await terminalText(page)).not.toContain(BASIC.password);
  });
});

/** Opens a terminal and resolves when it is open or over; then it is closed. */
async function firstEnd(
  client: GatewayClient,
  target: { readonly kind: 'server'; readonly server_id: number },
): Promise<LinkState> {
  let link: TerminalLink | undefined;
  const state = await new Promise<LinkState>((resolve) => {
    const events = {
      state: (now: LinkState) => (now.kind === 'open' || now.kind === 'over') && resolve(now),
      output: () => undefined,
    };
    link = new TerminalLink({ client, target, size: { cols: 80, rows: 24 }, events });
  });
  link?.close();
  return state;
}
