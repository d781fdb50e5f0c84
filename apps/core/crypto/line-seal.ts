import { fromBase64, toBase64, utf8 } from '../lib/bytes/bytes.ts';
import type { Keyring } from './keyring.ts';

const SIGNATURE = /^[A-Za-z0-9+/]{43}= /;

/** Signs the lines of a file, so that nobody without the secret key can plant or change one. */
export interface LineSeal {
  seal(text: string): Promise<string>;
  /** The text of a line; undefined when neither the current key nor the previous one signed it. */
  open(line: string): Promise<string | undefined>;
}

export function createLineSeal({ spool }: Keyring, previous?: Keyring): LineSeal {
  const keys = [spool, ...(previous ? [previous.spool] : [])];
  return {
    async seal(text) {
      const signature = await crypto.subtle.sign('HMAC', spool, utf8(text));
      return `${toBase64(new Uint8Array(signature))} ${text}`;
    },
    async open(line) {
      const [start] = SIGNATURE.exec(line) ?? [];
      if (start === undefined) return undefined;
      const text = line.slice(start.length);
      for (const key of keys) {
        if (await crypto.subtle.verify('HMAC', key, fromBase64(start.trim()), utf8(text))) return text;
      }
      return undefined;
    },
  };
}
