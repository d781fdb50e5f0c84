import { type Stage, toFault } from '#core/errors.ts';
import type { ConnectionTest, TestStage } from '#core/model/connection-test.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Prober, SshHop, SshTarget } from '#core/ports/ssh.ts';
import { openSftpChannel } from '../sftp/channel.ts';
import type { DialWatch } from './attempt.ts';
import type { Connection, Dialler } from './connect.ts';

export interface ProberOptions {
  readonly dialler: Dialler;
  readonly clock: Clock;
  readonly operation_timeout_ms: number;
}

export function createProber({ dialler, ...options }: ProberOptions): Prober {
  return {
    async test(target) {
      const report = createReport(options.clock);
      try {
        const connection = await dialler.connect(target, { watch: report.watch });
        await trySftp(connection, target, report.watch, options).finally(() => connection.close());
        return report.success(target);
      } catch (error) {
        return report.failure(toFault(error).detail);
      }
    },
  };
}

async function trySftp(
  connection: Connection,
  { hops }: SshTarget,
  watch: Report['watch'],
  options: Omit<ProberOptions, 'dialler'>,
): Promise<void> {
  watch.begin('sftp', hops.at(-1) ?? hops[0]);
  try {
    await openSftpChannel(connection, options);
    watch.pass('SFTP available');
  } catch (error) {
    const fault = toFault(error);
    // A host without SFTP still serves terminals: its stage says so, the test succeeds.
    if (fault.code !== 'sftp_unavailable') throw fault;
    watch.fail(fault.detail);
  }
}

interface Report {
  readonly watch: DialWatch & { fail(detail: string): void };
  success(target: SshTarget): ConnectionTest;
  failure(detail: string): ConnectionTest;
}

function createReport(clock: Clock): Report {
  const stages: TestStage[] = [];
  let current: { name: Stage; hop: SshHop; began_ms: number } | undefined;
  const now = () => clock.now().getTime();
  const settle = (ok: boolean, detail: string) => {
    if (!current || current.name === 'shell') return;
    const { name, hop, began_ms } = current;
    stages.push({ name, hop: hop.name, ok, ms: now() - began_ms, detail });
    current = undefined;
  };
  return {
    watch: {
      begin(name, hop) {
        current = { name, hop, began_ms: now() };
      },
      pass: (detail) => settle(true, detail),
      fail: (detail) => settle(false, detail),
    },
    success({ hops }) {
      const message = hops.length > 1 ? 'Connection successful (via jump host)' : 'Connection successful';
      return { success: true, message, stages };
    },
    failure(detail) {
      settle(false, detail);
      return { success: false, message: detail, stages };
    },
  };
}
