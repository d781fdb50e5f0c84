import { Duplex } from 'node:stream';
import { Client } from 'ssh2';
import { describe, expect, it } from 'vitest';
import { toConnection } from '#worker/ssh/connection.ts';
import { FRESH, manualClock } from '../setup.ts';

const MIB = 1024 * 1024;
const HOP = {
  ...{ server_id: 1, name: 'web-1', hostname: 'h.example', port: 22, username: 'deploy' },
  ...FRESH,
  auth: { method: 'prompt' },
} as const;

/** A peer that sends on demand and reads nothing. */
function deafPeer() {
  return new Duplex({ read() {}, write() {} });
}

function connected(stream: Duplex) {
  const links = [{ hop: HOP, client: new Client(), stream }] as const;
  return toConnection([...links], { clock: manualClock(), in_chain: false, depth: 0 });
}

describe('a connection to a host that does not read', () => {
  it('ends once more than 32 MiB are queued', async () => {
    const stream = deafPeer();
    const connection = connected(stream);
    const ended = new Promise((resolve) => connection.onEnd(resolve));
    stream.write(Buffer.alloc(32 * MIB + 1));
    stream.push('and it asks on');
    expect(await ended).toMatchObject({
      code: 'ssh_protocol',
      detail: 'h.example:22 does not read the replies it causes',
    });
  });

  it('stays open while the host is only slow', async () => {
    const stream = deafPeer();
    const connection = connected(stream);
    stream.write(Buffer.alloc(32 * MIB));
    stream.push('still here');
    await new Promise((resolve) => stream.once('data', resolve));
    expect(connection.ended()).toBeUndefined();
  });
});
