import type { Fault } from '#core/errors.ts';
import type { ConnectionTest, Stage, TestEvent, TestStage } from '#core/model/hosts/connection-test.ts';
import type { HopConnection } from '#core/model/hosts/hop-connection.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { SshHop, SshTarget } from '#core/ports/ssh.ts';
import type { DialWatch } from '../ssh/attempt.ts';

export interface Report {
  readonly watch: DialWatch & { fail(fault: Fault): void };
  success(target: SshTarget): ConnectionTest;
  failure(fault: Fault): ConnectionTest;
}

type Said = Pick<TestStage, 'code' | 'detail' | 'values'>;
type Refused = Pick<TestStage, 'presented_host_key' | 'presented_fingerprint'>;

/** Records the stages of a test and emits them as they happen. */
export function createReport(clock: Clock, emit: (event: TestEvent) => void): Report {
  const stages: TestStage[] = [];
  const connection: HopConnection[] = [];
  let current: { name: TestStage['name']; hop: SshHop; began_ms: number } | undefined;
  let banners: string[] = [];
  function begin(name: Stage, hop: SshHop): void {
    if (name === 'shell') return;
    current = { name, hop, began_ms: clock.elapsed_ms() };
    emit({ type: 'begin', name, hop: hop.name });
  }
  function settle(ok: boolean, said: Said, refused?: Refused): void {
    if (!current) return;
    const { name, hop, began_ms } = current;
    const stage = {
      ...{ name, hop: hop.name, ok, ms: Math.round(clock.elapsed_ms() - began_ms), ...said },
      ...(banners.length > 0 && { banner: banners.join('\n') }),
      ...refused,
    };
    current = undefined;
    banners = [];
    stages.push(stage);
    emit({ type: 'stage', stage });
  }
  return {
    watch: {
      begin,
      pass: (note) => settle(true, note),
      fail: (fault) => settle(false, saidBy(fault)),
      judge() {},
      secured: (hop) => void connection.push(hop),
      offer() {},
      banner: (text) => void banners.push(text),
    },
    success({ hops }) {
      const message = hops.length > 1 ? 'Connection successful (via jump host)' : 'Connection successful';
      return { success: true, message, code: null, stages, connection };
    },
    failure(fault) {
      settle(false, saidBy(fault), refusedKey(fault));
      return { success: false, message: fault.detail, code: fault.code, stages, connection };
    },
  };
}

function refusedKey({ options }: Fault): Refused {
  const { presented_host_key, presented_fingerprint } = options;
  return presented_host_key === undefined ? {} : { presented_host_key, presented_fingerprint };
}

function saidBy({ code, detail }: Fault): Said {
  return { code, detail, values: {} };
}
