/** The algorithms offered by a peer (RFC 4253 §7.1). */
export interface KexInit {
  readonly kex: readonly string[];
  readonly host_key: readonly string[];
  /** From us to the peer, and back. */
  readonly cipher: readonly [readonly string[], readonly string[]];
  readonly mac: readonly [readonly string[], readonly string[]];
  readonly compression: readonly [readonly string[], readonly string[]];
}

export const MAX_PACKET_BYTES = 35_000; // RFC 4253 §6.1: what every implementation must accept

const PACKET_HEADER_BYTES = 5; // packet length and padding length
const SSH_MSG_KEXINIT = 20;
const COOKIE_BYTES = 16;

/** Whether a name among the key exchanges announces an extension (RFC 8308, strict key exchange). */
export function isMarker(name: string): boolean {
  return name.startsWith('ext-info-') || name.startsWith('kex-strict-');
}

/** Parses a peer's first packet, which is unencrypted; undefined until it is complete, null when it is not a KEXINIT. */
export function readKexInit(bytes: Buffer): KexInit | undefined | null {
  if (bytes.length < PACKET_HEADER_BYTES + 1) return undefined;
  const length = bytes.readUInt32BE(0);
  if (length > MAX_PACKET_BYTES || bytes[PACKET_HEADER_BYTES] !== SSH_MSG_KEXINIT) return null;
  if (bytes.length < 4 + length) return undefined;
  const payload = bytes.subarray(PACKET_HEADER_BYTES + 1 + COOKIE_BYTES, 4 + length - (bytes[4] ?? 0));
  const lists = nameLists(payload, 8);
  const [kex = [], host_key = [], cipher = [], cipher_in = [], mac = [], mac_in = [], zip = [], zip_in = []] =
    lists;
  if (lists.length < 8) return null;
  return { kex, host_key, cipher: [cipher, cipher_in], mac: [mac, mac_in], compression: [zip, zip_in] };
}

/** Length-prefixed, comma-separated names (RFC 4251 §5); returns fewer lists when the bytes end too soon. */
export function nameLists(bytes: Buffer, count: number): string[][] {
  const lists: string[][] = [];
  let at = 0;
  while (lists.length < count && at + 4 <= bytes.length) {
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) break;
    const names = bytes.toString('latin1', at + 4, end);
    lists.push(names === '' ? [] : names.split(','));
    at = end;
  }
  return lists;
}
