import { expect, it } from 'vitest';
import { createKeyring } from '#core/crypto/keyring.ts';
import { createVault } from '#core/crypto/vault.ts';
import { call, chatScene, inTime, text, untilStopped } from '../../support/agent/chat-scene.ts';
import { all, begun, endOf } from '../../support/agent/events.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const DAY_MS = 24 * 60 * 60_000;
const ASK = { message: 'a secret question', context: 'a secret screen' };

describeEachStore('A chat with the agent', (fresh) => {
  const scene = () => chatScene(fresh);

  it('is refused where the agent is off, disabled, or the server out of reach', async () => {
    const { one, ann, servers, server_id, repositories } = await scene();
    const refusal = (id: number) => expect(one.chats.ask(ann, id, ASK)).rejects;
    await refusal(999).toMatchObject({ code: 'server_not_found' });
    const [, disabled = 0, elsewhere = 0] = servers;
    await repositories.servers.update(disabled, { agent_enabled: false }, { most_hops: 8 });
    await refusal(disabled).toMatchObject({ code: 'agent_disabled_for_server', status: 403 });
    await repositories.servers.update(elsewhere, { group: 'other' }, { most_hops: 8 });
    await refusal(elsewhere).toMatchObject({ code: 'server_not_found' });
    for (const verb of [one.chats.list, one.chats.remove]) {
      await expect(verb(ann, elsewhere)).rejects.toMatchObject({ code: 'server_not_found' });
    }
    for (const verb of [one.chats.follow, one.chats.cancel]) {
      await expect(verb(ann, elsewhere, 1)).rejects.toMatchObject({ code: 'server_not_found' });
      await expect(verb(ann, server_id, 1)).rejects.toMatchObject({ code: 'agent_turn_not_found' });
    }
    one.limits = null;
    await refusal(server_id).toMatchObject({ code: 'agent_off', status: 503 });
    expect(one.model.requests).toEqual([]);
    expect(one.entries).toEqual([]);
  });

  it('is read, followed, cancelled and deleted by its user alone, not by an administrator', async () => {
    const { one, ann, admin, server_id, clock } = await scene();
    one.model.says(({ signal }) => [text('a secret answer'), untilStopped(signal)]);
    const stream = await one.chats.ask(ann, server_id, ASK);
    const { message_id } = await begun(stream);
    await inTime(clock, () => expect(one.model.streams()).toBe(1));
    expect((await one.chats.list(admin, server_id)).messages).toEqual([]);
    for (const verb of [one.chats.follow, one.chats.cancel]) {
      await expect(verb(admin, server_id, message_id)).rejects.toMatchObject({
        code: 'agent_turn_not_found',
      });
    }
    await one.chats.remove(admin, server_id);
    expect((await one.chats.list(ann, server_id)).messages).toHaveLength(2);
    expect(one.model.streams()).toBe(1);
    await one.chats.cancel(ann, server_id, message_id);
  });

  it('is sealed in the database: question, context, answer, and what tools have found', async () => {
    const { one, ann, server_id, store } = await scene();
    one.model.says(
      [text('a secret thought'), call('look', { path: '/a/secret' })],
      [text('a secret answer')],
    );
    one.tools.answer(async () => ({ ok: true, text: 'a secret file', summary: 'a secret summary' }));
    await all(await one.chats.ask(ann, server_id, ASK));
    const rows = await store.db.select().from(store.tables.agent_messages);
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain('secret');
    expect(JSON.stringify(rows)).not.toContain(Buffer.from('secret').toString('base64').slice(0, 6));
    const { messages } = await one.chats.list(ann, server_id);
    expect(JSON.stringify(messages)).toContain('a secret summary');
    expect(JSON.stringify(messages)).not.toContain('a secret file'); // for the model alone
  });

  it('leaves out what was sealed with a lost key', async () => {
    const { one, ann, server_id, store } = await scene();
    one.model.says([text('Hello')]);
    await all(await one.chats.ask(ann, server_id, ASK));
    const other = createVault(await createKeyring('another secret key, long enough'));
    const content_sealed = await other.seal('{}', 'agent_messages.content', 1);
    await store.db.update(store.tables.agent_messages).set({ content_sealed });
    expect((await one.chats.list(ann, server_id)).messages).toEqual([]);
    expect(endOf(await all(await one.chats.ask(ann, server_id, ASK))).state).toBe('done');
  });

  it('stops being streamed to a session that signs out, while the turn of another one goes on', async () => {
    const { one, ann, server_id, repositories, clock } = await scene();
    const session = await repositories.web_sessions.active('ann', clock.now().toISOString());
    if (!session) throw new Error('Ann is signed in');
    await repositories.web_sessions.insert({ ...session.session, id: 'phone' });
    one.model.says(({ signal }) => [text('Hm'), untilStopped(signal)]);
    const { message_id } = await begun(await one.chats.ask(ann, server_id, ASK));
    const phone = { ...ann, credential: { kind: 'session', id: 'phone' } } as const;
    const events = all(await one.chats.follow(phone, server_id, message_id));
    await repositories.web_sessions.remove(ann.user_id, 'phone');
    let is_over = false;
    void events.then(() => {
      is_over = true;
    });
    await inTime(clock, () => expect(is_over).toBe(true));
    expect(endOf(await events)).toMatchObject({ error: { code: 'agent_ended', message: 'Signed out' } });
    expect(one.model.streams()).toBe(1);
  });

  it('is deleted once nobody has continued it for the days of retention', async () => {
    const { one, ann, server_id, clock } = await scene();
    one.model.says([text('Hello')]);
    one.retention_days = 2;
    await all(await one.chats.ask(ann, server_id, ASK));
    await clock.pass(DAY_MS / 24);
    expect((await one.chats.list(ann, server_id)).messages).toHaveLength(2);
    one.retention_days = 0;
    await clock.pass(DAY_MS / 24);
    await inTime(clock, async () => {
      expect((await one.chats.list(ann, server_id)).messages).toEqual([]);
    });
  });
});
