import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createElementSession, type ElementSession } from '../../../apps/web/embed/session.ts';

type Answer = (response: ServerResponse) => void;

/** A gateway whose embedded sessions are for the files of server 7. */
function createGateway() {
  const asked: string[] = [];
  let waiting: ((asked: string) => void)[] = [];
  let tokens = 0;
  let renewal: Answer = grant;

  function grant(response: ServerResponse): void {
    tokens += 1;
    const server = { id: 7, name: 'box', sftp_read_only: false, sftp_allowed_paths: [] };
    const times = { expires_in: 300, ends_at: '2099-01-01T00:00:00.000Z' };
    const session = { access_token: `token ${tokens}`, token_type: 'bearer', kind: 'files', mode: 'rw' };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...session, ...times, username: 'portal', server }));
  }

  const server: Server = createServer((request, response) => {
    const line = `${request.method} ${request.url} ${request.headers.authorization ?? '-'}`;
    asked.push(line);
    for (const wake of waiting) wake(line);
    if (request.url?.endsWith('/renew')) renewal(response);
    else if (request.method === 'DELETE') response.writeHead(204).end();
    else grant(response);
  });
  return {
    server,
    asked,
    grant,
    renewWith: (answer: Answer) => {
      renewal = answer;
    },
    /** Resolves when this has been asked, now or before. */
    async heard(line: string): Promise<void> {
      if (asked.includes(line)) return;
      await new Promise<void>((resolve) => {
        waiting = [...waiting, (one) => one === line && resolve()];
      });
    },
  };
}

describe('The session of an element', () => {
  let gateway: ReturnType<typeof createGateway>;
  let session: ElementSession | undefined;

  beforeEach(async () => {
    gateway = createGateway();
    gateway.server.listen(0, '127.0.0.1');
    await once(gateway.server, 'listening');
  });
  afterEach(() => {
    session?.dispose();
    gateway.server.closeAllConnections();
    gateway.server.close();
  });

  interface Wanted {
    readonly kind?: 'files' | 'terminal';
    readonly server_id?: number;
    readonly getTicket?: () => Promise<string> | string;
  }

  function create({ kind = 'files', server_id = 7, getTicket = () => 'a ticket' }: Wanted = {}) {
    const { port } = gateway.server.address() as AddressInfo;
    session = createElementSession({
      base_url: `http://127.0.0.1:${port}`,
      ticket: undefined,
      getTicket,
      kind,
      server_id: () => server_id,
    });
    return session;
  }

  it('is what the ticket grants', async () => {
    expect((await create().ensure()).access_token).toBe('token 1');
  });

  it.each([
    ['another server', { server_id: 8 }, 'The ticket is for the server 7'],
    ['another kind', { kind: 'terminal' as const }, 'The ticket is for files'],
  ])('is refused and ended when the ticket is for %s', async (_, wanted, message) => {
    await expect(create(wanted).ensure()).rejects.toMatchObject({ code: 'embed_refused', message });
    await gateway.heard('DELETE /api/auth/embed-session Bearer token 1');
  });

  it('stays ended when the answer to a renewal comes after its end', async () => {
    const ended = create();
    await ended.ensure();
    const held = new Promise<ServerResponse>((resolve) => gateway.renewWith(resolve));
    const asked = ended.ensure({ is_doubtful: true });
    const late = await held;
    ended.dispose();
    gateway.grant(late);
    await expect(asked).rejects.toMatchObject({ name: 'NoTicket' });
    await gateway.heard('DELETE /api/auth/embed-session Bearer token 2');
  });

  it('uses no ticket that comes after its end', async () => {
    let give: (ticket: string) => void = () => undefined;
    const ended = create({
      getTicket: () =>
        new Promise<string>((resolve) => {
          give = resolve;
        }),
    });
    const asked = ended.ensure();
    ended.dispose();
    give('a ticket');
    await expect(asked).rejects.toMatchObject({ name: 'NoTicket' });
    expect(gateway.asked).toEqual([]);
  });
});
