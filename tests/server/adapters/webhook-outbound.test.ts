import { execFileSync } from 'node:child_process';
import type { LookupAddress } from 'node:dns';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer as createTlsServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { ExchangeFailed, type Outbound } from '#core/ports/outside.ts';
import { createOutbound } from '#server/adapters/outbound/outbound.ts';
import { isPublicAddress } from '#server/lib/addresses.ts';
import type { HostLookup } from '#worker/names/host-lookup.ts';
import { startBlackhole } from '../../support/hosts/blackhole.ts';
import { freePort, type Peer, startSilentPeer, startTalkingPeer } from '../../support/hosts/tcp.ts';
import { type Answering, startWebhookReceiver } from '../../support/hosts/webhook-receiver.ts';

const NEVER = new AbortController().signal;
const PRIVATE = 'The address is not public; the settings can allow private ones';

/** A name server that gives these answers in order, and repeats the last one. */
function namesOf(...answers: string[][]): HostLookup & { asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    find(hostname) {
      const answer = answers[Math.min(asked.length, answers.length - 1)] ?? [];
      asked.push(hostname);
      const addresses = answer.map(
        (address): LookupAddress => ({ address, family: address.includes(':') ? 6 : 4 }),
      );
      return { addresses: Promise.resolve(addresses), leave() {} };
    },
  };
}

const local = () => createOutbound({ allowsPrivate: () => true, names: namesOf(['127.0.0.1']) });
const strict = (...answers: string[][]) =>
  createOutbound({ allowsPrivate: () => false, names: namesOf(...answers) });

type PostInput = Parameters<Outbound['post']>[0];

function post(outbound: Outbound, url: string, changes: Partial<PostInput> = {}) {
  const body = new TextEncoder().encode('{"event":"test"}');
  return outbound.post({ url, headers: {}, body, timeout_ms: 5000, signal: NEVER, ...changes });
}

/** The reason of a failure. */
async function reasonOf(posting: Promise<unknown>): Promise<[string, boolean]> {
  const error = await posting.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ExchangeFailed)) throw new Error(`Not a ExchangeFailed: ${String(error)}`);
  return [error.message, error.is_final];
}

async function receiver(answer?: Answering) {
  const started = await startWebhookReceiver(answer);
  onTestFinished(started.stop);
  return started;
}

async function peer(starting: Promise<Peer>): Promise<Peer> {
  const started = await starting;
  onTestFinished(() => started.stop());
  return started;
}

describe('The address of a webhook', () => {
  it.each([
    'https://hooks.example.com/in?token=1',
    'https://hooks.example.com:8443/',
    'https://8.8.8.8/',
    'https://[2606:4700::1111]/',
    'https://localhost.example.com/',
  ])('may be %s', (url) => {
    expect(strict().objection(url)).toBeUndefined();
  });

  it.each([
    ['', 'The address is not a URL'],
    ['hooks.example.com', 'The address is not a URL'],
    ['https://exa mple.com/', 'The address is not a URL'],
    [' https://example.com/', 'The address is not a URL'],
    ['https://example.com/\n', 'The address is not a URL'],
    ['https://', 'The address is not a URL'],
    ['file:///etc/passwd', 'A webhook needs an https URL'],
    ['ftp://example.com/', 'A webhook needs an https URL'],
    ['http://example.com/', 'A webhook needs an https URL unless the settings allow private addresses'],
    ['https://user:secret@example.com/', 'The URL must not contain a username or a password'],
    ['https://:secret@example.com/', 'The URL must not contain a username or a password'],
    ['https://example.com/#part', 'The URL must not contain a fragment (#…)'],
    ['https://example.com/#', 'The URL must not contain a fragment (#…)'],
  ])('is refused for %j: %s', (url, reason) => {
    expect(strict().objection(url)).toBe(reason);
  });

  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0177.0.0.1/',
    'https://0x7f000001/',
    'https://127.0.0.1./',
    'https://①②⑦.0.0.1/',
    'https://0/',
    'https://10.0.0.1/',
    'https://172.31.255.255/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://100.64.0.1/',
    'https://224.0.0.1/',
    'https://255.255.255.255/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:a00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::7f00:1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fd00::1]/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://a.localhost:8443/',
  ])('is refused for %s, which is not public', (url) => {
    expect(strict().objection(url)).toBe(PRIVATE);
  });

  it('may be private and plain http where that is allowed', () => {
    for (const url of ['http://127.0.0.1:8080/', 'https://localhost/']) {
      expect(local().objection(url)).toBeUndefined();
    }
    expect(local().objection('http://a:b@127.0.0.1/')).toBeDefined();
  });

  it.each([
    ['64:ff9b::808:808', true],
    ['64:ff9b::a00:1', false],
    ['64:ff9b:1::808:808', false],
    ['2002:808:808::1', true],
    ['2002:c0a8:101::1', false],
    ['::ffff:8.8.8.8', true],
    ['::808:808', false],
    ['2001:db8::1', false],
    ['2001::1', false],
    ['4000::1', false],
    ['fe80::1%eth0', false],
    ['ff02::1', false],
    ['198.51.100.1', false],
    ['198.18.0.1', false],
  ])('%s is public: %s', (address, is_public) => {
    expect(isPublicAddress(address)).toBe(is_public);
  });
});

