import { digest, fromBase64, toBase64, utf8 } from '../lib/bytes/bytes.ts';
import type { AuditChainRow, AuditRecord, AuditRollRow, AuditTrimRow } from '../model/audit/audit.ts';
import type { AuditVerifiedRow } from '../model/audit/verification.ts';
import type { Keyring } from './keyring.ts';

/** SHA-256 over an entry, its position and the previous hash; the order is part of the storage format. */
export function hashOfEntry(entry: ChainedRecord, previous_hash: string): Promise<string> {
  return digest(textOfEntry(entry, previous_hash));
}

type ChainedRecord = AuditRecord & { readonly chain_id: string; readonly seq: number };

function textOfEntry({ chain_id, seq, ...record }: ChainedRecord, previous_hash: string): string {
  const { created_at, user_id, username, action, detail, ip_address, via } = record;
  return JSON.stringify([
    chain_id,
    seq,
    previous_hash,
    created_at,
    user_id,
    username,
    action,
    detail,
    ip_address,
    ...(via ? [via] : []), // entries of earlier versions have none
  ]);
}

/** Signs chain heads, so that write access to the database alone cannot forge them. */
export interface AuditSeal {
  signHead(head: Omit<AuditChainRow, 'signature'>): Promise<AuditChainRow>;
  isGenuineHead(head: AuditChainRow): Promise<boolean>;
  signRoll(chains: number): Promise<AuditRollRow>;
  isGenuineRoll(roll: AuditRollRow): Promise<boolean>;
  signTrim(trim: Omit<AuditTrimRow, 'signature'>): Promise<AuditTrimRow>;
  isGenuineTrim(trim: AuditTrimRow): Promise<boolean>;
  signVerified(verified: Omit<AuditVerifiedRow, 'signature'>): Promise<AuditVerifiedRow>;
  isGenuineVerified(verified: AuditVerifiedRow): Promise<boolean>;
  /** Like `hashOfEntry`, for many entries. */
  hashOf(entry: ChainedRecord, previous_hash: string): Promise<string> | string;
  /** Signs again with the current key; undefined unless the previous key signed it. */
  renewedHead(head: AuditChainRow): Promise<string | undefined>;
  renewedRoll(roll: AuditRollRow): Promise<string | undefined>;
  renewedTrim(trim: AuditTrimRow): Promise<string | undefined>;
}

/** SHA-256 as base64url; Web Crypto takes eight times as long for a short text as the hash of a platform. */
export type TextDigest = (text: string) => Promise<string> | string;

/** Signs with the current key; signatures of the previous key are genuine too. */
export function createAuditSeal(
  { audit }: Keyring,
  previous?: Keyring,
  digestOf: TextDigest = digest,
): AuditSeal {
  const sign = async (text: string) =>
    toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', audit, utf8(text))));
  const isBy = async (key: CryptoKey | undefined, text: string, signature: string) =>
    key !== undefined && (await crypto.subtle.verify('HMAC', key, signatureBytes(signature), utf8(text)));
  const isByPrevious = (text: string, signature: string) => isBy(previous?.audit, text, signature);
  const isGenuine = async (text: string, signature: string) =>
    (await isBy(audit, text, signature)) || (await isByPrevious(text, signature));
  const renewed = async (text: string, signature: string) =>
    (await isByPrevious(text, signature)) ? sign(text) : undefined;
  return {
    signHead: async (head) => ({ ...head, signature: await sign(textOfHead(head)) }),
    isGenuineHead: (head) => isGenuine(textOfHead(head), head.signature),
    signRoll: async (chains) => ({ chains, signature: await sign(textOfRoll(chains)) }),
    isGenuineRoll: ({ chains, signature }) => isGenuine(textOfRoll(chains), signature),
    signTrim: async (trim) => ({ ...trim, signature: await sign(textOfTrim(trim)) }),
    isGenuineTrim: (trim) => isGenuine(textOfTrim(trim), trim.signature),
    signVerified: async (verified) => ({ ...verified, signature: await sign(textOfVerified(verified)) }),
    isGenuineVerified: (verified) => isGenuine(textOfVerified(verified), verified.signature),
    hashOf: (entry, previous_hash) => digestOf(textOfEntry(entry, previous_hash)),
    renewedHead: (head) => renewed(textOfHead(head), head.signature),
    renewedRoll: ({ chains, signature }) => renewed(textOfRoll(chains), signature),
    renewedTrim: (trim) => renewed(textOfTrim(trim), trim.signature),
  };
}

function textOfHead(head: Omit<AuditChainRow, 'signature'>): string {
  const { id, number, instance_id, started_at, entries, last_hash, witness } = head;
  return JSON.stringify(['head', id, number, instance_id, started_at, entries, last_hash, witness]);
}

function textOfRoll(chains: number): string {
  return JSON.stringify(['roll', chains]);
}

function textOfTrim({ number, until, removed_at, cuts, limits }: Omit<AuditTrimRow, 'signature'>): string {
  return JSON.stringify(['trim', number, until, removed_at, cuts, limits]);
}

function textOfVerified(verified: Omit<AuditVerifiedRow, 'signature'>): string {
  const { entries, began_at, verified_at, is_complete, removed, places } = verified;
  return JSON.stringify(['verified', entries, began_at, verified_at, is_complete, removed, places]);
}

/** Invalid base64 counts as a wrong signature. */
function signatureBytes(signature: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(signature);
  } catch {
    return new Uint8Array();
  }
}
