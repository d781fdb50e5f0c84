import { createSocket } from 'node:dgram';
import { once } from 'node:events';

export type Kind = 'A' | 'AAAA';

export interface Dns {
  /** `address:port` */
  readonly server: string;
  /** The queries so far, without repetitions. */
  asked(): string[];
  /** Resolves once this name was queried. */
  hears(name: string): Promise<void>;
  stop(): Promise<void>;
}

const KINDS: Readonly<Record<number, Kind>> = { 1: 'A', 28: 'AAAA' };

/** A name server with an IPv4 address and no AAAA record for each known name. */
export async function startDns(
  outlookOf: (name: string, kind: Kind) => 'found' | 'none' | 'silent',
): Promise<Dns> {
  const socket = createSocket('udp4');
  const asked = new Set<string>();
  const waiting = new Set<() => void>();
  socket.on('message', (query, { port, address }) => {
    const { name, kind, question } = readQuestion(query);
    asked.add(name);
    for (const check of waiting) check();
    const outlook = outlookOf(name, kind);
    if (outlook === 'silent') return;
    socket.send(
      toReply(query.readUInt16BE(0), question, { kind, is_found: outlook === 'found' }),
      port,
      address,
    );
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    server: `127.0.0.1:${socket.address().port}`,
    asked: () => [...asked],
    hears: (name) =>
      new Promise((resolve) => {
        const check = () => {
          if (!asked.has(name)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

interface Question {
  readonly name: string;
  readonly kind: Kind;
  readonly question: Buffer;
}

/** RFC 1035 §4.1.2 */
function readQuestion(query: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const kind = KINDS[query.readUInt16BE(at + 1)] ?? 'A';
  return { name: labels.join('.'), kind, question: query.subarray(12, at + 5) };
}

/** RFC 1035 §4.1.1 and §4.1.3 */
function toReply(
  id: number,
  question: Buffer,
  { kind, is_found }: { readonly kind: Kind; readonly is_found: boolean },
): Buffer {
  const answers = is_found && kind === 'A' ? 1 : 0;
  const header = Buffer.alloc(12);
  for (const [index, word] of [id, is_found ? 0x8180 : 0x8183, 1, answers].entries())
    header.writeUInt16BE(word, index * 2);
  const record = Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1]);
  return Buffer.concat([header, question, ...(answers === 1 ? [record] : [])]);
}