describe('A host name', () => {
  it.each([
    [['127.0.0.1']],
    [['8.8.8.8', '10.0.0.1']],
    [['::1']],
    [['::ffff:192.168.0.1']],
    [['64:ff9b::7f00:1']],
  ])('that resolves to %j is refused for good, and nothing is dialled', async (addresses) => {
    const silent = await peer(startSilentPeer());
    const posting = post(strict(addresses), `https://hooks.test:${silent.port}/`);
    expect(await reasonOf(posting)).toEqual([PRIVATE, true]);
    expect(silent.open()).toBe(0);
  });

  it('is resolved once, and exactly the checked address is dialled', async () => {
    const good = await receiver();
    const names = namesOf(['127.0.0.1'], ['127.0.0.99']);
    const outbound = createOutbound({ allowsPrivate: () => true, names });
    expect(await post(outbound, `http://rebind.test:${good.port}/`)).toEqual({ status: 204 });
    expect(names.asked).toEqual(['rebind.test']);
  });

  it('is checked again at each delivery', async () => {
    const names = namesOf(['127.0.0.1']);
    const outbound = createOutbound({ allowsPrivate: () => false, names });
    for (let round = 0; round < 2; round += 1) await reasonOf(post(outbound, 'https://hooks.test/'));
    expect(names.asked).toHaveLength(2);
  });

  it('is tried at its next address when one does not answer', async () => {
    const good = await receiver();
    const names = namesOf(['127.0.0.2', '127.0.0.1']);
    const outbound = createOutbound({ allowsPrivate: () => true, names });
    expect(await post(outbound, `http://two.test:${good.port}/`)).toEqual({ status: 204 });
  });

  it('that does not exist is reported as not found', async () => {
    const names: HostLookup = {
      find: () => ({
        addresses: Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND x'), { code: 'ENOTFOUND' })),
        leave() {},
      }),
    };
    const posting = post(createOutbound({ allowsPrivate: () => false, names }), 'https://nobody.test/');
    expect(await reasonOf(posting)).toEqual(['The host was not found', false]);
  });

  it('that is not resolved in time is given up, and its lookup abandoned', async () => {
    const left: string[] = [];
    const names: HostLookup = {
      find: (host) => ({ addresses: new Promise(() => {}), leave: () => void left.push(host) }),
    };
    const outbound = createOutbound({ allowsPrivate: () => false, names });
    const posting = post(outbound, 'https://slow.test/', { timeout_ms: 20 });
    expect(await reasonOf(posting)).toEqual(['No response within 0.02 s', false]);
    expect(left).toEqual(['slow.test']);
  });
});

describe('A POST', () => {
  it('sends the given bytes and headers, plus only what HTTP needs', async () => {
    const good = await receiver();
    const headers = { 'Content-Type': 'application/json', 'X-Service-Delivery': '7' };
    await post(local(), `${good.url('/in')}?a=1`, { headers });
    const [received] = await good.hears('/in?a=1');
    const lines = received?.raw_headers ?? [];
    expect(Object.fromEntries(lines.flatMap((name, i) => (i % 2 ? [] : [[name, lines[i + 1]]])))).toEqual({
      ...headers,
      'Content-Length': '16',
      Host: `127.0.0.1:${good.port}`,
      Connection: 'close',
    });
    expect(received?.body).toBe('{"event":"test"}');
  });

  it('does not follow a redirect', async () => {
    const inner = await receiver();
    const outer = await receiver((response) => response.writeHead(307, { location: inner.url('/') }).end());
    expect(await post(local(), outer.url())).toEqual({ status: 307 });
    expect(inner.received()).toEqual([]);
  });

  it('does not read the response body', async () => {
    let is_finished = false;
    const endless = await receiver((response) => {
      response.writeHead(200, { 'content-length': String(1024 ** 3) });
      response.on('finish', () => {
        is_finished = true;
      });
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024)));
      };
      response.on('drain', more);
      more();
    });
    expect(await post(local(), endless.url())).toEqual({ status: 200 });
    await expect.poll(endless.open).toBe(0);
    expect(is_finished).toBe(false);
  });

  it.each([
    ['says nothing', () => startSilentPeer(), /^No response within 0.2 s$/],
    ['says half a header', () => startTalkingPeer('HTTP/1.1 200 OK\r\nX: '), /^No response within 0.2 s$/],
    ['goes on processing', () => startTalkingPeer('HTTP/1.1 102 Processing\r\n\r\n'), /^No response/],
    [
      'answers early without end',
      () => startTalkingPeer('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)),
      /^The response is not HTTP$/,
    ],
    ['hangs up at once', () => startTalkingPeer('', { hang_up: true }), /^The connection was closed without/],
    ['speaks SSH', () => startTalkingPeer('SSH-2.0-x\r\n'), /^The response is not HTTP$/],
    [
      'sends a header without end',
      () => startTalkingPeer(`HTTP/1.1 200 OK\r\n${`X: ${'x'.repeat(1000)}\r\n`.repeat(1000)}`),
      /^The response header is too large$/,
    ],
  ])('to a receiver that %s fails and leaves no connection', async (_what, start, reason) => {
    const strange = await peer(start());
    const posting = post(local(), `http://127.0.0.1:${strange.port}/`, { timeout_ms: 200 });
    const [said, is_final] = await reasonOf(posting);
    expect([said, is_final]).toEqual([expect.stringMatching(reason), false]);
    await strange.idle();
  });

  it('takes a protocol switch as the answer and closes', async () => {
    const strange = await peer(
      startTalkingPeer('HTTP/1.1 101 x\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n'),
    );
    expect(await post(local(), `http://127.0.0.1:${strange.port}/`)).toEqual({ status: 101 });
    await strange.idle();
  });

  it('to a closed port is refused', async () => {
    const posting = post(local(), `http://127.0.0.1:${await freePort()}/`);
    expect(await reasonOf(posting)).toEqual(['The connection was refused', false]);
  });

  it('to a host that drops all packets times out', async () => {
    const hole = await startBlackhole();
    onTestFinished(() => hole.stop());
    const posting = post(local(), `http://127.0.0.1:${hole.port}/`, { timeout_ms: 100 });
    expect(await reasonOf(posting)).toEqual(['No response within 0.1 s', false]);
  });

  it('is aborted by its signal', async () => {
    const silent = await peer(startSilentPeer());
    const stop = new AbortController();
    const posting = post(local(), `http://127.0.0.1:${silent.port}/`, { signal: stop.signal });
    await silent.connected();
    stop.abort(new Error('stopped'));
    await expect(posting).rejects.toThrow('stopped');
    await silent.idle();
  });

  it('to an address that is now refused is not sent, whatever was allowed before', async () => {
    const good = await receiver();
    const posting = post(strict(), good.url());
    expect(await reasonOf(posting)).toEqual([
      'A webhook needs an https URL unless the settings allow private addresses',
      true,
    ]);
    expect(good.received()).toEqual([]);
  });
});

