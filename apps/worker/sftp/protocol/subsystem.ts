import type { ClientChannel } from 'ssh2';
import { Fault } from '#core/errors.ts';
import type { Connection } from '../../ssh/connection.ts';
import type { CallOptions } from './calls.ts';

/** The stream of an SFTP subsystem; nothing has been said on it yet. */
export function startSubsystem(
  connection: Connection,
  { clock, operation_timeout_ms }: CallOptions,
): Promise<ClientChannel> {
  return new Promise((resolve, reject) => {
    let settled = false;
    const settle = (outcome: () => void) => {
      if (settled) return;
      settled = true;
      cancel();
      unlisten();
      outcome();
    };
    const overdue = () => connection.fault('operation_timeout', 'did not start SFTP in time');
    const cancel = clock.after(operation_timeout_ms, () => settle(() => reject(overdue())));
    let unlisten = () => {};
    unlisten = connection.onEnd((fault) => settle(() => reject(fault)));
    if (settled) return;
    try {
      connection.client.subsys('sftp', (error, stream) => {
        if (settled) stream?.close();
        else if (error) settle(() => reject(withoutSftp(connection, error)));
        else settle(() => resolve(stream));
      });
    } catch (error) {
      // ssh2 throws when its socket is gone and the connection has not told so yet.
      settle(() => reject(new Fault('host_disconnected', undefined, { cause: error })));
    }
  });
}

export function withoutSftp(connection: Connection, cause: unknown): Fault {
  return connection.fault('sftp_unavailable', 'offers no SFTP subsystem', cause);
}
