import { describe, expect, it } from 'vitest';
import type { TestEvent } from '#client/event-stream.ts';
import { advance, giveUp, hopsOf, NOT_BEGUN } from '../../../apps/web/servers/connection-test/progress.ts';

const begin = (name: 'tcp' | 'handshake', hop = 'web'): TestEvent => ({ type: 'begin', name, hop });
const stage = (name: 'tcp' | 'handshake', ok: boolean, hop = 'web') => ({
  name,
  hop,
  ok,
  ms: 3.4,
  detail: ok ? '' : 'refused',
  code: ok ? 'passed' : 'host_unreachable',
  values: {},
});
const told_by = (...events: TestEvent[]) => events.reduce(advance, NOT_BEGUN);
const states = ({ stages }: typeof NOT_BEGUN) => stages.map(({ name, state }) => [name, state]);

describe('The progress of a connection test', () => {
  it('shows a stage as running, then its result', () => {
    const running = told_by(begin('tcp'));
    expect(running).toMatchObject({ stages: [{ name: 'tcp', state: 'running', ms: undefined }] });
    const passed = advance(running, { type: 'stage', stage: stage('tcp', true) });
    expect(passed.stages).toMatchObject([{ name: 'tcp', hop: 'web', state: 'passed', ms: 3.4, detail: '' }]);
    expect(passed.verdict).toBeUndefined();
  });

  it('accepts a stage whose start was not reported', () => {
    const told = told_by(begin('tcp'), { type: 'stage', stage: stage('handshake', true) });
    expect(states(told)).toEqual([
      ['tcp', 'running'],
      ['handshake', 'passed'],
    ]);
  });

  it('tells the same stage of two hops apart', () => {
    const told = told_by(begin('tcp', 'edge'), begin('tcp'), { type: 'stage', stage: stage('tcp', false) });
    expect(told.stages.map(({ hop, state }) => [hop, state])).toEqual([
      ['edge', 'running'],
      ['web', 'failed'],
    ]);
  });

  it('ends with the final result', () => {
    const stages = [stage('tcp', true), stage('handshake', false)];
    const result = { success: false, message: 'No SSH here', code: 'ssh_protocol', stages, connection: [] };
    const told = told_by(begin('tcp'), begin('handshake'), { type: 'result', result });
    expect(told.verdict).toEqual({ success: false, message: 'No SSH here', code: 'ssh_protocol' });
    expect(states(told)).toEqual([
      ['tcp', 'passed'],
      ['handshake', 'failed'],
    ]);
  });

  it('includes how each connection is protected once the test has finished', () => {
    const connection = [
      {
        ...{ hop: 'web', key_exchange: 'curve25519-sha256', cipher: 'aes128-gcm@openssh.com' },
        ...{ host_key_type: 'ssh-ed25519', server_version: 'OpenSSH_9.2p1', is_post_quantum: false },
      },
    ];
    const result = { success: true, message: '', code: null, stages: [stage('tcp', true)], connection };
    expect(told_by(begin('tcp')).connection).toEqual([]);
    expect(told_by(begin('tcp'), { type: 'result', result }).connection).toEqual(connection);
  });

  it('leaves no stage running when it is cancelled', () => {
    const told = told_by({ type: 'stage', stage: stage('tcp', true) }, begin('handshake'));
    expect(states(giveUp(told))).toEqual([
      ['tcp', 'passed'],
      ['handshake', 'given_up'],
    ]);
  });

  it('is grouped by hop, in the order of the route', () => {
    const told = told_by(begin('tcp', 'edge'), begin('handshake', 'edge'), begin('tcp'), begin('handshake'));
    expect(hopsOf(told.stages).map(({ hop, stages }) => [hop, stages.length])).toEqual([
      ['edge', 2],
      ['web', 2],
    ]);
    expect(hopsOf([])).toEqual([]);
  });
});
