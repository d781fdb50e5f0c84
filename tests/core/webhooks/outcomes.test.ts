import { describe, expect, it } from 'vitest';
import { createWebhookLoad } from '#core/webhooks/load.ts';
import { outcomeOf } from '#core/webhooks/outcomes.ts';

const MIDDLE = 0.5;
const NO_ANSWER = { reason: 'The connection was refused', is_final: false };

describe('The outcome of an attempt', () => {
  it.each([200, 202, 204, 299])('answered with %i: delivered', (status) => {
    expect(outcomeOf({ status }, 0, MIDDLE)).toEqual({
      status: 'delivered',
      last_status: status,
      last_error: null,
      next_attempt_in_ms: null,
    });
  });

  it.each([
    [101, 'The receiver answered 101'],
    [302, 'The receiver answered 302; redirects are not followed'],
    [400, 'The receiver answered 400'],
    [410, 'The receiver answered 410'],
  ])('answered with %i: failed at once', (status, last_error) => {
    const over = { status: 'failed', next_attempt_in_ms: null };
    expect(outcomeOf({ status }, 0, MIDDLE)).toEqual({ ...over, last_status: status, last_error });
  });

  it.each([429, 500, 503, 599])('answered with %i: retried', (status) => {
    expect(outcomeOf({ status }, 0, MIDDLE)).toMatchObject({ status: 'pending', last_status: status });
  });

  it('without an answer: retried after 5 s, 30 s, 2, 10 and 30 minutes, then failed', () => {
    const ends = [0, 1, 2, 3, 4, 5].map((attempts) => outcomeOf(NO_ANSWER, attempts, MIDDLE));
    expect(ends.map(({ next_attempt_in_ms }) => next_attempt_in_ms)).toEqual([
      5000,
      30_000,
      120_000,
      600_000,
      1_800_000,
      null,
    ]);
    expect(ends.map(({ status }) => status)).toEqual([...Array(5).fill('pending'), 'failed']);
    expect(ends[5]).toMatchObject({ last_status: null, last_error: NO_ANSWER.reason });
  });

  it('has its delay spread by a fifth either way', () => {
    const pauses = [0, 1].map((chance) => outcomeOf(NO_ANSWER, 0, chance).next_attempt_in_ms);
    expect(pauses).toEqual([4000, 6000]);
  });

  it('to a forbidden address: failed for good', () => {
    const end = { reason: 'The address is not a public one', is_final: true };
    expect(outcomeOf(end, 0, MIDDLE)).toMatchObject({ status: 'failed', last_error: end.reason });
  });
});

describe('The concurrency of deliveries', () => {
  const mostOf = (shares: { webhook_id: number; most: number }[]) =>
    shares.map(({ webhook_id, most }) => [webhook_id, most]);

  it('is one per webhook until it has answered quickly, then four', () => {
    const load = createWebhookLoad();
    expect(mostOf(load.shares([1]))).toEqual([[1, 1]]);
    load.begin(10, 1);
    expect(load.shares([1])).toEqual([]);
    load.end(10);
    load.note(1, 20, true);
    expect(mostOf(load.shares([1]))).toEqual([[1, 4]]);
    load.begin(11, 1);
    expect(mostOf(load.shares([1]))).toEqual([[1, 3]]);
    load.note(1, 10_000, false);
    expect(load.shares([1])).toEqual([]);
  });

  it('gives webhooks that never answer half of the slots, in rotation', () => {
    const load = createWebhookLoad();
    const dead = Array.from({ length: 12 }, (_, i) => i + 1);
    const first = load.shares(dead);
    expect(first).toHaveLength(10);
    for (const { webhook_id } of first) load.begin(webhook_id, webhook_id);
    expect(load.shares([11, 12])).toEqual([]);
    load.note(99, 5, true);
    expect(mostOf(load.shares([11, 99]))).toEqual([[99, 4]]);
    load.end(1);
    expect(mostOf(load.shares([1, 11, 12]))).toEqual([[11, 1]]);
  });

  it('prefers slow webhooks over silent ones, and leaves slots for fast ones', () => {
    const load = createWebhookLoad();
    const slow = Array.from({ length: 20 }, (_, i) => 100 + i);
    for (const id of slow) load.note(id, 5000, true);
    load.note(99, 5, true);
    const shares = load.shares([1, 2, 3, ...slow, 99]).map(({ webhook_id }) => webhook_id);
    expect(shares).toEqual([...slow.slice(0, 16), 99]);
  });

  it('is at most twenty', () => {
    const load = createWebhookLoad();
    for (let id = 1; id <= 20; id += 1) {
      load.note(id, 5, true);
      load.begin(id, id);
    }
    expect([load.room(), load.shares([21])]).toEqual([0, []]);
    load.end(7);
    expect([load.room(), load.has(7), load.has(8)]).toEqual([1, false, true]);
  });
});
