import type { Chats } from '#core/agent/chats.ts';
import type { TurnStream } from '#core/agent/streams.ts';
import type { After } from '#core/lib/time/timers.ts';
import { askAgent, cancelTurn, clearChat, followTurn, getChat } from '../../contract/agent/chats.ts';
import type { AppContext, Runtime } from '../../http/env.ts';
import { EVENT_STREAM_HEADERS, eventStream } from '../../http/event-stream.ts';
import type { Router } from '../../http/router.ts';
import { type StreamLog, streamedBody } from '../../http/streamed-body.ts';

interface ChatOptions {
  readonly agent_chats: Chats;
  readonly runtime: Runtime;
  readonly after: After;
  readonly log: StreamLog;
}

export function mountAgentChats(
  router: Router,
  { agent_chats: chats, runtime, after, log }: ChatOptions,
): void {
  const streamed = (c: AppContext, stream: TurnStream) =>
    c.body(streamedBody(c, eventStream(stream, after), { runtime, log }), 200, EVENT_STREAM_HEADERS);

  router.on(getChat, async (c) =>
    c.json(await chats.list(c.var.caller, c.req.valid('param').server_id), 200),
  );

  router.on(askAgent, async (c) => {
    const { server_id } = c.req.valid('param');
    return streamed(c, await chats.ask(c.var.caller, server_id, c.req.valid('json')));
  });

  router.on(clearChat, async (c) => {
    await chats.remove(c.var.caller, c.req.valid('param').server_id);
    return c.body(null, 204);
  });

  router.on(followTurn, async (c) => {
    const { server_id, message_id } = c.req.valid('param');
    return streamed(c, await chats.follow(c.var.caller, server_id, message_id));
  });

  router.on(cancelTurn, async (c) => {
    const { server_id, message_id } = c.req.valid('param');
    await chats.cancel(c.var.caller, server_id, message_id);
    return c.body(null, 204);
  });
}
