import { and, desc, eq, getTableColumns, inArray, lt, not, or, type SQL, sql } from 'drizzle-orm';
import { Fault } from '#core/errors.ts';
import type { AgentMessageRepository, ChatKey } from '#core/ports/repositories/agent-chats.ts';
import { orFault } from '../../query/or-fault.ts';
import { reserving } from '../../query/reserve-ids.ts';
import { fieldList, rowSource } from '../../query/row-source.ts';
import type { Tables } from '../../schema/schema.ts';
import type { Store } from '../../store.ts';
import { isKnown } from '../instances/known.ts';

export function createAgentMessageRepository(store: Store): AgentMessageRepository {
  return {
    reserveIds: reserving(store, 'agent_messages'),
    ...createBeginning(store),
    ...createReading(store),
    ...createWriting(store),
    ...createRemoving(store),
  };
}

type Beginning = Pick<AgentMessageRepository, 'begin'>;
type Reading = Pick<AgentMessageRepository, 'newest' | 'answer' | 'standing' | 'orphans'>;
type Writing = Pick<AgentMessageRepository, 'save' | 'finish' | 'cancel'>;
type Removing = Pick<AgentMessageRepository, 'removeTurn' | 'removeChat' | 'trim' | 'removeOlder'>;

function createBeginning(store: Store): Beginning {
  const { db, dialect, alone, tables } = store;
  const { agent_messages: messages } = tables;
  const columns = getTableColumns(messages);
  const runs = and(eq(messages.state, 'running'), isKnown(store, messages.run_id));
  const running = (of: SQL | undefined) =>
    db
      .select({ count: sql<number>`count(*)`.mapWith(Number) })
      .from(messages)
      .where(and(runs, of));

  return {
    async begin({ question, answer }, most) {
      const own = eq(messages.user_id, answer.user_id);
      const here = isOf(messages, answer);
      const turn = sql`select ${fieldList(columns)}
        from (${rowSource(dialect, columns, [question, answer])}) as given
        where (${running(here)}) = 0 and (${running(own)}) < ${most}`;
      // Locked, because two turns that begin at once would not count each other.
      const insertion = alone(`agent turns of ${answer.user_id}`, (locked) =>
        locked.insert(messages).select(turn).returning({ id: messages.id }),
      );
      const inserted = await orFault('server_not_found', insertion); // deleted in the meantime
      if (inserted.length > 0) return;
      const [counted] = await running(here);
      throw new Fault(counted && counted.count > 0 ? 'agent_busy' : 'too_many_turns');
    },
  };
}

function createReading(store: Store): Reading {
  const { db, tables } = store;
  const { agent_messages: messages } = tables;
  const { id, role, state, run_id, is_cancelled } = messages;

  return {
    async newest(chat, most) {
      const rows = await db.select().from(messages).where(isOf(messages, chat)).orderBy(desc(id)).limit(most);
      return rows.reverse();
    },

    async answer(chat, answer_id) {
      const found = and(isOf(messages, chat), eq(id, answer_id), eq(role, 'assistant'));
      const [row] = await db.select().from(messages).where(found);
      return row;
    },

    async standing(ids) {
      const stands = and(inArray(id, [...ids]), eq(state, 'running'), eq(is_cancelled, false));
      const rows = await db.select({ id }).from(messages).where(stands);
      return rows.map((row) => row.id);
    },

    orphans: (own_run_id) =>
      db
        .select()
        .from(messages)
        .where(and(eq(state, 'running'), or(eq(run_id, own_run_id), not(isKnown(store, run_id)))))
        .orderBy(id),
  };
}

function createWriting({ db, tables: { agent_messages: messages } }: Store): Writing {
  const { id } = messages;
  const running = (answer_id: number) => and(eq(id, answer_id), eq(messages.state, 'running'));

  return {
    async save(answer_id, progress) {
      await db.update(messages).set(progress).where(running(answer_id));
    },

    async finish(answer_id, end) {
      const ended = db.update(messages).set({ ...end, run_id: null });
      return (await ended.where(running(answer_id)).returning({ id })).length > 0;
    },

    async cancel(chat, answer_id) {
      const asked = and(running(answer_id), isOf(messages, chat));
      await db.update(messages).set({ is_cancelled: true }).where(asked);
    },
  };
}

function createRemoving({ db, tables: { agent_messages: messages } }: Store): Removing {
  const { id } = messages;

  return {
    async removeTurn({ question, answer }) {
      await db.delete(messages).where(inArray(id, [question.id, answer.id]));
    },

    async removeChat(chat) {
      await db.delete(messages).where(isOf(messages, chat));
    },

    async trim(chat, kept) {
      const here = isOf(messages, chat);
      const newest = db.select({ id }).from(messages).where(here).orderBy(desc(id)).limit(kept);
      const oldest = sql`(select min(newest.id) from (${newest}) as newest)`;
      await db.delete(messages).where(and(here, lt(id, oldest)));
    },

    async removeOlder(before) {
      const later = sql`select 1 from ${messages} as later where later.user_id = ${messages.user_id}
        and later.server_id = ${messages.server_id} and later.updated_at >= ${before}`;
      await db.delete(messages).where(and(lt(messages.updated_at, before), sql`not exists (${later})`));
    },
  };
}

function isOf({ user_id, server_id }: Tables['agent_messages'], chat: ChatKey): SQL | undefined {
  return and(eq(user_id, chat.user_id), eq(server_id, chat.server_id));
}
