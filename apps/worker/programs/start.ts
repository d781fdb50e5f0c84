import type { ClientChannel } from 'ssh2';
import type { Fault } from '#core/errors.ts';
import { abortable } from '#core/lib/time/deadline.ts';
import type { Program } from '#core/ports/programs.ts';
import type { ShellEnd } from '#core/ports/ssh.ts';
import { openStreams } from '../ssh/channels/streams.ts';
import type { Connection } from '../ssh/connection.ts';
import { killProgram } from '../ssh/internals/channel-signals.ts';

/** Runs a command line; the connection stays open. */
export function startProgram(connection: Connection, command: string, signal: AbortSignal): Promise<Program> {
  return abortable(signal, (resolve, reject) => {
    let is_wanted = true;
    const unlisten = connection.onEnd(reject);
    const refuse = (what: string, error: unknown) => {
      unlisten();
      reject(connection.fault('shell_refused', what, error));
    };
    try {
      connection.client.exec(command, (error, channel) => {
        if (error) return refuse('refuses to run programs', error);
        unlisten();
        // At once: the rest of the packet may already hold its output and its end.
        if (is_wanted) resolve(toProgram(channel, connection, signal));
        else killProgram(channel);
      });
    } catch (error) {
      refuse('was lost before a program ran', error); // ssh2 throws when its socket is gone
    }
    return () => {
      is_wanted = false;
      unlisten();
    };
  });
}

function createEnd() {
  let resolve: (end: ShellEnd) => void = () => {};
  let reject: (reason: unknown) => void = () => {};
  const promise = new Promise<ShellEnd>((...settle) => {
    [resolve, reject] = settle;
  });
  promise.catch(() => {}); // nobody has to ask how it ended
  return { promise, resolve, reject };
}

function toProgram(channel: ClientChannel, connection: Connection, signal: AbortSignal): Program {
  // Node would close the channel with the outputs, before a program that runs on has ended.
  channel.destroy = () => channel;
  let exit: ShellEnd | undefined;
  const end = createEnd();
  const stop = (reason: unknown) => {
    killProgram(channel); // without a terminal, it would outlive its channel
    streams.fail(reason);
    end.reject(reason);
  };
  const lose = (fault: Fault) => {
    if (!exit || !streams.isComplete()) end.resolve({ kind: 'lost', fault });
    streams.fail(fault);
  };
  const abort = () => stop(signal.reason);
  const closed = () => {
    unlisten();
    signal.removeEventListener('abort', abort);
  };
  channel.on('exit', (code: number | null, name?: string) => {
    exit = { kind: 'exit', code, signal: name ?? null };
  });
  const streams = openStreams(channel, connection, { closed, aborted: stop });
  const unlisten = connection.onEnd(lose);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  const outputs = [channel, channel.stderr].map(
    (stream) => new Promise((resolve) => stream.once('close', resolve)),
  );
  void Promise.all(outputs).then(() => end.resolve(exit ?? { kind: 'exit', code: null, signal: null }));
  return { stdin: streams.input, stdout: streams.stdout, stderr: streams.stderr, ended: end.promise };
}
