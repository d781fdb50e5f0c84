import { isSftpStart, toFault } from '#core/errors.ts';
import { stageNote } from '#core/model/hosts/connection-test.ts';
import type { Clock } from '#core/ports/runtime.ts';
import type { Prober, SshTarget, TestOptions } from '#core/ports/ssh.ts';
import { openSftpChannel } from '../sftp/protocol/channel.ts';
import type { Connection } from '../ssh/connection.ts';
import type { Dialler } from '../ssh/dial/connect.ts';
import { createHopProbe } from './hop.ts';
import { createReport, type Report } from './report.ts';

export interface ProberOptions {
  readonly dialler: Dialler;
  readonly clock: Clock;
  readonly operation_timeout_ms: number;
}

export function createProber(options: ProberOptions): Prober {
  return {
    probe: createHopProbe(options.dialler, options.clock),
    async test(target, { signal, watch = () => {} }: TestOptions = {}) {
      const report = createReport(options.clock, watch);
      try {
        await tryTarget(target, { ...options, signal, watch: report.watch });
        return report.success(target);
      } catch (error) {
        signal?.throwIfAborted();
        return report.failure(toFault(error));
      }
    },
  };
}

type Trial = ProberOptions & { readonly signal: AbortSignal | undefined; readonly watch: Report['watch'] };

async function tryTarget(target: SshTarget, trial: Trial): Promise<void> {
  const { signal, watch, dialler } = trial;
  const is_typed = target.hops.at(-1)?.auth.method === 'prompt';
  const until = is_typed ? 'host_key' : 'auth';
  const connection = await dialler.connect(target, { signal, watch, until });
  const close = () => connection.close();
  signal?.addEventListener('abort', close);
  try {
    if (is_typed) leaveAuth(connection, trial);
    else await trySftp(connection, trial);
  } finally {
    signal?.removeEventListener('abort', close);
    close();
  }
}

function leaveAuth({ hop }: Connection, { watch }: Trial): void {
  watch.begin('auth', hop);
  watch.pass(stageNote('not_tried'));
}

async function trySftp(connection: Connection, { watch, ...options }: Trial): Promise<void> {
  watch.begin('sftp', connection.hop);
  try {
    await openSftpChannel(connection, options);
    watch.pass(stageNote('sftp_available'));
  } catch (error) {
    const fault = toFault(error);
    // Such a host still serves terminals, so the stage fails but the test succeeds.
    if (!isSftpStart(fault.code) || fault.code === 'login_disabled') throw fault;
    watch.fail(fault);
  }
}
