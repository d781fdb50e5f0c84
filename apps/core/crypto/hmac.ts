import { utf8 } from '../lib/bytes.ts';

/** HMAC-SHA256 in hexadecimal. */
export async function hmacHex(secret: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', utf8(secret), algorithm, false, ['sign']);
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes));
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
