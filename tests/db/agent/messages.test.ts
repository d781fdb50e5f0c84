import { expect, it } from 'vitest';
import type { AgentMessageRow } from '#core/model/agent.ts';
import type { Repositories } from '#core/ports/repositories.ts';
import { createRepositories } from '#db/repositories/repositories.ts';
import {
  AT,
  firstUser,
  instanceRow,
  LATER,
  serverRow,
  TTL_MS,
  twoInstances,
  userRow,
} from '../../support/databases/rows.ts';
import { describeEachStore } from '../../support/databases/stores.ts';

const MOST = 3;

describeEachStore('messages of the agent', (fresh) => {
  /** Run `one` is running; run `gone` is not. */
  async function setUp(repositories: Repositories) {
    const { id: mine } = await firstUser(repositories);
    const { id: theirs } = await repositories.users.insert(userRow({ username: 'b' }));
    const servers: number[] = [];
    for (const name of ['a', 'b', 'c', 'd']) {
      servers.push((await repositories.servers.insert(serverRow({ name }))).id);
    }
    const [first = 0, ...others] = servers;
    await repositories.instances.beat(instanceRow('one'), TTL_MS);
    return { ...repositories, messages: repositories.agent_messages, mine, theirs, first, others };
  }

  const prepare = async () => setUp(createRepositories(await fresh.migrated()));

  async function turnOf(
    { agent_messages }: Pick<Repositories, 'agent_messages'>,
    change: Pick<AgentMessageRow, 'user_id' | 'server_id'> & Partial<AgentMessageRow>,
  ) {
    const [question_id = 0, answer_id = 0] = await agent_messages.reserveIds(2);
    const row: AgentMessageRow = {
      id: question_id,
      role: 'user',
      state: 'done',
      content_sealed: 'sealed',
      run_id: null,
      is_cancelled: false,
      created_at: AT,
      updated_at: AT,
      ...change,
    };
    const answer: AgentMessageRow = {
      ...{ ...row, run_id: 'one' },
      ...change,
      ...{ id: answer_id, role: 'assistant', state: 'running' },
    };
    return { question: { ...row, run_id: null }, answer };
  }

  const END = { state: 'done', content_sealed: 'sealed anew', updated_at: LATER } as const;

  it('are stored as given, and only in the chat of their user and server', async () => {
    const { messages, mine, theirs, first, others, ...repositories } = await prepare();
    const turn = await turnOf(repositories, { user_id: mine, server_id: first });
    await messages.begin(turn, MOST);
    expect(await messages.newest({ user_id: mine, server_id: first }, 9)).toEqual([
      turn.question,
      turn.answer,
    ]);
    expect(await messages.newest({ user_id: theirs, server_id: first }, 9)).toEqual([]);
    expect(await messages.newest({ user_id: mine, server_id: others[0] ?? 0 }, 9)).toEqual([]);
    const { id } = turn.answer;
    expect(await messages.answer({ user_id: mine, server_id: first }, id)).toEqual(turn.answer);
    expect(await messages.answer({ user_id: theirs, server_id: first }, id)).toBeUndefined();
    expect(await messages.answer({ user_id: mine, server_id: first }, turn.question.id)).toBeUndefined();
  });

  it('run one turn a chat, also when several instances begin at once', async () => {
    const [one, two] = await twoInstances(fresh);
    const { mine, first, others } = await setUp(one);
    const chat = { user_id: mine, server_id: first };
    const turns = await Promise.all(Array.from({ length: 8 }, () => turnOf(one, chat)));
    const begin = (turn: (typeof turns)[number], i: number) =>
      [one, two][i % 2]?.agent_messages.begin(turn, MOST);
    const ends = await Promise.allSettled(turns.map(begin));
    const reasons: unknown[] = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(reasons).toHaveLength(7);
    for (const reason of reasons) expect(reason).toMatchObject({ code: 'agent_busy' });
    await two.agent_messages.begin(await turnOf(two, { ...chat, server_id: others[0] ?? 0 }), MOST);
  });

  it('run at most so many turns of a user', async () => {
    const { messages, mine, theirs, first, others, ...repositories } = await prepare();
    const begin = async (user_id: number, server_id: number) =>
      messages.begin(await turnOf(repositories, { user_id, server_id }), MOST);
    for (const server_id of others) await begin(mine, server_id);
    await expect(begin(mine, first)).rejects.toMatchObject({ code: 'too_many_turns' });
    await begin(theirs, first);
  });

  it('do not count turns of an instance that has ended', async () => {
    const { messages, mine, first, ...repositories } = await prepare();
    const chat = { user_id: mine, server_id: first };
    await messages.begin(await turnOf(repositories, { ...chat, run_id: 'gone' }), MOST);
    await messages.begin(await turnOf(repositories, chat), MOST);
  });

  it('are refused for a server that was deleted', async () => {
    const { messages, mine, ...repositories } = await prepare();
    const turn = await turnOf(repositories, { user_id: mine, server_id: 999 });
    await expect(messages.begin(turn, MOST)).rejects.toMatchObject({ code: 'server_not_found' });
  });

  it('store progress and the end once, and nothing after the end', async () => {
    const { messages, mine, first, ...repositories } = await prepare();
    const chat = { user_id: mine, server_id: first };
    const turn = await turnOf(repositories, chat);
    await messages.begin(turn, MOST);
    const { id } = turn.answer;
    await messages.save(id, { content_sealed: 'half', updated_at: LATER });
    expect(await messages.answer(chat, id)).toMatchObject({ state: 'running', content_sealed: 'half' });
    expect(await messages.finish(id, END)).toBe(true);
    expect(await messages.finish(id, { ...END, state: 'failed' })).toBe(false);
    await messages.save(id, { content_sealed: 'late', updated_at: LATER });
    expect(await messages.answer(chat, id)).toEqual({ ...turn.answer, ...END, run_id: null });
  });

  it('stand until they are cancelled by their user, ended or deleted', async () => {
    const { messages, mine, theirs, others, ...repositories } = await prepare();
    const [a, b, c] = await Promise.all(
      others.map((server_id) => turnOf(repositories, { user_id: mine, server_id })),
    );
    if (!a || !b || !c) throw new Error('There are three');
    for (const turn of [a, b, c]) await messages.begin(turn, MOST);
    const ids = [a.answer.id, b.answer.id, c.answer.id];
    await messages.cancel({ user_id: theirs, server_id: a.answer.server_id }, a.answer.id);
    expect((await messages.standing(ids)).sort()).toEqual([...ids].sort());
    await messages.cancel(a.answer, a.answer.id);
    await messages.finish(b.answer.id, END);
    expect(await messages.standing(ids)).toEqual([c.answer.id]);
    await messages.removeChat(c.answer);
    expect(await messages.standing(ids)).toEqual([]);
    expect(await messages.newest(a.answer, 9)).toHaveLength(2);
  });

  it('are removed with their user and their server', async () => {
    const { messages, users, servers, mine, theirs, first, others, ...repositories } = await prepare();
    const [second = 0] = others;
    const chats = [
      { user_id: theirs, server_id: first },
      { user_id: mine, server_id: second },
    ];
    for (const chat of chats) await messages.begin(await turnOf(repositories, chat), MOST);
    await users.remove(theirs);
    await servers.remove(second);
    for (const chat of chats) expect(await messages.newest(chat, 9)).toEqual([]);
  });

  it('are trimmed to the newest, and removed with the last message of an old chat', async () => {
    const { messages, mine, first, others, ...repositories } = await prepare();
    const [second = 0] = others;
    const turns = [];
    for (const [server_id, updated_at] of [
      [first, AT],
      [first, LATER],
      [second, AT],
    ] as const) {
      const turn = await turnOf(repositories, { user_id: mine, server_id });
      await messages.begin(turn, MOST);
      await messages.finish(turn.answer.id, { ...END, updated_at });
      turns.push(turn);
    }
    await messages.removeOlder('2026-01-02T03:30:00.000Z');
    const ids = async (server_id: number) =>
      (await messages.newest({ user_id: mine, server_id }, 9)).map(({ id }) => id);
    expect(await ids(first)).toHaveLength(4);
    expect(await ids(second)).toEqual([]);
    await messages.trim({ user_id: mine, server_id: first }, 2);
    expect(await ids(first)).toEqual([turns[1]?.question.id, turns[1]?.answer.id]);
    await messages.trim({ user_id: mine, server_id: first }, 2);
    expect(await ids(first)).toHaveLength(2);
    await messages.removeTurn(turns[1] ?? expect.fail());
    expect(await ids(first)).toEqual([]);
  });

  it('of an ended instance are orphans; those of another running one are not', async () => {
    const { messages, mine, others, ...repositories } = await prepare();
    const runs = ['one', 'gone', 'asker'];
    for (const [i, run_id] of runs.entries()) {
      await messages.begin(
        await turnOf(repositories, { user_id: mine, server_id: others[i] ?? 0, run_id }),
        9,
      );
    }
    expect((await messages.orphans('asker')).map(({ run_id }) => run_id)).toEqual(['gone', 'asker']);
  });
});

