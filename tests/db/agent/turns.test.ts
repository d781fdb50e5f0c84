import { expect, it } from 'vitest';
import { call, chatScene, inTime, text, untilStopped } from '../../support/agent/chat-scene.ts';
import { all, begun, endOf, textOf } from '../../support/agent/events.ts';
import { instanceRow } from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const ASK = { message: 'Why?' };
const CHANGES = {
  'the user signs out': ({ repositories, ann }) => repositories.web_sessions.remove(ann.user_id, 'ann'),
  'the user loses the group': ({ repositories, ann }) =>
    repositories.users.update(ann.user_id, { allowed_groups: ['elsewhere'] }),
  'the server is deleted': ({ repositories, server_id }) => repositories.servers.remove(server_id),
  'the agent is disabled for the server': ({ repositories, server_id }) =>
    repositories.servers.update(server_id, { agent_enabled: false }, { most_hops: 8 }),
  'the agent is switched off': async ({ one }) => {
    one.limits = null;
  },
} satisfies Record<string, (scene: Awaited<ReturnType<typeof chatScene>>) => Promise<unknown>>;

describeEachStore('A running turn', (fresh) => {
  const scene = () => chatScene(fresh);

  /** A turn that has said `Hm` and waits for the model. */
  async function waiting(here: Awaited<ReturnType<typeof chatScene>>, server_id = here.server_id) {
    here.one.model.says(({ signal }) => [text('Hm'), untilStopped(signal)]);
    const stream = await here.one.chats.ask(here.ann, server_id, ASK);
    const ids = await begun(stream);
    await inTime(here.clock, () => expect(here.one.model.streams()).toBeGreaterThan(0));
    return { stream, ...ids };
  }

  it.each(Object.entries(CHANGES))('ends when %s', async (_what, change) => {
    const here = await scene();
    const { stream } = await waiting(here);
    const ended = all(stream);
    await change(here);
    await inTime(here.clock, () => expect(here.one.model.streams()).toBe(0));
    expect(endOf(await ended).state).not.toBe('done');
  });

  it('checks rights before each call of a tool', async () => {
    const { one, ann, server_id, repositories } = await scene();
    one.model.says([call('look', {}, 'a'), call('look', {}, 'b')]);
    one.tools.answer(async () => {
      await repositories.users.update(ann.user_id, { allowed_groups: [] });
      return { ok: true, text: 'found', summary: 'Found' };
    });
    const events = await all(await one.chats.ask(ann, server_id, ASK));
    expect(endOf(events)).toMatchObject({ state: 'failed', error: { code: 'server_not_found' } });
    expect(one.tools.called).toHaveLength(1);
    expect(one.model.requests).toHaveLength(1);
  });

  it('keeps what was said when it is cancelled, and ends its tool', async () => {
    const { one, ann, server_id, clock } = await scene();
    one.model.says([text('Looking.'), call('look')]);
    let running = 0;
    one.tools.answer(async (_args, signal) => {
      running += 1;
      return untilStopped(signal).finally(() => {
        running -= 1;
      });
    });
    const stream = await one.chats.ask(ann, server_id, ASK);
    const { message_id } = await begun(stream);
    await inTime(clock, () => expect(running).toBe(1));
    await one.chats.cancel(ann, server_id, message_id);
    expect(running).toBe(0);
    expect(endOf(await all(stream))).toEqual({ state: 'cancelled', error: undefined });
    const { messages } = await one.chats.list(ann, server_id);
    expect(messages[1]).toMatchObject({
      state: 'cancelled',
      content: 'Looking.',
      steps: [{ ok: false, summary: 'Not finished' }],
    });
    await one.chats.cancel(ann, server_id, message_id); // again: nothing happens
    const unknown = one.chats.cancel(ann, server_id, message_id + 5);
    await expect(unknown).rejects.toMatchObject({ code: 'agent_turn_not_found' });
  });

  it('goes on when its stream is dropped, and is read again here and elsewhere without another request', async () => {
    const here = await scene();
    const { one, two, ann, server_id, clock } = here;
    let say = () => {};
    const go = new Promise<void>((resolve) => {
      say = resolve;
    });
    one.model.says([call('look')], [text('One '), go, text('two.')]);
    const stream = await one.chats.ask(ann, server_id, ASK);
    const { message_id, question_id } = await begun(stream);
    stream.stop();
    await inTime(clock, () => expect(one.model.requests).toHaveLength(2));
    const again = await one.chats.follow(ann, server_id, message_id);
    const elsewhere = await two.chats.follow(ann, server_id, message_id);
    const [near, far] = [all(again), all(elsewhere)];
    say();
    await inTime(clock, async () => {
      const [, answer] = (await one.chats.list(ann, server_id)).messages;
      expect(answer?.state).toBe('done');
    });
    let is_far_over = false;
    void far.then(() => {
      is_far_over = true;
    });
    await inTime(clock, () => expect(is_far_over).toBe(true));
    for (const events of [
      await near,
      await far,
      await all(await two.chats.follow(ann, server_id, message_id)),
    ]) {
      expect(events[0]).toEqual({ name: 'turn', data: { message_id, question_id } });
      expect(textOf(events)).toBe('One two.');
      expect(events.filter(({ name }) => name === 'tool_result')).toHaveLength(1);
      expect(endOf(events)).toEqual({ state: 'done', error: undefined });
    }
    expect(one.model.requests).toHaveLength(2);
    expect(two.model.requests).toHaveLength(0);
  });

  it('is the only one of its chat, on every instance, and one of three of its user', async () => {
    const here = await scene();
    const { one, two, ann, admin, servers, clock } = here;
    const { message_id } = await waiting(here);
    for (const { chats } of [one, two]) {
      await expect(chats.ask(ann, here.server_id, ASK)).rejects.toMatchObject({ code: 'agent_busy' });
    }
    const others = servers.slice(1);
    await waiting(here, others[0]);
    await waiting(here, others[1]);
    const fourth = two.chats.ask(ann, others[2] ?? 0, ASK);
    await expect(fourth).rejects.toMatchObject({ code: 'too_many_turns' });
    two.model.says([text('Hello')]);
    expect(endOf(await all(await two.chats.ask(admin, here.server_id, ASK))).state).toBe('done');
    await one.chats.cancel(ann, here.server_id, message_id);
    expect(endOf(await all(await two.chats.ask(ann, here.server_id, ASK))).state).toBe('done');
    expect(clock.timers()).toBeGreaterThan(0);
  });

  it('is cancelled, or deleted with its chat, from another instance', async () => {
    const here = await scene();
    const { one, two, ann, server_id, clock } = here;
    const { stream, message_id } = await waiting(here);
    await two.chats.cancel(ann, server_id, message_id);
    await inTime(clock, () => expect(one.model.streams()).toBe(0));
    expect(endOf(await all(stream))).toEqual({ state: 'cancelled', error: undefined });
    expect((await two.chats.list(ann, server_id)).messages[1]).toMatchObject({
      state: 'cancelled',
      content: 'Hm',
    });
    const next = await waiting(here);
    await two.chats.remove(ann, server_id);
    expect((await two.chats.list(ann, server_id)).messages).toEqual([]);
    await inTime(clock, () => expect(one.model.streams()).toBe(0));
    expect(endOf(await all(next.stream)).state).toBe('cancelled');
    expect((await two.chats.list(ann, server_id)).messages).toEqual([]); // nothing is written any more
  });

  it('is cancelled and deleted with its chat here', async () => {
    const here = await scene();
    const { stream } = await waiting(here);
    await here.one.chats.remove(here.ann, here.server_id);
    expect(here.one.model.streams()).toBe(0);
    expect(endOf(await all(stream)).state).toBe('cancelled');
    expect((await here.one.chats.list(here.ann, here.server_id)).messages).toEqual([]);
  });

  it('fails with a clear text when its instance stops', async () => {
    const here = await scene();
    const { one, two, ann, server_id } = here;
    const { stream } = await waiting(here);
    await one.stop();
    const error = { code: 'agent_interrupted', message: expect.stringContaining('stopped') };
    expect(endOf(await all(stream))).toEqual({ state: 'failed', error });
    expect((await two.chats.list(ann, server_id)).messages[1]).toMatchObject({ state: 'failed', error });
    await expect(one.chats.ask(ann, server_id, ASK)).rejects.toMatchObject({ code: 'shutting_down' });
  });

  it('fails on the other instances once its own has certainly ended', async () => {
    const here = await scene();
    const { one, two, ann, server_id, repositories, clock } = here;
    const { message_id } = await waiting(here);
    await inTime(clock, async () => {
      const [, answer] = (await two.chats.list(ann, server_id)).messages;
      expect(answer?.content).toBe('Hm'); // progress is stored
    });
    await two.endOrphans();
    expect((await two.chats.list(ann, server_id)).messages[1]?.state).toBe('running');
    await repositories.instances.remove('one'); // as after a kill
    await two.endOrphans();
    const [, answer] = (await two.chats.list(ann, server_id)).messages;
    expect(answer).toMatchObject({ state: 'failed', content: 'Hm', error: { code: 'agent_interrupted' } });
    expect(endOf(await all(await two.chats.follow(ann, server_id, message_id))).state).toBe('failed');
    await repositories.instances.beat(instanceRow('one'), 1);
    await inTime(clock, () => expect(one.model.streams()).toBe(0)); // if it lives on after all
  });

  it('whose beginning was lost is ended after a minute', async () => {
    const { one, ann, server_id, repositories, clock } = await scene();
    const chat = { user_id: ann.user_id, server_id };
    const { begin } = repositories.agent_messages;
    one.model.says([text('Hello')]);
    await all(await one.chats.ask(ann, server_id, ASK));
    const [question, answer] = await repositories.agent_messages.newest(chat, 9);
    if (!question || !answer) throw new Error('There are two');
    await repositories.agent_messages.removeChat(chat);
    await begin({ question, answer: { ...answer, state: 'running', run_id: 'one' } }, 3);
    await one.endOrphans();
    await expect(one.chats.ask(ann, server_id, ASK)).rejects.toMatchObject({ code: 'agent_busy' });
    await clock.pass(61_000);
    await one.endOrphans();
    expect(endOf(await all(await one.chats.ask(ann, server_id, ASK))).state).toBe('done');
  });
});
