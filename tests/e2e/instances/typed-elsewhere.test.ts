import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DIALECTS, type FreshDatabase, migratedDatabaseUrl } from '../../support/databases/stores.ts';
import { eventually } from '../../support/eventually.ts';
import { addHost, listingOf } from '../../support/features/chain.ts';
import { type Actor, startGateway, type TestGateway } from '../../support/gateway/gateway.ts';
import { type KeptLog, keepLog } from '../../support/gateway/logs.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const QUESTIONS = '/internal/typed-credentials';
const TYPED = { auth_method: 'prompt', password: '' };

let sshd: Sshd;
beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

describe.each(DIALECTS)('Credentials typed for files, behind a balancer (%s)', (dialect) => {
  let database: FreshDatabase;
  let one: TestGateway;
  let other: TestGateway;
  let log: KeptLog;
  beforeAll(async () => {
    database = await migratedDatabaseUrl(dialect);
    log = keepLog();
    one = await startGateway({ database_url: database.url, log });
    other = await startGateway({ database_url: database.url, log, untouched: true });
  });
  afterAll(async () => {
    await one?.close();
    await other?.close();
    await database?.cleanup();
  });

  const connect = (actor: Actor, id: number, password = sshd.password) =>
    actor.call('POST', `/api/files/${id}/connect`, { password });

  let people = 0;

  /** The same person at both instances. */
  async function person() {
    people += 1;
    const here = await one.user({ username: `person ${people}`, allowed_groups: ['lab'] });
    return { here, there: other.actor(here.token) };
  }

  it('work at every instance, for the sign-in that typed them only', async () => {
    const { here, there } = await person();
    const { id } = await addHost(one, { name: 'shared', sshd, ...TYPED });
    expect((await listingOf(there, id)).code).toBe('credentials_required');
    expect((await connect(here, id)).status).toBe(200);
    const all = await Promise.all(Array.from({ length: 6 }, () => listingOf(there, id)));
    expect(all.map(({ status }) => status)).toEqual(Array(6).fill(200));
    const another = await person();
    for (const actor of [another.here, another.there])
      expect((await listingOf(actor, id)).code).toBe('credentials_required');
  });

  it('open the way to a server behind a jump host at the other instance', async () => {
    const { here, there } = await person();
    const bastion = await addHost(one, { name: 'gate', sshd, ...TYPED });
    const inner = await addHost(one, { name: 'inner', sshd, ...TYPED, jump_via_id: bastion.id });
    expect((await connect(here, bastion.id)).status).toBe(200);
    expect((await connect(there, inner.id)).status).toBe(200);
    expect((await listingOf(here, inner.id)).status).toBe(200);
  });

  it('are required again at every instance once the server is edited', async () => {
    const { here, there } = await person();
    const { id } = await addHost(one, { name: 'edited', sshd, ...TYPED });
    await connect(here, id);
    await one.admin.call('PUT', `/api/servers/${id}`, { tags: ['x'] });
    for (const actor of [there, here]) expect((await listingOf(actor, id)).code).toBe('credentials_required');
  });

  it('end their connections at both instances with the sign-in', async () => {
    const own = await startSshd();
    const { here, there } = await person();
    const { id } = await addHost(one, { name: 'left', sshd: own, ...TYPED });
    await connect(here, id, own.password);
    expect((await listingOf(there, id)).status).toBe(200);
    await here.call('POST', '/api/auth/logout');
    await eventually(async () => expect(await own.sessionProcesses()).toEqual([]));
    await own.stop();
  });

  it('are never stored, logged or given to a caller without the secret key', async () => {
    const { here, there } = await person();
    const { id } = await addHost(one, { name: 'guarded', sshd, ...TYPED });
    await connect(here, id);
    expect((await listingOf(there, id)).status).toBe(200);
    for (const actor of [one.anonymous, one.admin, here]) {
      for (const headers of [{}, { 'x-sallyport-question': 'forged' }]) {
        const answer = await actor.fetch(QUESTIONS, { method: 'POST', headers });
        expect([answer.status, await answer.text()]).toEqual([204, '']);
      }
    }
    const stored = dialect === 'sqlite' ? ['', '-wal'].map((end) => database.url + end) : [];
    const files = await Promise.all(stored.map((path) => readFile(path, 'latin1')));
    for (const text of [...files, log.lines.join('\n')]) expect(text).not.toContain(sshd.password);
  });
});
