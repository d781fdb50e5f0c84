import { isMarker, MAX_PACKET_BYTES, nameLists } from '../algorithms/kexinit.ts';
import { HYBRID, type Initiated, initiate, type Responded, respond } from '../hybrid/mlkem768x25519.ts';
import { type KeyExchange, onKeyExchange } from './key-exchange.ts';
import { assertParts, protocolOf, type Side } from './parts.ts';

interface Offer {
  readonly totalSize: number;
  readonly lists: {
    readonly kex: { readonly array: readonly string[]; readonly buffer: Buffer };
    /** Every list as it is sent, that of key exchanges first. */
    readonly all: Buffer;
  };
}

interface Reader {
  read(payload: Buffer): Buffer;
}

interface Protocol {
  readonly _server: boolean;
  /** Our KEXINIT while keys are exchanged. */
  readonly _kexinit: Buffer | undefined;
  _offer: Offer;
  readonly _packetRW: { read: Reader };
  _skipNextInboundPacket: boolean;
}

interface Exchange {
  readonly negotiated: { kex: string };
  readonly _kexinit: Buffer;
  _remoteKexinit: Buffer;
  generateKeys(): void;
  getPublicKey(): Buffer;
  convertPublicKey(key: Buffer): Buffer;
  computeSecret(other: Buffer): Buffer | Error;
}

/** The exchange of ssh2 that becomes a hybrid one: both hash with SHA-256, and have messages of the same numbers and fields. */
const CLASSICAL = 'curve25519-sha256';

/**
 * Offers the hybrid key exchange first, at either side. ssh2 refuses to know the name, so it stands only on the wire: when it
 * is chosen, ssh2 reads the peer's offer as one of curve25519 alone. Call it before the first packet.
 */
export function offerHybrid(side: Side): void {
  const protocol = protocolOf<Protocol>(side);
  if (!protocol._offer.lists.kex.array.includes(CLASSICAL)) return;
  protocol._offer = withHybrid(protocol._offer);
  let peer_kexinit: Buffer | undefined;
  translateReads(protocol, (payload) => {
    peer_kexinit = undefined;
    if (!isChosen(protocol, payload)) return payload;
    peer_kexinit = payload;
    return asClassical(payload);
  });
  onKeyExchange(side, (negotiated) => {
    const exchange = negotiated as unknown as Exchange;
    if (peer_kexinit) becomeHybrid(exchange, { is_server: protocol._server, peer_kexinit });
    peer_kexinit = undefined;
    // After a guess, ssh2 would drop the next packet even if the guess was right.
    protocol._skipNextInboundPacket &&= isWrongGuess(exchange);
  });
}

/** A copy: connections share the offer of their server. */
function withHybrid(offer: Offer): Offer {
  const { kex, all } = offer.lists;
  const buffer = Buffer.from([HYBRID, ...kex.array].join(','));
  const lists = { ...offer.lists, kex: { ...kex, buffer }, all: withKexList(all, 0, buffer) };
  const totalSize = offer.totalSize + buffer.length - kex.buffer.length;
  return Object.assign(Object.create(Object.getPrototypeOf(offer)), offer, { lists, totalSize });
}

const KEXINIT = 20;
const KEX_LIST_AT = 17; // behind the number of the message and the cookie (RFC 4253 §7.1)

/** Replaces the list of names at an offset. */
function withKexList(bytes: Buffer, at: number, list: Buffer): Buffer {
  const rest = bytes.subarray(at + 4 + bytes.readUInt32BE(at));
  const made = Buffer.alloc(at + 4 + list.length + rest.length); // not from Node's shared pool: connections keep it
  made.set(bytes.subarray(0, at));
  made.writeUInt32BE(list.length, at);
  made.set(list, at + 4);
  made.set(rest, at + 4 + list.length);
  return made;
}

/** ssh2 has another reader after each key exchange. */
function translateReads(protocol: Protocol, translate: (kexinit: Buffer) => Buffer): void {
  const translating = (reader: Reader): Reader => {
    const read = reader.read.bind(reader);
    reader.read = (bytes) => {
      const payload = read(bytes);
      // ssh2 refuses a longer one: its names are not worth the time.
      const is_offer = payload[0] === KEXINIT && payload.length <= MAX_PACKET_BYTES;
      return is_offer ? translate(payload) : payload;
    };
    return reader;
  };
  let current = translating(protocol._packetRW.read);
  Object.defineProperty(protocol._packetRW, 'read', {
    get: () => current,
    set(reader: Reader) {
      current = translating(reader);
    },
  });
}