describe('TLS', () => {
  let folder: string;
  let server: Server;
  let port: number;
  const seen: (string | undefined)[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'sallyport-tls-'));
    makeCertificate(folder);
    const [key, cert] = ['server.key', 'server.pem'].map((name) => readFileSync(join(folder, name)));
    server = createTlsServer({ key, cert }, (request, response) => {
      seen.push(request.headers.host);
      response.writeHead(200).end();
    });
    server.on('tlsClientError', () => undefined);
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port; // It listens on TCP.
  });
  afterAll(() => {
    server.close();
    server.closeAllConnections();
    rmSync(folder, { recursive: true, force: true });
  });

  const outbound = (is_trusted = true) =>
    createOutbound({
      allowsPrivate: () => true,
      names: namesOf(['127.0.0.1']),
      ...(is_trusted && { ca: readFileSync(join(folder, 'ca.pem'), 'utf8') }),
    });

  it('is verified against the host name of the URL, which is also sent as SNI', async () => {
    expect(await post(outbound(), `https://hooks.test:${port}/`)).toEqual({ status: 200 });
    expect(await post(outbound(), `https://hooks.test.:${port}/`)).toEqual({ status: 200 });
    expect(seen[0]).toBe(`hooks.test:${port}`);
  });

  it('to an IP address is verified against that address', async () => {
    expect(await post(outbound(), `https://127.0.0.1:${port}/`)).toEqual({ status: 200 });
  });

  it('with a certificate for another host fails', async () => {
    const posting = post(outbound(), `https://other.test:${port}/`);
    expect(await reasonOf(posting)).toEqual(['TLS: the certificate is for another host', false]);
  });

  it('with a certificate of an unknown CA fails', async () => {
    const [reason] = await reasonOf(post(outbound(false), `https://hooks.test:${port}/`));
    expect(reason).toMatch(/^TLS: the certificate authority is not trusted$/);
  });

  it('to a receiver that does not speak TLS fails', async () => {
    const plain = await receiver();
    const [reason] = await reasonOf(post(outbound(), `https://hooks.test:${plain.port}/`));
    expect(reason).toMatch(/^TLS: /);
  });
});

function makeCertificate(folder: string): void {
  const run = (program: string, ...args: string[]) =>
    execFileSync(program, args, { cwd: folder, stdio: 'pipe' });
  const key = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  run(
    'openssl',
    'req',
    '-x509',
    ...key,
    '-keyout',
    'ca.key',
    '-out',
    'ca.pem',
    '-subj',
    '/CN=Test CA',
    '-days',
    '2',
  );
  run('openssl', 'req', ...key, '-keyout', 'server.key', '-out', 'server.csr', '-subj', '/CN=hooks.test');
  writeFileSync(join(folder, 'names'), 'subjectAltName=DNS:hooks.test,IP:127.0.0.1\n');
  const signer = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2'];
  run('openssl', 'x509', '-req', '-in', 'server.csr', ...signer, '-extfile', 'names', '-out', 'server.pem');
}
