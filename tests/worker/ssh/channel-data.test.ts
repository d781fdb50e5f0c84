import type { Connection, ServerChannel } from 'ssh2';
import { describe, expect, it } from 'vitest';
import { failureOf, NEVER, request, watch, worker } from '../setup.ts';
import { startHostileHost } from '../sftp/protocol/hostile-host.ts';
import { startDouble } from '../ssh-double.ts';
import { readText } from '../streams.ts';
import { insidesOf } from './hostile-login.ts';

const STDERR = 1;
const MIB = 1024 * 1024;

interface Protocol {
  channelData(id: number, bytes: Buffer): void;
  channelExtData(id: number, bytes: Buffer, type: number): void;
  channelEOF(id: number): void;
  exitStatus(id: number, code: number): void;
  channelClose(id: number): void;
}

/** The protocol of an ssh2 server, which sends whatever it is told to. */
function protocolOf(client: Connection): Protocol {
  return (client as unknown as { readonly _protocol: Protocol })._protocol;
}

/** Goes on sending after the EOF. */
function talkOn(channel: ServerChannel): void {
  const { outgoing, _client } = channel as unknown as { outgoing: { id: number }; _client: Connection };
  const [protocol, id] = [protocolOf(_client), outgoing.id];
  channel.write('before');
  protocol.channelEOF(id);
  protocol.channelExtData(id, Buffer.from('late'), STDERR);
  protocol.channelData(id, Buffer.from('late'));
  protocol.exitStatus(id, 3);
  protocol.channelClose(id);
}

describe('what a host sends after the end of its output', () => {
  it('is left out of a program, which ends as usual', async () => {
    const host = await startHostileHost({ exec: talkOn });
    const { stdout, stderr, ended } = await worker().programs.run(host.target, 'any', { signal: NEVER });
    expect(await Promise.all([readText(stdout), readText(stderr)])).toEqual(['before', '']);
    expect(await ended).toEqual({ kind: 'exit', code: 3, signal: null });
    await host.stop();
  });

  it('is left out of a terminal, which ends as usual', async () => {
    const host = await startHostileHost({ shell: talkOn });
    const screen = watch(await worker().shells.open(host.target, request()));
    expect(await screen.ended).toEqual({ kind: 'exit', code: 3, signal: null });
    expect(screen.text()).toBe('before');
    await host.stop();
  });
});

it('a host that floods a channel before it answers loses the connection', async () => {
  const bytes = Buffer.alloc(32_000);
  const double = await startDouble({
    connected(client) {
      insidesOf(client)._protocol._handlers['CHANNEL_REQUEST'] = () => {
        for (let sent = 0; sent < 16 * MIB; sent += bytes.length) protocolOf(client).channelData(0, bytes);
      };
    },
  });
  const running = worker().programs.run(double.target(), 'any', { signal: NEVER });
  expect(await failureOf(running)).toMatchObject({
    code: 'ssh_protocol',
    detail: `127.0.0.1:${double.port} sent more data than its window allows`,
  });
});
