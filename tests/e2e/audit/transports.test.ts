import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuditEntry, AuditVerdict } from '#core/model/audit/audit.ts';
import type { Server } from '#core/model/hosts/server.ts';
import { ask, chooseProvider } from '../../support/agent/asking.ts';
import { LOCAL_MODELS, type ModelServer, startModelServer } from '../../support/agent/model-server.ts';
import { eventually } from '../../support/eventually.ts';
import { createKey } from '../../support/features/accounts.ts';
import { exported, restored } from '../../support/features/backups.ts';
import { embed } from '../../support/features/embeds.ts';
import { hostOf, record, shellOn } from '../../support/features/recordings.ts';
import { type Actor, describeEachGateway, logIn, startGateway } from '../../support/gateway/gateway.ts';
import { entries, query, sshd, useSshd } from './scene.ts';

useSshd();

describeEachGateway(
  'The transport',
  (gateway) => {
    let models: ModelServer;
    let server: Server;
    beforeAll(async () => {
      models = await startModelServer();
      await chooseProvider(gateway(), models);
      server = await hostOf(gateway(), sshd, { agent_enabled: true, record_sessions: true });
    });
    afterAll(() => models?.stop());

    const member = (username: string) => gateway().user({ username, allowed_groups: [server.group] });
    const keyOf = async (owner: Actor) => gateway().actor((await createKey(owner)).key);
    const verdict = async (actor = gateway().admin) =>
      (await actor.call<AuditVerdict>('GET', '/api/auth/audit/verify')).body;

    /** What the entries of this user say, oldest first. */
    async function viasOf(username: string, fields: Record<string, string> = {}) {
      const found = await entries(gateway(), { username, ...fields });
      return found.map(({ action, via }) => [action, via]).reverse();
    }

    async function openAndLeave(actor: Actor, owner: Actor): Promise<void> {
      const shell = await shellOn(gateway(), actor, server.id);
      await record(owner, shell, { keys: 'echo a-$((1 + 1))\r', sees: /a-2/ });
    }

    it('of a session is the page, from the sign-in to the end of a recorded terminal', async () => {
      const user = await member('on the page');
      await openAndLeave(user, user);
      await eventually(async () =>
        expect(await viasOf('on the page')).toEqual([
          ['login', 'page'],
          ['terminal_open', 'page'],
          ...[expect.anything(), expect.anything()],
        ]),
      );
      const ends = (await viasOf('on the page')).slice(2).sort();
      expect(ends).toEqual([
        ['recording_close', 'page'],
        ['terminal_close', 'page'],
      ]);
    });

    it('of an API key is the API, to the end of a recorded terminal', async () => {
      const owner = await member('of a key');
      await openAndLeave(await keyOf(owner), owner);
      const ofKey = () => viasOf('of a key', { via: 'api' });
      await eventually(async () => expect(await ofKey()).toHaveLength(3));
      expect((await ofKey()).map(([action]) => action).sort()).toEqual([
        'recording_close',
        'terminal_close',
        'terminal_open',
      ]);
      expect(await viasOf('of a key', { via: 'page' })).toEqual([
        ['login', 'page'],
        ['api_key_create', 'page'],
      ]);
    });

    it('of a download with the ticket of an API key is the API', async () => {
      const key = await keyOf(await member('of a ticket'));
      const path = join(sshd.folder, 'notes.txt');
      const { body } = await key.call<{ ticket: string }>('POST', `/api/files/${server.id}/ticket`, { path });
      const search = query({ path, ticket: body.ticket });
      const file = await gateway().anonymous.fetch(`/api/files/${server.id}/download?${search}`);
      expect(await file.text()).toBe('one line of text\n');
      expect(await viasOf('of a ticket', { action: 'sftp_download' })).toEqual([['sftp_download', 'api']]);
    });

    it('of an element in another page is embedding, though an API key made its ticket', async () => {
      const key = await keyOf(await member('of a portal'));
      const visitor = await embed(gateway(), key, { server_id: server.id, kind: 'terminal' });
      (await shellOn(gateway(), visitor, server.id)).close(1000);
      await visitor.call('DELETE', '/api/auth/embed-session');
      await eventually(async () =>
        expect(await viasOf('of a portal', { via: 'embed' })).toEqual(
          expect.arrayContaining([
            ['embed_start', 'embed'],
            ['terminal_open', 'embed'],
            ['terminal_close', 'embed'],
            ['embed_end', 'embed'],
          ]),
        ),
      );
      expect(await viasOf('of a portal', { via: 'api' })).toEqual([['embed_ticket', 'api']]);
    });

    it('of what the agent does for somebody is the agent, and of the question how it was asked', async () => {
      const key = await keyOf(await member('of a question'));
      const path = join(sshd.folder, 'notes.txt');
      models.script({ calls: [{ tool: 'read_file', arguments: { path } }] }, { says: ['One line.'] });
      const stream = await ask(key, server.id, { message: 'What is in it?' });
      await stream.all;
      expect(await stream.first('tool_result')).toMatchObject({ data: { ok: true } });
      expect((await viasOf('of a question')).slice(-2)).toEqual([
        ['agent_ask', 'api'],
        ['agent_tool', 'agent'],
      ]);
    });

    it('of a refused sign-in is the page', async () => {
      await logIn(gateway().anonymous, 'refused', 'wrong');
      expect(await viasOf('refused')).toEqual([['login_failed', 'page']]);
    });

    it('is missing in what the gateway does by itself', async () => {
      const [found] = await entries(gateway(), { action: 'gateway_start' });
      expect(found).not.toHaveProperty('via');
    });

    it('filters the export, too, and the entry of the export says so', async () => {
      const filter = { via: 'api', username: 'of a key' };
      const read = async (format: string) =>
        (await gateway().admin.fetch(`/api/auth/audit/export?${query({ ...filter, format })}`)).text();
      const listed = await entries(gateway(), filter);
      const lines = (await read('ndjson')).trimEnd().split('\n');
      const rows = lines.map((line): AuditEntry => JSON.parse(line));
      expect(rows.map(({ id, via }) => [id, via])).toEqual(listed.map(({ id }) => [id, 'api']));
      expect((await read('csv')).trimEnd().split('\r\n').slice(1)).toHaveLength(listed.length);
      const [noted] = await entries(gateway(), { action: 'audit_export' });
      expect(noted?.detail).toBe('csv, by username, via');
    });

    it('that does not exist is refused as a filter', async () => {
      const { status, body } = await gateway().admin.call('GET', '/api/auth/audit?via=carrier-pigeon');
      expect([status, body['code']]).toEqual([422, 'validation']);
    });

    it('survives a backup, and the restored log verifies', async () => {
      const filter = { username: 'of a question' };
      const bundle = await exported(gateway().admin, true);
      const other = await startGateway();
      try {
        await restored(other.admin, bundle, { mode: 'merge' });
        const shape = ({ action, via }: AuditEntry) => [action, via];
        const before = (await entries(gateway(), filter)).map(shape);
        expect((await entries(other, filter)).map(shape)).toEqual(before);
        expect(before.map(([, via]) => via)).toContain('agent');
        expect(await verdict(other.admin)).toMatchObject({ ok: true });
      } finally {
        await other.close();
      }
    });

    it('is covered by the verification', async () => {
      expect(await verdict()).toMatchObject({ ok: true });
    });
  },
  { env: LOCAL_MODELS },
);
