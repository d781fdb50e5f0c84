import { describe, expect, it } from 'vitest';
import { createControls } from '../../../apps/web/transfers/controls.ts';
import { createTransferList } from '../../../apps/web/transfers/list.ts';
import { summaryOf } from '../../../apps/web/transfers/row.ts';

function setUp(kind: 'copy' | 'extract') {
  const list = createTransferList(() => {});
  const stopped: string[] = [];
  list.add({ id: 'one', kind, name: 'x', server_id: 1, directory: '/a', state: 'running' }, () => ({
    start: () => {},
    stop: () => void stopped.push('stop'),
    discard: async () => void stopped.push('discard'),
    sent: () => 0,
  }));
  const controls = createControls(list, { forgetJob: async () => {} });
  return { list, stopped, controls };
}

describe('Cancel', () => {
  it('ends an extraction, whose row stays and says what remains on the host', () => {
    const { list, stopped, controls } = setUp('extract');
    controls.cancel('one');
    expect(list.row('one')).toMatchObject({ state: 'failed', error: { code: 'extract_canceled' } });
    expect(stopped).toEqual(['stop']);
    expect(summaryOf(list.rows).failed).toBe(0);
    controls.cancel('one');
    expect(list.rows).toEqual([]);
  });

  it('removes the row of any other transfer', () => {
    const { list, stopped, controls } = setUp('copy');
    controls.cancel('one');
    expect([list.rows.length, stopped]).toEqual([0, ['discard']]);
  });

  it('removes an extraction that waits for an answer, since it has written nothing', () => {
    const { list, stopped, controls } = setUp('extract');
    list.set('one', { state: 'asking' });
    controls.cancel('one');
    expect([list.rows.length, stopped]).toEqual([0, ['discard']]);
  });
});

describe('Clear', () => {
  it.each(['done', 'failed'] as const)('removes a transfer that is %s', (state) => {
    const { list, controls } = setUp('copy');
    controls.clearEnded();
    expect(list.rows.length).toBe(1);
    list.set('one', { state });
    controls.clearEnded();
    expect(list.rows).toEqual([]);
  });
});
