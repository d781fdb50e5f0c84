import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '#core/errors.ts';
import { openTracing } from '#server/adapters/telemetry/tracing.ts';
import { silent } from '../../support/databases/stores.ts';
import { keepLog } from '../../support/gateway/logs.ts';
import { type KeptSpans, keepSpans } from '../../support/gateway/spans.ts';

const ON = { tracing: true, version: '1.2.3' };

describe('Tracing', () => {
  let spans: KeptSpans;
  beforeEach(() => {
    spans = keepSpans();
  });
  afterEach(() => spans.stop());

  it('loads nothing unless it is enabled', async () => {
    const load = () => Promise.reject(new Error('It was loaded'));
    expect(await openTracing({ ...ON, tracing: false }, silent, load)).toBeUndefined();
  });

  it('warns once when its package is not installed, and continues without', async () => {
    const log = keepLog();
    const load = () => Promise.reject(new Error("Cannot find package '@opentelemetry/api'"));
    expect(await openTracing(ON, log, load)).toBeUndefined();
    expect(log.lines.map((line) => JSON.parse(line).message)).toEqual([
      expect.stringContaining('@opentelemetry/api cannot be loaded'),
    ]);
  });

  it('creates nested spans', async () => {
    const tracing = await openTracing(ON, silent);
    await tracing?.span('outer', { server_id: 1 }, () => tracing.span('inner', {}, async () => 'done'));
    const outer = spans.named('outer');
    expect(outer?.attributes).toEqual({ server_id: 1 });
    expect(spans.named('inner')?.parentSpanContext?.spanId).toBe(outer?.spanContext().spanId);
  });

  it('records a failure by its code only, and rethrows it', async () => {
    const tracing = await openTracing(ON, silent);
    const failing = async () => Promise.reject(new Fault('file_not_found', 'No such file: /home/ann/taxes'));
    await expect(tracing?.span('work', {}, failing)).rejects.toThrow('taxes');
    const { attributes, status, events } = spans.named('work') ?? {};
    expect([attributes, status, events]).toEqual([{ 'error.type': 'file_not_found' }, { code: 2 }, []]);
  });
});
