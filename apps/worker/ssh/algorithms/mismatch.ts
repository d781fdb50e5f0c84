import { printable } from '#core/lib/text/printable.ts';
import type { AlgorithmSet } from '#core/model/hosts/server.ts';
import { HYBRID } from '../hybrid/mlkem768x25519.ts';
import { isMarker, type KexInit } from './kexinit.ts';
import { COMPRESSION, type Proposal, proposalOf } from './proposal.ts';

const MAX_NAMES_LENGTH = 400; // the names come from the host

interface Missing {
  readonly what: string;
  readonly offered: readonly string[];
}

/** Which kind of algorithm the host and this gateway do not share, in our words only. */
export function nameMismatch(offers: KexInit, algorithms: AlgorithmSet): string | undefined {
  const missing = firstMissing(offers, proposalOf(algorithms));
  return missing && `shares no ${missing.what} with this gateway`;
}

/** Also quotes what the host offers; undefined when they share all. */
export function describeMismatch(offers: KexInit, algorithms: AlgorithmSet): string | undefined {
  const missing = firstMissing(offers, proposalOf(algorithms));
  if (!missing) return undefined;
  const names = printable(missing.offered.join(', '), MAX_NAMES_LENGTH) || 'none';
  const text = `shares no ${missing.what} with this gateway: it offers ${names}`;
  return wouldLegacyHelp(offers, algorithms)
    ? `${text}. Setting the server's algorithms to "legacy" would allow it`
    : text;
}

function wouldLegacyHelp(offers: KexInit, algorithms: AlgorithmSet): boolean {
  return algorithms === 'default' && !firstMissing(offers, proposalOf('legacy'));
}

/** In the order of negotiation (RFC 4253 §7.1). */
function firstMissing(offers: KexInit, { kex, host_key, cipher, mac }: Proposal): Missing | undefined {
  const lists: [string, readonly string[], readonly string[]][] = [
    ['key exchange algorithm', [HYBRID, ...kex], offers.kex.filter((name) => !isMarker(name))],
    ['host key algorithm', host_key, offers.host_key],
    ['cipher', cipher, offers.cipher[0]],
    ['cipher', cipher, offers.cipher[1]],
    ['MAC algorithm', mac, needsMac(cipher, offers.cipher[0]) ? offers.mac[0] : mac],
    ['MAC algorithm', mac, needsMac(cipher, offers.cipher[1]) ? offers.mac[1] : mac],
    ['compression algorithm', COMPRESSION, offers.compression[0]],
    ['compression algorithm', COMPRESSION, offers.compression[1]],
  ];
  const missing = lists.find(([, ours, theirs]) => !ours.some((name) => theirs.includes(name)));
  return missing && { what: missing[0], offered: missing[2] };
}

/** Negotiation picks our first cipher that the host supports; AEAD ciphers need no MAC (RFC 5647). */
function needsMac(ours: readonly string[], theirs: readonly string[]): boolean {
  const cipher = ours.find((name) => theirs.includes(name)) ?? '';
  return !/gcm|poly1305/.test(cipher);
}