/** RFC 4253 §7.1: the client's first name that the server also has. */
function isChosen({ _server, _kexinit, _offer }: Protocol, peer_kexinit: Buffer): boolean {
  const ours = _kexinit ? kexNames(_kexinit) : _offer.lists.kex.buffer.toString('latin1').split(',');
  const theirs = kexNames(peer_kexinit);
  const [client, server] = _server ? [theirs, ours] : [ours, theirs];
  return client.find((name) => server.includes(name)) === HYBRID;
}

function kexNames(kexinit: Buffer): readonly string[] {
  return nameLists(kexinit.subarray(KEX_LIST_AT), 1)[0] ?? [];
}

/** RFC 4253 §7.1: the sides prefer different key exchanges, or different types of host keys. */
function isWrongGuess({ _kexinit, _remoteKexinit }: Exchange): boolean {
  const [ours, theirs] = [_kexinit, _remoteKexinit].map((bytes) => nameLists(bytes.subarray(KEX_LIST_AT), 2));
  return [0, 1].some((list) => ours?.[list]?.[0] !== theirs?.[list]?.[0]);
}

/** The same offer with one key exchange. */
function asClassical(kexinit: Buffer): Buffer {
  const names = [CLASSICAL, ...kexNames(kexinit).filter(isMarker)];
  return withKexList(kexinit, KEX_LIST_AT, Buffer.from(names.join(',')));
}

function becomeHybrid(
  exchange: Exchange,
  { is_server, peer_kexinit }: { readonly is_server: boolean; readonly peer_kexinit: Buffer },
): void {
  exchange.negotiated.kex = HYBRID;
  exchange._remoteKexinit = peer_kexinit; // both sides hash what was sent
  exchange.generateKeys = () => {};
  exchange.convertPublicKey = (bytes) => bytes;
  Object.assign(exchange, is_server ? serverSide() : clientSide());
}

type Sides = Pick<Exchange, 'getPublicKey' | 'computeSecret'>;

/** ssh2 sends and hashes the result as a string, which the draft demands; the classical exchanges make it a number first. */
function clientSide(): Sides {
  let initiated: Initiated | undefined;
  const begin = () => {
    initiated ??= initiate();
    return initiated;
  };
  return {
    getPublicKey: () => begin().init,
    computeSecret: (reply) =>
      orError(() => {
        const { init, secretOf } = begin();
        initiated = { init, secretOf: refuse }; // ssh2 keeps the exchange as long as the connection
        return secretOf(reply);
      }),
  };
}

function refuse(): never {
  throw new Error('The private keys of an exchange are used once');
}

/** ssh2 computes the secret before it asks for what the server sends. */
function serverSide(): Sides {
  let responded: Responded | undefined;
  return {
    getPublicKey() {
      if (!responded) throw new Error('ssh2 asks for the reply before it computes the secret');
      return responded.reply;
    },
    computeSecret: (init) =>
      orError(() => {
        responded = respond(init);
        return responded.secret;
      }),
  };
}

/** ssh2 expects the error as a result. */
function orError(compute: () => Buffer): Buffer | Error {
  try {
    return compute();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

export function assertHybrid(side: Side): void {
  const protocol = protocolOf<Protocol>(side);
  assertParts('Protocol', protocol, {
    ...{ _server: 'boolean', _offer: 'object', _packetRW: 'object', _skipNextInboundPacket: 'boolean' },
  });
  assertParts('Protocol._offer', protocol._offer, { totalSize: 'number', lists: 'object' });
  assertParts('Protocol._offer.lists', protocol._offer.lists, { kex: 'object', all: 'object' });
  assertParts('Protocol._packetRW.read', protocol._packetRW.read, { read: 'function' });
}

export function assertHybridExchange(exchange: KeyExchange): void {
  assertParts('KeyExchange', exchange, {
    ...{ _kexinit: 'object', _remoteKexinit: 'object', generateKeys: 'function', getPublicKey: 'function' },
    ...{ convertPublicKey: 'function', computeSecret: 'function' },
  });
}