describeEachStore('tokens of the agent', (fresh) => {
  const DAY = '2026-01-02T00:00:00.000Z';
  const NEXT = '2026-01-03T00:00:00.000Z';

  it('add up by user and day, also from several instances at once', async () => {
    const [one, two] = await twoInstances(fresh);
    const { id: mine } = await firstUser(one);
    const { id: theirs } = await one.users.insert(userRow({ username: 'b' }));
    const add = (i: number) => (i % 2 ? one : two).agent_usage.add(mine, DAY, 3_000_000_000);
    await Promise.all(Array.from({ length: 10 }, (_, i) => add(i)));
    await one.agent_usage.add(mine, NEXT, 5);
    expect(await two.agent_usage.tokens(mine, DAY)).toBe(30_000_000_000);
    expect(await two.agent_usage.tokens(mine, NEXT)).toBe(5);
    expect(await two.agent_usage.tokens(theirs, DAY)).toBe(0);
    await one.agent_usage.removeOlder(NEXT);
    expect(await two.agent_usage.tokens(mine, DAY)).toBe(0);
    expect(await two.agent_usage.tokens(mine, NEXT)).toBe(5);
  });

  it('are refused for a user who was deleted', async () => {
    const { agent_usage } = createRepositories(await fresh.migrated());
    await expect(agent_usage.add(99, DAY, 1)).rejects.toMatchObject({ code: 'invalid_token' });
  });
});
