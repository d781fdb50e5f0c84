import { appendFile, stat } from 'node:fs/promises';
import { eq } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AuditEntry } from '#core/model/audit/audit.ts';
import type { Server } from '#core/model/hosts/server.ts';
import type { Recording, RecordingVerdict } from '#core/model/recording.ts';
import { eventually } from '../../support/eventually.ts';
import {
  fileOf,
  hostOf,
  readCast,
  record,
  recordingsOf,
  shellOn,
} from '../../support/features/recordings.ts';
import { type Actor, describeEachGateway } from '../../support/gateway/gateway.ts';
import { connectedTerminal } from '../../support/gateway/ws.ts';
import { type Sshd, startSshd } from '../../support/hosts/sshd.ts';

const HOSTILE = `</title><script>alert(1)</script>"'&`;

let sshd: Sshd;

beforeAll(async () => {
  sshd = await startSshd();
});
afterAll(() => sshd?.stop());

const ENV = { SERVICE_RECORD_SESSIONS: 'true' };

describeEachGateway(
  'Recordings',
  (gateway) => {
    let user: Actor;
    let server: Server;

    beforeAll(async () => {
      user = await gateway().user({ username: 'ann', allowed_groups: ['lab'] });
      server = await hostOf(gateway(), sshd, { name: 'web-1' });
    });

    const recorded = async (actor: Actor = user, on: Server = server) =>
      record(actor, await shellOn(gateway(), actor, on.id), {
        keys: 'echo $((6 * 7))-ñandú-✓\r',
        sees: /42-/,
      });
    const get = (path: string, actor: Actor = user, headers: Record<string, string> = {}) =>
      actor.fetch(path, { headers });
    const verdict = async ({ id }: Recording) =>
      (await user.call<RecordingVerdict>('GET', `/api/recordings/${id}/verify`)).body;
    const said = async (action: string, search: string) => {
      const query = new URLSearchParams({ action, search });
      return (await gateway().admin.call<AuditEntry[]>('GET', `/api/auth/audit?${query}`)).body;
    };

    it('are searched by what their terminals showed, within what the caller may see', async () => {
      const recording = await recorded();
      const other = await gateway().user({ username: 'other-reader', allowed_groups: ['lab'] });
      const found = async (actor: Actor, body: object) => {
        const response = await actor.fetch('/api/recordings/search', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
        const events = (await response.text()).matchAll(/^data: (.*)$/gm);
        return [...events].map(([, data]) => JSON.parse(data ?? ''));
      };
      const events = await found(user, { text: '42-ÑANDÚ', server_id: server.id });
      expect(events[0]).toMatchObject({
        type: 'found',
        recording: { id: recording.id },
        matches: [{ line: expect.stringContaining('42-ñandú-✓'), at_s: expect.any(Number) }],
      });
      expect(events.at(-1)).toMatchObject({ type: 'done', skipped: 0, continue_to: null });
      expect(await found(other, { text: '42-ñandú' })).toEqual([
        { type: 'done', searched: 0, skipped: 0, continue_to: null },
      ]);
      const earlier = { text: '42-ñandú', to: recording.started_at, server_id: server.id };
      expect((await found(gateway().admin, earlier)).filter(({ type }) => type === 'found')).toEqual([]);
      expect((await user.call('POST', '/api/recordings/search', { text: 'x' })).status).toBe(422);
    });

    it('are searched one at a time by each user', async () => {
      await recorded();
      const first = await user.fetch('/api/recordings/search', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ text: 'anything' }),
      });
      const answers = await Promise.all(
        [1, 2, 3].map(() => user.call('POST', '/api/recordings/search', { text: 'anything' })),
      );
      await first.text();
      expect(answers.filter(({ status }) => status === 429).map(({ body }) => body['code'])).toContain(
        'too_many_searches',
      );
    });

    it('contain the output of the terminal with its sizes, and no hidden input', async () => {
      const client = await shellOn(gateway(), user, server.id);
      client.send({ type: 'resize', cols: 91, rows: 31 });
      // Input typed before the shell has released the line would wait in vain.
      client.type('stty -echo; echo ready-$((1 + 1)); read secret; stty size; echo seen-$((1 + 1))\r');
      await client.sees(/ready-2/);
      client.type('not-to-be-seen\r');
      const recording = await record(user, client, { keys: '', sees: /31 91\s+seen-2/ });
      const { header, events, output } = await readCast(fileOf(gateway(), recording));
      expect(header).toMatchObject({ version: 2, width: 80, height: 24, title: 'web-1' });
      expect(events).toContainEqual([expect.any(Number), 'r', '91x31']);
      expect(output).toContain('seen-2');
      expect(JSON.stringify(events)).not.toContain('not-to-be-seen');
      expect(new Set(events.map(([, code]) => code))).toEqual(new Set(['o', 'r']));
    });

    it('have a row from the start, which gets its end, duration and size at the end', async () => {
      const client = await shellOn(gateway(), user, server.id);
      const [open] = await recordingsOf(user);
      expect(open).toMatchObject({
        ...{ server_id: server.id, server_name: 'web-1', username: 'ann', status: 'recording' },
        ...{ ended_at: null, duration_s: null, size_bytes: null },
      });
      const closed = await record(user, client, { keys: 'echo a-$((1 + 1))\r', sees: /a-2/ });
      const { size } = await stat(fileOf(gateway(), closed));
      expect(closed).toMatchObject({ id: open?.id, status: 'finished', size_bytes: size });
      expect(closed.duration_s).toBeGreaterThan(0);
      expect(Date.parse(closed.ended_at ?? '')).toBeGreaterThan(Date.parse(closed.started_at));
    });

    it('are made of quick connections too', async () => {
      const client = await connectedTerminal(`${gateway().url}/api/ws/terminal/quick`, {
        headers: { authorization: `Bearer ${user.token}` },
      });
      const { port, username, password } = sshd;
      client.send({ type: 'open', host: '127.0.0.1', port, username, password, cols: 80, rows: 24 });
      expect(await client.frame('session')).toMatchObject({ recording: true });
      const recording = await record(user, client, { keys: 'echo q-$((1 + 1))\r', sees: /q-2/ });
      expect(recording).toMatchObject({ server_id: null, server_name: expect.stringContaining('127.0.0.1') });
    });

    it('are not made where the server disables them', async () => {
      const quiet = await hostOf(gateway(), sshd, { name: 'quiet', record_sessions: false });
      const client = await shellOn(gateway(), user, quiet.id);
      expect(await client.frame('session')).toMatchObject({ recording: false });
      client.close(1000);
      expect(await recordingsOf(user, `?server_id=${quiet.id}`)).toEqual([]);
    });

    it('are visible to their owner and to administrators, and unknown to others', async () => {
      const { id } = await recorded();
      const other = await gateway().user({ username: 'bob', allowed_groups: ['lab'] });
      expect(await recordingsOf(other)).toEqual([]);
      for (const path of ['', '/cast', '/download', '/text', '/play', '/verify']) {
        const { status, body } = await other.call('GET', `/api/recordings/${id}${path}`);
        expect({ path, status, code: body['code'] }).toEqual({
          ...{ path, status: 404, code: 'recording_not_found' },
        });
        const { ok } = await get(`/api/recordings/${id}${path}`, gateway().admin);
        expect({ path, ok }).toEqual({ path, ok: true });
      }
      expect((await other.call('DELETE', `/api/recordings/${id}`)).status).toBe(404);
      expect((await other.call('POST', `/api/recordings/${id}/ticket`)).status).toBe(404);
    });

    it('are found by server, user and words, in pages', async () => {
      const { id } = await recorded();
      const { admin } = gateway();
      const queries = [`server_id=${server.id}`, 'username=ANN', 'search=WEB', 'search=nn'];
      for (const query of queries) expect((await recordingsOf(admin, `?${query}&limit=1`))[0]?.id).toBe(id);
      expect(await recordingsOf(admin, '?search=no-such')).toEqual([]);
      const { headers } = await admin.call('GET', '/api/recordings?limit=1&offset=1');
      expect(Number(headers.get('x-total-count'))).toBe((await recordingsOf(admin)).length);
    });

    it('are opened by a reusable ticket for one recording, or by a token in the query', async () => {
      const { id } = await recorded();
      const { body } = await user.call<{ ticket: string; expires_in: number }>(
        'POST',
        `/api/recordings/${id}/ticket`,
      );
      expect(body.expires_in).toBe(60);
      const { anonymous } = gateway();
      for (const path of ['play', 'cast', 'cast', 'download', 'text'])
        for (const query of [`ticket=${body.ticket}`, `token=${user.token}`])
          expect((await get(`/api/recordings/${id}/${path}?${query}`, anonymous)).status).toBe(200);
      const other = await recorded();
      for (const path of [`/${other.id}/cast?ticket=${body.ticket}`, `/${id}/cast?ticket=x`, `/${id}/cast`])
        expect((await get(`/api/recordings${path}`, anonymous)).status).toBe(401);
      expect((await get(`/api/recordings/${id}?token=${user.token}`, anonymous)).status).toBe(401);
    });

    it('are played on a page with its own policy, where no user text becomes markup', async () => {
      const hostile = await hostOf(gateway(), sshd, { name: HOSTILE });
      const { id } = await recorded(user, hostile);
      const answer = await get(`/api/recordings/${id}/play`);
      const html = await answer.text();
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        'content-type': 'text/html; charset=utf-8',
        'referrer-policy': 'no-referrer',
        'cache-control': 'private, no-store',
        'x-content-type-options': 'nosniff',
        'content-security-policy': expect.stringMatching(
          /^default-src 'none'; script-src 'self' 'wasm-unsafe-eval';.*frame-ancestors 'none'$/,
        ),
      });
      expect(html).not.toContain('<script>');
      expect(html.match(/<\/title>/g)).toHaveLength(1);
      const [, cast = ''] = /data-cast="([^"]+)"/.exec(html) ?? [];
      expect((await get(`/api/recordings/${id}/${cast}`, gateway().anonymous)).status).toBe(200);
    });

    it('are sent whole or in ranges, never as something that a browser would run', async () => {
      const recording = await recorded();
      const path = `/api/recordings/${recording.id}/download`;
      const whole = await get(path);
      const text = await whole.text();
      const [headers, size] = [Object.fromEntries(whole.headers), recording.size_bytes ?? 0];
      expect(headers).toMatchObject({
        'content-type': 'application/x-asciicast',
        'content-length': String(size),
        'content-security-policy': "sandbox; default-src 'none'",
        'cache-control': 'private, no-store',
        'content-disposition': expect.stringMatching(/^attachment; filename="web-1-\d{4}-.*\.cast"/),
      });
      const part = await get(path, user, { range: 'bytes=2-10' });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes 2-10/${size}`]);
      expect(await part.text()).toBe(text.slice(2, 11));
      expect((await get(path, user, { range: `bytes=${size}-` })).status).toBe(416);
      const head = await user.fetch(path, { method: 'HEAD' });
      expect([head.status, head.headers.get('content-length')]).toEqual([200, String(size)]);
    });

    it('are read as plain text', async () => {
      const { id } = await recorded();
      const answer = await get(`/api/recordings/${id}/text`);
      expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      const text = await answer.text();
      expect(text).toContain('42-ñandú-✓\n');
      expect(text).not.toContain('\u001b');
    });

    it('are audited when they close, with a hash that verifies them', async () => {
      const recording = await recorded();
      const found = await verdict(recording);
      const [entry] = await said('recording_close', `#${recording.id} ${recording.file_path}`);
      expect(found).toMatchObject({ ok: true, reason: null, audit_entry_id: entry?.id });
      expect(found.sha256).toBe(found.expected_sha256);
      expect(entry).toMatchObject({
        username: 'ann',
        detail: `#${recording.id} ${recording.file_path}: sha256 ${found.sha256}, ${recording.size_bytes} bytes, web-1 (#${server.id})`,
      });
    });

    it('are detected when somebody has changed them', async () => {
      const recording = await recorded();
      const { db, tables } = gateway().store;
      const { recordings } = tables;
      const edit = db.update(recordings).set({ sha256: '0'.repeat(64) });
      await edit.where(eq(recordings.id, recording.id));
      expect(await verdict(recording)).toMatchObject({ ok: false, reason: 'row_changed' });
      await appendFile(fileOf(gateway(), recording), '[9,"o","more"]\n');
      expect(await verdict(recording)).toMatchObject({ ok: false, reason: 'changed' });
    });

    it('are deleted with their files, with an audit entry', async () => {
      const recording = await recorded();
      const path = `/api/recordings/${recording.id}`;
      expect((await user.call('DELETE', path)).status).toBe(204);
      await expect(stat(fileOf(gateway(), recording))).rejects.toThrow('ENOENT');
      expect((await user.call('GET', path)).status).toBe(404);
      expect((await user.call('DELETE', path)).status).toBe(404);
      expect(await said('recording_delete', `#${recording.id} of ann`)).toHaveLength(1);
    });

    it('can be viewed while in progress, and not deleted', async () => {
      const client = await shellOn(gateway(), user, server.id);
      const [open] = await recordingsOf(user);
      const path = `/api/recordings/${open?.id}`;
      client.type('echo a-$((1 + 1))\r');
      await eventually(async () => expect(await (await get(`${path}/cast`)).text()).toContain('a-2'));
      const { status, body } = await user.call('DELETE', path);
      expect([status, body['code']]).toEqual([409, 'recording_in_progress']);
      expect(
        (await verdict(await record(user, client, { keys: 'echo b-$((1 + 1))\r', sees: /b-2/ }))).ok,
      ).toBe(true);
    });

    it('keep their user and server names', async () => {
      const leaver = await gateway().user({ username: 'leaver', allowed_groups: ['lab'] });
      const gone = await hostOf(gateway(), sshd, { name: 'gone' });
      const { id } = await recorded(leaver, gone);
      const me = await leaver.call<{ id: number }>('GET', '/api/auth/me');
      const { admin } = gateway();
      await admin.call('DELETE', `/api/servers/${gone.id}`);
      await admin.call('DELETE', `/api/auth/users/${me.body.id}`);
      const { body } = await admin.call('GET', `/api/recordings/${id}`);
      expect(body).toMatchObject({ server_id: null, server_name: 'gone', username: 'leaver' });
      expect((await admin.call('GET', `/api/recordings/${id}/verify`)).body).toMatchObject({ ok: true });
    });

    it('of other users need the admin scope in an administrator’s API key', async () => {
      await recorded();
      const key = async (scopes: string[]) => {
        const { body } = await gateway().admin.call<{ key: string }>('POST', '/api/auth/api-keys', {
          ...{ name: 'k', scopes },
        });
        return gateway().actor(body.key);
      };
      expect(await recordingsOf(await key(['read']))).toEqual([]);
      expect((await recordingsOf(await key(['read', 'admin']))).length).toBeGreaterThan(0);
    });
  },
  { env: ENV },
);
