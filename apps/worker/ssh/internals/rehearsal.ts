import { generateKeyPairSync } from 'node:crypto';
import { Duplex } from 'node:stream';
import ssh2, { Client, type Connection, type KexAlgorithm } from 'ssh2';
import Protocol from 'ssh2/lib/protocol/Protocol.js';
import { protocolOf } from './parts.ts';

const HOST_KEY = 'ecdsa-sha2-nistp256';
const BOTH_WAYS = { cipher: ['aes128-gcm@openssh.com'], mac: ['hmac-sha2-256'], compress: ['none'] } as const;

export interface Rehearsal {
  readonly kex: KexAlgorithm;
  /** Called before the first packet. */
  prepare(client: Client, host: Connection): void;
}

/** Exchanges keys between both sides of ssh2, in memory and without waiting. Returns why that failed, if it did. */
export function rehearse({ kex, prepare }: Rehearsal): Error | undefined {
  const to_server: Buffer[] = [];
  const to_client: Buffer[] = [];
  let failure: Error | undefined;
  const fail = (error: Error) => {
    failure ??= error;
  };
  const client = connectInMemory(kex, to_server).on('error', fail);
  const server = new Protocol({
    server: true,
    hostKeys: { [HOST_KEY]: createHostKey() },
    offer: {
      ...{ kex: [kex], serverHostKey: [HOST_KEY] },
      ...{ cs: { ...BOTH_WAYS, lang: [] }, sc: { ...BOTH_WAYS, lang: [] } },
    },
    onWrite: (bytes: Buffer) => to_client.push(Buffer.from(bytes)),
    onError: fail,
  });
  prepare(client, { _protocol: server } as unknown as Connection);
  const own = protocolOf<Protocol>(client);
  own.start();
  server.start();
  while (failure === undefined && to_server.length + to_client.length > 0) {
    for (const bytes of to_server.splice(0)) server.parse(bytes, 0, bytes.length);
    for (const bytes of to_client.splice(0)) own.parse(bytes, 0, bytes.length);
  }
  return failure;
}

/** A client that has connected, and that starts nothing by itself because its stream still says `connecting`. */
function connectInMemory(kex: KexAlgorithm, sent: Buffer[]): Client {
  const stream = new Duplex({
    read() {},
    write(bytes: Buffer, _encoding, done) {
      sent.push(Buffer.from(bytes));
      done();
    },
  });
  const client = new Client();
  client.connect({
    sock: Object.assign(stream, { connecting: true }),
    username: 'rehearsal',
    hostVerifier: () => true,
    readyTimeout: 0,
    algorithms: {
      ...{ kex: [kex], serverHostKey: [HOST_KEY] },
      ...{ cipher: [...BOTH_WAYS.cipher], hmac: [...BOTH_WAYS.mac], compress: [...BOTH_WAYS.compress] },
    },
  });
  return client;
}

function createHostKey(): ssh2.ParsedKey {
  const { privateKey: pem } = generateKeyPairSync('ec', {
    namedCurve: 'prime256v1',
    privateKeyEncoding: { type: 'sec1', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  });
  const key = ssh2.utils.parseKey(pem);
  if (key instanceof Error) throw key;
  return key;
}
