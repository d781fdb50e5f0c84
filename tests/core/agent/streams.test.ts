import { expect, it } from 'vitest';
import { createLiveTurn } from '#core/agent/live-turn.ts';
import { createTurnStreams } from '#core/agent/streams.ts';
import { Fault } from '#core/errors.ts';
import { all, endOf, textOf } from '../../support/agent/events.ts';

function liveTurn(message_id = 2) {
  const turn = createLiveTurn({
    ...{ message_id, question_id: 1, user_id: 7, server_id: 3 },
    onChange: () => undefined,
  });
  turn.transcript.beginRound();
  return turn;
}

it('A client that does not read its stream gets what was said meanwhile as one event', async () => {
  const turn = liveTurn();
  const stream = createTurnStreams().open(turn);
  expect(await stream.next()).toEqual([{ name: 'turn', data: { message_id: 2, question_id: 1 } }]);
  for (let i = 0; i < 1000; i += 1) turn.transcript.say('ab');
  const step = turn.transcript.beginStep({ id: 'x', tool: 'look', arguments: {} });
  turn.transcript.endStep(step, { ok: true, text: '', summary: 'Found' });
  turn.transcript.count({ input_tokens: 1, output_tokens: 2 });
  turn.transcript.count({ input_tokens: 3, output_tokens: 4 });
  expect(await stream.next()).toEqual([
    { name: 'text', data: { delta: 'ab'.repeat(1000) } },
    { name: 'tool_call', data: { id: '1', tool: 'look', arguments: {} } },
    { name: 'tool_result', data: { id: '1', ok: true, summary: 'Found' } },
    { name: 'usage', data: { input_tokens: 4, output_tokens: 6 } },
  ]);
  turn.settle('done');
  expect(await stream.next()).toEqual([{ name: 'done', data: { message_id: 2, state: 'done' } }]);
  expect(await stream.next()).toBeUndefined();
});

it('A stream that waits learns of a change, and each change is sent once', async () => {
  const turn = liveTurn();
  const stream = createTurnStreams().open(turn);
  await stream.next();
  const waiting = stream.next();
  turn.transcript.say('a');
  expect(await waiting).toEqual([{ name: 'text', data: { delta: 'a' } }]);
  const rest = all(stream);
  turn.transcript.say('b');
  turn.transcript.close({ code: 'agent_limit', message: 'Too long' });
  turn.settle('failed');
  expect(textOf(await rest)).toBe('b');
  expect(endOf(await rest)).toEqual({ state: 'failed', error: { code: 'agent_limit', message: 'Too long' } });
});

it('A turn has at most five streams, and one that stops makes room', async () => {
  const turn = liveTurn();
  const streams = createTurnStreams();
  const open = Array.from({ length: 5 }, () => streams.open(turn));
  expect(() => streams.open(turn)).toThrow('This answer has too many event streams open');
  open[0]?.stop();
  open[0]?.stop();
  const waiting = streams.open(turn);
  expect(() => streams.open(turn)).toThrow(Fault);
  await waiting.next();
  const next = waiting.next();
  waiting.stop();
  expect(await next).toBeUndefined();
});

it('A user has at most twenty streams', () => {
  const streams = createTurnStreams();
  const turns = [1, 2, 3, 4, 5].map((id) => liveTurn(id));
  for (let i = 0; i < 20; i += 1) streams.open(turns[i % 5] ?? liveTurn());
  expect(() => streams.open(liveTurn(6))).toThrow('This user has too many event streams open');
  const other = createLiveTurn({
    ...{ message_id: 7, question_id: 1, user_id: 8, server_id: 3 },
    onChange: () => undefined,
  });
  streams.open(other);
});

it('A stream whose caller loses a right ends, and the turn goes on', async () => {
  const turn = liveTurn();
  const stream = createTurnStreams().open(turn);
  await stream.next();
  const rest = all(stream);
  stream.end(new Fault('terminal_ended', 'Signed out'));
  turn.transcript.say('secret');
  expect(await rest).toEqual([
    { name: 'error', data: { code: 'agent_ended', message: 'Signed out' } },
    { name: 'done', data: { message_id: 2, state: 'running' } },
  ]);
  expect(turn.signal.aborted).toBe(false);
});
