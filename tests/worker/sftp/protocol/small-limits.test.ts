import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import ssh2, { type ServerChannel } from 'ssh2';
import { expect, it, onTestFinished } from 'vitest';
import type { SshTarget } from '#core/ports/ssh.ts';
import { attributes, packet, text, u32, u64 } from '#worker/sftp/protocol/encode.ts';
import {
  ATTRS,
  DATA,
  EXTENDED,
  EXTENDED_REPLY,
  FSTAT,
  HANDLE,
  INIT,
  NAME,
  OPEN,
  READ,
  REALPATH,
  STAT,
  STATUS,
  VERSION,
} from '#worker/sftp/protocol/wire.ts';
import { FRESH, worker } from '../../setup.ts';
import { freshKey } from '../../ssh-double.ts';

const SIZE = 1024 * 1024;
const LIMIT_BYTES = 32 * 1024; // What every server must accept.
const FILE = attributes({ size: SIZE, mode: 0o100644 });

/** A host that claims to send one byte at a time; records the lengths of all READs. */
async function startStingyHost(): Promise<{ lengths: number[]; target: SshTarget }> {
  const lengths: number[] = [];
  const server = new ssh2.Server({ hostKeys: [freshKey()] }, (client) => {
    client.on('error', () => {});
    client.on('authentication', (context) => context.accept());
    client.on('session', (accept) => {
      accept().on('subsystem', (grant) => answerAll(grant(), (request) => answer(request, lengths)));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo; // It listens on TCP.
  const place = { server_id: 1, name: 'stingy', hostname: '127.0.0.1', port, username: 'any' };
  const hop = { ...place, ...FRESH, auth: { method: 'password', password: 'any' } as const };
  return { lengths, target: { hops: [hop] } };
}

function answerAll(channel: ServerChannel, answerTo: (request: Buffer) => Buffer): void {
  let left = Buffer.alloc(0);
  channel.on('data', (bytes: Buffer) => {
    left = Buffer.concat([left, bytes]);
    while (left.length >= 4 && left.length >= 4 + left.readUInt32BE(0)) {
      const end = 4 + left.readUInt32BE(0);
      channel.write(answerTo(left.subarray(4, end)));
      left = left.subarray(end);
    }
  });
}

function answer(request: Buffer, lengths: number[]): Buffer {
  const id = request.readUInt32BE(1);
  switch (request[0]) {
    case INIT:
      return packet(VERSION, [u32(3), text('limits@openssh.com'), text('1')]);
    case EXTENDED:
      return packet(EXTENDED_REPLY, [u32(id), u64(256 * 1024), u64(1), u64(1), u64(100)]);
    case REALPATH:
      return packet(NAME, [u32(id, 1), request.subarray(5), text(''), u32(0)]);
    case STAT:
    case FSTAT:
      return packet(ATTRS, [u32(id), FILE]);
    case OPEN:
      return packet(HANDLE, [u32(id), text('h')]);
    case READ:
      lengths.push(request.readUInt32BE(request.length - 4));
      return packet(DATA, [u32(id), text(Buffer.alloc(lengths.at(-1) ?? 0, 'x'))]);
    default:
      return packet(STATUS, [u32(id, 0), text(''), text('')]);
  }
}

it('reads as much as every server must send from a host that claims one byte at a time', async () => {
  const { lengths, target } = await startStingyHost();
  const file = await (await worker().files.open(target)).openRead('/file');
  const stream = file.stream({ start: 0, end: SIZE - 1 });
  expect((await new Response(stream).arrayBuffer()).byteLength).toBe(SIZE);
  expect(lengths.every((length) => length >= LIMIT_BYTES)).toBe(true);
  expect(lengths.length).toBeLessThanOrEqual(SIZE / LIMIT_BYTES);
});
