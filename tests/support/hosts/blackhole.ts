import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { atExit } from '../at-exit.ts';

const QUEUE = 1;
const MORE_THAN_FIT = 8;
const listenAt = (
  host: string,
) => `require('node:net').createServer().listen(0, '${host}', ${QUEUE}, function () {
  console.log(this.address().port);
})`;

export interface Blackhole {
  readonly port: number;
  stop(): Promise<void>;
}

/**
 * A port of 127.0.0.1, or with the host 0.0.0.0 of all of 127.0.0.0/8, at which nothing answers, not even with a refusal: whoever listens is asleep and the queue is
 * full, so the system drops every further SYN (tcp(7), `tcp_abort_on_overflow`).
 */
export async function startBlackhole(host = '127.0.0.1'): Promise<Blackhole> {
  const listener = spawn(process.execPath, ['-e', listenAt(host)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const callOff = atExit(() => listener.kill('SIGKILL'));
  const [said] = await once(listener.stdout, 'data');
  const port = Number(said);
  listener.kill('SIGSTOP');
  const fill = Array.from({ length: MORE_THAN_FIT }, () => connect(port, '127.0.0.1'));
  for (const socket of fill) socket.on('error', () => undefined);
  await once(fill[0] ?? listener, 'connect');
  return {
    port,
    async stop() {
      callOff();
      for (const socket of fill) socket.destroy();
      const exited = once(listener, 'exit');
      listener.kill('SIGKILL');
      await exited;
    },
  };
}
