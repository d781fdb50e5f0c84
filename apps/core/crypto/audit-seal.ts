import { digest, fromBase64, toBase64, utf8 } from '../lib/bytes.ts';
import type { AuditChainRow, AuditRecord, AuditRollRow } from '../model/audit.ts';
import type { Keyring } from './keyring.ts';

/** SHA-256 over an entry, its place and the entry before it; the order is part of the storage format. */
export function hashOfEntry(
  { chain_id, seq, ...record }: AuditRecord & { readonly chain_id: string; readonly seq: number },
  previous_hash: string,
): Promise<string> {
  const { created_at, user_id, username, action, detail, ip_address } = record;
  return digest(
    JSON.stringify([chain_id, seq, previous_hash, created_at, user_id, username, action, detail, ip_address]),
  );
}

/** Vouches for heads: whoever can write to the database but has no secret key can't. */
export interface AuditSeal {
  signHead(head: Omit<AuditChainRow, 'signature'>): Promise<AuditChainRow>;
  isGenuineHead(head: AuditChainRow): Promise<boolean>;
  signRoll(chains: number): Promise<AuditRollRow>;
  isGenuineRoll(roll: AuditRollRow): Promise<boolean>;
}

export function createAuditSeal({ audit }: Keyring): AuditSeal {
  const sign = async (text: string) =>
    toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', audit, utf8(text))));
  const isGenuine = (text: string, signature: string) =>
    crypto.subtle.verify('HMAC', audit, signatureBytes(signature), utf8(text));
  return {
    signHead: async (head) => ({ ...head, signature: await sign(textOfHead(head)) }),
    isGenuineHead: (head) => isGenuine(textOfHead(head), head.signature),
    signRoll: async (chains) => ({ chains, signature: await sign(textOfRoll(chains)) }),
    isGenuineRoll: ({ chains, signature }) => isGenuine(textOfRoll(chains), signature),
  };
}

function textOfHead(head: Omit<AuditChainRow, 'signature'>): string {
  const { id, number, instance_id, started_at, entries, last_hash, witness } = head;
  return JSON.stringify(['head', id, number, instance_id, started_at, entries, last_hash, witness]);
}

function textOfRoll(chains: number): string {
  return JSON.stringify(['roll', chains]);
}

/** What is no base64 is no signature either. */
function signatureBytes(signature: string): Uint8Array<ArrayBuffer> {
  try {
    return fromBase64(signature);
  } catch {
    return new Uint8Array();
  }
}
